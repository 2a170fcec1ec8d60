#!/usr/bin/env python3
"""Writes the profiles and sources that golden.sh prints: heap.pb.gz, later.pb.gz (the same program, later),
recursion.pb.gz, cpu.pb.gz, other_types.pb.gz, src/store.c, src/fib.c."""
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pprof_wire import Strings, message, number, varint  # noqa: E402

PERIOD_TYPES = {"cpu": "cpu"}
HEAP_TYPES = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]


def write(path, types, functions, locations, samples, period, time, duration=0, comments=(), default=""):
    """functions: (name, system name, file, start line); locations: (address, [(function, line)...]), innermost first;
    samples: ([locations], [values], [(key, string or number)...])."""
    s = Strings()
    out = bytearray(b"".join(message(1, number(1, s(t)) + number(2, s(u))) for t, u in types))
    for stack, values, labels in samples:
        body = message(1, b"".join(varint(l) for l in stack)) + message(2, b"".join(varint(v) for v in values))
        for key, value in labels:
            body += message(3, number(1, s(key)) + (number(2, s(value)) if isinstance(value, str) else number(3, value)))
        out += message(2, body)
    out += message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x500000) + number(5, s("/opt/shop/bin/server")) +
               number(6, s("0123456789abcdef")) + number(7, 1) + number(8, 1) + number(9, 1) + number(10, 1))
    for i, (address, lines) in enumerate(locations, 1):
        out += message(4, number(1, i) + number(2, 1) + number(3, address) + b"".join(message(4, number(1, f) + number(2, l)) for f, l in lines))
    for i, (name, system, file, start) in enumerate(functions, 1):
        out += message(5, number(1, i) + number(2, s(name)) + number(3, s(system)) + number(4, s(file)) + number(5, start))
    out += number(9, time) + number(10, duration) + message(11, number(1, s(PERIOD_TYPES.get(types[-1][0], "space"))) + number(2, s("nanoseconds" if types[-1][0] == "cpu" else "bytes"))) + number(12, period)
    out += b"".join(number(13, s(c)) for c in comments) + number(14, s(default))
    with open(path, "wb") as f:
        f.write(gzip.compress(s.encode() + bytes(out), mtime=0))


FUNCTIONS = [("main", "main", "src/store.c", 30), ("store_push", "store_push", "src/store.c", 10), ("xmalloc", "xmalloc", "src/store.c", 3),
             ("shop::Cart::add", "_ZN4shop4Cart3addEi", "src/cart.cc", 0)]
LOCATIONS = [(0x401010, [(1, 33)]), (0x402020, [(3, 5), (2, 14)]), (0x402040, [(2, 16)]), (0x403000, [(4, 21)])]


def heap(path, scale, extra):
    k = scale
    samples = [([2, 1], [900 * k, 921600 * k, 10, 10240], [("bytes", 1024)]),
               ([3, 1], [40 * k, 2621440 * k, 20, 1310720], [("bytes", 65536)]),
               ([4, 1], [7, 7000, 7, 7000], [("bytes", 1000), ("thread", "worker \"1\"")])] + extra
    write(path, HEAP_TYPES, FUNCTIONS, LOCATIONS, samples, 524288, 1700000000 * 10**9, 5 * 10**9,
          ["# a fact for programs", "nightly build"])


def main():
    os.makedirs("src", exist_ok=True)
    with open("src/store.c", "w") as f:
        f.write("".join("line %d of store.c\n" % i for i in range(1, 41)))
    with open("src/fib.c", "w") as f:
        f.write("int fib(int n)\n{\n    if (n < 2)\n        return keep(n);\n    return fib(n - 1) + fib(n - 2);\n}\n")
    heap("heap.pb.gz", 1, [])
    heap("later.pb.gz", 2, [([4, 4, 1], [3, 300, 3, 300], [("bytes", 100)])])
    # fib passes through two of its lines in one stack.
    write("recursion.pb.gz", [("space", "bytes")], [("main", "main", "src/fib.c", 0), ("fib", "fib", "src/fib.c", 1)],
          [(0x401000, [(1, 9)]), (0x402000, [(2, 4)]), (0x402010, [(2, 5)])],
          [([2, 3, 3, 1], [100], []), ([2, 1], [50], [])], 1, 0)
    write("cpu.pb.gz", [("samples", "count"), ("cpu", "nanoseconds")], FUNCTIONS, LOCATIONS,
          [([2, 1], [30, 300 * 10**6], []), ([3, 1], [1, 10 * 10**6], []), ([4, 1], [70, 700 * 10**6], [])], 10**7, 0, 10**9)
    write("other_types.pb.gz", [("alloc_space", "kilobytes"), ("locks", "count")], FUNCTIONS, LOCATIONS,
          [([3, 1], [3, 1], [])], 1, 0)


if __name__ == "__main__":
    main()
