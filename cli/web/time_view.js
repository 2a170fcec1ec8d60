// time_view.js - what grows: over the moments that approf record kept, or while one looks, when the server reads its
// sources anew every few seconds.

import { el, svgEl } from "./dom.js";
import { table, tableText, sortOr } from "./table.js";
import { decodeModel } from "./model.js";
import { pointOf, recordedPoints, growthOf, livesOf, ratesOf } from "./time_points.js";
import { loadData, loadTimes, isServed } from "./load.js";
import { bytesText, signedText, shortName } from "./format.js";

const EVERY = 2000; // milliseconds
const MOST_POINTS = 300; // then every second one goes
const MOST_SAME = 2; // readings without a change until it is taken for a file
const CHART = { most: 560, height: 120, left: 76, bottom: 20, top: 24 };

function spark(values) {
  const most = Math.max(...values, 1);
  const points = values.map((value, i) => `${((118 * i) / Math.max(1, values.length - 1) + 1).toFixed(1)},${(19 - (17 * value) / most).toFixed(1)}`);
  return svgEl("svg", { class: "spark", width: 120, height: 20, role: "img", "aria-label": values.map(bytesText).join(", ") }, svgEl("polyline", { points: points.join(" "), fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
}

// values: at the given times (milliseconds), or each from its time to the next when there is one less.
function chart(title, times, values, width, clock) {
  const { height, left, bottom, top } = CHART;
  const most = Math.max(...values, 1);
  const span = times[times.length - 1] - times[0] || 1;
  const x = (at) => left + ((width - left - 8) * (at - times[0])) / span;
  const y = (value) => height - bottom - ((height - bottom - top) * value) / most;
  const steps = values.length < times.length;
  const corners = values.flatMap((value, i) => (steps ? [[x(times[i]), y(value)], [x(times[i + 1]), y(value)]] : [[x(times[i]), y(value)]]));
  const line = corners.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" ");
  const text = (place, content) => svgEl("text", { fill: "currentColor", "font-size": 12, ...place }, content);
  return svgEl("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${title}: ${values.map(bytesText).join(", ")}` },
    text({ x: 0, y: 13, "font-weight": 600 }, title),
    svgEl("path", { d: `M${left} ${top}V${height - bottom}H${width - 8}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.4 }),
    text({ x: left - 6, y: top + 5, "text-anchor": "end" }, bytesText(most)),
    text({ x: left - 6, y: height - bottom + 4, "text-anchor": "end" }, "0B"),
    text({ x: left, y: height - 4 }, clock(times[0])),
    text({ x: width - 8, y: height - 4, "text-anchor": "end" }, clock(times[times.length - 1])),
    svgEl("polyline", { class: "course", points: line, fill: "none", "stroke-width": 2 }));
}

export class TimeView {
  constructor(page) {
    this.page = page;
    this.element = el("div", { class: "pane" });
    this.points = [];
    this.recorded = null; // whether the points are those of approf record; null: not asked yet
    this.timer = 0;
    this.same = 0; // readings since the last change
    this.columns = [];
    this.rows = [];
  }

  note(model) {
    this.points.push(pointOf(model, Date.now()));
    if (this.points.length > MOST_POINTS) {
      this.points = this.points.filter((_, i) => i % 2 === 0);
    }
  }

  async read() {
    try {
      const model = decodeModel(await loadData(true));
      this.message = "";
      this.same = model.timeMs === this.lastTime ? this.same + 1 : 0;
      this.lastTime = model.timeMs;
      if (!this.same) {
        this.note(model);
      } else if (this.same >= MOST_SAME) {
        this.stop();
        this.message = "What is shown does not change. To watch a process: approf web PID";
      }
    } catch (error) {
      this.stop();
      this.message = `The sources cannot be read any more: ${error.message}`;
    }
    this.render();
  }

  start() {
    this.stop();
    this.same = 0;
    this.timer = setInterval(() => this.read(), EVERY);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  async loadRecorded() {
    let points = [];
    try {
      points = recordedPoints(await loadTimes());
    } catch (error) {
      this.message = `The course of time cannot be read: ${error.message}`;
    }
    this.points = points;
    this.recorded = points.length > 1;
    if (!this.recorded && isServed()) {
      this.lastTime = this.page.model.timeMs;
      this.note(this.page.model);
      this.start();
    }
    this.render();
  }

  render() {
    if (this.recorded === null || this.model !== this.page.model) {
      this.model = this.page.model;
      this.loadRecorded();
      return;
    }
    if (!this.element.isConnected) {
      return;
    }
    if (!this.recorded && !isServed()) {
      this.element.replaceChildren(el("p", { class: "message" }, "One profile stands still. To watch a process: approf web PID. For a report of hours or days: approf record, and approf web of its directory."));
      return;
    }
    const { points } = this;
    const times = points.map((point) => point.at);
    this.fill();
    this.element.replaceChildren(
      this.tools(times),
      points.length > 1 ? el("div", { class: "columns" }, ...this.charts(times)) : "",
      table("Growth", this.columns, this.rows, sortOr("grew"), ({ name }) => this.page.open("source", this.page.model.functions.indexOf(name))),
    );
  }

  tools(times) {
    const seconds = (times[times.length - 1] - times[0]) / 1000;
    const span = seconds < 7200 ? `${seconds.toFixed(0)} s` : `${(seconds / 3600).toFixed(1)} hours`;
    const button = this.recorded ? null : el("button", { id: "watch", onclick: () => (this.timer ? this.stop() : this.start(), this.render()) }, this.timer ? "stop" : "watch");
    return el("div", { class: "tools" }, button, el("span", { class: "count" }, `${times.length} ${this.recorded ? "moments" : "readings"} over ${span}, times are UTC`), el("span", null, this.message ?? ""));
  }

  charts(times) {
    const far = times[times.length - 1] - times[0] > 86400000;
    const clock = (at) => new Date(at).toISOString().replace("T", " ").slice(far ? 0 : 11, far ? 16 : 19);
    const width = Math.min(CHART.most, this.element.clientWidth - 24);
    return [chart("In use, all functions", times, livesOf(this.points, null), width, clock), chart("Allocated per second, all functions", times, ratesOf(this.points, null), width, clock)];
  }

  fill() {
    const { points } = this;
    const { search } = this.page;
    this.columns = [
      { id: "name", title: "function", name: true, text: ({ name }) => shortName(name, 90), full: ({ name }) => name },
      { id: "grew", title: "live grew by", value: ({ grew }) => grew, text: ({ grew }) => signedText(grew, "bytes"), class: ({ grew }) => (grew > 0 ? "grew" : grew < 0 ? "fell" : "") },
      { id: "live", title: "live", value: ({ live }) => live, text: ({ live }) => bytesText(live) },
      { id: "course", title: "live over time", value: ({ live }) => live, derived: true, text: () => "", cell: ({ name }) => spark(livesOf(points, name)) },
      { id: "rate", title: "allocated per second", value: ({ rate }) => rate, text: ({ rate }) => bytesText(rate) },
      { id: "rates", title: "rate over time", value: ({ rate }) => rate, derived: true, text: () => "", cell: ({ name }) => (points.length > 2 ? spark(ratesOf(points, name)) : "") },
    ];
    const sort = sortOr("grew");
    const column = this.columns.find((one) => one.id === sort.replace(/^-/, "")) ?? this.columns[1];
    const direction = sort.startsWith("-") ? 1 : -1;
    const key = column.value ?? (({ name }) => name);
    this.rows = growthOf(points).filter(({ name }) => !search || search.test(name)).sort((a, b) => direction * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) || b.live - a.live || b.rate - a.rate);
  }

  svg() {
    const drawings = [...this.element.querySelectorAll(".chart")];
    const svg = svgEl("svg", { xmlns: "http://www.w3.org/2000/svg", width: CHART.most, height: drawings.length * (CHART.height + 10), color: getComputedStyle(this.element).color, "font-family": "sans-serif" });
    drawings.forEach((drawing, i) => {
      const copy = drawing.cloneNode(true);
      copy.setAttribute("y", i * (CHART.height + 10));
      copy.querySelector(".course").setAttribute("stroke", "#d9822b");
      svg.append(copy);
    });
    return svg;
  }

  text() {
    return tableText(this.columns.filter(({ id }) => id !== "course" && id !== "rates"), this.rows);
  }
}
