#!/usr/bin/env python3
"""Runs `approf -compat=go1.19` and `go tool pprof` side by side and compares what they print.

    compare_pprof.py --approf build/approf --corpus DIR --differences differences.txt [--only WORD]
                     [--random N --seed S] [--jobs 2] [--verbose]

Every profile of the corpus goes through every report with every set of options; pairs of profiles
through merging and subtracting. Of N random ones each goes through some reports with some options, every fifth with two
others of its kind through some merges and differences. Standard output must be the same, and the exit status both zero or
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
    ["-flat"], ["-alloc_space"], ["-alloc_objects", "-lines"], ["-inuse_objects"], ["-inuse_space", "-alloc_space"], ["-contentions"],
    ["-total_delay"], ["-mean_delay"], ["-nodecount=-1", "-nodefraction=0", "-edgefraction=0"],
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


def callgrind_nodes(data):
    """The nodes in their order, each with its calls: names and addresses in full instead of numbers and distances, both of
    which depend on the order of nodes."""
    tables = {"ob": {}, "fl": {}, "fn": {}}
    group, nodes, before = {}, [], 0

    def name(kind, text):
        found = re.match(rb"\((\d+)\)(?: (.*))?$", text, re.S)
        if not found:
            return text
        if found[2] is not None:
            tables[kind][found[1]] = re.sub(rb" \[\d+/(\d+)\]$", rb" [/\1]", found[2])
        return tables[kind].get(found[1], b"?")

    def address(text):
        if text == b"*":
            return before
        return before + int(text) if text[:1] in b"+-" else int(text, 16)

    call = []
    here = 0
    for line in data.split(b"\n")[3:]:
        found = re.match(rb"(c?)(ob|fl|fn)=(.*)$", line, re.S)
        if found and found[1]:
            call.append(name(found[2].decode(), found[3]))
        elif found:
            group[found[2]] = name(found[2].decode(), found[3])
        elif line.startswith(b"calls="):
            parts = line.split(b" ")
            call += [address(parts[1]), parts[2]]
        elif line.startswith(b"* * ") and call:
            nodes[-1][1].append((tuple(call), line))
            call = []
        elif line:
            before = here  # distances are from the node before
            parts = line.split(b" ")
            here = address(parts[0])
            nodes.append(((tuple(sorted(group.items())), here, *parts[1:]), []))
    return nodes


def dot_nodes(data):
    """Lines with the labels of nodes instead of their numbers."""
    labels = {}
    for line in data.split(b"\n"):
        found = re.match(rb"(N+\d+(?:_\d+)*) \[label ?= ?\"(.*?[^\\])\" ", line)
        if found:
            labels[found[1]] = found[2]

    def label(found):
        return labels.get(found[0], found[0])

    lines = []
    for line in data.split(b"\n"):
        head, bracket, rest = line.partition(b" [")
        if re.match(rb"N", head):
            head = re.sub(rb"N+\d+(_\d+)*", label, head)
            rest = re.sub(rb"id=\"\w+\"", b"id", rest)
        lines.append(head + bracket + rest)
    return sorted(lines)


def normal(data, options):
    """What a report says without the orders that are those of a hash table in pprof: of edges and tags with equal weights,
    and in a call tree of nodes that are equal in all that rows are ordered by. Everything else, the order of rows included,
    is compared as it is."""
    if "-callgrind" in options:
        nodes = callgrind_nodes(data)
        return [data.split(b"\n")[:3], [head for head, _ in nodes], sorted((head, sorted(calls)) for head, calls in nodes)]
    if "-dot" in options and "-call_tree" in options:
        return dot_nodes(data)
    return sorted(re.sub(rb"\[\d+/(\d+)\]$", rb"[/\1]", line) for line in data.split(b"\n"))


def parts(said, options):
    """What normal() gave, in pieces."""
    if "-callgrind" not in options:
        return set(said)
    header, _, nodes = said
    return set(header) | {head for head, _ in nodes} | {(head, call) for head, calls in nodes for call in calls}


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


def pair_cases(triple, reports):
    a, b, c = triple
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


def triples_of(paths):
    triples = {}
    for path in paths:
        found = re.match(r"(.*/p\d+_\w+)_(\d)\.pb\.gz$", path)
        if found:
            triples.setdefault(found.group(1), {})[found.group(2)] = path
    return [(t["0"], t["1"], t["2"]) for t in triples.values()]


def random_cases(folder, n, seed, reports):
    """A profile goes through a third of the reports, another third than its neighbours; of the cases of a triple through
    some that are far apart."""
    for i in range(n):
        one = seed * 1000003 + i
        path = os.path.join(folder, "random%d.pb.gz" % i)
        random_profiles.write(path, one)
        for report in reports[i % 3::3]:
            yield [report.replace("{re}", expression_for(path))] + random_profiles.options(one), [path]
        if i % 5 == 0:
            others = [os.path.join(folder, "random%d_%d.pb.gz" % (i, k)) for k in (1, 2)]
            for k, other in enumerate(others):
                random_profiles.write(other, one + (k + 1) * 500009, one)
            cases = list(pair_cases((path, *others), reports))
            yield from cases[i // 5 % 37::37]


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
    parser.add_argument("--first", type=int, default=0, help="of those, from this one on")
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
        for triple in triples_of(paths):
            cases += list(pair_cases(triple, reports))
    scratch = tempfile.TemporaryDirectory()
    cases += list(random_cases(scratch.name, arguments.random, arguments.seed, reports))
    cases = [c for c in cases if arguments.only in " ".join(c[1]) and arguments.options in " ".join(c[0])]
    cases = cases[arguments.first::arguments.every]
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
        # Some orders of pprof's are those of a hash table: they change from run to run. Then the same in another order is as
        # good. Small tables are walked from a random one of eight places, so that one order of two in eight tries is common.
        if not same and not theirs[0] and not ours[0] and not is_binary(options):
            mine, first = normal(ours[1], options), normal(theirs[1], options)
            varies = contradicts = False
            seen = set()
            for again in range(100):
                other = run([pprof, "-symbolize=none"] + options + sources, cwd)[1] if again else theirs[1]
                varies |= other != theirs[1]
                said = normal(other, options)
                contradicts |= said != first
                # Which of equal nodes there is room for may be one of those orders, too: then no two of pprof's graphs need be
                # the same, and ours must have nothing that none of them has.
                seen |= parts(said, options)
                if other == ours[1] or (varies and said == mine) or (contradicts and seen.issuperset(parts(mine, options))):
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
