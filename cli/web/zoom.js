// zoom.js - a node of the tree in the address: its number, and a hash of the functions on the way to it. When the number
// means another node (the profile was read anew, or is another one of the program), the one on the same way is found.

import { hashOfText } from "./palette.js";

function nameHashes(model) {
  if (!model.cache.has("name hashes")) {
    model.cache.set("name hashes", Uint32Array.from(model.functions, hashOfText));
  }
  return model.cache.get("name hashes");
}

function mixed(hash, more) {
  return Math.imul(hash ^ more, 16777619) >>> 0;
}

function wayHash(model, node) {
  const { parent, fn } = model.calls;
  const names = nameHashes(model);
  const way = [];
  for (let at = node; at; at = parent[at]) {
    way.unshift(names[fn[at]]);
  }
  return way.reduce(mixed, 0);
}

function findWay(model, wanted) {
  const { n, parent, fn } = model.calls;
  const names = nameHashes(model);
  const hashes = new Uint32Array(n);
  for (let i = 1; i < n; i++) {
    hashes[i] = mixed(hashes[parent[i]], names[fn[i]]);
    if (hashes[i] === wanted) {
      return i;
    }
  }
  return 0;
}

export function zoomText(model, node) {
  return node ? `${node}.${wayHash(model, node).toString(36)}` : "";
}

export function zoomNode(model, text) {
  const [number, hash = ""] = text.split(".");
  const [node, wanted] = [Number(number), parseInt(hash, 36)];
  if (!(node > 0) || Number.isNaN(wanted)) {
    return 0;
  }
  return node < model.calls.n && wayHash(model, node) === wanted ? node : findWay(model, wanted);
}
