#!/usr/bin/env python3
"""Profiles as speedscope and pprof-format read them against what approf prints. readers_checks.py APPROF READERS FILE..."""
import base64
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser
from page_figures import HEAP_TYPES, approf, check, failures, run

readers, files = sys.argv[2], sys.argv[3:]

EXPORTS = """(() => { globalThis.saved = []; const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return make(blob); };
    HTMLAnchorElement.prototype.click = () => {}; })()"""


def flat_of(path, kind, *options):
    top = run("top", "-trim=false", f"-sample_index={kind}", *options, path)
    return top["total"], {row["name"]: row["flat"] for row in top["rows"] if row["flat"]}


def pprof_format(path):
    read = json.loads(subprocess.run(["node", f"{readers}/read_profile.mjs", path], check=True, capture_output=True).stdout)
    check(read["types"] == HEAP_TYPES, path, "pprof-format: types", read["types"])
    for kind in HEAP_TYPES:
        total, flat = flat_of(path, kind)
        check(read["totals"][kind] == total, path, "pprof-format: total of", kind, read["totals"][kind], total)
        got = {name: sums[kind] for name, sums in read["flat"].items() if sums[kind]}
        check(got == flat, path, "pprof-format: functions by", kind, got, flat)
    print(f"{path}: pprof-format reads {read['totals']}")
    return read["shown"] or HEAP_TYPES[-1]


def by_speedscope(page, path):
    """Opens a file as speedscope's own command does, and has speedscope save what it has understood."""
    with open(path, "rb") as profile, open("load.js", "w") as script:
        script.write(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, {json.dumps(base64.b64encode(profile.read()).decode())})")
    page.send("Page.navigate", url="about:blank")
    page.send("Page.navigate", url=f"file://{readers}/node_modules/speedscope/dist/release/index.html#localProfilePath={os.getcwd()}/load.js")
    page.until("document.body !== null && document.body.innerText.includes('Left Heavy')")
    page.value(EXPORTS)
    for kind in ("rawKeyDown", "keyUp"):
        page.send("Input.dispatchKeyEvent", type=kind, key="s", code="KeyS", windowsVirtualKeyCode=83, modifiers=2)
    page.until("saved.length > 0")
    return json.loads(page.value("saved[0]"))


def sums_of(exported):
    """(total, by function its own weight) of the one profile."""
    profile = exported["profiles"][exported.get("activeProfileIndex") or 0]
    names = [frame["name"] for frame in exported["shared"]["frames"]]
    flat, stack, last = {}, [], profile["startValue"]
    for event in profile["events"]:
        if stack:
            flat[names[stack[-1]]] = flat.get(names[stack[-1]], 0) + event["at"] - last
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            check(stack.pop() == event["frame"], "events are nested")
    return profile["endValue"] - profile["startValue"], {name: value for name, value in flat.items() if value}


def speedscope(page, path, shown):
    total, flat = flat_of(path, shown, "-noinlines")  # of a location's lines speedscope takes the outermost
    got = sums_of(by_speedscope(page, path))
    check(got == (total, flat), path, "speedscope:", shown, got, (total, flat))
    print(f"{path}: speedscope reads {got[0]} ({shown})")
    for kind in HEAP_TYPES:
        total, flat = flat_of(path, kind)
        with open("own.speedscope.json", "w") as out:
            subprocess.run([approf, "-speedscope", f"-sample_index={kind}", path], check=True, stdout=out, stderr=subprocess.DEVNULL)
        if total:
            got = sums_of(by_speedscope(page, "own.speedscope.json"))
            check(got == (total, flat), path, "approf -speedscope:", kind, got, (total, flat))


with Browser() as browser:
    page = browser.page(1280, 720)
    for file in files:
        speedscope(page, file, pprof_format(file))
sys.exit(1 if failures else 0)
