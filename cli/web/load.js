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

// id: "data", or "times", which is empty when there is no course of time.
async function loadPart(id, reload) {
  if (!isServed()) {
    const text = byId(id).textContent.trim();
    return text ? embedded(text) : new Uint8Array(0);
  }
  const answer = await fetch(reload ? `${id}?reload=1` : id);
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
  return new Uint8Array(await answer.arrayBuffer());
}

export function loadData(reload) {
  return loadPart("data", reload);
}

export function loadTimes() {
  return loadPart("times", false);
}
