// load.js - the profile's JSON: out of the page itself, or from the server that sent the page.

import { byId } from "./dom.js";

async function embedded(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) {
    bytes[i] = letters.charCodeAt(i);
  }
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

export function isServed() {
  return byId("data").textContent.trim() === "";
}

export async function loadData(reload) {
  if (!isServed()) {
    return embedded(byId("data").textContent.trim());
  }
  const answer = await fetch(reload ? "data.json?reload=1" : "data.json");
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
  return answer.json();
}
