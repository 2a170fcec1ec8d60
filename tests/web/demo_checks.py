#!/usr/bin/env python3
"""Every view of every demo's profile in a browser, and the stages compared. demo_checks.py APPROF SHOTS, in the folder with profiles."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser
from page_figures import INK, VIEWS, approf, check, do_all, failures, run, same_difference, same_lines, same_peek, same_top, show, url

shots, top = sys.argv[2:4]
DEMOS = [f"{name}-{which}" for name in ("redis-clone", "log-parse", "log-search") for which in ("buggy", "fixed")]
STAGES = [f"resp-stage{i}" for i in range(8)]
SHOWN = ("redis-clone-buggy", "log-parse-buggy", "log-search-buggy", "resp-stage0", "resp-stage7")
# Where a bug is, as its story tells it; its fix takes off at least half.
CULPRITS = {"redis-clone": "store_lpush", "log-parse": "parse_line", "log-search": "search"}


def write(name, *arguments):
    subprocess.run([approf, "web", "-o", f"{name}.html", f"-source_path={top}", *arguments], check=True, capture_output=True)
    check(os.path.getsize(f"{name}.html") < 2000000, name, "page is too large:", os.path.getsize(f"{name}.html"))


def views(page, name):
    """Each view of a page, for what is most of its allocations."""
    profile = [f"{name}.pb.gz"]
    page.open(url(name))
    rows = same_top(page, name, profile)["alloc_space"]
    for function in [row["name"] for row in rows if row["flat"]][:3]:
        same_lines(page, name, function, profile)
        same_peek(page, name, function, profile)
    show(page, view="flame", type="alloc_space")
    page.settled()
    check(page.value(INK) > 0.02, name, "flame graph is drawn")
    boxes = page.value("approf.view().layout.boxes.map(({node, w, row}) => [node, w, row])")
    check(boxes[0][0] == 0 and len(boxes) > 5, name, "boxes of the flame graph", boxes[:3])
    show(page, view="sizes", type="alloc_space")
    sizes = page.value("[...document.querySelectorAll('.bar-back')].map((bar) => Number(bar.dataset.value))")
    check(sum(sizes) == run("top", "-sample_index=alloc_space", *profile)["total"], name, "sizes add up")
    show(page, view="graph", type="alloc_space")
    heavy = {row["name"] for row in rows if row["cum"] >= 0.005 * run("top", "-sample_index=alloc_space", *profile)["total"]}
    shown = page.value("[...document.querySelectorAll('.graph .box')].map((box) => box.getAttribute('aria-label').split(', ')[0])")
    check(shown and set(shown) <= heavy and len(shown) == min(20, len(heavy)), name, "boxes of the graph", shown, heavy)
    check(page.value("document.querySelectorAll('.graph .edge').length") >= len(shown) / 2, name, "calls of the graph")
    for view, text in (("diff", "-base"), ("time", "approf record")):
        show(page, view=view)
        page.until(f"document.getElementById('view').textContent.includes('{text}')")
    if name in SHOWN:
        for view in VIEWS:
            show(page, view=view, type="alloc_space")
            page.shot(f"{shots}/{name}-{view}.png")


def every_demo(page):
    for name in DEMOS + STAGES:
        write(name, f"{name}.pb.gz")
        views(page, name)


def fixes(page):
    for story, culprit in CULPRITS.items():
        old, new = f"{story}-buggy.pb.gz", f"{story}-fixed.pb.gz"
        write(story, "-base", old, new)
        page.open(url(story, view="diff", type="alloc_space", cum=1))
        shown = page.value(f"[...document.querySelectorAll('#view tbody tr')].map((row) => row.querySelector('.name').title)")
        check(any(culprit in function for function in shown[:12]), story, "the culprit is among the first", shown[:12])
        before, after = same_difference(page, story, old, new)
        check(before > 2 * after > 0, story, "the fix saves", before, after)
        page.shot(f"{shots}/{story}-difference.png")


# The boxes of a function: what is on the canvas near their right end.
CHANGED = """(() => { const {model} = approf.page; const canvas = document.getElementById('flame'); const paint = canvas.getContext('2d');
    const fn = model.functions.indexOf(NAME); const scale = canvas.width / canvas.clientWidth;
    return approf.view().layout.boxes.filter((box) => box.node && model.calls.fn[box.node] === fn && box.w > 4)
        .map((box) => [...paint.getImageData((box.x + box.w - 3) * scale, (box.row * 19 + 2) * scale, 1, 1).data]); })()"""


def stages(page):
    """Each stage with the one before as its base: what it saves falls, in the table and blue in the flame graph."""
    for old, new in zip(STAGES, STAGES[1:]):
        name = f"{new}-saving"
        write(name, "-base", f"{old}.pb.gz", f"{new}.pb.gz")
        page.open(url(name, type="alloc_objects"))
        before, after = same_difference(page, name, f"{old}.pb.gz", f"{new}.pb.gz", "alloc_objects")
        bytes_before, bytes_after = same_difference(page, name, f"{old}.pb.gz", f"{new}.pb.gz")
        check(before > after or bytes_before > bytes_after, name, "the stage saves", before, after, bytes_before, bytes_after)
        kind, saved = ("alloc_objects", before - after) if before > after else ("alloc_space", bytes_before - bytes_after)
        print(f"{name}: {kind} {before - after:+d} objects, {bytes_before - bytes_after:+d} bytes saved")
        show(page, type=kind)
        page.settled()
        summary = page.value("document.getElementById('summary').textContent")
        check("before" in summary and "after" in summary and "-" in summary, name, "both totals are named:", summary)
        rows = run("diff", f"-sample_index={kind}", "-trim=false", f"{old}.pb.gz", f"{new}.pb.gz")["rows"]
        fell = min(rows, key=lambda row: row["flat_after"] - row["flat_before"])
        colours = page.value(CHANGED.replace("NAME", repr(fell["name"])))
        check(any(blue > red + 20 for red, _, blue, _ in colours), name, fell["name"], "is not blue", colours, saved)
        page.shot(f"{shots}/{name}.png")


with Browser() as browser:
    page = browser.page(1280, 720)
    do_all((every_demo, fixes, stages), page)
    for text in page.complaints():
        check(False, "the browser complains:", text)
sys.exit(1 if failures else 0)
