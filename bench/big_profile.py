#!/usr/bin/env python3
"""Makes a large heap profile: 200,000 samples of 28 frames over 50,000 locations and 20,000 functions.

    big_profile.py OUT.pb.gz [--samples N] [--no-labels] [--seed S] [--grow PERCENT]

With labels every sample has `bytes`, as heap profiles do. --grow changes the values of a part of the samples, for a diff.
The same arguments make the same bytes.
"""
import argparse
import gzip
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))
from pprof_wire import message, number, varint  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--samples", type=int, default=200000)
    parser.add_argument("--depth", type=int, default=28)
    parser.add_argument("--locations", type=int, default=50000)
    parser.add_argument("--functions", type=int, default=20000)
    parser.add_argument("--no-labels", action="store_true")
    parser.add_argument("--grow", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    rng = random.Random(o.seed)
    strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space", "space", "/usr/bin/program"]
    parts = [message(1, number(1, kind) + number(2, unit)) for kind, unit in ((1, 2), (3, 4), (5, 2), (6, 4))]
    ids = [varint(i) for i in range(o.locations + 1)]
    # Stacks share their outer frames, as calls do: a frame has few callees.
    callees = [[rng.randrange(1, o.locations + 1) for _ in range(3)] for _ in range(o.locations + 1)]
    grows = random.Random(o.seed + 1)
    for _ in range(o.samples):
        frame, stack = rng.randrange(1, 20), []
        for _ in range(o.depth):
            stack.append(ids[frame])
            frame = callees[frame][int(rng.random() * 3)] if rng.random() < 0.9 else int(rng.random() * o.locations) + 1
        size, count = 1 << rng.randrange(4, 16), rng.randrange(1, 50)
        if o.grow and grows.random() * 100 < o.grow:
            count *= 2
        live = count // 3
        body = message(1, b"".join(reversed(stack)))
        body += message(2, varint(count) + varint(count * size) + varint(live) + varint(live * size))
        if not o.no_labels:
            body += message(3, number(1, 4) + number(3, size))
        parts.append(message(2, body))
    parts.append(message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x4000000) + number(5, 8) + number(7, 1) +
                         number(8, 1) + number(9, 1)))
    for i in range(1, o.locations + 1):
        parts.append(message(4, number(1, i) + number(2, 1) + number(3, 0x400000 + 16 * i) +
                             message(4, number(1, i % o.functions + 1) + number(2, i % 3000 + 1))))
    for i in range(1, o.functions + 1):
        parts.append(message(5, number(1, i) + number(2, len(strings)) + number(3, len(strings)) + number(4, len(strings) + 1)))
        strings += ["module%d::function%d" % (i % 211, i), "/src/module%d/file%d.cc" % (i % 211, i)]
    parts += [message(6, s.encode()) for s in strings]
    parts.append(message(11, number(1, 7) + number(2, 4)) + number(12, 524288))
    with gzip.GzipFile(o.out, "wb", 1, mtime=0) as out:
        out.write(b"".join(parts))


if __name__ == "__main__":
    main()
