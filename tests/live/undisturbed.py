"""1,000 snapshots of a program under load, and what they cost it: undisturbed.py PID TABLES SNAPSHOTS LOG.

The program (churner) notes in LOG what it has asked for. Windows with 25 snapshots each alternate with windows
without; its throughput is what it asks for in a window per second of its own processor time, so that other load on
the machine does not count. The means must differ by less than windows without snapshots differ among themselves (their
standard deviation: with so many windows chance alone takes the means that far apart once in some ten thousand runs).
Prints the figures, and what the snapshots found wrong."""

import os
import statistics
import struct
import subprocess
import sys
import time

PID, TABLES, SNAPSHOTS, LOG = sys.argv[1:5]
WINDOWS, GROUP = 40, 25


def now():
    """Work, and processor seconds."""
    work = sum(struct.unpack_from("<Q", open(LOG, "rb").read(), 64 * i)[0] for i in range(16))
    cpu = 0
    for task in os.listdir(f"/proc/{PID}/task"):
        with open(f"/proc/{PID}/task/{task}/schedstat") as f:
            cpu += int(f.read().split()[0]) / 1e9
    return work, cpu


def rate(before, after):
    return (after[0] - before[0]) / (after[1] - before[1])


taker = subprocess.Popen([SNAPSHOTS, TABLES, str(WINDOWS * GROUP), str(GROUP)], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
with_, without, said = [], [], []
for _ in range(WINDOWS):
    start = time.monotonic()
    before = now()
    print("go", file=taker.stdin, flush=True)
    while (line := taker.stdout.readline()) not in ("taken\n", ""):
        said.append(line)
    after = now()
    with_.append(rate(before, after))
    if line == "":
        break
    time.sleep(time.monotonic() - start)
    without.append(rate(after, now()))
taker.stdin.close()
said += taker.stdout.readlines()
status = taker.wait()
sys.stdout.writelines(said)

m, n = statistics.mean(with_), statistics.mean(without)
noise = statistics.stdev(without) / n
print(f"{len(with_)} windows with {GROUP} snapshots each: {m / 1e9:.3f} GB a second of its time, without {n / 1e9:.3f}: "
      f"{(m / n - 1) * 100:+.2f}%; windows without differ by {noise * 100:.2f}%")
if abs(m / n - 1) >= noise:
    print("FAILED: snapshots change the throughput by more than it changes by itself")
    status = status or 1
sys.exit(status)
