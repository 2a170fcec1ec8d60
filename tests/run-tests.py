#!/usr/bin/env python3
"""Runs the tests below tests/ and says how many passed.

    tests/run-tests.py [--quick] [--build DIR] [--variant NAME=DIR]... [--keep] [PATTERN...]

A test is an executable tests/AREA/NAME.sh, or a C or C++ source tests/AREA/NAME.c(c) with a header
line `/* test: ... */`, built by make into DIR/tests/AREA/NAME (see tests/list-tests.py for both).
It passes with exit status 0, fails with 1 (or anything else), is skipped with 77; the last line it
prints is the reason. PATTERN selects tests by a part of AREA/NAME.

Two tests run at a time. Each is a session of its own with a time limit that is there against hangs
only; whatever it leaves running is ended after it, and counted against it. What a test prints is
kept in DIR/test-logs and shown when it fails. The last line is `N passed, N failed`, with
`, N skipped` when there are any. Exit status: 0 when all passed and at least one ran, 1 otherwise.
"""

import argparse
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIP = 77
AT_ONCE = 2

_spec = importlib.util.spec_from_file_location("list_tests", os.path.join(TOP, "tests", "list-tests.py"))
list_tests = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(list_tests)


class Run:
    """One test under one build."""

    def __init__(self, test, variant, build):
        self.test = test
        self.variant = variant
        self.build = build
        self.name = test.name + (f" [{variant}]" if variant else "")
        self.status = None
        self.seconds = 0.0
        self.output = ""
        self.reason = ""

    def tag(self):
        return f"{os.getpid()}.{self.name.replace(' ', '')}"


def environment(run, temp):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("APPROF_", "PPROF_")) and k not in ("LD_PRELOAD", "MAKEFLAGS", "MFLAGS", "NO_COLOR")}
    env.update({
        "TOP": TOP,
        "BUILD": run.build,
        "APPROF_BIN": os.path.join(run.build, "approf"),
        "APPROF_LIB": os.path.join(run.build, "libapprof.so"),
        "TEST_VARIANT": run.variant,
        "TEST_TMP": temp,
        "TEST_RUN": run.tag(),
        "PYTHON": sys.executable,
        "TMPDIR": temp,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
    })
    if run.variant == "san":
        # The sanitized build has no preload of its own (no sanitizer can come in by one).
        env["APPROF_LIB"] = os.path.join(os.environ["PLAIN_BUILD"], "libapprof.so")
        env["ASAN_OPTIONS"] = "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1"
        env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    return env


def left_behind(run):
    """Processes that carry this run's mark in their environment."""
    mark = b"TEST_RUN=" + run.tag().encode() + b"\0"
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as f:
                if mark in f.read() + b"\0":
                    with open(f"/proc/{entry}/stat") as s:
                        if s.read().rsplit(")", 1)[1].split()[0] != "Z":
                            found.append(int(entry))
        except OSError:
            pass
    return found


def missing_tools(names):
    return [n for n in names if not shutil.which(n) and not os.path.exists(n)]


def execute(run, logs, keep):
    started = time.monotonic()
    lacks = missing_tools(run.test.needs)
    if lacks:
        run.status, run.reason = SKIP, "missing: " + ", ".join(lacks)
        return
    temp = tempfile.mkdtemp(prefix="approf-test-")
    os.chmod(temp, 0o711)  # some tests run a server as another user below it
    log_path = os.path.join(logs, re.sub(r"[^A-Za-z0-9_.-]+", ".", run.name).strip(".") + ".log")
    late = False
    with open(log_path, "wb") as log:
        try:
            process = subprocess.Popen([run.test.program(run.build)], cwd=temp, env=environment(run, temp),
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        except OSError as error:
            log.write(f"could not be started: {error}\n".encode())
            process = None
        if process:
            try:
                process.wait(timeout=run.test.limit)
            except subprocess.TimeoutExpired:
                late = True
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            process.wait()
        # killpg is not waited for: give its victims a moment before what remains counts as left.
        strays = left_behind(run)
        for _ in range(20):
            if not strays:
                break
            time.sleep(0.05)
            strays = left_behind(run)
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        if late:
            log.write(f"\nstill running after {run.test.limit} s: killed\n".encode())
        if strays:
            log.write(f"\nleft {len(strays)} process(es) running outside its process group\n".encode())
    with open(log_path, "rb") as log:
        run.output = log.read().decode(errors="replace")
    lines = [line for line in run.output.splitlines() if line.strip()]
    run.reason = lines[-1].strip() if lines else ""
    run.status = 1 if process is None or late or strays else process.returncode
    run.seconds = time.monotonic() - started
    if keep and run.status not in (0, SKIP):
        print(f"  kept: {temp}", flush=True)
    else:
        subprocess.run(["chmod", "-R", "u+rwX", temp], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(temp, ignore_errors=True)


def report(run):
    if run.status == 0:
        print(f"ok    {run.name} ({run.seconds:.1f} s)", flush=True)
    elif run.status == SKIP:
        print(f"skip  {run.name}: {run.reason}", flush=True)
    else:
        how = f"exit status {run.status}" if run.status > 0 else f"signal {-run.status}"
        print(f"FAIL  {run.name} ({run.seconds:.1f} s, {how})", flush=True)
        lines = run.output.splitlines()
        if len(lines) > 120:
            lines = lines[:40] + [f"… {len(lines) - 120} lines left out, see the log …"] + lines[-80:]
        for line in lines:
            print("    | " + line, flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("--quick", action="store_true", help="only tests marked `quick`")
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    parser.add_argument("--variant", action="append", default=[], metavar="NAME=DIR",
                        help="also run under the build in DIR what is marked for variant NAME")
    parser.add_argument("--only-variants", action="store_true", help="leave the plain build out")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folders of failed tests")
    parser.add_argument("patterns", nargs="*")
    args = parser.parse_args()

    build = os.path.abspath(args.build)
    os.environ["PLAIN_BUILD"] = build
    tests = [t for t in list_tests.find() if t.is_test and (t.quick or not args.quick)
             and (not args.patterns or any(p in t.name for p in args.patterns))]
    runs = [] if args.only_variants else [Run(t, "", build) for t in tests]
    for variant in args.variant:
        name, directory = variant.split("=", 1)
        runs += [Run(t, name, os.path.abspath(directory)) for t in tests if name in t.variants]
    logs = os.path.join(build, "test-logs")
    os.makedirs(logs, exist_ok=True)

    # Longest limit first, so that no long test is left alone at the end; the ones that need the machine
    # for themselves come last, one by one.
    shared = sorted((r for r in runs if not r.test.alone), key=lambda r: -r.test.limit)
    alone = [r for r in runs if r.test.alone]
    lock = threading.Lock()

    def worker(queue):
        while True:
            with lock:
                if not queue:
                    return
                run = queue.pop(0)
            try:
                execute(run, logs, args.keep)
            except Exception as error:  # a fault of the harness is a failure of the test, not a silent loss
                run.status, run.output = 1, f"harness: {error!r}"
            with lock:
                report(run)

    for queue, width in ((shared, AT_ONCE), (alone, 1)):
        threads = [threading.Thread(target=worker, args=(queue,)) for _ in range(width)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    passed = sum(r.status == 0 for r in runs)
    skipped = [r for r in runs if r.status == SKIP]
    failed = [r for r in runs if r.status not in (0, SKIP)]
    if failed:
        print("\nfailed:")
        for run in failed:
            print(f"  {run.name}: {run.reason}")
        print(f"logs: {os.path.relpath(logs)}")
    if not passed and not failed:
        print("no test ran")
    line = f"{passed} passed, {len(failed)} failed"
    if skipped:
        line += f", {len(skipped)} skipped"
    print(line, flush=True)
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
