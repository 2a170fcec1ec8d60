#!/usr/bin/env python3
"""Checks pages in a browser; page.sh makes them. page_checks.py APPROF SHOTS, in the folder with profiles and pages."""
import contextlib
import os
import subprocess
import sys
import threading
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser
from page_figures import INK, TABLE, VIEWS, approf, check, do_all, failures, run, same_difference, same_lines, same_peek, same_top, show, url
from web_profiles import ODD_NAMES

shots = sys.argv[2]


def figures(page):
    """The top table equals approf top, for all types, plain and as a difference."""
    for name, options in (("plain", ["plain.pb.gz"]), ("deep", ["deep.pb.gz"]), ("difference", ["-diff_base", "old.pb.gz", "plain.pb.gz"])):
        page.open(url(name))
        rows = same_top(page, name, options)
        check(all(len(rows[kind]) > 5 for kind in rows), name, "approf top has rows")


def source_and_peek(page):
    page.open(url("plain"))
    top = run("top", "-trim=false", "plain.pb.gz")["rows"]
    for row in top[:4] + top[-2:]:
        same_lines(page, "plain", row["name"], ["plain.pb.gz"])
        check(page.value("document.querySelector('.source tr.weight .code').textContent.startsWith('\\tline_')"), "source text of", row["name"])
        same_peek(page, "plain", row["name"], ["plain.pb.gz"])


def differences(page):
    page.open(url("difference", view="diff", type="alloc_space"))
    same_difference(page, "difference", "old.pb.gz", "plain.pb.gz")
    text = page.value("document.getElementById('totals').textContent")
    check("before" in text and "after" in text and "old.pb.gz" in text, "both totals are named:", text)
    check(page.value("document.querySelectorAll('td.grew').length") > 0 and page.value("document.querySelectorAll('td.fell').length") > 0, "colours of change")


def sizes(page):
    page.open(url("plain", view="sizes", type="alloc_objects"))
    shown = page.value("[...document.querySelectorAll('.bar-back')].map((bar) => [Number(bar.dataset.bytes), Number(bar.dataset.value)])")
    check([size for size, _ in shown] == [16, 24, 64, 448, 1024, 65536], "size classes", shown)
    check(sum(value for _, value in shown) == run("top", "-sample_index=alloc_objects", "plain.pb.gz")["total"], "sizes add up")


def flame(page):
    page.open(url("plain", type="alloc_space"))
    before = page.value("approf.page.model.calls.n")
    check(before > 100, "flame graph has nodes")
    page.settled()
    check(page.value(INK) > 0.05, "something is drawn", page.value(INK))
    # Zoom by click, back by the browser's history, tip with figures.
    place = page.value("(({x, y}) => ({x, y}))(document.getElementById('flame').getBoundingClientRect())")
    page.move(place["x"] + 60, place["y"] + 19 * 2 + 9)
    page.until("!document.getElementById('tip').hidden")
    tip = page.value("document.getElementById('tip').textContent")
    check("of all" in tip and "of its caller" in tip and "alloc_objects" in tip, "tip:", tip)
    page.click(place["x"] + 60, place["y"] + 19 * 2 + 9)
    page.until("approf.state.zoom !== ''")
    zoomed = page.value("location.hash")
    page.value("history.back()")
    page.until("approf.state.zoom === ''")
    page.value("document.getElementById('help').focus()")
    # The address alone brings the view back; in another profile it is the same way from the root.
    way = "(() => { const {calls, functions} = approf.page.model; const names = []; for (let at = approf.view().zoom; at; at = calls.parent[at]) names.push(functions[calls.fn[at]]); return names; })()"
    names = None
    for name in ("plain", "difference"):
        page.open(f"file://{os.getcwd()}/{name}.html{zoomed}")
        check(page.value("approf.state.zoom") != "" and page.value("approf.view().zoom") > 0, name, "zoom out of the address")
        names = names or page.value(way)
        check(len(names) == 2 and page.value(way) == names, name, "the way to what is zoomed to", names, page.value(way))
    check(page.value("document.querySelectorAll('.path .step').length") > 1, "path to the zoomed box")
    svg = page.value("(() => { const button = document.getElementById('export'); return !button.disabled && approf.page.model !== null; })()")
    check(svg, "SVG can be saved")


def search(page):
    page.open(url("plain", type="alloc_space"))
    page.key("/")
    page.type("function_1$")
    page.until("approf.state.q === 'function_1$'")
    got = page.value("Number(document.getElementById('matched').dataset.value)")
    wanted = [row["cum"] for row in run("top", "-trim=false", "-sample_index=alloc_space", "plain.pb.gz")["rows"] if row["name"] == "function_1"]
    check([got] == wanted, "matched share", got, wanted)
    page.key("Escape")
    page.until("approf.state.q === ''")
    page.open(url("plain", view="top", q="function_%5B12%5D%24"))
    check(sorted(page.value(TABLE)) == ["function_1", "function_2"], "table of matches", sorted(page.value(TABLE)))
    page.open(url("plain", view="%3Cb%3E", type="nonsense", zoom="9999999.3", fn="gone", sort="%22"))
    check(page.value("document.querySelector('#views [aria-current]').textContent") == "Flame graph" and page.value("approf.view().zoom") == 0, "an address that makes no sense shows the whole")
    page.open(url("plain", q="*("))
    check("no regular expression" in page.value("document.getElementById('matched').textContent"), "bad expression is told")


def keyboard(page):
    page.open(url("plain"))
    page.until("location.hash.length < 2 || true")
    kind = page.value("approf.page.type")
    page.key("t")
    page.until(f"approf.page.type === ({kind} + 1) % 4")
    page.key("T")
    page.until(f"approf.page.type === {kind}")
    for i, view in enumerate(VIEWS, 1):
        page.key(str(i))
        page.until(f"approf.state.view === '{view}'")
    page.key("1")
    for _ in range(40):
        page.key("Tab")
        if page.value("document.activeElement.id") == "flame":
            break
    check(page.value("document.activeElement.id") == "flame", "Tab reaches the flame graph")
    page.key("ArrowDown")
    page.key("ArrowDown")
    said = page.value("document.getElementById('live').textContent")
    check("of all" in said, "the chosen box is read out:", said)
    page.key("Enter")
    page.until("approf.state.zoom !== ''")
    page.key("Home")
    page.until("approf.state.zoom === ''")
    page.key("Backspace")
    page.until("approf.state.zoom !== ''")
    page.key("0")
    page.until("approf.state.zoom === ''")
    page.key("2")
    page.value("document.querySelector('#view tbody tr').focus()")
    page.key("ArrowDown")
    name = page.value("document.activeElement.querySelector('.name').title")
    page.key("Enter")
    page.until("approf.state.view === 'source'")
    check(page.value("approf.state.fn") == name, "Enter opens the row's source")
    page.key("Backspace")
    page.until("approf.state.view === 'top'")
    page.key("?")
    page.until("document.getElementById('keys').open")
    page.key("Escape")
    page.until("!document.getElementById('keys').open")
    dark = page.value("getComputedStyle(document.body).backgroundColor")
    page.key("d")
    page.until(f"getComputedStyle(document.body).backgroundColor !== '{dark}'")


def sorting(page):
    """A click on each head sorts by it, a second one the other way round."""
    for name, view in (("difference", "diff"), ("plain", "top")):
        page.open(url(name, view=view))
        for column in page.value("[...document.querySelectorAll('#view thead th')].map((head) => head.querySelector('button').textContent.replace(/ [▲▼]$/, ''))"):
            orders = []
            for _ in range(2):
                page.value(f"[...document.querySelectorAll('#view thead button')].find((head) => head.textContent.replace(/ [▲▼]$/, '') === {column!r}).click()")
                orders.append(page.value("[...document.querySelectorAll('#view tbody .name')].map((cell) => cell.title)"))
                sort = page.value("document.querySelector('#view th[aria-sort=ascending], #view th[aria-sort=descending]').textContent")
                check(sort.startswith(column), view, "sorted by", column, sort)
            check(sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1], view, column, "sorts both ways")
    shown = page.value(TABLE)
    page.value("approf.go({sort: 'alloc_objects'})")
    figures_of = [shown[name]["alloc_objects"] for name in page.value("[...document.querySelectorAll('#view tbody .name')].map((cell) => cell.title)")]
    check(figures_of == sorted(figures_of, reverse=True) and len(set(figures_of)) > 5, "largest first", figures_of)


# Presses what can be pressed in a view, one thing after the other, each time in the view as it was.
PRESS = """(async (view) => {
  const parts = () => [...document.querySelectorAll("#view button, #view tbody tr, #view select, #view input, #view .box")];
  const open = () => approf.go({ view, fn: "", q: "", sort: "", zoom: "", cum: "" });
  open();
  await new Promise(requestAnimationFrame);
  const count = Math.min(parts().length, 60);
  for (let i = 0; i < count; i++) {
    open();
    const part = parts()[i];
    if (part?.tagName === "SELECT") {
      part.value = part.options[part.options.length - 1].value;
      part.dispatchEvent(new Event("change"));
    } else {
      part?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
  }
  return count;
})"""


def everything_pressed(page):
    """No button, row, box or list of any view throws (what does is told at the end)."""
    for name in ("plain", "difference", "odd", "store"):
        page.open(url(name))
        for view in VIEWS:
            count = page.value(f"{PRESS}('{view}')")
            check(count > 0 or view in ("diff", "time"), name, view, "has something to press")


def odd_names(page):
    for view in VIEWS:
        page.open(url("odd", view=view))
        check(page.value("globalThis.hacked") is None, view, "a name ran as a script")
        check(page.value("document.querySelectorAll('#view script, #view img, header img, #view b b').length") == 0, view, "a name became markup")
    page.open(url("odd", view="top"))
    check(set(ODD_NAMES) <= set(page.value(TABLE)), "names as they are", set(ODD_NAMES) - set(page.value(TABLE)))
    widest = page.value("Math.max(...[...document.querySelectorAll('tbody .name')].map((cell) => cell.getBoundingClientRect().width))")
    check(widest < 800, "long names are shortened", widest)


# What a name that became markup would try.
ATTACKS = """(async () => {
  const violated = [];
  document.addEventListener("securitypolicyviolation", (event) => violated.push(event.effectiveDirective));
  const script = document.createElement("script");
  script.textContent = "globalThis.hacked = 3";
  const image = document.createElement("img");
  image.src = "http://127.0.0.1:9/leak";
  image.setAttribute("onerror", "globalThis.hacked = 4");
  const frame = document.createElement("iframe");
  frame.src = "http://127.0.0.1:9/";
  const style = document.createElement("style");
  style.textContent = "body { display: none }";
  document.body.append(script, image, frame, style);
  await fetch("http://127.0.0.1:9/leak").catch(() => {});
  await new Promise((done) => setTimeout(done, 200));
  [script, image, frame, style].forEach((one) => one.remove());
  return violated.sort();
})()"""


def policy(page):
    """The page's own policy, from disk: no script, style, picture, frame or request but its own."""
    page.open(url("odd"))
    violated = page.value(ATTACKS)
    for directive in ("connect-src", "frame-src", "img-src", "script-src-attr", "script-src-elem", "style-src-elem"):
        check(directive in violated, directive, "is not held:", violated)
    check(page.value("globalThis.hacked") is None, "a script ran")
    page.browser.events = [event for event in page.browser.events if event.get("method") != "Log.entryAdded" and event.get("method") != "Network.requestWillBeSent"]


def small_screens(browser):
    page = browser.page(390, 800, True)
    for view in VIEWS:
        page.open(url({"diff": "difference", "time": "store"}.get(view, "plain"), view=view))
        page.settled()
        least = page.value("Math.min(...[...document.querySelectorAll('button, select, input:not([type=checkbox]), nav a')].filter((one) => one.checkVisibility() && !one.closest('table, .path, p')).map((one) => one.getBoundingClientRect().height))")
        check(least >= 22, view, "can be touched", least)
        tab = page.value("(({left, right}) => [left, right])(document.querySelector('#views [aria-current]').getBoundingClientRect())")
        check(tab[0] >= 0 and tab[1] <= 390, view, "its tab is in sight", tab)
        check(page.value("document.documentElement.scrollWidth") <= 390, view, "fits a phone", page.value("document.documentElement.scrollWidth"))
        page.shot(f"{shots}/{view}-phone.png")


class Served:
    """approf web of sources; its address as the value."""

    def __init__(self, *sources):
        self.process = subprocess.Popen([approf, "web", "-no_browser", *sources], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.timer = threading.Timer(120, self.process.kill)

    def __enter__(self):
        self.timer.start()
        return self.process.stdout.readline().split()[-1]

    def __exit__(self, *_):
        self.process.terminate()
        check(self.process.wait(20) == 0, "the server ends well")
        self.timer.cancel()


def served(page):
    """The same page from the server; its data is asked for from it, and nothing from elsewhere."""
    with Served("plain.pb.gz") as address:
        page.browser.events.clear()
        page.open(address + "#view=top&type=alloc_space")
        rows = page.value(TABLE)
        check(len(rows) == len(run("top", "-trim=false", "plain.pb.gz")["rows"]), "rows of the served page")
        page.value("document.getElementById('reload').click()")
        page.until("document.documentElement?.dataset.ready === 'yes'")
        show(page, view="time")
        page.until("document.getElementById('view').textContent.includes('does not change')")
        check(len(page.value(TABLE)) > 5, "rows over time")
        asked = {one for one in page.requests() if not one.startswith("about:")}
        check(asked and all(one.startswith(address) for one in asked), "only the server is asked", asked)
        page.send("Page.navigate", url="about:blank")
    with Served("store") as address:
        page.open(address + "#view=time")
        page.until("document.querySelectorAll('#view tbody tr').length === 3")
        check(page.value("document.getElementById('watch')") is None, "what is recorded is not watched")
        page.send("Page.navigate", url="about:blank")


@contextlib.contextmanager
def churner():
    """The pid of a process whose keep_some() keeps what it allocates, slowly enough to grow for minutes."""
    environment = dict(os.environ, APPROF_RATE="65536", LD_PRELOAD=os.environ["APPROF_LIB"])
    with subprocess.Popen([os.environ["CHURNER"], "2", "0", "1000"], env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().split()[1]
        finally:
            process.terminate()


def watched(page):
    """A process, over time: what it keeps grows and is first, what it drops does not."""
    with churner() as pid, Served(pid) as address:
        page.open(address + "#view=time")
        page.until("Number(/(\\d+) readings/.exec(document.querySelector('#view .count')?.textContent)?.[1]) >= 4")
        shown = page.value("[...document.querySelectorAll('#view tbody tr')].map((row) => row.querySelector('.name').title)")
        check(shown and shown[0] == "keep_some", "what grows is first:", shown)
        rows = page.value(TABLE)
        check(rows["keep_some"]["grew"] > 0 and rows["keep_some"]["rate"] > 0, "live and rate of what grows", rows["keep_some"])
        check(rows["drop_all"]["rate"] > 0 and rows["drop_all"]["grew"] < rows["keep_some"]["grew"] / 4, "what is dropped does not grow", rows["drop_all"])
        page.shot(f"{shots}/time-watched.png")
        page.value("document.getElementById('watch').click()")
        count = page.value("document.querySelector('#view .count').textContent")
        page.settled()
        check(page.value("document.getElementById('watch').textContent") == "watch" and page.value("document.querySelector('#view .count').textContent") == count, "stops")
        page.send("Page.navigate", url="about:blank")


def over_time(page):
    """A directory of approf record: what grows is first; a process that has gone counts no more."""
    page.open(url("store", view="time"))
    page.until("document.querySelectorAll('#view tbody tr').length > 0")
    rows = page.value("[...document.querySelectorAll('#view tbody tr')].map((row) => row.querySelector('.name').title)")
    check(rows == ["leaks", "holds_cache", "makes_garbage"], "what grows is first:", rows)
    mib = 2**20
    shown = page.value(TABLE)
    check(shown["leaks"]["grew"] == 6 * mib and shown["leaks"]["live"] == 7 * mib, "what leaks", shown["leaks"])
    check(shown["holds_cache"]["grew"] == 0 and shown["holds_cache"]["live"] == 5 * mib, "what holds a cache", shown["holds_cache"])
    for name, allocated in (("leaks", 6 + 3), ("makes_garbage", 30 * (6 + 3)), ("holds_cache", 5)):
        check(abs(shown[name]["rate"] - allocated * mib / 360) < 1, name, "allocates per second", shown[name])
    lines = page.value("[...document.querySelectorAll('.chart')].map((chart) => chart.getAttribute('aria-label'))")
    check(lines[0] == "In use, all functions: 6MB, 13MB, 15MB, 17MB, 10MB, 11MB, 12MB", "course of what is in use:", lines[0])
    check("7 moments over 360 s" in page.value("document.querySelector('#view .count').textContent"), "moments")
    page.open(url("store", view="time", q="leak"))
    page.until("document.querySelectorAll('#view tbody tr').length === 1")
    page.open(url("plain", view="time"))
    page.until("document.getElementById('view').textContent.includes('approf record')")


# Text whose contrast with what is behind it is below AA's 4.5: colours are laid over one another from the root down.
CONTRAST = """(() => {
  const numbers = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = (colour) => { const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const behind = (node) => (node ? over(numbers(getComputedStyle(node).backgroundColor), behind(node.parentElement)) : [255, 255, 255]);
  const found = [];
  const look = (node, colour, text, back) => { const r = ratio(over(numbers(colour), back), back); if (r < 4.5) found.push(`${text}: ${r.toFixed(2)} (${colour} on ${back.map(Math.round)})`); };
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || !node.checkVisibility() || node.closest("script, style, noscript, title, [disabled], option") || !node.getClientRects().length) continue;
    const svg = node.closest("svg");
    const rect = node.closest(".box")?.querySelector("rect");
    const back = rect ? numbers(getComputedStyle(rect).fill).slice(0, 3) : behind(svg ? svg.parentElement : node);
    look(node, getComputedStyle(node)[svg ? "fill" : "color"], text.slice(0, 30), back);
    seen++;
  }
  const query = document.getElementById("query");
  look(query, getComputedStyle(query, "::placeholder").color, "placeholder", behind(query));
  return { found, seen };
})()"""

# Boxes of flame graphs and what is written on them, over all that a palette can give.
PALETTE = """(() => {
  const canvas = document.createElement("canvas").getContext("2d");
  const pixels = (colour) => { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const { ownColour, systemColour, changeColour, matchColour, inkColour } = approf.palette;
  const steps = [...Array(21).keys()].map((i) => i / 20);
  return [false, true].map((dark) => ({ ink: pixels(inkColour(dark)), own: steps.map((s) => pixels(ownColour(s, dark))), system: steps.map((s) => pixels(systemColour(s, dark))), match: [pixels(matchColour(dark))],
    grew: steps.map((s) => pixels(changeColour(s, dark))), fell: steps.map((s) => pixels(changeColour(-s, dark))) }));
})()"""

# How colours look to those who lack one kind of cones (Machado, Oliveira and Fernandes, 2009; full severity).
BLINDNESS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour):
    return [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]


def contrast_of(a, b):
    x, y = (0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(a), linear(b)))
    return (max(x, y) + 0.05) / (min(x, y) + 0.05)


def lab(rgb):
    r, g, b = (min(1, max(0, c)) for c in rgb)
    xyz = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def apart(a, b, matrix):
    seen = [lab([sum(m * c for m, c in zip(row, linear(colour))) for row in matrix]) for colour in (a, b)]
    return sum((x - y) ** 2 for x, y in zip(*seen)) ** 0.5


def contrast(page):
    """All text in all views and both themes; rows that the pointer is on too."""
    for theme in ("light", "dark"):
        for name in ("plain", "difference", "store"):
            page.open(url(name, theme=theme, type="alloc_space"))
            for view in VIEWS:
                show(page, view=view, q="function_1|leaks" if view in ("graph", "peek") else "")
                page.settled()
                result = page.value(CONTRAST)
                check(result["seen"] > 15, name, view, theme, "has text", result["seen"])
                check(not result["found"], name, view, theme, "text below a contrast of 4.5:", result["found"][:6])
                page.value("document.querySelectorAll('#view tbody tr').forEach((row) => row.classList.add('chosen'))")
                result = page.value(CONTRAST)
                check(not result["found"], name, view, theme, "text of rows below a contrast of 4.5:", result["found"][:6])
    for theme, colours in zip(("light", "dark"), page.value(PALETTE)):
        for kind in ("own", "system", "match", "grew", "fell"):
            least = min(contrast_of(colours["ink"], one) for one in colours[kind])
            check(least >= 4.5, theme, kind, "text on boxes has a contrast of", least)
        for who, matrix in BLINDNESS.items():
            for one, other in (("grew", "fell"), ("own", "system")):
                difference = apart(colours[one][-1], colours[other][-1], matrix)
                check(difference > 18, theme, one, "and", other, "look alike with", who, difference)


def copy_and_export(page):
    """c copies each view as text, s saves what is drawn: well-formed, with the names."""
    page.open(url("plain", type="alloc_space"))
    page.value("""(() => { globalThis.copied = []; globalThis.saved = [];
        Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text); } } });
        URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return "about:blank#"; };
        HTMLAnchorElement.prototype.click = () => {}; })()""")
    page.value("document.activeElement.blur()")
    wanted = {row["name"]: row for row in run("top", "-trim=false", "-sample_index=alloc_space", "plain.pb.gz")["rows"]}
    heaviest = next(iter(wanted))
    for view in VIEWS[:7]:
        page.value("copied.length = saved.length = 0")
        show(page, view=view, fn="" if view == "sizes" else heaviest)
        page.settled()
        page.key("c")
        if view != "diff":
            page.until("copied.length === 1")
            text = page.value("copied[0]")
            check("\n" in text and (heaviest in text or view == "sizes"), view, "as text", text[:200])
        page.value("saved.length = 0")
        page.key("s")
        if view in ("flame", "graph"):
            page.until("saved.length === 1")
            tree = xml.etree.ElementTree.fromstring(page.value("saved[0]"))
            check(heaviest in "".join(tree.itertext()), view, "as SVG has names")
            check(not [one for one in tree.iter() if one.tag.endswith(("script", "foreignObject"))], view, "as SVG is a drawing")
    top = page.value("(approf.go({view: 'top', fn: '', type: 'alloc_space'}), approf.view().text())").split("\n")
    check(len(top) == len(wanted) + 1 and top[0].split("\t")[:2] == ["function", "flat"], "the table as text", top[:2])
    page.open(url("odd"))
    page.value("globalThis.saved = []; URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return 'about:blank#'; }; HTMLAnchorElement.prototype.click = () => {}")
    page.key("s")
    page.until("saved.length === 1")
    tree = xml.etree.ElementTree.fromstring(page.value("saved[0]"))
    check(ODD_NAMES[0] in "".join(tree.itertext()) and not list(tree.iter("{http://www.w3.org/2000/svg}script")), "names in the SVG stay text")


# Long names of C++ and Rust, room, and what must be left of them.
LONG = [
    ("std::map<" + "std::basic_string<char, std::char_traits<char>, std::allocator<char> >, " * 6 + "int>::operator[](std::string const&)", 30, "operator[]"),
    ("void boost::asio::detail::" + "executor_function_view::" * 18 + "complete<boost::asio::detail::binder1<void (*)(int), int> >(void*)", 30, "complete"),
    ("<alloc::vec::Vec<" + "core::option::Option<" * 20 + "u8" + ">" * 20 + "> as core::clone::Clone>::clone", 24, "clone"),
    ("(anonymous namespace)::Parser<" + "A, " * 160 + "B>::parse(char const*)::{lambda(int)#1}::operator()(int) const", 40, "operator()"),
]


def long_names(page):
    page.open(url("plain"))
    for name, room, kept in LONG:
        short = page.value(f"approf.shortName({name!r}, {room})")
        check(len(name) >= 400 and len(short) <= room and kept in short, "shortened:", short)
        check(page.value(f"approf.shortName({name!r}, 1000)") == name, "whole when there is room")


def pictures(page):
    for theme in ("light", "dark"):
        for view in VIEWS:
            page.open(url({"diff": "difference", "time": "store"}.get(view, "plain"), view=view, theme=theme))
            page.settled()
            check(page.value("document.documentElement.scrollWidth") <= 1280 and page.value("document.documentElement.scrollHeight") <= 720, view, "fits 1280 by 720")
            page.shot(f"{shots}/{view}-{theme}.png")
        page.open(url("difference", theme=theme))
        page.shot(f"{shots}/flame-difference-{theme}.png")


with Browser() as browser:
    page = browser.page(1280, 720)
    do_all((figures, source_and_peek, differences, sizes, flame, search, keyboard, sorting, everything_pressed, odd_names, policy, long_names, over_time, contrast, copy_and_export, pictures), page)
    from_disk = [one for one in page.requests() if not one.startswith(("about:", "file:"))]
    check(not from_disk, "a page from disk asks for", from_disk)
    do_all((served, watched), page)
    small_screens(browser)
    for text in page.complaints():
        check(False, "the browser complains:", text)

sys.exit(1 if failures else 0)
