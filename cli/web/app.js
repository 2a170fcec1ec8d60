// app.js - the page: head, views, and how they follow what the address says.

import { byId, el, announce } from "./dom.js";
import { state, go, onState, startState, hashOf } from "./state.js";
import { decodeModel, typeIndex } from "./model.js";
import { searchFunctions } from "./search.js";
import { matchedSum, totalOf, sumOf } from "./sums.js";
import { percentText, valueText, bytesText, shortName } from "./format.js";
import { summaryText } from "./details.js";
import { loadData, isServed } from "./load.js";
import { applyTheme, toggleTheme } from "./theme.js";
import { copyText, saveSvg } from "./save.js";
import { showKeys, watchKeys } from "./keys.js";
import { hideTip } from "./tip.js";
import { palette } from "./palette.js";
import { zoomText } from "./zoom.js";
import { FlameView } from "./flame_view.js";
import { TopView } from "./top_view.js";
import { SourceView } from "./source_view.js";
import { GraphView } from "./graph_view.js";
import { PeekView } from "./peek_view.js";
import { DiffView } from "./diff_view.js";
import { SizesView } from "./sizes_view.js";
import { TimeView } from "./time_view.js";

const VIEWS = [
  ["flame", "Flame graph", FlameView],
  ["top", "Top", TopView],
  ["source", "Source", SourceView],
  ["graph", "Graph", GraphView],
  ["peek", "Peek", PeekView],
  ["diff", "Differences", DiffView],
  ["sizes", "Sizes", SizesView],
  ["time", "Over time", TimeView],
];

// What views get: the model, the type that is shown, the search, and ways to other views.
const page = {
  model: null,
  type: 0,
  side: "new", // which figures tables show: of a difference what changed
  search: null,
  picked: -1, // the function that was last looked at
  pick(fn) {
    page.picked = fn ?? -1;
  },
  open(view, fn) {
    page.pick(fn);
    go({ view, fn: page.model.functions[fn] ?? "", sort: "" });
  },
};

const views = new Map();

// What the address says, which anyone may have written.
function viewName() {
  return VIEWS.some(([view]) => view === state.view) ? state.view : "flame";
}

function currentView() {
  const name = viewName();
  if (!views.has(name)) {
    const View = VIEWS.find(([view]) => view === name)[2];
    views.set(name, new View(page));
  }
  return views.get(name);
}

function showTypes() {
  const { model } = page;
  byId("types").replaceChildren(
    ...model.types.map((type, t) => el("button", { type: "button", role: "radio", "aria-checked": String(t === page.type), tabindex: t === page.type ? 0 : -1, onclick: () => chooseType(t), onkeydown: typeKey }, type.name)),
  );
}

function chooseType(t) {
  const { model } = page;
  const n = model.types.length;
  const chosen = (t + n) % n;
  const focused = byId("types").contains(document.activeElement);
  go({ type: chosen === model.shown ? "" : model.types[chosen].name });
  announce(summaryText(model, page.type));
  if (focused) {
    byId("types").children[chosen].focus();
  }
}

function typeKey(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) {
    event.preventDefault();
    chooseType(page.type + step);
  }
}

function showViews() {
  byId("views").replaceChildren(
    ...VIEWS.map(([name, title]) => el("a", {
      href: hashOf({ view: name, sort: "" }),
      "aria-current": name === viewName() ? "page" : null,
      onclick: (event) => {
        event.preventDefault();
        openView(name);
      },
    }, title)),
  );
  byId("views").querySelector("[aria-current]").scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
}

function openView(name) {
  const fn = page.picked >= 0 ? page.model.functions[page.picked] : state.fn;
  go({ view: name, fn, sort: "" });
}

function showMatched() {
  const { model, type, search } = page;
  const { unit } = model.types[type];
  if (!search) {
    byId("matched").textContent = "";
    return;
  }
  const sum = matchedSum(model, type, "new", search.matches);
  const all = model.isDifference ? sumOf(model, type, "new") : totalOf(model, type);
  byId("matched").textContent = search.error || `${valueText(sum, unit)}, ${percentText(sum, all)} in ${search.count} functions`;
  byId("matched").dataset.value = sum;
}

function showFacts() {
  const { model } = page;
  const facts = [model.binary, model.buildId && `build id ${model.buildId.slice(0, 12)}`];
  if (model.timeMs) {
    facts.push(new Date(model.timeMs).toISOString().replace("T", " ").slice(0, 19) + " UTC");
  }
  if (model.durationMs) {
    facts.push(`${(model.durationMs / 1000).toFixed(2)} s`);
  }
  if (model.period > 1) {
    facts.push(`sampled about once in ${bytesText(model.period)}`);
  }
  facts.push(`${model.samples.n.toLocaleString("en-US")} samples`);
  if (model.base) {
    facts.push(`compared with ${model.base}`);
  }
  byId("facts").textContent = facts.filter(Boolean).join(" · ");
  byId("facts").title = model.comments.join("\n");
}

function render() {
  const { model } = page;
  applyTheme();
  hideTip();
  const wanted = typeIndex(model, state.type);
  page.type = wanted >= 0 ? wanted : model.shown;
  page.side = model.isDifference ? "delta" : "new";
  page.search = searchFunctions(model, state.q);
  if (byId("query").value !== state.q) {
    byId("query").value = state.q;
  }
  showTypes();
  showViews();
  showMatched();
  byId("summary").textContent = summaryText(model, page.type);
  const view = currentView();
  if (byId("view").firstChild !== view.element) {
    byId("view").replaceChildren(view.element);
    byId("view").scrollTop = 0;
  }
  byId("export").disabled = !view.svg;
  view.render();
}

function reset() {
  go({ zoom: "", q: "", sort: "", fn: "" });
}

function exportSvg() {
  const view = currentView();
  if (view.svg) {
    saveSvg(view.svg(), `${page.model.title}-${viewName()}.svg`);
  }
}

function wire() {
  let waiting = 0;
  const type = () => go({ q: byId("query").value }, true);
  byId("query").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(type, 120);
  });
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    type();
    byId("view").querySelector("canvas, [tabindex='0']")?.focus();
  });
  const actions = {
    "/": () => byId("query").select(),
    Escape: () => {
      go({ q: "" }, true);
      byId("query").blur();
      hideTip();
    },
    Backspace: () => history.back(),
    0: reset,
    t: () => chooseType(page.type + 1),
    T: () => chooseType(page.type - 1),
    c: () => copyText(currentView().text()),
    s: exportSvg,
    d: toggleTheme,
    "?": showKeys,
  };
  VIEWS.forEach(([name], i) => {
    actions[i + 1] = () => openView(name);
  });
  watchKeys(actions);
  byId("back").addEventListener("click", actions.Backspace);
  byId("reset").addEventListener("click", reset);
  byId("copy").addEventListener("click", actions.c);
  byId("export").addEventListener("click", exportSvg);
  byId("theme").addEventListener("click", toggleTheme);
  byId("help").addEventListener("click", showKeys);
  byId("reload").hidden = !isServed();
  byId("reload").addEventListener("click", () => start(true));
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("view").focus();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
}

async function start(reload) {
  try {
    page.model = decodeModel(await loadData(reload));
  } catch (error) {
    byId("view").replaceChildren(el("p", { class: "message" }, `The profile cannot be shown: ${error.message}`));
    return;
  }
  document.title = `${page.model.title} - approf`;
  byId("title").textContent = page.model.title;
  byId("title").title = page.model.binary;
  showFacts();
  if (!reload) {
    startState();
    onState(render);
    wire();
  }
  render();
  document.documentElement.dataset.ready = "yes";
}

globalThis.approf = { page, state, go, view: currentView, palette, shortName, zoomText }; // for the console and for tests
start(false);
