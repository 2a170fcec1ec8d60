// palette.js - colours of boxes. Orange and blue, red and blue: pairs that colour-blind people tell apart; text on them
// has a contrast of 4.5 and more.

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// What a search finds.
export function matchColour(dark) {
  return dark ? "#6a4bc4" : "#c9b3ff";
}

export function hashOfText(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  }
  return hash >>> 0;
}

// Kept by function: a screen has thousands of boxes, sixty times a second.
export function boxColour(model, fn, dark) {
  const key = `colours ${dark}`;
  if (!model.cache.has(key)) {
    model.cache.set(key, new Array(model.functions.length));
  }
  const colours = model.cache.get(key);
  return (colours[fn] ??= makeColour(model, fn, dark));
}

function makeColour(model, fn, dark) {
  const hash = hashOfText(model.functions[fn]) % 1000 / 1000;
  return model.functionOwn[fn] ? ownColour(hash, dark) : systemColour(hash, dark);
}

// hash: 0 to 1, so that neighbours differ a little.
export function ownColour(hash, dark) {
  return dark ? `hsl(${24 + 14 * hash} 55% ${27 + 6 * hash}%)` : `hsl(${28 + 16 * hash} 88% ${70 + 9 * hash}%)`;
}

export function systemColour(hash, dark) {
  return dark ? `hsl(${205 + 15 * hash} 32% ${26 + 6 * hash}%)` : `hsl(${205 + 15 * hash} 50% ${79 + 7 * hash}%)`;
}

// share: -1 (all gone) to 1 (all new). Red grew, blue fell.
export function changeColour(share, dark) {
  const strength = Math.min(1, Math.sqrt(Math.abs(share)));
  if (strength < 0.03) {
    return dark ? "hsl(220 6% 28%)" : "hsl(220 10% 90%)";
  }
  const hue = share > 0 ? 8 : 214;
  return dark
    ? `hsl(${hue} ${20 + 50 * strength}% ${28 + 6 * strength}%)`
    : `hsl(${hue} ${40 + 50 * strength}% ${90 - 20 * strength}%)`;
}

export function inkColour(dark) {
  return dark ? "#f6f3ee" : "#1b1a17";
}

export const palette = { ownColour, systemColour, changeColour, matchColour, inkColour };
