// details.js - the figures of a box or a row, as lines of text: for tips, for the screen reader, for copying.

import { nodeSums, sumOf, totalOf } from "./sums.js";
import { valueText, signedText, percentText, changeText } from "./format.js";

export function placeOf(model, fn) {
  const file = model.functionFile[fn];
  return (file >= 0 ? model.files[file] : "") + (model.functionInlined[fn] ? " (inlined)" : "");
}

// Of a node of the tree.
export function nodeLines(model, type, node) {
  const { unit, name } = model.types[type];
  const up = model.calls.parent[node];
  const now = nodeSums(model, type, "new");
  const value = now.total[node];
  const lines = [node ? model.functions[model.calls.fn[node]] : "all"];
  if (model.isDifference) {
    const before = nodeSums(model, type, "base").total[node];
    lines.push(`${name}: ${valueText(before, unit)} before, ${valueText(value, unit)} after`);
    lines.push(`${signedText(value - before, unit)} (${changeText(before, value)}), ${percentText(value - before, totalOf(model, type))} of all before`);
  } else {
    const parts = [`${percentText(value, totalOf(model, type))} of all`];
    if (node) {
      parts.push(`${percentText(value, now.total[up])} of its caller`);
    }
    lines.push(`${valueText(value, unit)} ${name}: ${parts.join(", ")}`);
    if (now.self[node]) {
      lines.push(`${valueText(now.self[node], unit)} of it by itself`);
    }
  }
  const others = model.types.map((other, t) => ({ other, t })).filter(({ t }) => t !== type);
  lines.push(others.map(({ other, t }) => `${other.name} ${valueText(nodeSums(model, t, "new").total[node], other.unit)}`).join(", "));
  if (node && placeOf(model, model.calls.fn[node])) {
    lines.push(placeOf(model, model.calls.fn[node]));
  }
  return lines;
}

// What the whole profile says: one line for the head of the page.
export function summaryText(model, type) {
  const { unit, name } = model.types[type];
  if (model.isDifference) {
    const before = sumOf(model, type, "base");
    const after = sumOf(model, type, "new");
    return `${name}: before ${valueText(before, unit)}, after ${valueText(after, unit)}: ${signedText(after - before, unit)} (${changeText(before, after)})`;
  }
  return `${name}: ${valueText(totalOf(model, type), unit)} in all`;
}
