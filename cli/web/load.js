// load.js - the profile's data: out of the page itself, or from the server that sent the page.

import { byId } from "./dom.js";

function decodeBase64(text) {
  if (Uint8Array.fromBase64) {
    return Uint8Array.fromBase64(text);
  }
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) {
    bytes[i] = letters.charCodeAt(i);
  }
  return bytes;
}

async function embedded(text) {
  const plain = new Blob([decodeBase64(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

export function isServed() {
  return byId("data").textContent.trim() === "";
}

export async function loadData(reload) {
  if (!isServed()) {
    return embedded(byId("data").textContent.trim());
  }
  const answer = await fetch(reload ? "data?reload=1" : "data");
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
  return new Uint8Array(await answer.arrayBuffer());
}
