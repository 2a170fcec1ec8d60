// time_points.js - the course of time as a list of points {at, live, allocated}: milliseconds, and by function's name
// the bytes in use and those allocated since the first point.

import { functionSums } from "./sums.js";
import { typeIndex } from "./model.js";
import { readColumns } from "./columns.js";

// One that was read now; `allocated` is what the profile says, since its own start.
export function pointOf(model, at) {
  const [live, allocated] = ["inuse_space", "alloc_space"].map((name) => {
    const t = typeIndex(model, name);
    const sums = t >= 0 ? functionSums(model, t, "new").flat : [];
    return new Map(model.functions.map((fn, i) => [fn, sums[i] ?? 0]));
  });
  return { at, live, allocated };
}

// Those of a directory of approf record; [] when there are none.
export function recordedPoints(bytes) {
  if (!bytes.length) {
    return [];
  }
  const data = readColumns(bytes);
  const { moments, functions } = data.facts;
  let allocated = new Map();
  return moments.map((moment, i) => {
    const names = [...data.whole("site", i)].map((site) => functions[site]);
    const [live, more] = ["live", "allocated"].map((column) => data.signed(column, i));
    allocated = new Map(allocated);
    names.forEach((name, n) => allocated.set(name, (allocated.get(name) ?? 0) + (i ? more[n] : 0)));
    return { at: moment * 1000, live: new Map(names.map((name, n) => [name, live[n]])), allocated };
  });
}

function secondsBetween(a, b) {
  return Math.max((b.at - a.at) / 1000, 0.001);
}

// Bytes per second between each point and the next, of one function, or of all with null.
export function ratesOf(points, name) {
  const sum = (point) => (name === null ? [...point.allocated.values()].reduce((a, b) => a + b, 0) : point.allocated.get(name) ?? 0);
  const sums = points.map(sum);
  return sums.slice(1).map((value, i) => Math.max(0, value - sums[i]) / secondsBetween(points[i], points[i + 1]));
}

export function livesOf(points, name) {
  return points.map((point) => (name === null ? [...point.live.values()].reduce((a, b) => a + b, 0) : point.live.get(name) ?? 0));
}

// Of each function that was ever there: {name, live, grew, rate}; rate is per second over all points.
export function growthOf(points) {
  const [first, last] = [points[0], points[points.length - 1]];
  const seconds = secondsBetween(first, last);
  const names = new Set(points.flatMap((point) => [...point.live.keys(), ...point.allocated.keys()]));
  return [...names].map((name) => {
    const live = last.live.get(name) ?? 0;
    const allocated = (last.allocated.get(name) ?? 0) - (first.allocated.get(name) ?? 0);
    return { name, live, grew: live - (first.live.get(name) ?? 0), rate: points.length > 1 ? allocated / seconds : 0 };
  }).filter((row) => row.live || row.grew || row.rate);
}
