#!/bin/bash
# quick
# needs: python3
# The benchmarks' runs are longer than what starting varies by, and where they can't be there is no figure, rather than nought.
. "$(dirname "$0")/../lib.sh"

cat >lengths.py <<'END'
import math
import sys

import measure


class Tool:
    name, kind, missing = "slow to start", "all", ""


class Known:
    """Starts in 0.6 s, a third more in every fourth run; an operation takes COST."""
    name, least, first, most, fixed, portion = "known", 1, 100, 10**9, 0, 0
    runs = 0

    def __init__(self, cost, most=10**9):
        self.cost, self.most = cost, most

    def refuses(self, _):
        return ""

    def run(self, _, count):
        self.runs += 1
        return measure.Result(0.6 + (0.2 if self.runs % 4 == 0 else 0) + self.cost * count, 1, count)


def cell(work, base_count, rounds=5):
    base = measure.Cell(work, Tool())
    base.count = base_count
    c = measure.Cell(work, Tool())
    c.calibrate(0.05, base, math.inf)
    for _ in range(rounds):
        c.measure()
    c.settle()
    return c


for cost in (1e-7, 1e-6, 1e-5):
    for base_count in (3000, 100_000, 10_000_000):
        if 50 * base_count * cost < 2:
            continue  # more operations than a base can stand for
        c = cell(Known(cost), base_count)
        if c.why or c.count * cost < 0.6:
            sys.exit(f"{cost}, {base_count}: {c.count} operations, {c.count * cost:.2f} s beside a start of 0.6 s {c.why}")
        median = measure.spread([e for e in c.each if e])["median"]
        if not 0.8 < median / cost < 1.2:
            sys.exit(f"{cost}, {base_count}: measured {median}")

c = cell(Known(1e-6, most=1000), 1000)
if not c.why or any(e is not None for e in c.each):
    sys.exit(f"a run of a millisecond beside a start of 0.6 s has the figure {c.each}")
END
PYTHONPATH="$TOP/bench" PYTHONDONTWRITEBYTECODE=1 "$PYTHON" lengths.py || bad "exit status $?"
exit 0
