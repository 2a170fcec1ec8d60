// sums.js - figures of a model: of nodes, of functions, of lines. Made when first asked for, then kept.
//
// side: "new", "base", or "delta" (new less base). The samples of the base are negative in the data.

function range(model, side) {
  const { n, nNew } = model.samples;
  return side === "new" ? [0, nNew, 1] : side === "base" ? [nNew, n, -1] : [0, n, 1];
}

function kept(model, key, make) {
  let value = model.cache.get(key);
  if (!value) {
    value = make();
    model.cache.set(key, value);
  }
  return value;
}

export function sumOf(model, type, side) {
  return kept(model, `sum ${type} ${side}`, () => {
    const [from, to, sign] = range(model, side);
    let sum = 0;
    for (let s = from; s < to; s++) {
      sum += model.samples.values[type][s];
    }
    return { sum: sum * sign };
  }).sum;
}

// What percentages are of: approf top's total.
export function totalOf(model, type) {
  return model.types[type].total;
}

// Of nodes of the tree by function: {self, total}.
export function nodeSums(model, type, side) {
  return kept(model, `nodes ${type} ${side}`, () => {
    const [from, to, sign] = range(model, side);
    const { n, parent } = model.calls;
    const self = new Float64Array(n);
    const values = model.samples.values[type];
    for (let s = from; s < to; s++) {
      self[model.functionNode[model.samples.node[s]]] += sign * values[s];
    }
    const total = self.slice();
    for (let i = n - 1; i > 0; i--) {
      total[parent[i]] += total[i];
    }
    return { self, total };
  });
}

// Of functions: {flat, cum}.
export function functionSums(model, type, side) {
  return kept(model, `functions ${type} ${side}`, () => {
    const { self, total } = nodeSums(model, type, side);
    const { n, fn, first } = model.calls;
    const flat = new Float64Array(model.functions.length);
    const cum = new Float64Array(model.functions.length);
    for (let i = 1; i < n; i++) {
      flat[fn[i]] += self[i];
      if (first[i]) {
        cum[fn[i]] += total[i];
      }
    }
    return { flat, cum };
  });
}

// Of one function's lines: a list of {file, line, flat, cum, inlined}, as approf list has them.
export function lineSums(model, type, side, fn) {
  return kept(model, `lines ${type} ${side} ${fn}`, () => {
    const { n, parent, frame } = model.lines;
    const [from, to, sign] = range(model, side);
    const { frames, samples } = model;
    const total = kept(model, `line nodes ${type} ${side}`, () => {
      const sums = { self: new Float64Array(n), total: null };
      for (let s = from; s < to; s++) {
        sums.self[samples.node[s]] += sign * samples.values[type][s];
      }
      sums.total = sums.self.slice();
      for (let i = n - 1; i > 0; i--) {
        sums.total[parent[i]] += sums.total[i];
      }
      return sums;
    });
    const found = new Map();
    for (let i = 1; i < n; i++) {
      const f = frame[i];
      if (frames.fn[f] !== fn) {
        continue;
      }
      let row = found.get(f);
      if (!row) {
        row = { frame: f, file: frames.file[f], line: frames.line[f], inlined: frames.inlined[f], flat: 0, cum: 0 };
        found.set(f, row);
      }
      row.flat += total.self[i];
      let up = parent[i];
      while (up && frame[up] !== f) {
        up = parent[up];
      }
      row.cum += up ? 0 : total.total[i];
    }
    return [...found.values()].sort((a, b) => a.file - b.file || a.line - b.line);
  });
}

// Samples by size class, of those whose stack has the function (or of all, with -1): a list of {bytes, value}.
export function sizeSums(model, type, side, fn) {
  return kept(model, `sizes ${type} ${side} ${fn}`, () => {
    const [from, to, sign] = range(model, side);
    const inside = fn < 0 ? null : below(model, (owner) => owner === fn);
    const sums = new Map();
    for (let s = from; s < to; s++) {
      const node = model.functionNode[model.samples.node[s]];
      const bytes = model.samples.bytes[s];
      if (bytes >= 0 && (!inside || inside[node])) {
        sums.set(bytes, (sums.get(bytes) || 0) + sign * model.samples.values[type][s]);
      }
    }
    return [...sums].map(([bytes, value]) => ({ bytes, value })).filter((row) => row.value).sort((a, b) => a.bytes - b.bytes);
  });
}

// Nodes at or below one whose function is wanted.
export function below(model, wanted) {
  const { n, parent, fn } = model.calls;
  const inside = new Uint8Array(n);
  for (let i = 1; i < n; i++) {
    inside[i] = inside[parent[i]] || wanted(fn[i]) ? 1 : 0;
  }
  return inside;
}

// How much of the profile has a matching function on its stack.
export function matchedSum(model, type, side, matches) {
  const inside = below(model, (fn) => matches[fn]);
  const { self } = nodeSums(model, type, side);
  let sum = 0;
  for (let i = 1; i < self.length; i++) {
    sum += inside[i] ? self[i] : 0;
  }
  return sum;
}
