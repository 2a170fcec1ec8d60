#!/usr/bin/env python3
"""Everything that `make bench` measures: bench.py [--build DIR] [--minutes N] [--page FILE] [--only PART...] [--from-figures]

Allocation patterns and real programs under each profiler, beside the same allocator without one; instructions; how cost grows;
accuracy; reports. Each part has its share of the time, and stops when that is used up: it has done fewer rounds then, which the
page says. Nothing runs longer than its limit. Writes the page in markdown, and beside it a folder of its name in lower case
with the plots and all figures in JSON.
"""
import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time

import accuracy
import counts
import growth
import machine
import measure
import page
import reports
import tools
import workloads

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What part of the time each gets. The counts and the reports end when they are done, and leave the rest to nobody.
SHARES = {"bounds": 0.19, "patterns": 0.25, "programs": 0.25, "counts": 0.09, "growth": 0.08, "accuracy": 0.05, "reports": 0.09}
ROUNDS = 5
# What a bound is on is measured more often: there a few percent count, which is what single rounds differ by.
BOUND_ROUNDS = 9
BOUND_TOOLS = ("glibc", "bare shim", "approf", "approf RATE=1", "heaptrack")


def cells_as_data(cells, chosen):
    """{workload: {tool: {"ns", "ratio", "memory", "startup", "why"}}}; ratios round by round to the tool's base."""
    base_of = {t.name: t.base for t in chosen}
    own_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + (1 << 20)
    out = {}
    for (workload, tool), cell in cells.items():
        each = [e for e in cell.each if e is not None]
        row = out.setdefault(workload, {})[tool] = {"why": cell.why}
        if each:
            row["ns"] = {k: v * 1e9 if k != "n" else v for k, v in measure.spread(each).items()}
            # Less than the bench itself has can't be told: a child begins with what its parent had.
            if max(cell.memory) > own_memory:
                row["memory"] = max(cell.memory)
            row["startup_ms"] = cell.startup * 1e3
            row["count"] = cell.count
            base = cells.get((workload, base_of[tool]))
            if base and not base.why:
                row["ratio"] = measure.ratio(cell, base)
    return out


def measure_cells(works, chosen, seconds, say, rounds=ROUNDS):
    runnable = sum(1 for w in works for t in chosen if not t.missing and not w.refuses(t))
    # Calibration takes about as long as two rounds; a run's own start and end come on top.
    target = max(0.02, min(1.0, seconds / max(runnable, 1) / (rounds + 2)))
    for w in works:
        w.limit = max(10.0, 30 * target)
    return cells_as_data(measure.interleaved(works, chosen, target, seconds, rounds, say), chosen)


def measure_reports(build, seconds, say):
    if not shutil.which("go"):
        return {"why": "golang-go is not installed", "rows": []}
    out = {"why": "", "rows": []}
    # pprof takes a minute and more for all samples: reports that there is no time for get a tenth of them.
    names = [c[0] for c in reports.CASES]
    whole = names if seconds > 400 else names[:1] if seconds > 60 else []
    plans = [(reports.ALL_SAMPLES, whole), (reports.ALL_SAMPLES // 10, [n for n in names if n not in whole])]
    for samples, some in plans:
        try:
            for row in reports.rows(build, samples, some, limit=max(60, 2 * seconds), times=3 if seconds > 120 else 1):
                out["rows"].append(row)
                say(f"report {row['report']}, {samples} samples")
        except (measure.Failed, OSError) as failure:
            out["why"] = str(failure)
    return out


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--page", default=os.path.join(TOP, "docs", "BENCHMARKS.md"))
    parser.add_argument("--from-figures", action="store_true", help="measures nothing, writes the page from the figures beside it")
    parser.add_argument("--only", action="append", choices=list(SHARES), help="leaves the other parts of the page as they are")
    o = parser.parse_args()
    build = os.path.abspath(o.build)
    folder = os.path.join(os.path.dirname(os.path.abspath(o.page)), os.path.splitext(os.path.basename(o.page))[0].lower())
    figures = os.path.join(folder, "figures.json")
    parts = o.only or list(SHARES)
    data = {}
    if o.from_figures:
        with open(figures, encoding="utf-8") as file:
            page.write(json.load(file), o.page, folder)
        return 0
    if o.only and os.path.exists(figures):
        with open(figures, encoding="utf-8") as file:
            data = json.load(file)
    started = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - started:6.0f} s  {text}", file=sys.stderr, flush=True)

    where = "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 4 << 30 else None
    with tempfile.TemporaryDirectory(prefix="approf-bench-", dir=where) as temp:
        chosen = tools.all_tools(build, temp)
        data["tools"] = [{"name": t.name, "base": t.base, "kind": t.kind, "missing": t.missing} for t in chosen]
        data["machine"] = machine.describe()
        data["minutes"] = o.minutes
        # What one part leaves goes to the later ones. On a machine that has other work all may take longer, but not without end.
        end = started + o.minutes * 60
        measure.deadline = end + o.minutes * 6
        for i, part in enumerate(parts):
            share = SHARES[part] / sum(SHARES[p] for p in parts[i:])
            seconds = max(10.0, (end - time.monotonic()) * share)
            say(f"{part}: {seconds:.0f} s")
            if part == "bounds":
                works = [w for w in workloads.patterns(temp, build) if w.name in page.BOUND_WORKLOADS]
                data["portion"] = 8
                for w in works:
                    w.portion = data["portion"]
                some = [t for t in chosen if t.name in BOUND_TOOLS]
                data[part] = measure_cells(works, some, seconds, say, BOUND_ROUNDS)
            elif part == "patterns":
                data[part] = measure_cells(workloads.patterns(temp, build), chosen, seconds, say)
            elif part == "programs":
                native = [t for t in chosen if t.language == "native"]
                data[part] = measure_cells(workloads.programs(temp), native, seconds, say)
            elif part == "counts":
                data[part] = counts.measure_all(build, temp, chosen, seconds, say)
            elif part == "growth":
                data[part] = growth.measure_all(build, temp, seconds, say)
            elif part == "accuracy":
                program = os.path.join(build, "bench", "known_sizes")
                data[part] = accuracy.measure_all(program, chosen, temp, 100, seconds, say)
            elif part == "reports":
                data[part] = measure_reports(build, seconds, say)
    # Numbers as keys become words in JSON: the page is always written from what a reader of the JSON has.
    data = json.loads(json.dumps(data))
    page.write(data, o.page, folder)
    say(f"written: {os.path.relpath(o.page)}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    finally:
        measure.kill_all()
