// keys.js - keys that work everywhere, and the list of all of them.

import { byId, el } from "./dom.js";

const LIST = [
  ["/", "search"],
  ["Esc", "end the search, close this"],
  ["1 … 8", "views, from left to right"],
  ["t, T", "next sample type, the one before"],
  ["arrows", "flame graph: callee, caller, neighbours; tables: rows"],
  ["Enter", "flame graph: zoom in; tables: source of the function"],
  ["Backspace", "back"],
  ["0, Home", "show all again"],
  ["c", "copy the view as text"],
  ["s", "save the view as SVG"],
  ["d", "light or dark"],
  ["?", "this list"],
];

export function showKeys() {
  const dialog = byId("keys");
  dialog.replaceChildren(
    el("h2", null, "Keys"),
    el("table", null, el("tbody", null, ...LIST.map(([key, text]) => el("tr", null, el("td", null, el("kbd", null, key)), el("td", null, text))))),
    el("button", { onclick: () => dialog.close() }, "close"),
  );
  dialog.showModal();
}

// actions: by key, a function.
export function watchKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select") && event.target.type !== "checkbox";
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open || (typing && event.key !== "Escape")) {
      return;
    }
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
}
