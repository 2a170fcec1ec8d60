// graph_view.js - the call graph of the heaviest functions, as SVG.

import { el, svgEl } from "./dom.js";

import { functionSums, totalOf } from "./sums.js";
import { callSums } from "./calls.js";
import { layoutGraph } from "./graph_layout.js";
import { edgeCurves, edgeWidth, curvesText, placeLabels } from "./graph_edges.js";
import { shortName, valueText, percentText, signedText } from "./format.js";
import { matchColour, changeColour, inkColour, isDark } from "./palette.js";
import { showTip, hideTip } from "./tip.js";

const MOST_NAME = 30;
const LEAST_BOX = 0.005; // of the total, as in pprof's graphs
const LEAST_CALL = 0.001;

// Half of the boxes by cum, half by flat.
function heaviest(model, type, side, count) {
  const { flat, cum } = functionSums(model, type, side);
  const least = Math.abs(totalOf(model, type)) * LEAST_BOX;
  const by = (sums) => [...sums.keys()].filter((fn) => sums[fn] && Math.abs(cum[fn]) >= least).sort((a, b) => Math.abs(sums[b]) - Math.abs(sums[a]));
  const [byCum, byFlat] = [by(cum), by(flat)];
  const kept = new Set();
  for (let i = 0; kept.size < count && (i < byCum.length || i < byFlat.length); i++) {
    for (const fn of [byCum[i], byFlat[i]]) {
      if (fn !== undefined && kept.size < count) {
        kept.add(fn);
      }
    }
  }
  return [...kept].sort((a, b) => Math.abs(cum[b]) - Math.abs(cum[a]));
}

// Share of the total: pale to strong.
function heat(share, dark) {
  const strength = Math.sqrt(Math.min(1, Math.abs(share)));
  return dark ? `hsl(30 ${12 + 48 * strength}% ${21 + 10 * strength}%)` : `hsl(34 ${30 + 60 * strength}% ${95 - 23 * strength}%)`;
}

export class GraphView {
  constructor(page) {
    this.page = page;
    this.count = 20;
    this.drawing = el("div", { class: "graph-scroll" });
    const choice = el("select", { "aria-label": "most functions", onchange: () => {
      this.count = Number(choice.value);
      this.render();
    } }, ...[10, 20, 40, 80].map((n) => el("option", { value: n }, `${n} functions`)));
    choice.value = String(this.count);
    this.element = el("div", { class: "flame-view" }, el("div", { class: "tools pane-tools" }, choice, el("span", { class: "count" }, "dashed: over functions that are left out")), this.drawing);
  }

  render() {
    const { model, type, side, search } = this.page;
    const sums = functionSums(model, type, side);
    const list = heaviest(model, type, side, this.count);
    const index = new Map(list.map((fn, i) => [fn, i]));
    const kept = new Uint8Array(model.functions.length);
    list.forEach((fn) => {
      kept[fn] = 1;
    });
    const all = Math.abs(totalOf(model, type)) || 1;
    const nodes = list.map((fn) => this.box(fn, sums, all));
    const reached = new Set();
    const calls = callSums(model, type, side, kept)
      .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
      .filter((call) => Math.abs(call.weight) >= all * LEAST_CALL || (!reached.has(call.to) && reached.add(call.to)))
      .map((call) => ({ ...call, a: index.get(call.from), b: index.get(call.to), boxes: [nodes[index.get(call.from)], nodes[index.get(call.to)]] }));
    if (!nodes.length) {
      this.drawing.replaceChildren(el("p", { class: "message" }, "Nothing has weight of this type."));
      this.drawn = null;
      return;
    }
    const size = layoutGraph(nodes, calls);
    calls.forEach((call) => {
      call.curves = edgeCurves(call);
      call.width = edgeWidth(call, all);
      call.text = valueText(call.weight, model.types[type].unit);
    });
    placeLabels(calls, nodes);
    // Shrunk to fit, as long as it can still be read; the heaviest box in sight.
    const scale = Math.max(0.6, Math.min(1, this.drawing.clientWidth / size.width));
    this.drawn = svgEl("svg", { class: "graph", width: size.width * scale, height: size.height * scale, viewBox: `0 0 ${size.width} ${size.height}`, role: "group", "aria-label": "call graph", "font-family": "sans-serif", "font-size": 12 });
    this.drawn.append(this.arrows(), ...calls.map((call) => this.edge(call)), ...calls.map((call) => this.edgeText(call)).filter(Boolean), ...nodes.map((node) => this.nodeBox(node, search)));
    this.drawing.replaceChildren(this.drawn);
    this.drawing.scrollLeft = nodes[0].x * scale - this.drawing.clientWidth / 2;
  }

  box(fn, { flat, cum }, all) {
    const { model, type } = this.page;
    const { unit } = model.types[type];
    const show = (value) => (model.isDifference ? signedText(value, unit) : valueText(value, unit));
    const lines = [shortName(model.functions[fn], MOST_NAME), `${show(flat[fn])} (${percentText(flat[fn], all)})`];
    if (cum[fn] !== flat[fn]) {
      lines.push(`of ${show(cum[fn])} (${percentText(cum[fn], all)})`);
    }
    const letters = Math.max(...lines.map((line) => line.length));
    return { fn, lines, w: letters * 7.1 + 18, h: lines.length * 16 + 10, share: cum[fn] / all, change: this.changeOf(fn) };
  }

  changeOf(fn) {
    const { model, type } = this.page;
    if (!model.isDifference) {
      return null;
    }
    const [after, before] = ["new", "base"].map((side) => functionSums(model, type, side).cum[fn]);
    return (after - before) / (Math.max(Math.abs(after), Math.abs(before)) || 1);
  }

  arrows() {
    const colour = isDark() ? "#b4b4bf" : "#55555f";
    return svgEl("defs", null, svgEl("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 0, refY: 4, markerWidth: 10, markerHeight: 12, markerUnits: "userSpaceOnUse", preserveAspectRatio: "none", orient: "auto" }, svgEl("path", { d: "M0 0L8 4L0 8z", fill: colour })));
  }

  edge(call) {
    const { model, type } = this.page;
    const dark = isDark();
    const names = [call.from, call.to].map((fn) => model.functions[fn]).join(" → ");
    const line = svgEl("path", { class: "edge", d: curvesText(call.curves), fill: "none", stroke: dark ? "#8a8a96" : "#77777f", "stroke-width": call.width.toFixed(1), "stroke-opacity": 0.75, "stroke-dasharray": call.residual ? "5 4" : null, "marker-end": "url(#arrow)", "data-weight": call.weight });
    line.append(svgEl("title", null, `${names}: ${valueText(call.weight, model.types[type].unit)}, ${percentText(call.weight, totalOf(model, type))} of all`));
    return line;
  }

  edgeText(call) {
    const { label, text } = call;
    return label && svgEl("text", { class: "edge-text", x: label.x.toFixed(1), y: (label.y + 4).toFixed(1), fill: isDark() ? "#b4b4bf" : "#55555f", "font-size": 11 }, text);
  }

  nodeBox(node, search) {
    const { page } = this;
    const dark = isDark();
    const { model } = page;
    const match = search?.matches[node.fn];
    const fill = match ? matchColour(dark) : node.change === null ? heat(node.share, dark) : changeColour(node.change, dark);
    const [x, y] = [node.x - node.w / 2, node.y - node.h / 2];
    const place = (event) => showTip([model.functions[node.fn], ...node.lines.slice(1)], event.clientX ?? 0, event.clientY ?? 0);
    const group = svgEl("g", { class: "box", tabindex: 0, role: "button", "aria-label": [model.functions[node.fn], ...node.lines.slice(1)].join(", "), onclick: () => page.open("peek", node.fn), onkeydown: (event) => event.key === "Enter" && page.open("peek", node.fn), onmousemove: place, onmouseleave: hideTip });
    group.append(svgEl("rect", { x: x.toFixed(1), y: y.toFixed(1), width: node.w.toFixed(1), height: node.h, rx: 4, fill, stroke: dark ? "#8a8a96" : "#77777f" }));
    node.lines.forEach((line, i) => group.append(svgEl("text", { x: node.x.toFixed(1), y: (y + 17 + 16 * i).toFixed(1), "text-anchor": "middle", fill: inkColour(dark), "font-weight": i ? 400 : 600 }, line)));
    return group;
  }

  svg() {
    const copy = this.drawn.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.prepend(svgEl("rect", { width: "100%", height: "100%", fill: isDark() ? "#17181c" : "#fff" }));
    return copy;
  }

  text() {
    return [...this.drawing.querySelectorAll(".box")].map((box) => box.getAttribute("aria-label")).join("\n");
  }
}
