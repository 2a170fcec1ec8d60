#!/usr/bin/env python3
"""How fast reports are: approf beside `go tool pprof` on the profile of big_profile.py.

    reports.py [--build build] [--samples 200000] [--only WORD] [--approf-only]

Prints the user CPU time and the most memory of both, and their ratios, all from this run. With all samples the ratios are
also limits: top 50 times faster with labels and 20 times without, tree and diff 50 times, a quarter of the memory. Ends with 1
when one is missed. pprof takes minutes.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

import measure

HERE = os.path.dirname(os.path.abspath(__file__))
# name, arguments, profiles, least ratio of CPU time
CASES = [
    ("top", ["-top"], ["labels"], 50),
    ("top, no labels", ["-top"], ["plain"], 20),
    ("tree", ["-tree"], ["labels"], 50),
    ("diff", ["-top", "-diff_base={old}"], ["labels"], 50),
]
LEAST_MEMORY_RATIO = 4
ALL_SAMPLES = 200000


def one(command, output, limit):
    """User CPU seconds and most memory in MB."""
    with open(output, "wb") as out:
        process = measure.Process(command, dict(os.environ), limit, stdout=out)
        status, _, memory = process.ended()
    if status != 0:
        raise measure.Failed("%s: exit status %d" % (os.path.basename(command[0]), status))
    return process.user, memory / (1 << 20)


def pprof_path():
    folder = subprocess.run(["go", "env", "GOTOOLDIR"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    return os.path.join(folder, "pprof")


def rows(build, samples, names, approf_only=False, limit=600, times=1):
    """A dictionary for each of the named cases as it is measured: medians of that many TIMES, both in turn."""
    approf = os.path.join(os.path.abspath(build), "approf")
    pprof = "" if approf_only else pprof_path()
    cases = [c for c in CASES if c[0] in names]
    measure.seconds_left(limit)
    with tempfile.TemporaryDirectory() as scratch:
        files = {name: os.path.join(scratch, name + ".pb.gz") for name in ("labels", "plain", "old")}
        for name, flags in (("labels", ["--grow=20"]), ("plain", ["--no-labels"]), ("old", [])):
            if any(name in c[2] or "{%s}" % name in " ".join(c[1]) for c in cases):
                subprocess.run([sys.executable, os.path.join(HERE, "big_profile.py"), files[name], "--samples=%d" % samples] + flags,
                               check=True)
        for name, arguments, profiles, least in cases:
            arguments = ["-symbolize=none"] + [a.format(**files) for a in arguments] + [files[p] for p in profiles]
            ours, theirs = os.path.join(scratch, "ours"), os.path.join(scratch, "theirs")
            row = {"report": name, "samples": samples, "least": least, "times": times}
            our_runs, their_runs = [], []
            for _ in range(times):
                our_runs.append(one([approf, "-compat=go1.19"] + arguments, ours, limit))
                if pprof:
                    their_runs.append(one([pprof] + arguments, theirs, limit))
            row["cpu"], row["memory"] = (statistics.median(v) for v in zip(*our_runs))
            if pprof:
                row["their_cpu"], row["their_memory"] = (statistics.median(v) for v in zip(*their_runs))
                row["same"] = open(ours, "rb").read() == open(theirs, "rb").read()
                row["ratio"] = row["their_cpu"] / max(row["cpu"], 0.001)
                row["memory_ratio"] = row["their_memory"] / row["memory"]
            yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--samples", type=int, default=ALL_SAMPLES)
    parser.add_argument("--only", default="")
    parser.add_argument("--approf-only", action="store_true")
    o = parser.parse_args()
    failed = 0
    print("%-16s %10s %10s %8s %10s %10s %8s" % ("report", "approf", "pprof", "ratio", "approf", "pprof", "ratio"))
    for r in rows(o.build, o.samples, [c[0] for c in CASES if o.only in c[0]], o.approf_only):
        if o.approf_only:
            print("%-16s %9.2fs %28.0fMB" % (r["report"], r["cpu"], r["memory"]))
            continue
        print("%-16s %9.2fs %9.2fs %7.1fx %8.0fMB %8.0fMB %7.1fx" % (r["report"], r["cpu"], r["their_cpu"], r["ratio"], r["memory"],
                                                                   r["their_memory"], r["memory_ratio"]), flush=True)
        if not r["same"]:
            print("%s: the reports differ" % r["report"])
            failed += 1
        if o.samples >= ALL_SAMPLES and (r["ratio"] < r["least"] or r["memory_ratio"] < LEAST_MEMORY_RATIO):
            print("%s: at least %dx in time and %dx in memory are wanted" % (r["report"], r["least"], LEAST_MEMORY_RATIO))
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
