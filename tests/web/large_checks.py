#!/usr/bin/env python3
"""A profile of 200,000 samples in the browser: how much is sent, drawn and kept; times are told, not judged.
large_checks.py APPROF, in the folder with large.pb.gz"""
import os
import resource
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser
from page_figures import approf, check, do_all, failures, run, show

SAMPLES = 200000
MOST_ELEMENTS = 4000  # of a document: tables show 250 rows at first
READY = "document.documentElement.dataset.ready === 'yes' && new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"

# A zoom each frame: down a path of the tree that is in the middle of its neighbours, and up again, five times.
ZOOM = """(async () => {
  const { model } = approf.page;
  const path = [0];
  for (let node = 0; path.length < 24; path.push(node)) {
    const { from, list } = model.calls.child;
    if (from[node] === from[node + 1]) break;
    node = list[(from[node] + from[node + 1]) >> 1];
  }
  const steps = [...path, ...path.toReversed()];
  let most = 0;
  let zooms = 0;
  let before = "";
  let same = 0;
  for (let round = 0; round < 5; round++) {
    for (const node of steps) {
      await new Promise(requestAnimationFrame);
      const zoom = approf.zoomText(model, node);
      approf.go({ zoom }, true);
      same += zoom === before;
      before = zoom;
      most = Math.max(most, approf.view().layout.boxes.length);
      zooms++;
    }
  }
  await new Promise(requestAnimationFrame);
  return { zooms: zooms - same, most, depth: path.length };
})()"""


def cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def file(page):
    before = cpu()
    subprocess.run([approf, "web", "-o", "large.html", "large.pb.gz"], check=True, capture_output=True)
    print(f"approf web -o: {cpu() - before:.2f} s of CPU time, {os.path.getsize('large.html') / 1e6:.1f} MB")
    check(os.path.getsize("large.html") < 8e6, "the file is too large:", os.path.getsize("large.html"))
    started = time.monotonic()
    page.open(f"file://{os.getcwd()}/large.html")
    shown = page.value(READY)
    print(f"the file opens in {shown:.0f} ms by the page's clock, {1000 * (time.monotonic() - started):.0f} ms in all")


def served(page):
    started = time.monotonic()
    server = subprocess.Popen([approf, "web", "-no_browser", "large.pb.gz"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    timer = threading.Timer(300, server.kill)
    timer.start()
    try:
        address = server.stdout.readline().split()[-1]
        ready = time.monotonic()
        page.open(address)
        page.value(READY)
        print(f"served after {1000 * (ready - started):.0f} ms, drawn {1000 * (time.monotonic() - ready):.0f} ms later")
        sent = page.value("performance.getEntriesByType('resource').find((one) => one.name.endsWith('/data')).decodedBodySize")
        check(0 < sent < 50 * SAMPLES, "bytes of data for a sample:", sent / SAMPLES)
        check(page.value("approf.page.model.samples.n") == SAMPLES, "samples")
        wanted = run("top", "-sample_index=alloc_space", "large.pb.gz")["total"]
        show(page, type="alloc_space")
        check(page.value("approf.page.model.types[approf.page.type].total") == wanted, "total")
        zoom(page)
        all_views(page)
    finally:
        page.send("Page.navigate", url="about:blank")
        server.terminate()
        server.wait(60)
        timer.cancel()


def zoom(page):
    result, events = page.trace(ZOOM)
    check(result["depth"] > 6 and result["zooms"] > 60, "zooms", result)
    # A box is a pixel wide or more, and there are not more rows than the deepest stack has.
    check(50 < result["most"] < 15000, "boxes of a frame:", result["most"])
    painted = [event for event in events if event["name"] == "FireAnimationFrame"]
    check(len(painted) >= result["zooms"], "a frame for each zoom", len(painted), result["zooms"])
    drawn = sorted(event["ts"] for event in events if event["name"] == "DrawFrame")
    check(len(drawn) > 10, "frames were drawn", len(drawn))
    gaps = sorted((b - a) / 1000 for a, b in zip(drawn, drawn[1:]))
    seconds = (drawn[-1] - drawn[0]) / 1e6
    print(f"{result['zooms']} zooms, {result['most']} boxes at most: {len(drawn)} frames in {seconds:.2f} s, {len(drawn) / seconds:.0f} a second; "
          f"median {gaps[len(gaps) // 2]:.1f} ms, 95% below {gaps[len(gaps) * 95 // 100]:.1f} ms")


def all_views(page):
    for view in ("top", "source", "graph", "peek", "sizes", "flame"):
        took = page.value(f"(async () => {{ const start = performance.now(); approf.go({{view: '{view}', zoom: ''}}); await new Promise(requestAnimationFrame); return performance.now() - start; }})()")
        elements = page.value("document.querySelectorAll('*').length")
        check(elements < MOST_ELEMENTS, view, "has too many elements:", elements)
        print(f"{view}: {took:.0f} ms, {elements} elements")


with Browser() as browser:
    page = browser.page(1280, 720)
    do_all((file, served), page)
    for text in page.complaints():
        check(False, "the browser complains:", text)
sys.exit(1 if failures else 0)
