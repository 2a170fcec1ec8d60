// time_view.js - what grows while one looks: the server reads its sources anew every few seconds.

import { el, svgEl } from "./dom.js";
import { table, tableText, sortOr } from "./table.js";
import { functionSums } from "./sums.js";
import { decodeModel, typeIndex } from "./model.js";
import { loadData, isServed } from "./load.js";
import { bytesText, signedText, shortName } from "./format.js";

const EVERY = 2000; // milliseconds
const MOST_POINTS = 300; // then every second one goes

function spark(values) {
  const most = Math.max(...values, 1);
  const points = values.map((value, i) => `${((118 * i) / Math.max(1, values.length - 1) + 1).toFixed(1)},${(19 - (17 * value) / most).toFixed(1)}`);
  return svgEl("svg", { class: "spark", width: 120, height: 20, role: "img", "aria-label": values.map(bytesText).join(", ") }, svgEl("polyline", { points: points.join(" "), fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
}

export class TimeView {
  constructor(page) {
    this.page = page;
    this.element = el("div", { class: "pane" });
    this.points = []; // {at, live, allocated}: the latter by name
    this.timer = 0;
    this.columns = [];
    this.rows = [];
  }

  note(model) {
    const [live, allocated] = ["inuse_space", "alloc_space"].map((name) => {
      const t = typeIndex(model, name);
      const sums = t >= 0 ? functionSums(model, t, "new").flat : [];
      return new Map(model.functions.map((name_, fn) => [name_, sums[fn] ?? 0]));
    });
    this.points.push({ at: performance.now(), live, allocated });
    if (this.points.length > MOST_POINTS) {
      this.points = this.points.filter((_, i) => i % 2 === 0);
    }
  }

  async read() {
    try {
      this.note(decodeModel(await loadData(true)));
      this.message = "";
    } catch (error) {
      this.stop();
      this.message = `The sources cannot be read any more: ${error.message}`;
    }
    this.render();
  }

  start() {
    this.stop();
    this.timer = setInterval(() => this.read(), EVERY);
    this.read();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  render() {
    if (!this.element.isConnected) {
      return;
    }
    if (!isServed()) {
      this.element.replaceChildren(el("p", { class: "message" }, "A page in a file stands still. To watch a process: approf web PID"));
      return;
    }
    if (!this.points.length) {
      this.note(this.page.model);
    }
    const button = el("button", { id: "watch", onclick: () => (this.timer ? this.stop() : this.start(), this.render()) }, this.timer ? "stop" : "watch");
    const seconds = (this.points[this.points.length - 1].at - this.points[0].at) / 1000;
    this.fill(seconds);
    this.element.replaceChildren(
      el("div", { class: "tools" }, button, el("span", { class: "count" }, `${this.points.length} readings over ${seconds.toFixed(0)} s`), el("span", null, this.message ?? "")),
      table("Growth", this.columns, this.rows, sortOr("grew"), (name) => this.page.open("source", this.page.model.functions.indexOf(name))),
    );
  }

  fill(seconds) {
    const [first, last] = [this.points[0], this.points[this.points.length - 1]];
    const grew = (name) => (last.live.get(name) ?? 0) - (first.live.get(name) ?? 0);
    const rate = (name) => (seconds ? ((last.allocated.get(name) ?? 0) - (first.allocated.get(name) ?? 0)) / seconds : 0);
    this.columns = [
      { id: "name", title: "function", name: true, text: (name) => shortName(name, 90), full: (name) => name },
      { id: "grew", title: "live grew by", value: grew, text: (name) => signedText(grew(name), "bytes"), class: (name) => (grew(name) > 0 ? "grew" : grew(name) < 0 ? "fell" : "") },
      { id: "live", title: "live", value: (name) => last.live.get(name), text: (name) => bytesText(last.live.get(name)) },
      { id: "rate", title: "allocated per second", value: rate, text: (name) => bytesText(rate(name)) },
      { id: "course", title: "live over time", value: (name) => last.live.get(name), derived: true, text: () => "", cell: (name) => spark(this.points.map((point) => point.live.get(name) ?? 0)) },
    ];
    const sort = sortOr("grew");
    const column = this.columns.find((one) => one.id === sort.replace(/^-/, "")) ?? this.columns[1];
    const direction = sort.startsWith("-") ? 1 : -1;
    const key = column.value ?? ((name) => name);
    this.rows = [...last.live.keys()].filter((name) => last.live.get(name) || rate(name) || grew(name)).sort((a, b) => direction * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) || last.live.get(b) - last.live.get(a));
  }

  text() {
    return tableText(this.columns.slice(0, 4), this.rows);
  }
}
