#!/usr/bin/env python3
"""How fast reports are: approf beside `go tool pprof` on the profile of big_profile.py.

    reports.py [--build build] [--samples 200000] [--only WORD] [--approf-only]

Prints the user CPU time and the most memory of both, and their ratios, all from this run. With all samples the ratios are
also limits: top 50 times faster with labels and 20 times without, tree and diff 50 times, a quarter of the memory. Ends with 1
when one is missed. pprof takes minutes.
"""
import argparse
import os
import subprocess
import sys
import tempfile

# name, arguments, profiles, least ratio of CPU time
CASES = [
    ("top", ["-top"], ["labels"], 50),
    ("top, no labels", ["-top"], ["plain"], 20),
    ("tree", ["-tree"], ["labels"], 50),
    ("diff", ["-top", "-diff_base={old}"], ["labels"], 50),
]
LEAST_MEMORY_RATIO = 4


def measure(command, output):
    """User CPU seconds and most memory in MB."""
    with open(output, "wb") as out, open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, stdout=out, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("%s: exit status %d" % (" ".join(command), child.returncode))
    return usage.ru_utime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--samples", type=int, default=200000)
    parser.add_argument("--only", default="")
    parser.add_argument("--approf-only", action="store_true")
    o = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    approf = os.path.join(os.path.abspath(o.build), "approf")
    pprof = ""
    if not o.approf_only:
        folder = subprocess.run(["go", "env", "GOTOOLDIR"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        pprof = os.path.join(folder, "pprof")
    cases = [c for c in CASES if o.only in c[0]]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        files = {name: os.path.join(scratch, name + ".pb.gz") for name in ("labels", "plain", "old")}
        for name, flags in (("labels", ["--grow=20"]), ("plain", ["--no-labels"]), ("old", [])):
            if any(name in c[2] or "{%s}" % name in " ".join(c[1]) for c in cases):
                subprocess.run([sys.executable, os.path.join(here, "big_profile.py"), files[name], "--samples=%d" % o.samples] +
                               flags, check=True)
        print("%-16s %10s %10s %8s %10s %10s %8s" % ("report", "approf", "pprof", "ratio", "approf", "pprof", "ratio"))
        for name, arguments, profiles, least in cases:
            arguments = ["-symbolize=none"] + [a.format(**files) for a in arguments] + [files[p] for p in profiles]
            ours, theirs = os.path.join(scratch, "ours"), os.path.join(scratch, "theirs")
            cpu, memory = measure([approf, "-compat=go1.19"] + arguments, ours)
            if o.approf_only:
                print("%-16s %9.2fs %28.0fMB" % (name, cpu, memory))
                continue
            their_cpu, their_memory = measure([pprof] + arguments, theirs)
            if open(ours, "rb").read() != open(theirs, "rb").read():
                print("%s: the reports differ" % name)
                failed += 1
            ratio, memory_ratio = their_cpu / max(cpu, 0.001), their_memory / memory
            print("%-16s %9.2fs %9.2fs %7.1fx %8.0fMB %8.0fMB %7.1fx" % (name, cpu, their_cpu, ratio, memory, their_memory,
                                                                       memory_ratio), flush=True)
            if o.samples >= 200000 and (ratio < least or memory_ratio < LEAST_MEMORY_RATIO):
                print("%s: at least %dx in time and %dx in memory are wanted" % (name, least, LEAST_MEMORY_RATIO))
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
