// tip.js - the box with figures beside the pointer.

import { byId, el } from "./dom.js";

export function showTip(lines, x, y) {
  const tip = byId("tip");
  tip.replaceChildren(...lines.map((line, i) => el(i ? "div" : "b", null, line)));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
}

export function hideTip() {
  byId("tip").hidden = true;
}
