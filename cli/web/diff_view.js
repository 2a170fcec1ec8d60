// diff_view.js - two profiles, function by function: before, after, and what changed. Red grew, blue fell.

import { el } from "./dom.js";
import { state, go } from "./state.js";
import { table, tableText, sortOr } from "./table.js";
import { functionColumn } from "./top_view.js";
import { functionSums, sumOf } from "./sums.js";
import { valueText, signedText, changeText, percentText } from "./format.js";

export class DiffView {
  constructor(page) {
    this.page = page;
    this.element = el("div", { class: "pane" });
    this.rows = [];
    this.columns = [];
  }

  render() {
    const { model } = this.page;
    if (!model.isDifference) {
      this.element.replaceChildren(el("p", { class: "message" }, "There is nothing to compare with. Name an older profile: approf web -base OLD NEW"));
      return;
    }
    const whole = state.cum === "1";
    this.columns = [functionColumn(model), ...this.figures(whole ? "cum" : "flat")];
    const sort = sortOr("change");
    this.rows = this.order(whole ? "cum" : "flat", sort);
    const box = el("input", { type: "checkbox", onchange: () => go({ cum: whole ? "" : "1" }, true) });
    box.checked = whole;
    this.element.replaceChildren(
      this.totals(),
      el("div", { class: "tools" }, el("label", null, box, " with callees (cum)"), el("span", { class: "count" }, `${this.rows.length} functions`)),
      table("Differences", this.columns, this.rows, sort, (fn) => this.page.open("source", fn)),
    );
  }

  totals() {
    const { model, type } = this.page;
    const { unit, name } = model.types[type];
    const before = sumOf(model, type, "base");
    const after = sumOf(model, type, "new");
    return el("p", { id: "totals", "data-before": before, "data-after": after },
      `${name} before `, el("b", null, valueText(before, unit)), model.base ? ` (${model.base})` : "", ", after ", el("b", null, valueText(after, unit)), ` (${model.title}): `,
      el("b", { class: after > before ? "grew" : "fell" }, `${signedText(after - before, unit)} (${changeText(before, after)})`));
  }

  figures(kind) {
    const { model, type } = this.page;
    const { unit } = model.types[type];
    const before = functionSums(model, type, "base")[kind];
    const after = functionSums(model, type, "new")[kind];
    const all = sumOf(model, type, "base");
    const tone = (fn) => (after[fn] > before[fn] ? "grew" : after[fn] < before[fn] ? "fell" : "");
    const share = (fn) => (before[fn] ? (after[fn] - before[fn]) / Math.abs(before[fn]) : after[fn] ? Infinity : 0);
    return [
      { id: "change", title: "change", value: (fn) => after[fn] - before[fn], text: (fn) => `${after[fn] > before[fn] ? "▲ " : after[fn] < before[fn] ? "▼ " : ""}${signedText(after[fn] - before[fn], unit)}`, class: tone },
      { id: "percent", title: "of before", hint: "in percent of what it was", value: share, derived: true, text: (fn) => changeText(before[fn], after[fn]), class: tone },
      { id: "part", title: "of all before", value: (fn) => after[fn] - before[fn], derived: true, text: (fn) => percentText(after[fn] - before[fn], all) },
      { id: "before", title: "before", value: (fn) => before[fn], text: (fn) => valueText(before[fn], unit) },
      { id: "after", title: "after", value: (fn) => after[fn], text: (fn) => valueText(after[fn], unit) },
    ];
  }

  order(kind, sort) {
    const { model, type, search } = this.page;
    const before = functionSums(model, type, "base")[kind];
    const after = functionSums(model, type, "new")[kind];
    const column = this.columns.find((one) => one.id === sort.replace(/^-/, ""));
    const direction = sort.startsWith("-") ? 1 : -1;
    const rows = [];
    for (let fn = 0; fn < model.functions.length; fn++) {
      if ((before[fn] || after[fn]) && (!search || search.matches[fn])) {
        rows.push(fn);
      }
    }
    const byName = (a, b) => (model.functions[a] < model.functions[b] ? -1 : 1);
    if (!column?.value) {
      return rows.sort((a, b) => -direction * byName(a, b));
    }
    const key = (fn) => Math.abs(column.value(fn));
    return rows.sort((a, b) => (key(a) === key(b) ? byName(a, b) : direction * (key(a) < key(b) ? -1 : 1)));
  }

  text() {
    return tableText(this.columns, this.rows);
  }
}
