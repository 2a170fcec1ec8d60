#!/usr/bin/env python3
"""The driver of matrix.sh: small programs times allocators times preload orders times rates.

    matrix.py --programs DIR --library LIBAPPROF --allocator NAME=PATH... [NAME...]

A program takes part when its source, anywhere below tests/, has lines such as these among its first 30:

    /* matrix: */             run without arguments
    /* matrix: a {}/b */      run with these; {} is the folder of its area's programs. More lines, more runs
    /* matrix: [counts] */    at rate 1 the profile must say what the program wrote to the file $COUNTS
                              (hooks/exact_compare)
    /* matrix: [killed] */    ends in a way that leaves tables rather than a profile
    /* matrix: [no_NAME] */   not over the allocator of that name, where it fails by itself
    /* matrix: [silent] */    ends in a way, or so, that leaves neither for certain

It checks itself and says on stdout what went wrong, or that all is well: the same in each run. It is first run
without the preload, over each allocator.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 60  # seconds, against deadlocks: a run takes some milliseconds
AT_ONCE = 2

sys.path.insert(0, os.path.join(TOP, "tests"))
import pprof_sum  # noqa: E402


class Program:
    def __init__(self, name, path, words):
        flags = [w[1:-1] for w in words if re.fullmatch(r"\[\w+\]", w)]
        self.arguments = [w.replace("{}", os.path.dirname(path)) for w in words if not re.fullmatch(r"\[\w+\]", w)]
        self.command = [path] + self.arguments
        self.name = " ".join([name] + [os.path.basename(a) for a in self.arguments])
        self.without = [f[3:] for f in flags if f.startswith("no_")]
        self.counts = "counts" in flags
        self.ending = "killed" if "killed" in flags else "silent" if "silent" in flags else "clean"


def find(programs, only):
    found = []
    for source in sorted(glob.glob(os.path.join(TOP, "tests", "*", "*.c*"))):
        with open(source, errors="replace") as f:
            head = "\n".join(f.read().splitlines()[:30])
        area, name = source.split(os.sep)[-2], os.path.splitext(os.path.basename(source))[0]
        for words in re.findall(r"/\* matrix:(.*?)\*/", head):
            if not only or name in only:
                found.append(Program(name, os.path.join(programs, area, name), words.split()))
    return found


class Outcome:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


def run(command, directory, preload, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("APPROF_") and k != "LD_PRELOAD"}
    env.update(more)
    env["COUNTS"] = os.path.join(directory, "counts")
    if preload:
        env["LD_PRELOAD"] = preload
    with open(os.path.join(directory, "out"), "wb+") as out, open(os.path.join(directory, "err"), "wb+") as err:
        process = subprocess.Popen(command, cwd=directory, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
        try:
            status = process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            status = f"none: still running after {LIMIT} s"
            try:
                os.killpg(process.pid, 9)
            except OSError:
                pass
            process.wait()
        out.seek(0)
        err.seek(0)
        return Outcome(status, out.read(), err.read())


BEHIND = re.compile(rb"approf: libapprof\.so: preloaded behind another allocator, sees nothing\nhint: [^\n]*\n")


def differences(program, plain, hooked, first):
    if hooked.status != plain.status:
        yield f"exit status {hooked.status}, not {plain.status}"
    if hooked.out != plain.out:
        yield f"printed {hooked.out[-300:]!r}, not {plain.out[-300:]!r}"
    err = hooked.err
    if not first:
        err, n = BEHIND.subn(b"", err)
        if n == 0:
            yield "does not say that it stands behind another allocator"
    if err != plain.err:
        yield f"on stderr: {err[:300]!r}, not {plain.err[:300]!r}"


def left(program, directory, rate, compare):
    """What is wrong with the files that a run left."""
    profiles = glob.glob(os.path.join(directory, "*.pb.gz"))
    tables = os.listdir(os.path.join(directory, "tables"))
    if program.ending == "clean" and tables:
        yield f"tables are left: {tables}"
    if program.ending == "clean" and not profiles:
        yield "no profile"
    if program.ending == "killed" and not tables:
        yield "no tables are left"
    for path in profiles:
        try:
            pprof_sum.load(path)
        except (ValueError, OSError, EOFError) as error:
            yield f"{os.path.basename(path)}: {error}"
    if program.counts and rate == "1" and len(profiles) == 1:
        said = subprocess.run([compare, profiles[0], os.path.join(directory, "counts")], capture_output=True, text=True)
        if said.returncode != 0:
            yield "the profile says otherwise than the program: " + "; ".join(
                line for line in said.stdout.splitlines() if "DIFFERS" in line or "lost" in line)


def scratch(number):
    directory = os.path.join(os.getcwd(), f"run{number}")
    os.makedirs(os.path.join(directory, "tables"), mode=0o700)
    return directory


def judge(program, name, allocator, options, number):
    """All runs of one program over one allocator. The number of runs, and what went wrong in them."""
    wrong, started = [], time.monotonic()
    directory = scratch(f"{number}-plain")
    plain = run(program.command, directory, allocator)
    shutil.rmtree(directory)
    if isinstance(plain.status, str) or (plain.status < 0 and program.ending == "clean"):
        return 1, [f"{program.name}, {name}, without the preload: exit status {plain.status}"], 0.0
    orders = [True, False] if allocator else [True]
    runs = [(first, rate) for first in orders for rate in ("1", "")]
    for k, (first, rate) in enumerate(runs):
        directory = scratch(f"{number}-{k}")
        preload = ":".join(p for p in ((options.library, allocator) if first else (allocator, options.library)) if p)
        more = {"APPROF_SYMBOLIZE": "0", "APPROF_OUT": os.path.join(directory, "%p.pb.gz"),
                "APPROF_TABLES": os.path.join(directory, "tables")}
        if rate:
            more["APPROF_RATE"] = rate
        hooked = run(program.command, directory, preload, **more)
        faults = list(differences(program, plain, hooked, first))
        if first:
            faults += left(program, directory, rate, os.path.join(options.programs, "hooks", "exact_compare"))
        wrong += [f"{program.name}, {'before' if first else 'behind'} {name}, rate {rate or 'default'}: {f}" for f in faults]
        shutil.rmtree(directory, ignore_errors=True)
    return 1 + len(runs), wrong, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--allocator", action="append", default=[])
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    programs = find(options.programs, options.only)
    if not programs:
        sys.exit("no program takes part")
    jobs, runs, wrong = [], 0, []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for program in programs:
            for allocator in options.allocator:
                name, path = allocator.split("=", 1)
                if name in program.without:
                    continue
                jobs.append((program, name, pool.submit(judge, program, name, path, options, len(jobs))))
        for program, name, job in jobs:
            n, faults, seconds = job.result()
            runs += n
            wrong += faults
            if os.environ.get("MATRIX_TIMES"):
                print(f"{seconds:6.2f} s {program.name}, {name}")
    for fault in wrong:
        print(f"FAILED: {fault}")
    print(f"{len(programs)} programs, {runs} runs, {len(wrong)} faults")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
