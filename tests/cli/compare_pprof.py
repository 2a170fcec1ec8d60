#!/usr/bin/env python3
"""Runs `approf -compat=go1.19` and `go tool pprof` side by side and compares what they print.

    compare_pprof.py --approf build/approf --corpus DIR --differences differences.txt [--only WORD]
                     [--random N --seed S] [--jobs 2] [--verbose]

Every profile of the corpus goes through every report with every set of options; pairs of profiles
through merging and subtracting. Standard output must be the same, and the exit status both zero or
both not. A difference is allowed only if differences.txt names it, with its reason: a line
`PROFILE-GLOB | ARGUMENTS-GLOB | reason`. Prints the count of pairs and of listed differences.
"""
import argparse
import concurrent.futures
import fnmatch
import gzip
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import random_profiles

ENV = dict(os.environ, TZ="UTC", PPROF_BINARY_PATH="/nonexistent", LC_ALL="C.UTF-8")

# Reports with options of their own; {re} is an expression that matches some functions.
REPORTS = ["-top", "-list={re}", "-raw", "-tree", "-peek={re}", "-traces", "-tags", "-dot", "-callgrind",
           "-comments", "-proto", "-topproto"]

GRANULARITIES = ["-functions", "-filefunctions", "-files", "-lines", "-addresses"]

# Applied to every report.
COMMON = [
    [], ["-cum"], ["-noinlines"], ["-nodecount=5"], ["-nodecount=2", "-cum"], ["-nodefraction=0.1"], ["-edgefraction=0.2"],
    ["-trim=false"], ["-unit=kb"], ["-unit=auto"], ["-unit=us"], ["-divide_by=3"], ["-divide_by=0.5"], ["-mean"],
    ["-drop_negative"], ["-sample_index=0"], ["-sample_index=1"], ["-compact_labels"], ["-relative_percentages", "-focus={re}"],
    ["-focus={re}"], ["-ignore={re}"], ["-hide={re}"], ["-show={re}"], ["-show_from={re}"], ["-prune_from={re}"],
    ["-focus=nothing_is_called_so"], ["-hide=."], ["-focus=[.]c$"], ["-hide={re}", "-lines"], ["-show={re}", "-addresses"],
    ["-tagfocus=t1"], ["-tagignore=key1"], ["-tagfocus=bytes=1:4kb"], ["-tagfocus=10:"], ["-tagignore=:1kb"], ["-tagshow=key"],
    ["-taghide=bytes"], ["-tagroot=thread,key1"], ["-tagleaf=bytes"], ["-tagroot=bytes", "-tagleaf=key2", "-lines"],
    ["-call_tree"], ["-call_tree", "-nodecount=4"], ["-trim_path=/src"], ["-source_path=/home/me/src"],
]


def run(command, cwd):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                              env=ENV, timeout=120)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return 124, b"", b"timeout"


def unpack(data):
    """Binary reports are compared by what they say: the order of the string table and the compression may differ."""
    try:
        return random_profiles.content(gzip.decompress(data))
    except (OSError, EOFError, ValueError, IndexError):
        return data


def normal(data, tree):
    """The lines without their order and without numbers that depend on it."""
    lines = []
    for line in data.split(b"\n"):
        line = re.sub(rb"^(\w+=)\(\d+\)", rb"\1()", line)
        line = re.sub(rb"\[\d+/(\d+)\]$", rb"[/\1]", line)
        if tree:
            line = re.sub(rb"\bN+\d+(_\d+)*|\"node\d+\"", b"N", line)
        lines.append(line)
    return sorted(lines)


def expression_for(path):
    name = os.path.basename(path)
    if "/fuzz/" in path or "/pairs/" in path or name.startswith("random"):
        return "f[1-4]|beta|parse"
    return "a|main"


def cases_for(path, reports, full):
    expression = expression_for(path)
    for report in reports:
        report = report.replace("{re}", expression)
        granularities = GRANULARITIES if full else GRANULARITIES[::2]
        sets = COMMON + [[g] for g in granularities] + [[g, "-cum", "-noinlines"] for g in granularities]
        for options in sets:
            yield [report] + [o.replace("{re}", expression) for o in options], [path]


def pair_cases(paths, reports):
    triples = {}
    for path in paths:
        found = re.match(r"(.*/p\d+_\w+)_(\d)\.pb\.gz$", path)
        if found:
            triples.setdefault(found.group(1), {})[found.group(2)] = path
    for triple in triples.values():
        a, b, c = triple["0"], triple["1"], triple["2"]
        for report in reports:
            report = report.replace("{re}", expression_for(a))
            yield [report], [a, b]
            yield [report, "-lines"], [a, b, c]
            for base in ("-base", "-diff_base"):
                yield [report, base + "=" + b], [a]
                yield [report, base + "=" + b, "-normalize"], [a]
                yield [report, base + "=" + b, "-lines", "-cum"], [a]
                yield [report, base + "=" + b, "-drop_negative"], [a]
                yield [report, base + "=" + b, "-nodecount=4"], [a, c]
                yield [report, base + "=" + a], [a]


def is_binary(options):
    return any(o in ("-proto", "-topproto") for o in options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--approf", required=True)
    parser.add_argument("--corpus", default="")
    parser.add_argument("--differences", required=True)
    parser.add_argument("--only", default="", help="only profiles whose path contains this")
    parser.add_argument("--report", default="", help="only these reports, joined by commas")
    parser.add_argument("--options", default="", help="only cases whose arguments contain this")
    parser.add_argument("--every", type=int, default=1, help="only every nth case")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--keep-going", type=int, default=20, help="how many differences to show")
    arguments = parser.parse_args()
    approf = os.path.abspath(arguments.approf)

    allowed = []
    for line in open(arguments.differences, encoding="utf-8"):
        line = line.strip()
        if line and not line.startswith("#"):
            allowed.append([part.strip() for part in line.split("|", 2)] + [0])

    reports = REPORTS
    if arguments.report:
        reports = [r for r in REPORTS if r.split("=")[0].strip("-") in arguments.report.split(",")]

    cases = []
    paths = []
    if arguments.corpus:
        for folder, _, names in sorted(os.walk(arguments.corpus)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith((".c", ".h", ".md")) or "/perf/" in path:
                    continue
                paths.append(path)
        for path in paths:
            small = os.path.getsize(path) < 100000
            cases += list(cases_for(path, reports if small else reports[:1], "/basic/" in path))
        cases += list(pair_cases(paths, reports))
    scratch = tempfile.TemporaryDirectory()
    for i in range(arguments.random):
        path = os.path.join(scratch.name, "random%d.pb.gz" % i)
        random_profiles.write(path, arguments.seed * 1000003 + i)
        options = random_profiles.options(arguments.seed * 1000003 + i)
        for report in reports:
            cases.append(([report.replace("{re}", expression_for(path))] + options, [path]))
    cases = [c for c in cases if arguments.only in " ".join(c[1]) and arguments.options in " ".join(c[0])]
    cases = cases[::arguments.every]
    if not cases:
        print("no cases")
        return 1

    cwd = scratch.name
    # The program itself: starting it through `go tool` takes as long again.
    folder = subprocess.run(["go", "env", "GOTOOLDIR"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    pprof = os.path.join(folder, "pprof")

    def compare(case):
        options, sources = case
        theirs = run([pprof, "-symbolize=none"] + options + sources, cwd)
        ours = run([approf, "-compat=go1.19", "-symbolize=none"] + options + sources, cwd)
        out = [theirs[1], ours[1]]
        if is_binary(options):
            out = [unpack(o) for o in out]
        same = out[0] == out[1] and (theirs[0] == 0) == (ours[0] == 0) and ours[0] in (0, 2)
        # Some orders of pprof's are those of a hash table: they change from run to run. Then the same lines in another
        # order are as good.
        if not same and not theirs[0] and not ours[0] and not is_binary(options) and \
                normal(out[0], "-call_tree" in options) == normal(out[1], "-call_tree" in options):
            # Small tables are walked from a random one of eight places, so that one order of two in eight tries is common.
            for _ in range(100):
                again = run([pprof, "-symbolize=none"] + options + sources, cwd)[1]
                if again == ours[1] or again != theirs[1]:
                    same = True
                    break
        return case, same, theirs, ours

    shown = listed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, same, theirs, ours in pool.map(compare, cases):
            if same:
                continue
            options, sources = case
            text = " ".join(options)
            name = " ".join(os.path.relpath(s, arguments.corpus) if arguments.corpus and s.startswith(arguments.corpus)
                            else os.path.basename(s) for s in sources)
            hit = None
            for entry in allowed:
                if fnmatch.fnmatch(name, entry[0]) and fnmatch.fnmatch(text, entry[1]):
                    hit = entry
                    break
            if hit:
                hit[3] += 1
                listed += 1
                continue
            failed += 1
            if shown < arguments.keep_going:
                shown += 1
                print("DIFFERENT: %s  %s" % (text, " ".join(sources)))
                if (theirs[0] == 0) != (ours[0] == 0) or ours[0] not in (0, 2):
                    print("  exit status: go %d, approf %d: %s | %s" % (
                        theirs[0], ours[0], theirs[2].decode(errors="replace").strip()[-200:],
                        ours[2].decode(errors="replace").strip()[:200]))
                if not is_binary(options):
                    import difflib
                    a = theirs[1].decode(errors="replace").splitlines()
                    b = ours[1].decode(errors="replace").splitlines()
                    for line in list(difflib.unified_diff(a, b, "go tool pprof", "approf", lineterm="", n=0))[2:10]:
                        print("   " + line[:160])
    print("%d pairs compared, %d different, %d listed differences" % (len(cases), failed, listed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
