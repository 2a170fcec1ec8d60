"""Running things and what they cost: as a module.

What is measured is the CPU time of a process and of the children it waited for, user and system: what a shared machine disturbs
least. Nothing here can hang: every process has a limit, after which it and all it started are killed, and none starts after the
deadline of the whole run.
"""
import os
import signal
import statistics
import subprocess
import threading
import time


deadline = float("inf")  # of time.monotonic(): set once by whoever runs all this
running = set()  # processes that have not been waited for


def seconds_left(limit):
    left = min(limit, deadline - time.monotonic())
    if left <= 0:
        raise Failed("no time was left")
    return left


class Failed(Exception):
    """A run that failed or took too long; the text says which."""


class Result:
    """What a run cost: CPU seconds, peak memory in bytes, and how many operations it did."""

    def __init__(self, cpu, memory, operations):
        self.cpu, self.memory, self.operations = cpu, memory, operations


class Process:
    """A process in a session of its own that is killed with all it started after LIMIT seconds."""

    def __init__(self, command, env, limit=60, cwd=None, stdout=subprocess.DEVNULL):
        self.name = os.path.basename(command[0])
        self.late = False
        limit = seconds_left(limit)
        try:
            self.child = subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=stdout,
                                          stderr=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            raise Failed(f"{self.name}: {error.strerror}") from error
        running.add(self)
        self.timer = threading.Timer(limit, self.kill)
        self.timer.daemon = True
        self.timer.start()

    def kill(self):
        self.late = True
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self, number=signal.SIGTERM):
        try:
            os.kill(self.child.pid, number)
        except ProcessLookupError:
            pass

    def has_ended(self):
        return os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def ended(self):
        """Waits; exit status, CPU seconds and peak memory."""
        _, status, usage = os.wait4(self.child.pid, 0)
        self.timer.cancel()
        running.discard(self)
        self.user = usage.ru_utime
        self.child.returncode = os.waitstatus_to_exitcode(status)
        if self.late:
            raise Failed(f"{self.name}: did not end in time")
        return self.child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def kill_all():
    """For whoever is interrupted: what runs has a session of its own, and hears of no Ctrl-C."""
    for process in list(running):
        process.kill()


def run(command, env, limit=60, operations=1, stdout=subprocess.DEVNULL):
    status, cpu, memory = Process(command, env, limit, stdout=stdout).ended()
    if status != 0:
        raise Failed(f"{os.path.basename(command[0])}: exit status {status}")
    return Result(cpu, memory, operations)


class Cell:
    """One workload under one tool: what was measured of it."""

    def __init__(self, workload, tool):
        self.workload, self.tool = workload, tool
        self.why = tool.missing or workload.refuses(tool)  # why there is nothing
        self.count = 0
        self.short = 0  # operations of the run that is taken off; 0: `startup` is
        self.startup = 0.0
        self.each = []  # CPU seconds an operation, by round; None where it failed
        self.above = []  # CPU seconds above what was taken off, by round that did not fail
        self.memory = []

    def calibrate(self, target, base, end):
        """Finds the number of operations that takes about TARGET seconds. BASE is its cell without a profiler. What lets one thread
        run at a time may need more operations than that for the same time: then there is less to wait for."""
        w = self.workload
        at_most = min(w.most, 50 * base.count) if base and base.count else w.most
        # How much slower a tool may be than its base, for the first try not to take long.
        count = max(w.least + 1, base.count // {"all": 500}.get(self.tool.kind, 8)) if base and base.count else w.first
        try:
            starts = []
            while len(starts) < 3 and sum(starts) < 0.2:
                starts.append(w.run(self.tool, w.least).cpu)
            self.startup = statistics.median(starts)
            target = max(target, 2 * self.startup)  # what varies in starting up must not be what is measured
            self.count = w.fixed
            while not self.count:
                used = w.run(self.tool, count).cpu - self.startup
                if used > max(target / 8, self.startup / 2) or count >= at_most or time.monotonic() > end:
                    self.count = max(w.least + 1, min(at_most, int(count * target / max(used, 1e-4))))
                count = min(at_most, count * 6)
            # Where everything is recorded starting up is no small part, and its variation would be taken off twice.
            if w.portion and self.count // w.portion > w.least and self.tool.kind != "all":
                self.short = self.count // w.portion
        except Failed as failure:
            self.why = str(failure)

    def measure(self):
        each = None
        if not self.why:
            try:
                once, least = self.startup, self.workload.least
                if self.short:
                    once, least = self.workload.run(self.tool, self.short).cpu, self.short
                result = self.workload.run(self.tool, self.count)
                self.above.append(result.cpu - once)
                each = max(result.cpu - once, 1e-9) / max(result.operations - least, 1)
                self.memory.append(result.memory)
            except Failed as failure:
                self.why = "" if self.memory else str(failure)
        self.each.append(each)

    def settle(self):
        """After the last round. Runs too short beside their start give no figure: all of them, as leaving out the short ones alone
        would make the rest too long."""
        if self.above and statistics.median(self.above) < self.startup / 4 and not self.short and not self.workload.fixed:
            self.why, self.each = "its runs can't be told from its start", [None] * len(self.each)


def interleaved(*what):
    """As `rounds_of`, and cells whose runs were too short have no figure."""
    cells = rounds_of(*what)
    for cell in cells.values():
        cell.settle()
    return cells


def rounds_of(workloads, tools, target, seconds, rounds, say):
    """Every workload under every tool, round by round, each time in another order, until ROUNDS are done or the SECONDS are used
    up; one round may take as long again. Cells by workload and tool name."""
    end = time.monotonic() + seconds
    at_last = end + seconds
    cells = {}
    for w in workloads:
        for t in tools:
            cell = cells[w.name, t.name] = Cell(w, t)
            if time.monotonic() > at_last:
                cell.why = cell.why or "no time was left"
            if cell.why:
                continue
            cell.calibrate(target, cells.get((w.name, t.base)), end)
        say(f"calibrated: {w.name}")
    for r in range(rounds):
        for w in workloads:
            turn = r % len(tools)
            for t in tools[turn:] + tools[:turn]:
                if time.monotonic() > (end if r else at_last):
                    say(f"{r} rounds, time is used up")
                    for cell in cells.values():
                        if r:
                            del cell.each[r:]
                        elif not cell.each:
                            cell.why = cell.why or "no time was left"
                    return cells
                cells[w.name, t.name].measure()
        say(f"round {r + 1}")
    return cells


def spread(values):
    if not values:
        return None
    out = {"median": statistics.median(values), "min": min(values), "max": max(values), "n": len(values)}
    if len(values) >= 8:
        out["low"], _, out["high"] = statistics.quantiles(values, n=4)
    return out


def ratio(cell, base):
    """Of one cell to another, round by round."""
    return spread([a / b for a, b in zip(cell.each, base.each) if a is not None and b is not None])
