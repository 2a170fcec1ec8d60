#!/usr/bin/env python3
"""What the profiler costs, as ratios in one run: bench/speed.py [--build DIR] [--runs N] [--scale F] [--json FILE]

Each pattern of bench/patterns.c runs without a preload, with libapprof.so at the default rate, and at RATE=1, in turn, so that whatever else
the machine does hits all alike. Printed are medians of CPU seconds (user and system: what a shared machine disturbs least), the ratio pair by
pair with its median, minimum and maximum, and where valgrind is installed the instructions of an unsampled malloc and free. heaptrack is
measured beside RATE=1 where it is installed.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def cpu(command, env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def variants(build, temp):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("APPROF_") and k != "LD_PRELOAD"}
    ours = plain | {"LD_PRELOAD": os.path.join(build, "libapprof.so"), "APPROF_SYMBOLIZE": "0",
                    "APPROF_OUT": os.path.join(temp, "%e.%p.pb.gz"), "APPROF_TABLES": temp}
    return plain, ours, ours | {"APPROF_RATE": "1"}


def interleave(program, arguments, environments, runs):
    times = [[] for _ in environments]
    for _ in range(runs):
        for i, env in enumerate(environments):
            times[i].append(cpu([program, *arguments], env))
    return times


def ratios(times, base):
    each = [t / b for t, b in zip(times, base) if b > 0]
    return {"median": statistics.median(each), "min": min(each), "max": max(each)}


def instructions(program, env, n):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "pairs", str(n)],
                          env=env | {"APPROF_RATE": "1000000000"}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found.group(1)) if found else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--json")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    program = os.path.join(build, "bench", "patterns")
    rows = []
    with tempfile.TemporaryDirectory(prefix="approf-bench-") as temp:
        os.chmod(temp, 0o700)
        plain, ours, exact = variants(build, temp)
        print(f"{'pattern':<22}{'plain':>9}{'default':>9}{'RATE=1':>9}   default/plain (min-max)    RATE=1/plain")
        for name, arguments in [("pairs", ["pairs", "20000000"]), ("mixed", ["mixed", "8000000"]),
                                ("mixed, 2 threads", ["mixed", "4000000", "2"]), ("16 KiB, 20 frames", ["deep", "3000000"]),
                                ("crossed", ["crossed", "2000000"]), ("realloc", ["realloc", "20000"])]:
            arguments[1] = str(max(1, int(int(arguments[1]) * args.scale)))
            fewer = [arguments[0], str(max(1, int(arguments[1]) // 20)), *arguments[2:]]
            base, default = interleave(program, arguments, [plain, ours], args.runs)
            base_few, all_few = interleave(program, fewer, [plain, exact], max(3, args.runs // 2))
            row = {"pattern": name, "plain": statistics.median(base), "default": statistics.median(default),
                   "exact": statistics.median(all_few) * 20, "ratio": ratios(default, base),
                   "exact_ratio": ratios(all_few, base_few)}
            rows.append(row)
            r, e = row["ratio"], row["exact_ratio"]
            print(f"{name:<22}{row['plain']:>8.2f}s{row['default']:>8.2f}s{row['exact']:>8.1f}s   {r['median']:.3f} ({r['min']:.3f}-{r['max']:.3f})"
                  f"{'':<8}{e['median']:.1f}", flush=True)
        extra = {}
        if shutil.which("valgrind"):
            counts = [instructions(program, env, n) for env in (plain, ours) for n in (10000, 30000)]
            if all(counts):
                extra["pair_instructions"] = [(counts[1] - counts[0]) / 20000, (counts[3] - counts[2]) / 20000]
                print("instructions of an unsampled pair: %.1f without, %.1f with" % tuple(extra["pair_instructions"]))
        if shutil.which("heaptrack"):
            n = str(max(1000, int(400000 * args.scale)))
            env = plain | {"TMPDIR": temp}
            for pattern in ("pairs", "deep"):
                tracked, recorded, none = [], [], []
                for _ in range(max(3, args.runs // 2)):
                    none.append(cpu([program, pattern, n], plain))
                    tracked.append(cpu(["heaptrack", "-r", "-o", os.path.join(temp, "ht"), program, pattern, n], env))
                    recorded.append(cpu([program, pattern, n], exact))
                over = [(t - b) / max(r - b, 1e-9) for t, r, b in zip(tracked, recorded, none)]
                extra["heaptrack_" + pattern] = statistics.median(over)
                print(f"heaptrack's cost over RATE=1's, {pattern}: {statistics.median(over):.1f} times "
                      f"({statistics.median(tracked):.2f}s, {statistics.median(recorded):.2f}s, {statistics.median(none):.2f}s without)")
    if args.json:
        with open(args.json, "w") as out:
            json.dump({"rows": rows, **extra}, out, indent=1)


if __name__ == "__main__":
    main()
