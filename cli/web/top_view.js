// top_view.js - functions by weight, all sample types side by side.

import { el } from "./dom.js";
import { state, go } from "./state.js";
import { table, tableText, sortOr } from "./table.js";
import { topColumns, topOrder } from "./top_rows.js";
import { shortName } from "./format.js";

export function functionColumn(model) {
  return {
    id: "name",
    title: "function",
    name: true,
    text: (fn) => shortName(model.functions[fn], 90),
    full: (fn) => model.functions[fn],
    cell: (fn) => [el("span", null, shortName(model.functions[fn], 90)), model.functionInlined[fn] ? el("span", { class: "tag" }, "inlined") : null],
  };
}

export class TopView {
  constructor(page) {
    this.page = page;
    this.element = el("div", { class: "pane" });
  }

  render() {
    const { model, type, side, search } = this.page;
    const whole = state.cum === "1";
    const columns = [functionColumn(model), ...topColumns(model, type, side, whole)];
    const sort = sortOr(whole ? "cum" : "flat");
    const rows = topOrder(model, type, side, columns, sort, search);
    this.copy = () => tableText(columns, rows);
    const box = el("input", { type: "checkbox", onchange: () => go({ cum: whole ? "" : "1" }, true) });
    box.checked = whole;
    this.element.replaceChildren(
      el("div", { class: "tools" }, el("label", null, box, " with callees (cum) in all columns"), el("span", { class: "count" }, `${rows.length} functions`)),
      table(`Functions by ${sort}`, columns, rows, sort, (fn) => this.page.open("source", fn)),
    );
  }

  text() {
    return this.copy();
  }
}
