// model.js - the profile as the page works with it, from the data that approf made (docs/WEB.md).
//
// Two trees of calls: by source line, and by function. Node 0 is the root; a parent comes before its children.

import { readColumns, lazyList } from "./columns.js";

// Numbers that are given as steps from one to the next; the base begins anew.
function summed(steps, nNew) {
  let last = 0;
  for (let i = 0; i < steps.length; i++) {
    last = i === nNew ? steps[i] : last + steps[i];
    steps[i] = last;
  }
  return steps;
}

function decodeTrees(data, frameFunction) {
  const up = data.whole("node_up");
  const frames = data.whole("node_frame");
  const back = data.whole("node_function");
  const n = up.length + 1;
  const lines = { n, parent: new Int32Array(n), frame: new Int32Array(n).fill(-1) };
  const functionNode = new Int32Array(n);
  const parents = new Int32Array(n);
  const owners = new Int32Array(n).fill(-1);
  lines.frame.set(frames, 1);
  let used = 1;
  for (let i = 1; i < n; i++) {
    let parent = i - 1;
    for (let steps = up[i - 1]; steps > 0; steps--) {
      parent = lines.parent[parent];
    }
    lines.parent[i] = parent;
    functionNode[i] = used - back[i - 1];
    if (back[i - 1] === 0) {
      parents[used] = functionNode[parent];
      owners[used++] = frameFunction[frames[i - 1]];
    }
  }
  const calls = { n: used, parent: parents.subarray(0, used), fn: owners.subarray(0, used) };
  return { lines, calls, functionNode };
}

// Whether a node's function is on no node above it: where recursion must count once. One walk over the tree, with the
// functions that are on the way down.
function firstOnPath(tree, nFunctions) {
  const { n, parent, fn, child } = tree;
  const first = new Uint8Array(n);
  const onWay = new Int32Array(nFunctions);
  const next = child.from.slice(0, n);
  let at = 0;
  for (;;) {
    if (next[at] < child.from[at + 1]) {
      at = child.list[next[at]++];
      first[at] = onWay[fn[at]]++ ? 0 : 1;
    } else if (at) {
      onWay[fn[at]]--;
      at = parent[at];
    } else {
      return first;
    }
  }
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

export function decodeModel(bytes) {
  const data = readColumns(bytes);
  const { facts } = data;
  const frames = { fn: data.whole("frame_function"), file: data.whole("frame_file"), line: data.signed("frame_line"), inlined: data.whole("frame_inlined") };
  const { lines, calls, functionNode } = decodeTrees(data, frames.fn);
  calls.depth = depthsOf(calls);
  calls.child = childrenOf(calls);
  let first = null; // not needed for the first picture
  Object.defineProperty(calls, "first", { get: () => (first ??= firstOnPath(calls, facts.functions.length)) });
  const fileOf = new Int32Array(facts.functions.length).fill(-1);
  const inlined = new Uint8Array(facts.functions.length);
  frames.fn.forEach((fn, frame) => {
    frames.file[frame]--; // 0 is none
    if (fileOf[fn] < 0) {
      fileOf[fn] = frames.file[frame];
    }
    inlined[fn] |= frames.inlined[frame];
  });
  const node = summed(data.whole("sample_node"), facts.new_samples);
  let bytesOf = null;
  return {
    title: facts.title,
    binary: facts.binary,
    buildId: facts.build_id,
    timeMs: facts.time_ms,
    durationMs: facts.duration_ms,
    period: facts.period,
    comments: facts.comments,
    base: facts.base,
    types: facts.types,
    shown: facts.shown,
    functions: facts.functions,
    functionFile: fileOf,
    functionInlined: inlined,
    functionOwn: data.whole("function_own"),
    files: facts.files,
    frames,
    lines,
    calls,
    functionNode,
    samples: {
      n: node.length,
      nNew: facts.new_samples,
      node,
      get bytes() {
        return (bytesOf ??= data.signed("sample_bytes")); // -1: has none
      },
      values: lazyList(facts.types.length, (t) => data.signed("values", t)),
    },
    sources: new Map(facts.sources.map((source) => [source.file, source])),
    isDifference: facts.base !== "" || facts.new_samples < node.length,
    cache: new Map(),
  };
}

export function typeIndex(model, name) {
  return model.types.findIndex((type) => type.name === name);
}
