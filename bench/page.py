"""docs/BENCHMARKS.md and its plots, written from the figures of bench.py: as a module."""
import json
import os

import svg_chart

BY_SERIES = {"no preload": 0, "approf": 1, "approf RATE=1": 2, "approf RATE=2": 3, "approf RATE=1, first time": 3}
SAMPLERS = ("jemalloc prof", "tcmalloc sampler", "Go MemProfile")
RECORDERS = ("heaptrack", "heaptrack, program alone", "DHAT", "HEAPPROFILE")

# Why another one costs less somewhere, by its name. A row that ours does not lead gives these, or says that nobody knows yet.
WHY_NOT_FIRST = {
    "jemalloc prof": "jemalloc counts every thread's bytes with its profiler off, too, and is not called through another library: turning it "
                     "on adds next to nothing where nothing is sampled",
    "tcmalloc sampler": "tcmalloc counts down to the next sample with its sampler off, too, and is not called through another library",
    "Go MemProfile": "Go's allocator counts down to the next sample with the profiler off, too, and its collector's own time drowns the rest",
    "heaptrack, program alone": "without the process that interprets and compresses what it writes: a file that grows with the run, where "
                                "ours has a complete profile",
    "DHAT": "valgrind runs one thread at a time, so that no two of them want one cache line, be it the allocator's or the profiler's",
}


# The rest of them have bounds on other things.
SAMPLING_BOUNDS = {"mixed sizes": 1.03, "mixed sizes, 2 threads": 1.03, "16 KiB under 20 frames": 1.15}
RECORDING_BOUND = 5
BOUND_WORKLOADS = ("64-byte pairs", *SAMPLING_BOUNDS, "std::map of strings")


def times(r):
    """A ratio with its spread: of many rounds the middle half, of few all."""
    digits = 3 if r["max"] < 2 else 2 if r["max"] < 10 else 0
    text = f"{r['median']:.{digits}f}"
    low, high = r.get("low", r["min"]), r.get("high", r["max"])
    return text if r["n"] < 2 else f"{text} ({low:.{digits}f}–{high:.{digits}f})"


def duration(ns):
    for limit, unit in ((1e6, "ms"), (1e3, "µs")):
        if ns >= limit:
            return f"{ns / limit:.3g} {unit}"
    return f"{ns:.3g} ns"


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return out + ["| " + " | ".join(row) + " |" for row in rows] + [""]


class Notes:
    """Numbered remarks under a table."""

    def __init__(self):
        self.texts = []

    def mark(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return f"[{self.texts.index(text) + 1}]"

    def lines(self):
        return [f"[{i + 1}] {text}." + ("  " if i + 1 < len(self.texts) else "") for i, text in enumerate(self.texts)] + \
            ([""] if self.texts else [])


def first(row, ours, others, notes):
    """Whether ours costs least beside what it is compared with: by medians, level where the spreads meet. One round tells neither."""
    mine = row.get(ours, {}).get("ratio")
    theirs = {name: row[name]["ratio"] for name in others if row.get(name, {}).get("ratio")}
    if not mine:
        return "not measured"
    if not theirs:
        return "alone"
    if mine["n"] == 1:
        return "one round"
    before = sorted((n for n in theirs if theirs[n]["median"] < mine["median"]), key=lambda n: theirs[n]["median"])
    if not before:
        return "yes"
    if all(theirs[n]["max"] >= mine["min"] for n in before):
        return "level"
    return "no " + " ".join(notes.mark(f"{n}: " + WHY_NOT_FIRST.get(n, "why it costs less here is not known yet")) for n in before)


def cost_table(data, columns, ours, others):
    """COLUMNS are (heading, tool, "ns" or "ratio")."""
    notes = Notes()
    rows = []
    for part in ("patterns", "programs"):
        for workload, row in data.get(part, {}).items():
            cells = [workload]
            for _, tool, what in columns:
                cell = row.get(tool, {})
                if what == "ns":
                    cells.append(duration(cell["ns"]["median"]) if "ns" in cell else "–")
                elif "ratio" in cell and cell["ratio"]:
                    cells.append(times(cell["ratio"]))
                else:
                    why = cell.get("why", "")
                    cells.append("–" if not why or why == "a Go program" else notes.mark(f"not measured: {why}"))
            rows.append(cells + [first(row, ours, others, notes)])
    if not rows:
        return ["Not measured in this run.", ""]
    return table(["one operation of"] + [c[0] for c in columns] + ["ours first?"], rows) + notes.lines()


def startup_table(data, tools):
    row = data.get("patterns", {}).get("64-byte pairs", {})
    names = [t["name"] for t in tools if "startup_ms" in row.get(t["name"], {})]
    if not names:
        return []
    return ["Starting and ending a process that allocates nothing of its own, in ms of CPU, which is not part of the figures above: " +
            ", ".join(f"{n} {row[n]['startup_ms']:.1f}" for n in names) + ".", ""]


def count_table(data, tools):
    counts = data.get("counts")
    if not counts:
        return ["Not measured in this run.", ""]
    base = {t["name"]: t["base"] for t in tools}
    names = [t["name"] for t in tools if t["base"] and any(t["name"] in row for row in counts.values())]
    rows = []
    for workload, row in counts.items():
        cells = [workload, f"{row['glibc']:.0f}" if "glibc" in row else "–"]
        for name in names:
            if name in row and row.get(base[name]):
                more = row[name] - row[base[name]]
                cells.append(f"{more:+.{1 if abs(more) < 100 else 0}f} ({more / row[base[name]]:+.1%})")
            else:
                cells.append("–")
        rows.append(cells)
    return table(["one operation of", "glibc"] + names, rows)


def bounds(data):
    """The design's bounds with what was reached."""
    rows = []

    def add(what, bound, reached, good):
        rows.append([what, bound, reached, "yes" if good else "**no**"])

    counts = data.get("counts", {})
    pair = counts.get("64-byte pairs", {})
    if "approf" in pair and "glibc" in pair:
        more = pair["approf"] - pair["glibc"]
        add("unsampled malloc and free, over no preload", "16 instructions", f"{more:.1f}", more <= 16)
    often, once = data.get("bounds", {}), data.get("patterns", {})
    # Where there was no time for the many rounds, the few have to do.
    patterns = {w: often[w] if any("ratio" in cell for cell in often.get(w, {}).values()) else once.get(w, {}) for w in BOUND_WORKLOADS}
    for workload, most in SAMPLING_BOUNDS.items():
        r = patterns[workload].get("approf", {}).get("ratio")
        shim = patterns[workload].get("bare shim", {}).get("ratio")
        c = counts.get(workload, {})
        if r:
            more = f"; the bare shim {times(shim)}" if shim else ""
            more += f"; {c['approf'] / c['glibc']:.3f} in instructions" if c.get("glibc") and "approf" in c else ""
            add(f"{workload}, default rate", f"{most:.2f} times no preload", times(r) + more, r["median"] <= most)
    for workload in BOUND_WORKLOADS:
        row = patterns[workload]
        parts = [row.get(t, {}).get("ns", {}).get("median") for t in ("glibc", "approf RATE=1", "heaptrack")]
        if all(parts) and parts[1] > parts[0]:
            faster = (parts[2] - parts[0]) / (parts[1] - parts[0])
            add(f"{workload}: what heaptrack adds, over what RATE=1 adds", f"{RECORDING_BOUND} times", f"{faster:.1f}",
                faster >= RECORDING_BOUND)
    grown = data.get("growth", {})
    if grown.get("tables_10000_stacks"):
        most = (4 << 20) + 400 * 10000
        add("tables of 10,000 stacks, all recorded", f"{most / (1 << 20):.1f} MiB", f"{grown['tables_10000_stacks'] / (1 << 20):.1f} MiB",
            grown["tables_10000_stacks"] <= most)
    for heap, tables in grown.get("tables_over_heap", []):
        most = heap / 100 + (4 << 20)
        add(f"tables over {heap / (1 << 20):.0f} MiB alive, default rate", f"{most / (1 << 20):.1f} MiB", f"{tables / (1 << 20):.1f} MiB",
            tables <= most)
    if grown.get("dump_10000_stacks"):
        ms = grown["dump_10000_stacks"] * 1e3
        add("snapshot, names, encoding and compression of 10,000 stacks", "50 ms of one core", f"{ms:.0f} ms", ms <= 50)
    for r in data.get("reports", {}).get("rows", []):
        if r["samples"] >= 200000:
            add(f"`{r['report']}` of {r['samples']:,} samples, beside go tool pprof", f"{r['least']} times faster", f"{r['ratio']:.0f}",
                r["ratio"] >= r["least"])
    return table(["what", "bound", "reached", "kept"], rows) if rows else ["Not measured in this run.", ""]


def growth_part(data, folder, name):
    grown = data.get("growth", {})
    out = []
    for chart, c in grown.get("charts", {}).items():
        if not c["series"]:
            continue
        drawing = svg_chart.lines(c["title"], c["x"], "CPU ns a malloc and free", c["series"], c["x_log"],
                                  colour=[BY_SERIES.get(s, 0) for s, _ in c["series"]])
        write_file(os.path.join(folder, chart + ".svg"), drawing)
        out += [f"![{c['title']}]({name}/{chart}.svg)", ""]
        points = ["; ".join(f"{svg_chart.human(x)}: {y:.0f}" for x, y in values) for _, values in c["series"]]
        out += [f"* {series}: {text}" for (series, _), text in zip(c["series"], points)]
        out += [f"* tables of {series}, MiB: " + "; ".join(f"{svg_chart.human(x)}: {b / (1 << 20):.1f}" for x, b in values)
                for series, values in c["tables"].items() if chart in ("live", "stacks", "modules", "samples")]
        out.append("")
    if grown.get("failed"):
        out += ["Left out: " + "; ".join(dict.fromkeys(grown["failed"])) + ".", ""]
    return out or ["Not measured in this run.", ""]


def accuracy_part(data, folder, name):
    judged = data.get("accuracy", {})
    sizes = judged.get("sizes", {})
    if not sizes:
        return ["Not measured in this run.", ""]
    tools = [t for t in ("approf", "jemalloc prof", "tcmalloc sampler") if any(t in row for row in sizes.values())]
    labels = {s: "all five" if s == "0" else f"{int(s)} B" if int(s) < 1024 else f"{int(s) >> 10} KiB" if int(s) < 1 << 20 else
              f"{int(s) >> 20} MiB" for s in sizes}
    rows, out = [], []
    for what, title, index in (("alloc", "Error of what was allocated", 0), ("inuse", "Error of what is in use", 1)):
        series = [(t, [(100 * row[t][what]["mean"], 100 * row[t][what]["sd"]) if what in row.get(t, {}) else None
                       for row in sizes.values()]) for t in tools]
        series = [s for s in series if any(s[1])]
        drawing = svg_chart.intervals(f"{title}: mean and standard deviation of {judged['runs']} runs", "error", list(labels.values()), series)
        write_file(os.path.join(folder, f"accuracy-{what}.svg"), drawing)
        out += [f"![{title}, by size]({name}/accuracy-{what}.svg)", ""]
        for size, row in sizes.items():
            cells = [what + "_space", labels[size], f"±{row['expected'][index]:.1%}"]
            cells += [f"{row[t][what]['mean']:+.1%} ± {row[t][what]['sd']:.1%}" if what in row.get(t, {}) else "not told" for t in tools]
            rows.append(cells)
    return out + table(["figure", "block size", "sampling itself"] + tools, rows)


def report_table(data):
    r = data.get("reports", {})
    if not r.get("rows"):
        return ["Not measured in this run" + (f": {r['why']}" if r.get("why") else "") + ".", ""]
    rows = [[f"`{row['report']}`", f"{row['samples']:,}", f"{row['cpu']:.2f} s", f"{row['their_cpu']:.1f} s", f"{row['ratio']:.0f}",
             f"{row['memory']:.0f} MB", f"{row['their_memory']:.0f} MB", "yes" if row["same"] else "**no**"] for row in r["rows"]]
    return table(["report", "samples", "approf", "go tool pprof", "times faster", "approf", "go tool pprof", "same bytes"], rows)


def write_file(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def write(data, path, folder):
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(folder)
    m, tools = data["machine"], data["tools"]
    versions = ", ".join(f"{k} {v}" for k, v in m["versions"].items())
    missing = [f"* {t['name']}: {t['missing']}" for t in tools if t["missing"]]
    rounds = max((c["ns"]["n"] for part in ("patterns", "programs") for row in data.get(part, {}).values() for c in row.values()
                  if "ns" in c), default=0)
    bound_rounds = max((c["ns"]["n"] for row in data.get("bounds", {}).values() for c in row.values() if "ns" in c), default=rounds)
    # Older figures were taken in another way.
    less = stay = ""
    if "portion" in data:
        less = f", for the bounds of allocators and samplers less a run of 1/{data['portion']} of the length, so that what happens once drops out"
        stay = " A pattern of one thread stays on one processor, but under Go's runtime and under tools that start processes of their own."
    out = [
        "# Benchmarks", "",
        f"Written by `make bench` on {m['date']}, not by hand. {m['processor']}{', virtual' if m['virtual'] else ''}, {m['cores']} cores, "
        f"{m['memory_gib']} GiB, {m['system']}, Linux {m['kernel']}; load average {m['load']} before it began. {versions}. "
        f"All figures, peak memory among them: [figures.json]({name}/figures.json).", "",
        "Every profiler is compared with the same allocator without it, in the same run, in turn. A figure is CPU time, user and "
        "system, of the process and those it waited for, less what starting and ending take" + less + "; a ratio is the median of the rounds "
        f"(up to {rounds}; for the bounds up to {bound_rounds}), with the lowest and the highest, of eight rounds and more the middle "
        "half." + stay + " How each is run stands in `bench/tools.py`, what it runs in "
        "`bench/workloads.py` and `bench/patterns.c`.", "",
        "## The bounds", "", *bounds(data),
        "## Samplers, one sample in 512 KiB", "",
        "Time without a profiler, and how many times that it takes with one.", "",
        *cost_table(data, [("glibc", "glibc", "ns"), ("bare shim", "bare shim", "ratio"), ("**approf**", "approf", "ratio"),
                           ("jemalloc", "jemalloc", "ns"), ("its profiler", "jemalloc prof", "ratio"),
                           ("approf over it", "approf over jemalloc", "ratio"), ("tcmalloc", "tcmalloc", "ns"),
                           ("its sampler", "tcmalloc sampler", "ratio"), ("approf over it", "approf over tcmalloc", "ratio"),
                           ("Go", "Go", "ns"), ("MemProfile", "Go MemProfile", "ratio")], "approf", SAMPLERS),
        "The bare shim is a preload that only forwards: what no preload can do without. *Level*: the spreads of ours and of those before "
        "it meet. redis-server is linked with jemalloc: there, that is what lies beneath in the first column too.", "",
        *startup_table(data, tools),
        "## Everything recorded", "",
        *cost_table(data, [("glibc", "glibc", "ns"), ("**approf RATE=1**", "approf RATE=1", "ratio"), ("heaptrack", "heaptrack", "ratio"),
                           ("program alone", "heaptrack, program alone", "ratio"), ("DHAT", "DHAT", "ratio"),
                           ("tcmalloc", "tcmalloc", "ns"), ("HEAPPROFILE", "HEAPPROFILE", "ratio")], "approf RATE=1", RECORDERS),
        "## Instructions", "",
        "Counted by callgrind, as the difference of two run lengths: what each adds to its allocator. Unlike times these are the same in "
        "every run; `make bench-quick` holds ours to the committed ones. What the kernel does is not in them: gperftools' sampler makes system "
        "calls for each stack. Go's runtime does not run under valgrind, and heaptrack turns itself off there.", "",
        *count_table(data, tools),
        "## How cost grows", "",
        "CPU nanoseconds of a malloc and a free (`bench/growth.c`). Hours are simulated by their samples: a program that allocates 100 MB a "
        "second is sampled 687,000 times an hour at the default rate; here RATE=2 samples every allocation, through the same draws and "
        "weights. Past 16 MiB the stacks of a process that are new go to one entry, `[stacks dropped]`; the first hundred of "
        "them bring the tables' first pages with them.", "",
        *growth_part(data, folder, name),
        "## Accuracy", "",
        "A program whose allocations are known (`bench/known_sizes.cc`): 64 MiB in blocks of each size from a function of its own, a quarter "
        "of them kept, and all five sizes from one more. *Sampling itself* is the spread that one sample in 512 KiB must have. gperftools' "
        "sampler tells only what is in use.", "",
        *accuracy_part(data, folder, name),
        "## Reports", "",
        "User CPU time and most memory for a report of a large profile (`bench/big_profile.py`), and whether both print the same bytes"
        + "".join(f"; medians of {n} runs, in turn" for n in {row.get("times", 1) for row in data.get("reports", {}).get("rows", [])} if n > 1)
        + ".", "",
        *report_table(data),
        *(["## Not here", "", *missing, ""] if missing else []),
        "## Again", "",
        "    make bench-packages         # what is compared with (Debian, Ubuntu); what is missing is left out, and says so",
        "    make bench                  # BENCH_MINUTES=10 for less, BENCH_PAGE=FILE to write elsewhere", "",
    ]
    write_file(path, "\n".join(out))
    write_file(os.path.join(folder, "figures.json"), json.dumps(data, indent=1, ensure_ascii=False) + "\n")
