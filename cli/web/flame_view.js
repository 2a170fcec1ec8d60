// flame_view.js - the flame graph: root on top, callees below, width by weight. Pointer and keyboard.

import { el, announce } from "./dom.js";
import { state, go } from "./state.js";
import { layoutFlame, widthsOf, childrenByWidth } from "./flame_layout.js";
import { paintFlame, flameSvg, colouring, paleNodes, nameOf, ROW } from "./flame_paint.js";
import { zoomText, zoomNode } from "./zoom.js";
import { nodeLines } from "./details.js";
import { showTip, hideTip } from "./tip.js";
import { isDark, ownColour, systemColour, matchColour, changeColour } from "./palette.js";
import { valueText, percentText } from "./format.js";
import { nodeSums, totalOf } from "./sums.js";

export class FlameView {
  constructor(page) {
    this.page = page;
    this.selected = 0;
    this.canvas = el("canvas", {
      id: "flame",
      tabindex: 0,
      role: "application",
      "aria-label": "Flame graph. Arrows move, Enter zooms in, Backspace goes back, Home shows all. The Top view has the same as a table.",
      onclick: (event) => this.click(event),
      onmousemove: (event) => this.hover(event),
      onmouseleave: hideTip,
      onkeydown: (event) => this.key(event),
      onfocus: () => this.paint(),
    });
    this.space = el("div", { class: "flame-space" });
    this.scroll = el("div", { class: "flame-scroll", onscroll: () => this.paint() }, this.canvas, this.space);
    this.path = el("div", { class: "path", "aria-label": "path to what is zoomed to" });
    this.legend = el("p", { class: "legend" });
    this.element = el("div", { class: "flame-view" }, this.path, this.scroll, this.legend);
    new ResizeObserver(() => this.render()).observe(this.scroll);
  }

  render() {
    const { model, type } = this.page;
    if (!this.element.isConnected) {
      return;
    }
    this.zoom = zoomNode(model, state.zoom);
    if (!widthsOf(model, type).width[this.zoom]) {
      this.zoom = 0;
    }
    if (this.lastZoom !== state.zoom) {
      this.selected = this.zoom;
      this.lastZoom = state.zoom;
    }
    this.layout = layoutFlame(model, type, this.zoom, this.canvas.clientWidth);
    this.space.style.height = `${Math.max(0, this.layout.rows * ROW - this.scroll.clientHeight)}px`;
    this.showPath();
    this.paint();
  }

  look() {
    const { model, type, search } = this.page;
    const dark = isDark();
    return {
      dark,
      search,
      colour: colouring(model, type, dark),
      lit: paleNodes(model, search),
      selected: document.activeElement === this.canvas ? this.selected : -1,
      top: this.scroll.scrollTop,
      lines: (node) => nodeLines(model, type, node),
    };
  }

  paint() {
    if (this.layout && this.element.isConnected) {
      paintFlame(this.canvas, this.page.model, this.layout, this.look());
    }
  }

  showPath() {
    const { model, type } = this.page;
    const nodes = [];
    for (let node = this.zoom; node; node = model.calls.parent[node]) {
      nodes.unshift(node);
    }
    const { unit } = model.types[type];
    const value = nodeSums(model, type, "new").total[this.zoom];
    const step = (node, text) => el("button", { class: "step", title: nameOf(model, node), onclick: () => this.zoomTo(node) }, text);
    this.path.replaceChildren(
      step(0, "all"),
      ...nodes.slice(-4).flatMap((node) => [" › ", step(node, nameOf(model, node))]),
      el("span", { class: "figure" }, ` ${valueText(value, unit)}, ${model.isDifference ? "after" : percentText(value, totalOf(model, type))}`),
    );
    this.showLegend();
  }

  showLegend() {
    const dark = isDark();
    const entry = (colour, text) => {
      const swatch = el("span", { class: "swatch" });
      swatch.style.backgroundColor = colour;
      return el("span", null, swatch, text);
    };
    const entries = this.page.model.isDifference
      ? [entry(changeColour(1, dark), "grew"), entry(changeColour(-1, dark), "fell"), entry(changeColour(0, dark), "as before"), el("span", null, "width: the larger of before and after")]
      : [entry(ownColour(0.5, dark), "program"), entry(systemColour(0.5, dark), "system's libraries and headers")];
    this.legend.replaceChildren(...entries, ...(this.page.search ? [entry(matchColour(dark), "matches")] : []));
  }

  zoomTo(node) {
    if (node !== this.zoom) {
      go({ zoom: zoomText(this.page.model, node) });
    }
    this.canvas.focus({ preventScroll: true });
  }

  boxAt(event) {
    const x = event.offsetX;
    const row = Math.floor((event.offsetY + this.scroll.scrollTop) / ROW);
    return this.layout.boxes.find((box) => box.row === row && x >= box.x && x < box.x + Math.max(box.w, 1));
  }

  click(event) {
    const box = this.boxAt(event);
    if (box) {
      this.selected = box.node;
      hideTip();
      this.zoomTo(box.node);
      this.page.pick(this.page.model.calls.fn[box.node]);
      this.paint();
    }
  }

  hover(event) {
    const box = this.boxAt(event);
    this.canvas.style.cursor = box ? "pointer" : "default";
    if (box) {
      showTip(nodeLines(this.page.model, this.page.type, box.node), event.clientX, event.clientY);
    } else {
      hideTip();
    }
  }

  select(node) {
    const { model, type } = this.page;
    this.selected = node;
    const box = this.layout.boxes.find((one) => one.node === node);
    if (box) {
      const y = box.row * ROW;
      const { scrollTop, clientHeight } = this.scroll;
      if (y < scrollTop || y + ROW > scrollTop + clientHeight) {
        this.scroll.scrollTop = y - clientHeight / 2;
      }
      const place = this.canvas.getBoundingClientRect();
      showTip(nodeLines(model, type, node), place.left + box.x, place.top + y - this.scroll.scrollTop + 4);
    }
    this.page.pick(model.calls.fn[node]);
    announce(nodeLines(model, type, node).join(". "));
    this.paint();
  }

  key(event) {
    const { model, type } = this.page;
    const widths = widthsOf(model, type);
    const node = this.selected;
    const beside = (step) => {
      const list = childrenByWidth(model, widths, model.calls.parent[node]);
      return list[list.indexOf(node) + step];
    };
    const moves = {
      ArrowDown: () => childrenByWidth(model, widths, node)[0],
      ArrowUp: () => (node ? model.calls.parent[node] : undefined),
      ArrowRight: () => (node ? beside(1) : undefined),
      ArrowLeft: () => (node ? beside(-1) : undefined),
    };
    if (moves[event.key]) {
      const to = moves[event.key]();
      if (to !== undefined) {
        this.select(to);
      }
    } else if (event.key === "Enter" || event.key === " ") {
      this.zoomTo(node);
    } else if (event.key === "Home") {
      this.zoomTo(0);
    } else if (event.key === "Backspace") {
      history.back();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  svg() {
    return flameSvg(this.page.model, this.layout, this.look(), this.canvas.clientWidth);
  }

  text() {
    const { model, type } = this.page;
    const { total, self } = nodeSums(model, type, "new");
    const { unit } = model.types[type];
    return this.layout.boxes
      .slice()
      .sort((a, b) => a.row - b.row || a.x - b.x)
      .map((box) => `${" ".repeat(box.row)}${nameOf(model, box.node)}\t${valueText(total[box.node], unit)}\t${valueText(self[box.node], unit)}`)
      .join("\n");
  }
}
