// top_rows.js - the rows of the top table and its columns; nothing about elements.

import { functionSums, totalOf } from "./sums.js";
import { functionVariances, interval } from "./interval.js";
import { typeIndex } from "./model.js";
import { valueText, percentText, bytesText } from "./format.js";

function ratioText(ratio) {
  return Number.isNaN(ratio) ? "" : `${ratio < 10 ? Number(ratio.toPrecision(2)) : Math.round(ratio)}%`;
}

// As approf churn names it.
function lifetimeOf(ratio) {
  return Number.isNaN(ratio) ? "" : ratio < 10 ? "short-lived" : ratio > 50 ? "long-lived" : "mixed";
}

// {id, title, value(fn), text(fn), long?}. whole: figures of the four types with callees.
export function topColumns(model, type, side, whole) {
  const { unit } = model.types[type];
  const { flat, cum } = functionSums(model, type, side);
  const all = totalOf(model, type);
  const columns = [
    { id: "flat", title: "flat", hint: "by the function itself", value: (fn) => flat[fn], text: (fn) => valueText(flat[fn], unit) },
    { id: "flatp", title: "flat%", value: (fn) => flat[fn], text: (fn) => percentText(flat[fn], all), derived: true },
    { id: "cum", title: "cum", hint: "with what it called", value: (fn) => cum[fn], text: (fn) => valueText(cum[fn], unit) },
    { id: "cump", title: "cum%", value: (fn) => cum[fn], text: (fn) => percentText(cum[fn], all), derived: true },
  ];
  const variances = functionVariances(model, type);
  if (variances) {
    const ends = (fn) => interval(model, (whole ? cum : flat)[fn], (whole ? variances.cum : variances.flat)[fn]);
    columns.push({
      id: "ci",
      title: `95% of ${whole ? "cum" : "flat"}`,
      hint: "the true figure lies between these ends in 95 of 100 cases",
      value: (fn) => ends(fn)[1] - ends(fn)[0],
      text: (fn) => {
        const [low, high] = ends(fn);
        return low !== high ? `${valueText(low, unit)}..${valueText(high, unit)}` : low ? "exact" : "";
      },
      long: true,
    });
  }
  model.types.forEach((other, t) => {
    const sums = functionSums(model, t, side)[whole ? "cum" : "flat"];
    columns.push({ id: other.name, title: other.name, group: true, value: (fn) => sums[fn], text: (fn) => valueText(sums[fn], other.unit) });
  });
  const [objects, space, live] = ["alloc_objects", "alloc_space", "inuse_space"].map((name) => {
    const t = typeIndex(model, name);
    return t < 0 ? null : functionSums(model, t, side)[whole ? "cum" : "flat"];
  });
  if (space && live) {
    const ratio = (fn) => (space[fn] ? (100 * live[fn]) / space[fn] : NaN);
    columns.push({ id: "live", title: "live", hint: "in use of what was allocated", value: (fn) => ratio(fn), text: (fn) => ratioText(ratio(fn)) });
    columns.push({ id: "life", title: "lifetime", value: (fn) => ratio(fn), text: (fn) => lifetimeOf(ratio(fn)), derived: true });
  }
  if (space && objects) {
    const size = (fn) => (objects[fn] ? space[fn] / objects[fn] : NaN);
    columns.push({ id: "size", title: "mean size", value: (fn) => size(fn), text: (fn) => (Number.isNaN(size(fn)) ? "" : bytesText(size(fn))) });
  }
  return columns;
}

// Functions with weight of any kind, in the order of a column; cum, then the name break ties.
export function topOrder(model, type, side, columns, sort, search) {
  const [id, direction] = [sort.replace(/^-/, ""), sort.startsWith("-") ? 1 : -1];
  const column = columns.find((one) => one.id === id && one.value); // or else by name
  const sums = model.types.map((_, t) => functionSums(model, t, side));
  const rows = [];
  for (let fn = 0; fn < model.functions.length; fn++) {
    if ((!search || search.matches[fn]) && sums.some(({ flat, cum }) => flat[fn] || cum[fn])) {
      rows.push(fn);
    }
  }
  const byName = (a, b) => (model.functions[a] < model.functions[b] ? -1 : model.functions[a] > model.functions[b] ? 1 : 0);
  const number = (fn) => {
    const value = column.value(fn);
    return Number.isNaN(value) ? -Infinity : Math.abs(value);
  };
  const { cum } = functionSums(model, type, side);
  const order = (a, b) => (column ? direction * (number(a) - number(b)) : -direction * byName(a, b));
  return rows.sort((a, b) => order(a, b) || Math.abs(cum[b]) - Math.abs(cum[a]) || byName(a, b));
}
