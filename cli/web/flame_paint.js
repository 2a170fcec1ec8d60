// flame_paint.js - draws a layout, on a canvas or as SVG.

import { nodeSums, below } from "./sums.js";
import { matchColour, boxColour, changeColour, inkColour } from "./palette.js";
import { shortName } from "./format.js";
import { svgEl } from "./dom.js";

export const ROW = 19;
export const FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const LETTER = 7.25; // width of a letter of that font, at most

export function nameOf(model, node) {
  return node ? model.functions[model.calls.fn[node]] : model.title;
}

// By node: its colour.
export function colouring(model, type, dark) {
  if (!model.isDifference) {
    return (node) => (node ? boxColour(model, model.calls.fn[node], dark) : dark ? "#3a3a40" : "#dcdce2");
  }
  const now = nodeSums(model, type, "new").total;
  const before = nodeSums(model, type, "base").total;
  return (node) => {
    const most = Math.max(Math.abs(now[node]), Math.abs(before[node]));
    return changeColour(most ? (now[node] - before[node]) / most : 0, dark);
  };
}

// Boxes that a search leaves pale: neither a match nor above or below one.
export function paleNodes(model, search) {
  if (!search) {
    return null;
  }
  const key = `pale ${search.text}`;
  if (!model.cache.has(key)) {
    const lit = below(model, (fn) => search.matches[fn]);
    for (let i = model.calls.n - 1; i > 0; i--) {
      lit[model.calls.parent[i]] |= lit[i] ? 2 : 0;
    }
    model.cache.set(key, lit);
  }
  return model.cache.get(key);
}

export function paintFlame(canvas, model, layout, look) {
  const { colour, dark, search, lit, selected, top } = look;
  const scale = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const paint = canvas.getContext("2d");
  const ink = inkColour(dark);
  paint.setTransform(scale, 0, 0, scale, 0, 0);
  paint.clearRect(0, 0, width, height);
  paint.font = FONT;
  paint.textBaseline = "middle";
  for (const box of layout.boxes) {
    const y = box.row * ROW - top;
    if (y + ROW < 0 || y > height) {
      continue;
    }
    const match = search && box.node && search.matches[model.calls.fn[box.node]];
    paint.globalAlpha = lit && !lit[box.node] ? 0.3 : 1;
    paint.fillStyle = match ? matchColour(dark) : colour(box.node);
    paint.fillRect(box.x, y, Math.max(box.w - 1, 0.6), ROW - 1);
    if (box.above) {
      paint.fillStyle = dark ? "rgb(0 0 0 / 35%)" : "rgb(255 255 255 / 55%)";
      paint.fillRect(box.x, y, box.w - 1, ROW - 1);
    }
    paint.globalAlpha = 1;
    if (box.w > 3 * LETTER) {
      paint.fillStyle = ink;
      paint.fillText(shortName(nameOf(model, box.node), Math.floor((box.w - 7) / LETTER)), box.x + 4, y + ROW / 2);
    }
    if (box.node === selected) {
      paint.strokeStyle = dark ? "#fff" : "#000";
      paint.lineWidth = 2;
      paint.strokeRect(box.x + 1, y + 1, Math.max(box.w - 3, 1), ROW - 3);
    }
  }
}

export function flameSvg(model, layout, look, width) {
  const { colour, dark, search } = look;
  const svg = svgEl("svg", { xmlns: "http://www.w3.org/2000/svg", width, height: layout.rows * ROW, viewBox: `0 0 ${width} ${layout.rows * ROW}`, "font-family": "monospace", "font-size": 12 });
  svg.append(svgEl("rect", { width: "100%", height: "100%", fill: dark ? "#17181c" : "#fff" }));
  for (const box of layout.boxes) {
    const match = search && box.node && search.matches[model.calls.fn[box.node]];
    const name = nameOf(model, box.node);
    const group = svgEl("g", null, svgEl("title", null, look.lines(box.node).join("\n")));
    group.append(svgEl("rect", { x: box.x.toFixed(2), y: box.row * ROW, width: Math.max(box.w - 1, 0.6).toFixed(2), height: ROW - 1, fill: match ? matchColour(dark) : colour(box.node) }));
    if (box.w > 3 * LETTER) {
      group.append(svgEl("text", { x: (box.x + 4).toFixed(2), y: box.row * ROW + 13, fill: inkColour(dark) }, shortName(name, Math.floor((box.w - 7) / LETTER))));
    }
    svg.append(group);
  }
  return svg;
}
