"""What the checks of the web page share: figures on a page against those that approf prints, and the list of failures."""

import json
import os
import subprocess
import sys
import traceback

VIEWS = ["flame", "top", "source", "graph", "peek", "diff", "sizes", "time"]
HEAP_TYPES = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"]
failures = []
approf = sys.argv[1]


def check(condition, *text):
    if not condition:
        failures.append(" ".join(map(str, text)))
        print("FAILED:", *text)


def do_all(parts, page):
    for part in parts:
        try:
            part(page)
        except Exception:
            failures.append(part.__name__)
            print("FAILED:", part.__name__)
            traceback.print_exc(file=sys.stdout)


def url(name, **state):
    return f"file://{os.getcwd()}/{name}.html#" + "&".join(f"{k}={v}" for k, v in state.items())


def run(*arguments):
    return json.loads(subprocess.run([approf, *arguments, "-json"], check=True, capture_output=True).stdout)


TABLE = """Object.fromEntries([...document.querySelectorAll('#view tbody tr')].map((row) => [row.querySelector('.name').title,
    Object.fromEntries([...row.querySelectorAll('[data-value]')].map((cell) => [cell.dataset.column, Number(cell.dataset.value)]))]))"""


def show(page, **state):
    """Another view of the page that is open."""
    page.value(f"approf.go({json.dumps({'view': 'flame', 'fn': '', 'q': '', 'sort': '', 'zoom': '', 'cum': '', **state})})")


def same_top(page, name, sources):
    """The top table equals approf top -json, for all types; the page is open. Returns the rows by type."""
    all_rows = {}
    for kind in HEAP_TYPES:
        show(page, view="top", type=kind)
        page.value("(() => { const more = document.querySelector('#view .more'); while (more && !more.hidden) more.click(); })()")
        shown = page.value(TABLE)
        wanted = run("top", "-trim=false", "-ci", "-sample_index", kind, *sources)
        rows = {row["name"]: row for row in wanted["rows"]}
        all_rows[kind] = wanted["rows"]
        for function, row in rows.items():
            got = shown.get(function, {})
            check(got.get("flat") == row["flat"] and got.get("cum") == row["cum"], name, kind, function, got, row)
            check(got.get(kind) == row["flat"], name, kind, function, "column of the type")
            width = row["flat_high"] - row["flat_low"]
            check(abs(got.get("ci", -1) - width) <= 2 + 1e-6 * width, name, kind, function, "interval", got.get("ci"), width)
        for function in set(shown) - set(rows):
            check(shown[function]["flat"] == 0 and shown[function]["cum"] == 0, name, kind, function, "is no row of approf top")
        check(page.value("approf.page.model.types[approf.page.type].total") == wanted["total"], name, kind, "total")
    return all_rows


def regexp(function):
    return "^" + "".join("\\" + c if c in "\\^$.|?*+()[]{}" else c for c in function) + "$"


def same_lines(page, name, function, sources, kind="alloc_space"):
    show(page, view="source", fn=function, type=kind)
    shown = {tuple(one) for one in page.value("[...document.querySelectorAll('.source tr[data-flat]')].map((row) => [row.dataset.line, row.dataset.flat, row.dataset.cum].map(Number))")}
    wanted = {(one["line"], one["flat"], one["cum"]) for one in run("list", f"-sample_index={kind}", regexp(function), *sources)["rows"]}
    check(shown == wanted, name, "source of", function, shown, wanted)


def same_peek(page, name, function, sources, kind="alloc_space"):
    show(page, view="peek", fn=function, type=kind)
    shown = sorted(map(tuple, page.value("[...document.querySelectorAll('#view tr[data-kind]')].map((row) => [row.dataset.kind, row.dataset.kind === 'self' ? approf.state.fn : row.querySelector('.link').title, Number(row.dataset.value)])")))
    wanted = sorted((one["relation"], one["name"], one["cum"]) for one in run("peek", f"-sample_index={kind}", regexp(function), *sources)["rows"])
    check(shown == wanted, name, "peek at", function, shown, wanted)


def same_difference(page, name, old, new, kind="alloc_space"):
    """The table of differences equals approf diff -json, and both totals those of the profiles. Returns them."""
    show(page, view="diff", type=kind)
    totals = {side: int(value) for side, value in page.value("({...document.getElementById('totals').dataset})").items()}
    for side, path in (("before", old), ("after", new)):
        check(totals[side] == run("top", f"-sample_index={kind}", path)["total"], name, "total", side)
    shown = page.value(TABLE)
    for row in run("diff", f"-sample_index={kind}", "-trim=false", old, new)["rows"]:
        if row["flat_before"] or row["flat_after"]:
            got = shown.get(row["name"], {})
            check((got.get("before"), got.get("after")) == (row["flat_before"], row["flat_after"]), name, "difference of", row["name"], got, row)
    return totals["before"], totals["after"]


INK = """(() => { const c = document.getElementById('flame'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n / (d.length / 4); })()"""
