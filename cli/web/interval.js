// interval.js - 95% intervals of sampled figures: the same score interval as approf top -ci prints (docs/SAMPLING.md).

import { typeIndex } from "./model.js";

const Z = 1.959963984540054;

// Of each sample, the variance of its weight; null when the profile does not say how it was sampled.
function sampleVariances(model, type) {
  const name = model.types[type].name;
  const prefix = /^(alloc_|inuse_)/.exec(name)?.[0] ?? "";
  const objects = model.samples.values[typeIndex(model, `${prefix}objects`)];
  const bytes = model.samples.values[typeIndex(model, `${prefix}space`)];
  const rate = model.period;
  if (!objects || !bytes || rate <= 0) {
    return null;
  }
  const ofBytes = name.endsWith("space");
  const variances = new Float64Array(model.samples.n);
  for (let s = 0; rate > 1 && s < model.samples.n; s++) {
    const n = Math.abs(objects[s]);
    const size = n && bytes[s] ? Math.abs(bytes[s]) / n : 1;
    const weight = -1 / Math.expm1(-size / rate);
    const scale = ofBytes ? (bytes[s] / n) ** 2 : 1;
    variances[s] = n > 0 ? Math.max(0, n * (weight - 1)) * scale : 0;
  }
  return variances;
}

// Variances of functions, over all samples: {flat, cum}, or null.
export function functionVariances(model, type) {
  const key = `variances ${type}`;
  if (!model.cache.has(key)) {
    const variances = sampleVariances(model, type);
    let sums = null;
    if (variances) {
      const { n, parent, fn, first } = model.calls;
      const total = new Float64Array(n);
      sums = { flat: new Float64Array(model.functions.length), cum: new Float64Array(model.functions.length) };
      for (let s = 0; s < model.samples.n; s++) {
        const node = model.functionNode[model.samples.node[s]];
        total[node] += variances[s];
        if (node) {
          sums.flat[fn[node]] += variances[s];
        }
      }
      for (let i = n - 1; i > 0; i--) {
        total[parent[i]] += total[i];
        sums.cum[fn[i]] += first[i] ? total[i] : 0;
      }
    }
    model.cache.set(key, sums);
  }
  return model.cache.get(key);
}

export function interval(model, value, variance) {
  if (model.isDifference || value < 0) {
    const reach = Z * Math.sqrt(variance);
    return [value - reach, value + reach];
  }
  if (value === 0 || variance === 0) {
    return [value, value];
  }
  const f = variance / value;
  const middle = value + (Z * Z * f) / 2;
  const reach = Z * Math.sqrt(f * value + (Z * Z * f * f) / 4);
  return [Math.max(0, middle - reach), middle + reach];
}
