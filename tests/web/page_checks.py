#!/usr/bin/env python3
"""Checks pages in a browser; page.sh makes them. page_checks.py APPROF SHOTS, in the folder with profiles and pages."""
import json
import os
import subprocess
import sys
import threading
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser
from web_profiles import HEAP_TYPES, ODD_NAMES

approf, shots = sys.argv[1:3]
VIEWS = ["flame", "top", "source", "graph", "peek", "diff", "sizes", "time"]
failures = []


def check(condition, *text):
    if not condition:
        failures.append(" ".join(map(str, text)))
        print("FAILED:", *text)


def url(name, **state):
    return f"file://{os.getcwd()}/{name}.html#" + "&".join(f"{k}={v}" for k, v in state.items())


def run(*arguments):
    return json.loads(subprocess.run([approf, *arguments, "-json"], check=True, capture_output=True).stdout)


TABLE = """Object.fromEntries([...document.querySelectorAll('#view tbody tr')].map((row) => [row.querySelector('.name').title,
    Object.fromEntries([...row.querySelectorAll('[data-value]')].map((cell) => [cell.dataset.column, Number(cell.dataset.value)]))]))"""


def figures(page):
    """The top table equals approf top, for all types, plain and as a difference."""
    for name, options in (("plain", ["plain.pb.gz"]), ("deep", ["deep.pb.gz"]), ("difference", ["-diff_base", "old.pb.gz", "plain.pb.gz"])):
        for kind, _ in HEAP_TYPES:
            page.open(url(name, view="top", type=kind))
            shown = page.value(TABLE)
            wanted = run("top", "-trim=false", "-ci", "-sample_index", kind, *options)
            rows = {row["name"]: row for row in wanted["rows"]}
            check(len(rows) > 5, name, kind, "approf top has rows")
            for function, row in rows.items():
                got = shown.get(function, {})
                check(got.get("flat") == row["flat"] and got.get("cum") == row["cum"], name, kind, function, got, row)
                check(got.get(kind) == row["flat"], name, kind, function, "column of the type")
                width = row["flat_high"] - row["flat_low"]
                check(abs(got.get("ci", -1) - width) <= 2 + 1e-6 * width, name, kind, function, "interval", got.get("ci"), width)
            for function in set(shown) - set(rows):
                check(shown[function]["flat"] == 0 and shown[function]["cum"] == 0, name, kind, function, "is no row of approf top")
            check(page.value("approf.page.model.types[approf.page.type].total") == wanted["total"], name, kind, "total")


def source_and_peek(page):
    top = run("top", "-trim=false", "plain.pb.gz")["rows"]
    for row in top[:4] + top[-2:]:
        function = row["name"]
        page.open(url("plain", view="source", fn=function, type="alloc_space"))
        shown = {tuple(one) for one in page.value("[...document.querySelectorAll('.source tr[data-flat]')].map((row) => [row.dataset.line, row.dataset.flat, row.dataset.cum].map(Number))")}
        wanted = {(one["line"], one["flat"], one["cum"]) for one in run("list", "-sample_index=alloc_space", f"^{function}$", "plain.pb.gz")["rows"]}
        check(shown == wanted, "source of", function, shown, wanted)
        check(page.value("document.querySelector('.source tr.weight .code').textContent.startsWith('\\tline_')"), "source text of", function)
        page.open(url("plain", view="peek", fn=function, type="alloc_space"))
        shown = sorted(map(tuple, page.value("[...document.querySelectorAll('#view tr[data-kind]')].map((row) => [row.dataset.kind, row.dataset.kind === 'self' ? document.querySelector('h2').textContent : row.querySelector('.link').title, Number(row.dataset.value)])")))
        wanted = sorted((one["relation"], one["name"], one["cum"]) for one in run("peek", "-sample_index=alloc_space", f"^{function}$", "plain.pb.gz")["rows"])
        check(shown == wanted, "peek at", function, shown, wanted)


def differences(page):
    page.open(url("difference", view="diff", type="alloc_space"))
    totals = page.value("({...document.getElementById('totals').dataset})")
    for key, path in (("before", "old.pb.gz"), ("after", "plain.pb.gz")):
        check(int(totals[key]) == run("top", "-sample_index=alloc_space", path)["total"], "total", key)
    text = page.value("document.getElementById('totals').textContent")
    check("before" in text and "after" in text and "old.pb.gz" in text, "both totals are named:", text)
    shown = page.value(TABLE)
    for row in run("diff", "-sample_index=alloc_space", "-trim=false", "old.pb.gz", "plain.pb.gz")["rows"]:
        if row["flat_before"] or row["flat_after"]:
            got = shown.get(row["name"], {})
            check((got.get("before"), got.get("after")) == (row["flat_before"], row["flat_after"]), "difference of", row["name"], got, row)
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
    ink = "(() => { const c = document.getElementById('flame'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n / (d.length / 4); })()"
    page.settled()
    check(page.value(ink) > 0.05, "something is drawn", page.value(ink))
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
    # The address alone brings the view back.
    page.open(f"file://{os.getcwd()}/plain.html{zoomed}")
    check(page.value("approf.state.zoom") != "", "zoom out of the address")
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


def odd_names(page):
    for view in VIEWS:
        page.open(url("odd", view=view))
        check(page.value("globalThis.hacked") is None, view, "a name ran as a script")
        check(page.value("document.querySelectorAll('#view script, #view img, header img, #view b b').length") == 0, view, "a name became markup")
    page.open(url("odd", view="top"))
    check(set(ODD_NAMES) <= set(page.value(TABLE)), "names as they are", set(ODD_NAMES) - set(page.value(TABLE)))
    widest = page.value("Math.max(...[...document.querySelectorAll('tbody .name')].map((cell) => cell.getBoundingClientRect().width))")
    check(widest < 800, "long names are shortened", widest)


def small_screens(browser):
    page = browser.page(390, 800, True)
    for view in VIEWS:
        page.open(url("plain", view=view))
        page.settled()
        check(page.value("document.documentElement.scrollWidth") <= 390, view, "fits a phone", page.value("document.documentElement.scrollWidth"))
        page.shot(f"{shots}/{view}-phone.png")


def served(page):
    """The same page from the server; its data is asked for from it, and nothing from elsewhere."""
    server = subprocess.Popen([approf, "web", "-no_browser", "plain.pb.gz"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    timer = threading.Timer(120, server.kill)
    timer.start()
    try:
        address = server.stdout.readline().split()[-1]
        page.browser.events.clear()
        page.open(address + "#view=top&type=alloc_space")
        rows = page.value(TABLE)
        check(len(rows) == len(run("top", "-trim=false", "plain.pb.gz")["rows"]), "rows of the served page")
        page.value("document.getElementById('reload').click()")
        page.until("document.documentElement?.dataset.ready === 'yes'")
        page.open(address + "#view=time")
        page.value("document.getElementById('watch').click()")
        page.until("Number(/(\\d+) readings/.exec(document.querySelector('#view .count').textContent)[1]) >= 3")
        check(len(page.value(TABLE)) > 5, "rows over time")
        page.shot(f"{shots}/time-light.png")
        asked = {one for one in page.requests() if not one.startswith("about:")}
        check(asked and all(one.startswith(address) for one in asked), "only the server is asked", asked)
    finally:
        page.send("Page.navigate", url="about:blank")  # or it would go on asking
        server.terminate()
        check(server.wait(20) == 0, "the server ends well")
        timer.cancel()


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


def demo(page):
    """A demo's profile and its fix: the culprit is first, every view opens, and the difference says how much is saved."""
    if not os.path.exists("demo.html"):
        return
    page.open(url("demo", view="top", type="alloc_space"))
    shown = page.value(TABLE)
    for row in run("top", "-trim=false", "-sample_index=alloc_space", "demo.pb.gz")["rows"]:
        check(shown.get(row["name"], {}).get("flat") == row["flat"], "demo", row)
    for view in VIEWS:
        page.open(url("demo", view=view, type="alloc_space"))
        page.shot(f"{shots}/demo-{view}.png")
        check(page.value("document.getElementById('view').textContent.length") > 10 or view == "flame", "demo", view)
    page.open(url("demo-difference", view="diff", type="alloc_space"))
    totals = page.value("({...document.getElementById('totals').dataset})")
    check(int(totals["before"]) > 10 * int(totals["after"]) > 0, "the fix saves", totals)
    page.shot(f"{shots}/demo-difference.png")


def pictures(page):
    for theme in ("light", "dark"):
        for view in VIEWS:
            page.open(url("difference" if view == "diff" else "plain", view=view, theme=theme))
            page.shot(f"{shots}/{view}-{theme}.png")
        page.open(url("difference", theme=theme))
        page.shot(f"{shots}/flame-difference-{theme}.png")


with Browser() as browser:
    page = browser.page(1280, 720)
    for part in (figures, source_and_peek, differences, sizes, flame, search, keyboard, odd_names, over_time, demo, pictures):
        try:
            part(page)
        except Exception:
            failures.append(part.__name__)
            print("FAILED:", part.__name__)
            traceback.print_exc(file=sys.stdout)
    from_disk = [one for one in page.requests() if not one.startswith(("about:", "file:"))]
    check(not from_disk, "a page from disk asks for", from_disk)
    served(page)
    small_screens(browser)
    for text in page.complaints():
        check(False, "the browser complains:", text)

sys.exit(1 if failures else 0)
