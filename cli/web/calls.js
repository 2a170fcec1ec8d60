// calls.js - which function calls which, with weights: for the graph, callers and callees.

import { nodeSums } from "./sums.js";

// Calls between the functions of `kept` (all when null): a list of {from, to, weight, residual}. A call that is on a
// stack twice counts once; one over functions that are left out is residual; a call of itself is none. With `only`:
// calls from and to that function.
export function callSums(model, type, side, kept, only = -1) {
  const { n, parent, fn } = model.calls;
  const { total } = nodeSums(model, type, side);
  const above = new Int32Array(n); // the nearest node above that is kept
  const calls = new Map();
  for (let i = 1; i < n; i++) {
    const up = parent[i];
    above[i] = !up || !kept || kept[fn[up]] ? up : above[up];
    const caller = above[i];
    if (!caller || (kept && !kept[fn[i]]) || fn[caller] === fn[i] || (only >= 0 && fn[i] !== only && fn[caller] !== only)) {
      continue;
    }
    let at = caller;
    while (at && !(fn[at] === fn[i] && above[at] && fn[above[at]] === fn[caller])) {
      at = above[at];
    }
    if (at) {
      continue;
    }
    const key = fn[caller] * model.functions.length + fn[i];
    let call = calls.get(key);
    if (!call) {
      call = { from: fn[caller], to: fn[i], weight: 0, residual: false };
      calls.set(key, call);
    }
    call.weight += total[i];
    call.residual ||= caller !== up;
  }
  return [...calls.values()].filter((call) => call.weight);
}

function heavyFirst(a, b) {
  return Math.abs(b.weight) - Math.abs(a.weight);
}

// {callers, callees} of a function, by weight.
export function neighbours(model, type, side, fn) {
  const key = `calls ${type} ${side} ${fn}`;
  if (!model.cache.has(key)) {
    const calls = callSums(model, type, side, null, fn).sort(heavyFirst);
    model.cache.set(key, { callers: calls.filter((call) => call.to === fn), callees: calls.filter((call) => call.from === fn) });
  }
  return model.cache.get(key);
}
