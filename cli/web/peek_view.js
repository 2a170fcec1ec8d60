// peek_view.js - functions with their callers above and their callees below.

import { el } from "./dom.js";
import { functionSums, totalOf } from "./sums.js";
import { neighbours } from "./calls.js";
import { chooser, candidates, functionOfState, functionLink } from "./chooser.js";
import { valueText, percentText, shortName } from "./format.js";

const MOST_PEEKED = 12; // functions that match, shown at once
const MOST_LINES = 100; // callers, and callees, of one function

export class PeekView {
  constructor(page) {
    this.page = page;
    this.element = el("div", { class: "pane" });
  }

  render() {
    const { page } = this;
    const { model, search } = page;
    const chosen = functionOfState(model);
    const list = chosen >= 0 ? [chosen] : candidates(page, "cum").slice(0, search ? MOST_PEEKED : 1);
    this.list = list;
    this.element.replaceChildren(
      el("div", { class: "tools" }, el("label", null, "function ", chooser(page, chosen, "cum", search ? "all that match" : "the heaviest")), el("span", { class: "count" }, "share: of the function in the middle")),
      ...(list.length ? list.map((fn) => this.block(fn)) : [el("p", { class: "message" }, "No function with weight matches.")]),
    );
  }

  block(fn) {
    const { page } = this;
    const { model, type, side } = page;
    const { unit } = model.types[type];
    const { flat, cum } = functionSums(model, type, side);
    const { callers, callees } = neighbours(model, type, side, fn);
    const line = (call, other, kind) => el("tr", { "data-kind": kind, "data-value": call.weight, onclick: () => page.open("peek", other) }, el("td", null, valueText(call.weight, unit)), el("td", null, percentText(call.weight, cum[fn])), el("th", { class: "name", scope: "row" }, kind === "caller" ? "↓ " : "→ ", functionLink(page, other, "peek")));
    const more = (calls) => (calls.length > MOST_LINES ? el("tr", null, el("td", null, valueText(calls.slice(MOST_LINES).reduce((sum, call) => sum + call.weight, 0), unit)), el("td"), el("th", { class: "name soft", scope: "row" }, `${calls.length - MOST_LINES} lighter ones`)) : null);
    return el("section", null,
      el("h2", null, shortName(model.functions[fn], 100)),
      el("div", { class: "table-scroll" }, el("table", null,
        el("thead", null, el("tr", null, ...["weight", "share", "function"].map((title, i) => el("th", { scope: "col", class: i === 2 ? "name" : null }, title)))),
        el("tbody", null,
          ...callers.slice(0, MOST_LINES).map((call) => line(call, call.from, "caller")),
          more(callers),
          el("tr", { class: "chosen", "data-kind": "self", "data-value": cum[fn], onclick: () => page.open("source", fn) }, el("td", null, valueText(cum[fn], unit)), el("td", null, percentText(cum[fn], totalOf(model, type)), " of all"), el("th", { class: "name", scope: "row" }, el("b", null, shortName(model.functions[fn], 80)), el("span", { class: "tag" }, `${valueText(flat[fn], unit)} by itself`))),
          ...callees.slice(0, MOST_LINES).map((call) => line(call, call.to, "callee")),
          more(callees),
        ),
      )),
    );
  }

  text() {
    return [...this.element.querySelectorAll("section")].map((section) => [...section.querySelectorAll("h2, tbody tr")].map((row) => (row.children.length ? [...row.children].map((cell) => cell.textContent).join("\t") : row.textContent)).join("\n")).join("\n\n");
  }
}
