#!/usr/bin/env python3
"""Runs the tests that look for deadlocks, crashes and losses over and over, for as long as it is given.

    tests/soak.py [--build DIR] [--seconds N] [--logs DIR]

Two at a time, as in make check: one line of work has the loader's locks, forks and exceptions, the other one other people's
suites once (in an hour or more, of which they begin nothing after the first half) and then faults, signals, threads and the
tables. Each test judges itself; what it did is read from the figures that it prints. At the end: allocations, forks, dlopens,
threads, faults injected; and crashes, hangs and lost samples, of which there must be none. Nothing new is begun after the given
time, and each test has its limit. Exit status: 0 when all is well, else 1.
"""

import argparse
import collections
import importlib.util
import os
import re
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_spec = importlib.util.spec_from_file_location("run_tests", os.path.join(TOP, "tests", "run-tests.py"))
run_tests = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(run_tests)

ONCE = ["real/suites"]
LINES = [
    ["hooks/loader_lock", "walker/walk_stress", "hooks/never_forked", "hooks/fork_ways", "hooks/late_new",
     "hooks/unwinding", "walker/twins"],
    ["hooks/matrix", "hooks/faults", "hooks/exact_total", "tables/tables_stress", "tables/abandoned_locks",
     "tables/fork_inherits", "real/nginx"],
]
# What the tests print of their work.
FIGURES = [
    ("allocations", r"\ballocations=(\d+)"), ("allocations", r"\b(\d+) samples"),
    ("dlopens", r"\bdlopens=(\d+)"), ("dlopens", r"\b(\d+) libraries loaded"),
    ("forks", r"\bforks=(\d+)"), ("forks", r"\b(\d+) forks\b"), ("forks", r"\b(\d+) children\b"),
    ("threads", r"\bthreads=(\d+)"), ("exceptions", r"\bexceptions=(\d+)"),
    ("faults injected", r"\binjected=(\d+)"), ("jumps out of the hook", r"\b(\d+) jumps\b"),
    ("runs of small programs", r"\b(\d+) runs\b"), ("lost samples", r"\blost=(\d+)"),
]
BAD = ["crashes", "hangs", "lost samples", "other failures"]
HANG = re.compile(r"still running after|does not end|exit status 124|deadlock")
CRASH = re.compile(r"exit status (1[3-9]\d|-\d+)|signal \d+|Segmentation fault|Aborted|core dumped")


class Soak:
    def __init__(self, args):
        self.build, self.logs = os.path.abspath(args.build), os.path.abspath(args.logs)
        self.begin = time.monotonic()
        self.until = self.begin + args.seconds
        self.figures = collections.Counter()
        self.lock = threading.Lock()
        self.tests = {t.name: t for t in run_tests.list_tests.find()}

    def one(self, name, line):
        test = self.tests[name]
        run = run_tests.Run(test, "", self.build)
        run.name = f"{name} ({line})"  # logs of their own; the two lines share no test
        run_tests.execute(run, self.logs, False)
        with self.lock:
            self.judge(name, run)

    def judge(self, name, run):
        if run.status == run_tests.SKIP:
            print(f"skip  {name}: {run.reason}", flush=True)
            return
        self.figures["tests run"] += 1
        for figure, pattern in FIGURES:
            self.figures[figure] += sum(int(n) for n in re.findall(pattern, run.output))
        if run.status == 0:
            return
        kind = "hangs" if HANG.search(run.output) else "crashes" if CRASH.search(run.output) else "other failures"
        self.figures[kind] += 1
        log = os.path.join(self.logs, f"failed.{self.figures['tests run']}.{name.replace('/', '.')}.log")
        with open(log, "w") as f:
            f.write(run.output)
        print(f"FAIL  {name} after {time.monotonic() - self.begin:.0f} s ({kind}): {run.reason}\n      log: {log}", flush=True)

    def work(self, line):
        rounds = 0
        for name in ONCE if line == len(LINES) - 1 and self.until - self.begin >= 3600 else []:
            self.one(name, line)
        while time.monotonic() < self.until:
            for name in LINES[line]:
                if time.monotonic() >= self.until:
                    break
                self.one(name, line)
            rounds += 1
            with self.lock:
                print(f"{time.monotonic() - self.begin:.0f} s: line {line}, {rounds} rounds: " +
                      ", ".join(f"{k} {v:,}" for k, v in self.figures.items() if v), flush=True)

    def run(self):
        lines = [threading.Thread(target=self.work, args=(line,)) for line in range(len(LINES))]
        for line in lines:
            line.start()
        for line in lines:
            line.join()
        print(f"\nsoaked for {time.monotonic() - self.begin:.0f} s")
        for figure in ["tests run"] + list(dict.fromkeys(name for name, _ in FIGURES if name not in BAD)) + BAD:
            print(f"{figure:24} {self.figures[figure]:>16,}")
        worked = all(self.figures[f] > 0 for f in ("allocations", "forks", "dlopens", "threads"))
        return 0 if worked and not any(self.figures[f] for f in BAD) else 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--logs", default=os.path.join(TOP, "build", "soak-logs"))
    args = parser.parse_args()
    os.makedirs(args.logs, exist_ok=True)
    os.environ["PLAIN_BUILD"] = os.path.abspath(args.build)
    # The long modes of tests that have one: here a hang is looked for in minutes, and a slow machine is none.
    os.environ.setdefault("LOADER_SECONDS", str(max(2, min(30, args.seconds // 20))))
    os.environ.setdefault("SUITES", "long")
    os.environ.setdefault("SUITES_SECONDS", str(args.seconds // 2))
    soak = Soak(args)
    for test in soak.tests.values():
        test.limit *= 10
    return soak.run()


if __name__ == "__main__":
    sys.exit(main())
