// save.js - what goes out of the page: text to the clipboard, a drawing into a file.

import { el, announce } from "./dom.js";

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("copied");
    return;
  } catch {
    // A page from disk may not be allowed to: then the old way.
  }
  const box = el("textarea", { class: "sr" });
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
  announce("copied");
}

export function saveSvg(svg, name) {
  const text = new XMLSerializer().serializeToString(svg);
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  announce(`saved ${name}`);
}
