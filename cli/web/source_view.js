// source_view.js - the lines of a function with their weights, and ways to what they call.

import { el } from "./dom.js";
import { lineSums, functionSums, nodeSums, totalOf } from "./sums.js";
import { neighbours } from "./calls.js";
import { chooser, candidates, functionOfState, functionLink } from "./chooser.js";
import { valueText, percentText } from "./format.js";

const MARGIN = 6; // lines shown around those with weight
const MOST_CALLS = 6;

// The text of a file as far as the page has it: by line number.
function textOf(model, file) {
  const lines = new Map();
  const source = model.sources.get(file);
  for (let i = 0; source?.parts && i < source.parts.length; i += 2) {
    source.parts[i + 1].split("\n").forEach((text, n) => lines.set(source.parts[i] + n, text));
  }
  return lines;
}

// What each frame of the function calls: by frame, a list of {fn, weight}.
function callsByFrame(model, type, side, fn) {
  const { n, parent, frame } = model.lines;
  const { frames, functionNode } = model;
  const { total } = nodeSums(model, type, side);
  const found = new Map();
  const seen = new Set(); // nodes by function, counted once for each frame above
  for (let i = 1; i < n; i++) {
    const up = frame[parent[i]];
    if (!parent[i] || frames.fn[up] !== fn) {
      continue;
    }
    const callee = frames.fn[frame[i]];
    const list = found.get(up) ?? new Map();
    found.set(up, list);
    const key = `${up} ${functionNode[i]}`;
    if (!seen.has(key)) {
      seen.add(key);
      list.set(callee, (list.get(callee) ?? 0) + total[functionNode[i]]);
    }
  }
  return found;
}

export class SourceView {
  constructor(page) {
    this.page = page;
    this.element = el("div", { class: "pane" });
  }

  render() {
    const { page } = this;
    const { model, type, side } = page;
    let fn = functionOfState(model);
    if (fn < 0) {
      const heavy = candidates(page, "flat"); // rather the program's than the C library's
      fn = heavy.find((one) => model.functionOwn[one]) ?? heavy[0] ?? candidates(page, "cum")[0] ?? -1;
    }
    this.fn = fn;
    if (fn < 0) {
      this.element.replaceChildren(el("p", { class: "message" }, "No function has weight here. Choose another sample type, or end the search (Esc)."));
      this.rows = [];
      return;
    }
    const { unit } = model.types[type];
    const { flat, cum } = functionSums(model, type, side);
    const all = totalOf(model, type);
    this.rows = lineSums(model, type, side, fn);
    const { callers } = neighbours(model, type, side, fn);
    const from = callers.slice(0, 8).flatMap((call, i) => [i ? ", " : "", functionLink(page, call.from, "source", 40), ` ${valueText(call.weight, unit)}`]);
    this.element.replaceChildren(
      el("div", { class: "tools" }, el("label", null, "function ", chooser(page, fn, "cum", null)), el("button", { onclick: () => page.open("peek", fn) }, "callers and callees"), el("button", { onclick: () => page.open("sizes", fn) }, "sizes")),
      el("h2", { "data-flat": flat[fn], "data-cum": cum[fn] }, model.functions[fn], model.functionInlined[fn] ? el("span", { class: "tag" }, "inlined") : ""),
      el("p", { class: "soft" }, `flat ${valueText(flat[fn], unit)} (${percentText(flat[fn], all)}), cum ${valueText(cum[fn], unit)} (${percentText(cum[fn], all)})`, from.length ? " · called by " : "", ...from),
      ...this.files(fn),
    );
  }

  files(fn) {
    const { model } = this.page;
    const files = [...new Set(this.rows.map((row) => row.file))];
    return files.flatMap((file) => {
      const rows = this.rows.filter((row) => row.file === file);
      const error = model.sources.get(file)?.error;
      return [el("h3", null, file >= 0 ? model.files[file] : "no file is known"), error ? el("p", { class: "soft" }, `The text is not shown: ${error}`) : null, this.listing(fn, file, rows)].filter(Boolean);
    });
  }

  listing(fn, file, rows) {
    const { page } = this;
    const { model, type, side } = page;
    const { unit } = model.types[type];
    const text = textOf(model, file);
    const found = callsByFrame(model, type, side, fn);
    const byLine = new Map();
    for (const row of rows) {
      const sum = byLine.get(row.line) ?? { flat: 0, cum: 0, frames: [] };
      byLine.set(row.line, { flat: sum.flat + row.flat, cum: sum.cum + row.cum, frames: [...sum.frames, row.frame] });
    }
    const wanted = new Set();
    const named = [...byLine.keys()];
    for (const line of named) {
      for (let at = line - MARGIN; at <= line + MARGIN; at++) {
        if (byLine.has(at) || text.has(at)) {
          wanted.add(at);
        }
      }
    }
    const body = el("tbody");
    let last = null;
    for (const line of [...wanted].sort((a, b) => a - b)) {
      if (last !== null && line > last + 1) {
        body.append(el("tr", { class: "gap" }, el("td", null, ""), el("td", null, ""), el("td", null, "⋮"), el("td", null, "")));
      }
      last = line;
      const sum = byLine.get(line);
      const weighty = sum && (sum.flat || sum.cum);
      const calls = (sum?.frames ?? []).flatMap((frame) => [...(found.get(frame) ?? [])]).filter(([, weight]) => weight).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
      body.append(
        el("tr", { class: weighty ? "weight" : null, "data-line": line, "data-flat": sum ? sum.flat : null, "data-cum": sum ? sum.cum : null },
          el("td", null, sum?.flat ? valueText(sum.flat, unit) : ""),
          el("td", null, sum?.cum ? valueText(sum.cum, unit) : ""),
          el("td", { class: "number" }, line > 0 ? String(line) : "?"),
          el("td", { class: "code" }, text.get(line) ?? ""),
          el("td", { class: "calls" }, ...calls.slice(0, MOST_CALLS).flatMap(([callee, weight], i) => [i ? ", " : "→ ", functionLink(page, callee, "source", 36), ` ${valueText(weight, unit)}`])),
        ),
      );
    }
    return el("div", { class: "table-scroll" }, el("table", { class: "source" }, el("thead", null, el("tr", null, ...["flat", "cum", "line", "", "calls"].map((title) => el("th", { scope: "col" }, title)))), body));
  }

  text() {
    const lines = [...this.element.querySelectorAll(".source tbody tr")].map((row) => [...row.children].slice(0, 4).map((cell) => cell.textContent).join("\t"));
    return [this.fn >= 0 ? this.page.model.functions[this.fn] : "", ...lines].join("\n");
  }
}
