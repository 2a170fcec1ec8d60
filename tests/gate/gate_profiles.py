#!/usr/bin/env python3
"""Writes heap profiles for the gate's tests, from lines on standard input:

    OBJECTS BYTES LIVE_OBJECTS LIVE_BYTES LEAF@FILE:LINE;CALLER@FILE:LINE;...

    gate_profiles.py OUT [--rate 1] [--program server] [--peak BYTES] [--total BYTES] [--types inuse]

--total writes the exact total that approf's own files carry; --types inuse leaves out what was allocated.
A frame without @ has no line. Two frames joined by '<' are one location: the first is inlined into the second.
"""
import argparse
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pprof_wire import Strings, message, number, varint  # noqa: E402

TYPES = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--rate", type=int, default=1)
    parser.add_argument("--program", default="/opt/shop/bin/server")
    parser.add_argument("--peak", type=int)
    parser.add_argument("--total", type=int)
    parser.add_argument("--types", default="")
    given = parser.parse_args()
    strings, functions, locations, samples = Strings(), {}, {}, b""
    first = 2 if given.types == "inuse" else 0
    for line in sys.stdin.read().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(" ", 4)
        stack = []
        for place in words[4].split(";"):
            lines = []
            for frame in place.split("<<"):
                name, _, where = frame.partition("@")
                file, _, line = where.rpartition(":")
                function = functions.setdefault((name, file), len(functions) + 1)
                lines.append((function, int(line or 0)))
            stack.append(locations.setdefault(tuple(lines), len(locations) + 1))
        samples += message(2, message(1, b"".join(varint(l) for l in stack)) +
                       message(2, b"".join(varint(int(v)) for v in words[first:4])))
    out = b"".join(message(1, number(1, strings(t)) + number(2, strings(u))) for t, u in TYPES[first:]) + samples
    out += message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x500000) + number(5, strings(given.program)) + number(7, 1) + number(8, 1) + number(9, 1))
    for lines, i in locations.items():
        out += message(4, number(1, i) + number(2, 1) + number(3, 0x400000 + 16 * i) +
                   b"".join(message(4, number(1, f) + number(2, l)) for f, l in lines))
    for (name, file), i in functions.items():
        out += message(5, number(1, i) + number(2, strings(name)) + number(3, strings("_" + name)) + number(4, strings(file)))
    out += message(11, number(1, strings("space")) + number(2, strings("bytes"))) + number(12, given.rate)
    if given.peak is not None or given.total is not None:
        facts = "# approf: version=0.1.0 rate=%d samples=1" % given.rate
        if given.total is not None:
            facts += " total_bytes=%d exact=1" % given.total
        if given.peak is not None:
            facts += " peak_bytes=%d" % given.peak
        out += number(13, strings(facts))
    with open(given.out, "wb") as f:
        f.write(gzip.compress(strings.encode() + out, mtime=0))


main()
