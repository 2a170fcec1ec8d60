// table.js - tables that are sorted by a click on a head and walked with the arrow keys.

import { el } from "./dom.js";
import { state, go } from "./state.js";

const FIRST = 250; // rows shown at once; more when asked for

function head(column, sorted, onsort) {
  const by = sorted.replace(/^-/, "") === column.id;
  const button = el("button", { title: column.hint ?? `sort by ${column.title}`, onclick: () => onsort(by && !sorted.startsWith("-") ? `-${column.id}` : column.id) }, column.title, by ? (sorted.startsWith("-") ? " ▲" : " ▼") : "");
  return el("th", { scope: "col", class: column.name ? "name" : "", "aria-sort": by ? (sorted.startsWith("-") ? "ascending" : "descending") : "none" }, button);
}

// Arrows walk, Enter opens.
function rowKey(event, open) {
  const row = event.currentTarget;
  const to = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling, Home: row.parentNode.firstElementChild, End: row.parentNode.lastElementChild }[event.key];
  if (event.key === "Enter" && event.target === row) {
    open();
  } else if (to) {
    to.focus();
  } else {
    return;
  }
  event.preventDefault();
}

// columns: {id, title, text(row), value(row), name?, class?(row)}; rows: anything; open(row) on click or Enter.
export function table(caption, columns, rows, sorted, open, shown = FIRST) {
  const onsort = (sort) => go({ sort }, true);
  const body = el("tbody");
  const add = (from, to) => {
    rows.slice(from, to).forEach((row) => {
      const cells = columns.map((column) => {
        const value = column.value ? column.value(row) : null;
        return el(column.name ? "th" : "td", { scope: column.name ? "row" : null, class: [column.name ? "name" : "", column.class ? column.class(row) : ""].join(" ").trim() || null, title: column.name ? column.full?.(row) ?? null : null, "data-column": column.id, "data-value": value !== null && !column.derived ? value : null }, column.cell ? column.cell(row) : column.text(row));
      });
      body.append(el("tr", { tabindex: body.childElementCount ? -1 : 0, onclick: () => open(row), onkeydown: (event) => rowKey(event, () => open(row)) }, ...cells));
    });
  };
  add(0, shown);
  const element = el("div", { class: "table-scroll" }, el("table", null, el("caption", { class: "sr" }, caption), el("thead", null, el("tr", null, ...columns.map((column) => head(column, sorted, onsort)))), body));
  if (rows.length > shown) {
    const more = el("button", { class: "more", onclick: () => {
      add(body.childElementCount, body.childElementCount + 1000);
      more.hidden = body.childElementCount >= rows.length;
    } }, `more rows (${rows.length - shown})`);
    element.append(more);
  }
  return element;
}

export function tableText(columns, rows) {
  const lines = [columns.map((column) => column.title), ...rows.map((row) => columns.map((column) => String(column.full?.(row) ?? column.text(row))))];
  return lines.map((line) => line.join("\t")).join("\n");
}

export function sortOr(standard) {
  return state.sort || standard;
}
