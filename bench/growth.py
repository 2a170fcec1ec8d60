"""How the cost of an allocation grows, with growth.c: as a module. Each figure of a point is the median of the passes."""
import os
import shutil
import statistics
import tempfile
import time

import measure
import tools as tool_list

# Samples an hour of a program that allocates 100 MB a second, at the default rate.
SAMPLES_PER_HOUR = 100e6 / 524288 * 3600


class Growth:
    def __init__(self, build, temp):
        self.bench = os.path.join(build, "bench")
        self.temp = temp
        plain = tool_list.plain_environment()
        ours = plain | {"LD_PRELOAD": os.path.join(build, "libapprof.so"), "APPROF_SYMBOLIZE": "0", "APPROF_DEPTH": "1024",
                        "APPROF_MEMORY": "4G"}
        # RATE=2 samples all that is told of here, and draws and weighs each sample as the default rate does.
        self.environments = {"no preload": plain, "approf": ours, "approf RATE=1": ours | {"APPROF_RATE": "1"},
                             "approf RATE=2": ours | {"APPROF_RATE": "2"}}
        self.points = {}  # by (chart, series): {x: [nanoseconds...]}
        self.tables = {}  # by (chart, series): {x: bytes}
        self.failures = []
        self.at_end = {}  # by (chart, series): {x: [CPU seconds after the last line...]}

    def note(self, chart, series, x, nanoseconds, tables=0):
        self.points.setdefault((chart, series), {}).setdefault(x, []).append(nanoseconds)
        self.tables.setdefault((chart, series), {})[x] = tables

    def program(self, chart, series, arguments, x=None):
        """Runs growth; X of a line is its first number when not given."""
        with tempfile.TemporaryDirectory(dir=self.temp) as folder:
            os.chmod(folder, 0o700)
            out = os.path.join(folder, "said")
            env = self.environments[series] | {"APPROF_TABLES": os.path.join(folder, "tables"),
                                               "APPROF_OUT": os.path.join(folder, "out.pb.gz")}
            os.mkdir(env["APPROF_TABLES"], 0o700)
            with open(out, "wb") as file:
                result = measure.run([os.path.join(self.bench, "growth"), *map(str, arguments)], env, stdout=file)
            with open(out, encoding="ascii") as file:
                for line in file:
                    n, nanoseconds, tables = line.split()
                    if n == "end":
                        self.at_end.setdefault((chart, series), {}).setdefault(x or arguments[1], []).append(
                            result.cpu - float(nanoseconds) / 1e9)
                    elif int(n) < 0:
                        if series != "no preload":
                            self.note(chart, series + ", first time", -int(n), float(nanoseconds))
                    else:
                        self.note(chart, series, x or int(n), float(nanoseconds), int(tables))

    def attempt(self, measured, *arguments):
        """A point that can't be measured is left out; only when there is no time is the rest left out with it."""
        try:
            measured(*arguments)
        except measure.Failed as failure:
            if time.monotonic() > measure.deadline:
                raise
            self.failures.append(str(failure))

    def threads(self, series, n):
        operations = max(20000 * n, 1000000 if series != "approf RATE=1" else 300000)
        with tempfile.TemporaryDirectory(dir=self.temp) as folder:
            os.chmod(folder, 0o700)
            env = self.environments[series] | {"APPROF_TABLES": folder, "APPROF_OUT": os.path.join(folder, "out.pb.gz")}
            cpu = [measure.run([os.path.join(self.bench, "patterns"), "mixed", str(k // n), str(n)], env).cpu
                   for k in (operations, 64 * n)]
        self.note("threads", series, n, (cpu[0] - cpu[1]) * 1e9 / (operations - 64 * n))

    def module_copies(self, folder, n):
        paths = [os.path.join(folder, f"m{i}.so") for i in range(n)]
        for path in paths:
            if not os.path.exists(path):
                shutil.copy(os.path.join(self.bench, "growth_module.so"), path)
        return paths

    def one_pass(self, big):
        pair = ("no preload", "approf RATE=1")
        for n in (1, 2, 4, 8, 16, 32, 64):
            for series in ("no preload", "approf", "approf RATE=1"):
                self.attempt(self.threads, series, n)
        for n in (10**3, 10**4, 10**5, 10**6) + ((10**7,) if big else ()):
            for series in pair:
                self.attempt(self.program, "live", series, ["live", n])
        for n in (10**2, 10**3, 10**4, 10**5) + ((10**6,) if big else ()):
            for series in pair:
                self.attempt(self.program, "stacks", series, ["stacks", n])
        for n in (5, 20, 50, 100, 200, 500):
            for series in ("no preload", "approf", "approf RATE=1"):
                self.attempt(self.program, "depth", series, ["depth", n])
        with tempfile.TemporaryDirectory(dir=self.temp) as folder:
            for n in (10, 30, 100, 300, 1000):
                for series in pair:
                    self.attempt(self.program, "modules", series, ["modules", n, *self.module_copies(folder, n)], n)
        for series in ("no preload", "approf RATE=2"):
            self.attempt(self.program, "samples", series, ["samples", 20000000 if big else 2000000])
        # For the bound on memory: the default rate over a large heap.
        self.attempt(self.program, "heap", "approf", ["live", 4000000])


CHARTS = [
    ("threads", "Threads: mixed sizes, 4,096 alive in each", "threads", False),
    ("live", "Live samples: 48-byte blocks, all recorded", "blocks alive, all of them in the table", True),
    ("stacks", "Distinct call stacks, all recorded", "distinct stacks", True),
    ("depth", "Depth: 16 KiB under so many frames", "frames", False),
    ("modules", "Modules: called from so many libraries in turn, all recorded", "libraries", True),
    ("samples", "Hours of run, as samples: a thousand stacks, 4,096 alive", "hours at 100 MB allocated a second", False),
]


def measure_all(build, temp, seconds, say):
    """{chart: {"title", "x", "x_log", "series": [[name, [[x, ns]...]]...], "tables": {series: [[x, bytes]...]}}} and the pieces that
    the bounds need."""
    growth = Growth(build, temp)
    end = time.monotonic() + seconds
    passes, longest = 0, 0.0
    while passes < 5 and (passes == 0 or time.monotonic() + longest < end):
        start = time.monotonic()
        try:
            growth.one_pass(seconds > 45)
        except measure.Failed as failure:
            growth.failures.append(str(failure))
            break
        longest = max(longest, time.monotonic() - start)
        passes += 1
        say(f"growth: pass {passes}, {longest:.0f} s")
    out = {"passes": passes, "failed": growth.failures, "charts": {}}
    for name, title, x_label, x_log in CHARTS:
        series, tables = [], {}
        for (chart, one), by_x in growth.points.items():
            if chart == name:
                divide = SAMPLES_PER_HOUR if name == "samples" else 1
                series.append([one, [[x / divide, statistics.median(v)] for x, v in sorted(by_x.items())]])
                if any(growth.tables.get((chart, one), {}).values()):
                    tables[one] = sorted([x / divide, b] for x, b in growth.tables[chart, one].items() if b)
        out["charts"][name] = {"title": title, "x": x_label, "x_log": x_log, "series": series, "tables": tables}
    at_end = growth.at_end.get(("stacks", "approf RATE=1"), {}).get(10**4)
    out["dump_10000_stacks"] = statistics.median(at_end) if at_end else None
    heap = growth.tables.get(("heap", "approf"), {})
    out["tables_over_heap"] = [[x * 48, b] for x, b in heap.items()]
    stacks = growth.tables.get(("stacks", "approf RATE=1"), {}).get(10**4)
    out["tables_10000_stacks"] = stacks
    return out
