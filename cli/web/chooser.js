// chooser.js - which function a view is about, and a list to choose another one.

import { el } from "./dom.js";
import { state, go } from "./state.js";
import { functionSums } from "./sums.js";
import { shortName, valueText } from "./format.js";

const MOST_CHOICES = 400;

// Functions by weight, those that match the search if there is one.
export function candidates(page, by) {
  const { model, type, side, search } = page;
  const sums = functionSums(model, type, side)[by];
  const list = [];
  for (let fn = 0; fn < model.functions.length; fn++) {
    if (sums[fn] && (!search || search.matches[fn])) {
      list.push(fn);
    }
  }
  return list.sort((a, b) => Math.abs(sums[b]) - Math.abs(sums[a]));
}

// The function in the address; -1 when there is none.
export function functionOfState(model) {
  return state.fn ? model.functions.indexOf(state.fn) : -1;
}

// all: the text of the choice of no function, or null when there must be one.
export function chooser(page, chosen, by, all) {
  const { model, type, side } = page;
  const sums = functionSums(model, type, side)[by];
  const list = candidates(page, by).slice(0, MOST_CHOICES);
  if (chosen >= 0 && !list.includes(chosen)) {
    list.unshift(chosen);
  }
  const select = el("select", { class: "chooser", "aria-label": "function", onchange: () => {
    const fn = Number(select.value);
    page.pick(fn);
    go({ fn: fn >= 0 ? model.functions[fn] : "" });
  } });
  if (all) {
    select.append(el("option", { value: -1 }, all));
  }
  select.append(...list.map((fn) => el("option", { value: fn }, `${shortName(model.functions[fn], 70)}  ${valueText(sums[fn], model.types[type].unit)}`)));
  select.value = String(chosen);
  return select;
}

// A function's name as a way to it.
export function functionLink(page, fn, view, room = 80) {
  return el("button", { class: "link", title: page.model.functions[fn], onclick: (event) => {
    event.stopPropagation();
    page.open(view, fn);
  } }, shortName(page.model.functions[fn], room));
}
