// sizes_view.js - how large the objects are: of everything, or of what one function (with its callees) allocates.

import { el } from "./dom.js";
import { sizeSums, functionSums } from "./sums.js";
import { typeIndex } from "./model.js";
import { chooser, candidates, functionOfState, functionLink } from "./chooser.js";
import { valueText, percentText, bytesText } from "./format.js";

const SITES = 12;

export class SizesView {
  constructor(page) {
    this.page = page;
    this.element = el("div", { class: "pane" });
  }

  render() {
    const { page } = this;
    const { model, type } = page;
    const chosen = functionOfState(model);
    const rows = this.rowsOf(chosen);
    this.rows = rows;
    const title = chosen >= 0 ? model.functions[chosen] : "all allocations";
    if (!rows.length) {
      this.element.replaceChildren(this.tools(chosen), el("p", { class: "message" }, "The profile says nothing about sizes here: it has no label `bytes`, or no weight of this type."));
      return;
    }
    this.element.replaceChildren(
      this.tools(chosen),
      el("h2", null, title),
      el("p", { class: "soft" }, `${model.types[type].name} by size of the object; each class begins at the size beside it`),
      this.bars(rows, type),
      el("h2", null, "Sites"),
      this.sites(),
    );
  }

  rowsOf(fn) {
    const { model, type } = this.page;
    const now = sizeSums(model, type, "new", fn);
    const before = new Map(model.isDifference ? sizeSums(model, type, "base", fn).map((row) => [row.bytes, row.value]) : []);
    const rows = now.map((row) => ({ ...row, before: before.get(row.bytes) ?? 0 }));
    before.forEach((value, bytes) => {
      if (!now.some((row) => row.bytes === bytes)) {
        rows.push({ bytes, value: 0, before: value });
      }
    });
    return rows.sort((a, b) => a.bytes - b.bytes);
  }

  tools(chosen) {
    return el("div", { class: "tools" }, el("label", null, "allocated under ", chooser(this.page, chosen, "cum", "all functions")));
  }

  bars(rows, type) {
    const { model } = this.page;
    const { unit } = model.types[type];
    const most = Math.max(...rows.map((row) => Math.max(Math.abs(row.value), row.before)));
    const sum = rows.reduce((total, row) => total + row.value, 0);
    const grid = el("div", { class: "bars" });
    for (const row of rows) {
      const fill = el("div", { class: "bar-fill" });
      fill.style.width = row.value ? `max(1px, ${(100 * Math.abs(row.value)) / most}%)` : "0";
      const before = el("div", { class: "bar-fill before" });
      before.style.width = `${(100 * row.before) / most}%`;
      grid.append(
        el("span", { class: "label" }, bytesText(row.bytes)),
        el("div", { class: "bar-back", "data-bytes": row.bytes, "data-value": row.value }, fill, model.isDifference ? before : null),
        el("span", null, `${valueText(row.value, unit)}  ${percentText(row.value, sum)}`, model.isDifference ? `  (before ${valueText(row.before, unit)})` : ""),
      );
    }
    return grid;
  }

  // By the functions that allocate most themselves: sizes from small to large, the commonest.
  sites() {
    const { page } = this;
    const { model, type } = page;
    const { unit } = model.types[type];
    const { flat } = functionSums(model, type, "new");
    const objects = typeIndex(model, model.types[type].name.replace(/space$/, "objects"));
    const list = candidates(page, "flat").slice(0, SITES);
    const rows = list.map((fn) => {
      const sizes = sizeSums(model, objects >= 0 ? objects : type, "new", fn);
      const common = sizes.reduce((best, row) => (row.value > best.value ? row : best), { bytes: NaN, value: 0 });
      const ends = sizes.length ? `${bytesText(sizes[0].bytes)} to ${bytesText(sizes[sizes.length - 1].bytes)}` : "";
      return el("tr", { tabindex: 0, onclick: () => page.open("sizes", fn), onkeydown: (event) => event.key === "Enter" && page.open("sizes", fn) },
        el("th", { class: "name", scope: "row" }, functionLink(page, fn, "sizes")), el("td", null, valueText(flat[fn], unit)), el("td", null, ends), el("td", null, Number.isNaN(common.bytes) ? "" : bytesText(common.bytes)), el("td", null, String(sizes.length)));
    });
    return el("div", { class: "table-scroll" }, el("table", null, el("thead", null, el("tr", null, ...["function", "flat", "sizes", "most objects", "classes"].map((title, i) => el("th", { scope: "col", class: i ? null : "name" }, title)))), el("tbody", null, ...rows)));
  }

  text() {
    return this.rows.map((row) => `${row.bytes}\t${row.value}`).join("\n");
  }
}
