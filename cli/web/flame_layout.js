// flame_layout.js - which boxes of the tree are wide enough to be drawn, and where. No drawing here.
//
// Only these are visited, so that the cost goes by the size of the screen, not by that of the profile.

import { nodeSums } from "./sums.js";

// Widths: of a difference the larger of before and after, so that what is gone is there to be seen.
export function widthsOf(model, type) {
  const key = `widths ${type}`;
  if (!model.cache.has(key)) {
    const { n, parent } = model.calls;
    const width = new Float64Array(n);
    const now = nodeSums(model, type, "new").self;
    const before = model.isDifference ? nodeSums(model, type, "base").self : null;
    for (let i = 0; i < n; i++) {
      width[i] = before ? Math.max(Math.abs(now[i]), Math.abs(before[i])) : Math.abs(now[i]);
    }
    for (let i = n - 1; i > 0; i--) {
      width[parent[i]] += width[i];
    }
    model.cache.set(key, { width, sorted: new Map() });
  }
  return model.cache.get(key);
}

// Children from wide to narrow; those without weight left out.
export function childrenByWidth(model, widths, node) {
  let list = widths.sorted.get(node);
  if (!list) {
    const { from, list: all } = model.calls.child;
    list = Array.from(all.subarray(from[node], from[node + 1])).filter((child) => widths.width[child] > 0);
    list.sort((a, b) => widths.width[b] - widths.width[a]);
    widths.sorted.set(node, list);
  }
  return list;
}

// {boxes: [{node, x, w, row}], rows}. Nodes above the one zoomed to are as wide as the screen.
export function layoutFlame(model, type, zoom, screen, least = 1) {
  const widths = widthsOf(model, type);
  const boxes = [];
  const above = [];
  for (let node = zoom; node; node = model.calls.parent[node]) {
    above.unshift(model.calls.parent[node]);
  }
  above.forEach((node, row) => boxes.push({ node, x: 0, w: screen, row, above: true }));
  const scale = widths.width[zoom] ? screen / widths.width[zoom] : 0;
  let level = [{ node: zoom, x: 0, w: screen, row: above.length }];
  while (level.length) {
    const next = [];
    for (const box of level) {
      boxes.push(box);
      if (box.w < 2 * least) {
        continue; // what is below it could not be told apart
      }
      let x = box.x;
      for (const child of childrenByWidth(model, widths, box.node)) {
        const w = widths.width[child] * scale;
        if (w < least) {
          break;
        }
        next.push({ node: child, x, w, row: box.row + 1 });
        x += w;
      }
    }
    level = next;
  }
  return { boxes, rows: boxes.length ? boxes[boxes.length - 1].row + 1 : 0 };
}
