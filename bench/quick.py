#!/usr/bin/env python3
"""Instructions that the profiler adds to an operation, against the committed ones: quick.py [--build DIR] [--update] [--only WORD]

Each is the count under the preload less the count without it, both as the difference of two run lengths (callgrind.py), so that
neither the time nor the machine matters. What does matter is the C library beneath, the compiler that made libapprof.so, and
valgrind: with another one of these nothing is compared (exit status 77). Ends with 1 when a count is more than 5% above the
committed one; one that is more than 5% below is pointed out, so that it gets committed.
"""
import argparse
import concurrent.futures
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import callgrind

HERE = os.path.dirname(os.path.abspath(__file__))
COMMITTED = os.path.join(HERE, "instructions.json")
MORE = 0.05

# name: program, arguments, APPROF_RATE (empty: the default), operations of the short and the long run
CASES = {
    "pairs, none sampled": ("patterns", ["pairs", None], "1G", 10000, 40000),
    "mixed, none sampled": ("patterns", ["mixed", None], "1G", 10000, 40000),
    "mixed, default rate": ("patterns", ["mixed", None], "", 10000, 90000),
    "16 KiB under 20 frames, default rate": ("patterns", ["deep", None], "", 5000, 45000),
    "16 KiB under 100 frames, default rate": ("patterns", ["deep100", None], "", 2000, 22000),
    "realloc, default rate": ("patterns", ["realloc", None], "", 20, 220),
    "map of strings, default rate": ("map_strings", [None], "", 10000, 90000),
    "pairs, all recorded": ("patterns", ["pairs", None], "1", 5000, 25000),
    "mixed, all recorded": ("patterns", ["mixed", None], "1", 10000, 30000),
    "16 KiB under 20 frames, all recorded": ("patterns", ["deep", None], "1", 2000, 12000),
    "map of strings, all recorded": ("map_strings", [None], "1", 5000, 15000),
}


def first_match(command, pattern):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    found = re.search(pattern, done.stdout.decode(errors="replace"))
    return found.group(1) if found else "unknown"


def circumstances(library):
    """What the counts depend on beside our code."""
    compiler = first_match(["readelf", "-p", ".comment", library], r"(\w+: \([^)]*\) \d+)") if shutil.which("readelf") else "unknown"
    return {"libc": " ".join(platform.libc_ver()), "compiler": compiler,
            "valgrind": first_match(["valgrind", "--version"], r"valgrind-(\d+\.\d+)")}


def added(build, temp, name):
    program, arguments, rate, few, many = CASES[name]
    command = [os.path.join(build, "bench", program), *arguments]
    tables = tempfile.mkdtemp(dir=temp)
    ours = {"LD_PRELOAD": os.path.join(build, "libapprof.so"), "APPROF_SEED": "1", "APPROF_SYMBOLIZE": "0",
            "APPROF_TABLES": tables, "APPROF_OUT": os.path.join(tables, "out.pb.gz")}
    if rate:
        ours["APPROF_RATE"] = rate
    counts = [callgrind.per_operation(command, env, few, many) for env in ({}, ours)]
    if None in counts:
        sys.exit(f"approf: {name}: callgrind counted nothing")
    return counts[1] - counts[0]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    o = parser.parse_args()
    cases = [name for name in CASES if o.only in name]
    if not cases or o.only and o.update:
        parser.error("no such case" if not cases else "--update writes all of them")
    build = os.path.abspath(o.build)
    if not shutil.which("valgrind"):
        print("valgrind is not here")
        return 77
    now = circumstances(os.path.join(build, "libapprof.so"))
    committed = {"with": now, "added": {}}
    if not o.update:
        with open(COMMITTED, encoding="ascii") as file:
            committed = json.load(file)
        if committed["with"] != now:
            print("counts are for " + ", ".join(f"{k} {v}" for k, v in committed["with"].items()) +
                  "; here it is " + ", ".join(f"{k} {v}" for k, v in now.items()))
            return 77
    with tempfile.TemporaryDirectory(prefix="approf-quick-") as temp:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = dict(zip(cases, pool.map(lambda name: added(build, temp, name), cases)))
    failed = 0
    print(f"{'instructions added to an operation':<40}{'committed':>12}{'now':>12}{'change':>9}")
    for name, count in counts.items():
        before = committed["added"].get(name)
        if before is None:
            print(f"{name:<40}{'':>12}{count:>12.1f}")
            failed += not o.update
            continue
        change = count / before - 1
        print(f"{name:<40}{before:>12.1f}{count:>12.1f}{change:>+9.1%}")
        failed += change > MORE
        if change < -MORE:
            print(f"{name}: fewer than committed: make bench-quick UPDATE=yes")
    if o.update:
        with open(COMMITTED + ".new", "w", encoding="ascii") as file:
            json.dump({"with": now, "added": {k: round(v, 2) for k, v in counts.items()}}, file, indent=1)
            file.write("\n")
        os.replace(COMMITTED + ".new", COMMITTED)
        return 0
    if failed:
        print(f"approf: bench-quick: {failed} counts are more than {MORE:.0%} above the committed ones, or have none")
        print("hint: make it cheaper again, or, if it is worth it, say so in a commit with make bench-quick UPDATE=yes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
