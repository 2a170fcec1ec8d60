// state.js - what is shown, kept in the address after `#`, so that it can be shared and the browser's back works.

const STANDARD = { view: "flame", type: "", q: "", zoom: "", fn: "", sort: "", theme: "", cum: "" };

export const state = { ...STANDARD };
const watchers = [];

export function onState(watcher) {
  watchers.push(watcher);
}

function read() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(STANDARD)) {
    state[name] = parameters.get(name) ?? STANDARD[name];
  }
}

export function hashOf(changes) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...state, ...changes })) {
    if (name in STANDARD && value !== STANDARD[name]) {
      parameters.set(name, value);
    }
  }
  return `#${parameters}`;
}

function tell() {
  watchers.forEach((watcher) => watcher());
}

// replace: no step of its own for the browser's back (typing, sorting).
export function go(changes, replace) {
  const hash = hashOf(changes);
  if (hash === hashOf({})) {
    return;
  }
  history[replace ? "replaceState" : "pushState"](null, "", hash);
  read();
  tell();
}

export function startState() {
  read();
  addEventListener("popstate", () => {
    read();
    tell();
  });
}
