// model.js - the profile as the page works with it, from the JSON that approf made (docs/WEB.md).
//
// Two trees of calls: by source line, and by function. Node 0 is the root; a parent comes before its children.

// Numbers that are given as steps from one to the next.
function summed(steps) {
  const values = new Int32Array(steps.length);
  let last = 0;
  for (let i = 0; i < steps.length; i++) {
    last += steps[i];
    values[i] = last;
  }
  return values;
}

function decodeTrees(data) {
  const n = data.node_up.length + 1;
  const lines = { n, parent: new Int32Array(n), frame: new Int32Array(n).fill(-1) };
  const functionNode = new Int32Array(n);
  const parents = new Int32Array(n);
  const owners = new Int32Array(n).fill(-1);
  let used = 1;
  for (let i = 1; i < n; i++) {
    lines.parent[i] = i - data.node_up[i - 1];
    lines.frame[i] = data.node_frame[i - 1];
    const back = data.node_function[i - 1];
    functionNode[i] = used - back;
    if (back === 0) {
      parents[used] = functionNode[lines.parent[i]];
      owners[used++] = data.frame_function[lines.frame[i]];
    }
  }
  const calls = { n: used, parent: parents.subarray(0, used), fn: owners.subarray(0, used) };
  return { lines, calls, functionNode };
}

// Whether a node's function is on no node above it: where recursion must count once.
function firstOnPath(tree, owner) {
  const first = new Uint8Array(tree.n);
  for (let i = 1; i < tree.n; i++) {
    let up = tree.parent[i];
    while (up && owner[up] !== owner[i]) {
      up = tree.parent[up];
    }
    first[i] = up ? 0 : 1;
  }
  return first;
}

function depthsOf(tree) {
  const depth = new Int32Array(tree.n);
  for (let i = 1; i < tree.n; i++) {
    depth[i] = depth[tree.parent[i]] + 1;
  }
  return depth;
}

// The children of node i: child.list[child.from[i]] up to child.from[i + 1].
function childrenOf(tree) {
  const from = new Int32Array(tree.n + 1);
  for (let i = 1; i < tree.n; i++) {
    from[tree.parent[i] + 1]++;
  }
  for (let i = 0; i < tree.n; i++) {
    from[i + 1] += from[i];
  }
  const at = from.slice();
  const list = new Int32Array(tree.n);
  for (let i = 1; i < tree.n; i++) {
    list[at[tree.parent[i]]++] = i;
  }
  return { from, list };
}

export function decodeModel(data) {
  const { lines, calls, functionNode } = decodeTrees(data);
  calls.depth = depthsOf(calls);
  calls.child = childrenOf(calls);
  let first = null; // not needed for the first picture
  Object.defineProperty(calls, "first", { get: () => (first ??= firstOnPath(calls, calls.fn)) });
  const fileOf = new Int32Array(data.functions.length).fill(-1);
  const inlined = new Uint8Array(data.functions.length);
  data.frame_function.forEach((fn, frame) => {
    if (fileOf[fn] < 0) {
      fileOf[fn] = data.frame_file[frame];
    }
    inlined[fn] |= data.frame_inlined[frame];
  });
  return {
    title: data.title,
    binary: data.binary,
    buildId: data.build_id,
    timeMs: data.time_ms,
    durationMs: data.duration_ms,
    period: data.period,
    comments: data.comments,
    base: data.base,
    types: data.types,
    shown: data.shown,
    functions: data.functions,
    functionFile: fileOf,
    functionInlined: inlined,
    files: data.files,
    frames: { fn: data.frame_function, file: data.frame_file, line: data.frame_line, inlined: data.frame_inlined },
    lines,
    calls,
    functionNode,
    samples: {
      n: data.sample_node.length,
      nNew: data.new_samples,
      node: summed(data.sample_node),
      bytes: Float64Array.from(data.sample_bytes),
      values: data.sample_values.map((values) => Float64Array.from(values)),
    },
    sources: new Map(data.sources.map((source) => [source.file, source])),
    isDifference: data.base !== "" || data.new_samples < data.sample_node.length,
    cache: new Map(),
  };
}

export function typeIndex(model, name) {
  return model.types.findIndex((type) => type.name === name);
}
