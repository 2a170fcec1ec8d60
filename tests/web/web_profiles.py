#!/usr/bin/env python3
"""Writes the profiles that the page is tested with: plain.pb.gz, old.pb.gz, odd.pb.gz, deep.pb.gz, and their sources.

    web_profiles.py [large N]     large.pb.gz with N samples, for measuring, instead
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from golden_profiles import HEAP_TYPES, write

SCRIPT = "<script>globalThis.hacked = 1</script>"
ODD_NAMES = [SCRIPT, "</script><img src=x onerror=\"globalThis.hacked = 2\">", "'\"&amp;<b>bold</b>", "@DATA@ @NONCE@", "\u202egnirts",
             "std::map<" + "std::basic_string<char, std::char_traits<char>, std::allocator<char> >, " * 6 + "int>::operator[](std::string const&)",
             "operator<<(Stream&, int)", "a" * 500]


def heap(path, functions, locations, samples, **more):
    write(path, HEAP_TYPES, functions, locations, samples, 524288, 1700000000 * 10**9, 5 * 10**9, **more)


def values(r, bytes_class):
    n = r.randrange(1, 4000)
    live = r.randrange(0, n + 1)
    return [n, n * bytes_class, live, live * bytes_class]


def call_tree(path, seed, n_functions, n_samples, depth, scale=1, name="function"):
    """Random stacks, with recursion and inlined frames; sources in src/."""
    r = random.Random(seed)
    functions = [(f"{name}_{i}", f"{name}_{i}", f"src/file_{i % 5}.c", 1 + 12 * (i // 5)) for i in range(n_functions)]
    locations = []
    for i in range(n_functions * 3):
        fn = i % n_functions
        line = functions[fn][3] + r.randrange(1, 10)
        lines = [(fn + 1, line)]
        if r.random() < 0.2:
            inner = r.randrange(n_functions)
            lines.insert(0, (inner + 1, functions[inner][3] + 3))
        locations.append((0x400000 + 16 * i, lines))
    samples = []
    for _ in range(n_samples):
        step = r.randrange(1, 4)
        stack = [1 + (r.randrange(8) * step + level * step + r.randrange(2)) % len(locations) for level in range(r.randrange(1, depth), 0, -1)] + [1]
        size = r.choice([16, 24, 64, 448, 1024, 65536])
        samples.append((stack, [v * scale for v in values(r, size)], [("bytes", size)]))
    heap(path, functions, locations, samples)


def odd(path):
    functions = [(name, f"_Z{i}", "src/file_0.c", 1) for i, name in enumerate(ODD_NAMES)]
    locations = [(0x400000 + 16 * i, [(i + 1, 2 + i)]) for i in range(len(functions))]
    samples = [([i + 1, 1 + i // 2, 1], [10 + i, 1000 * (i + 1), i, 100 * i], [("bytes", 100), ("note", SCRIPT)]) for i in range(len(functions))]
    heap(path, functions, locations, samples, comments=[SCRIPT])


def secrets(path):
    """Names files that are no sources, or lie elsewhere."""
    files = ["/etc/passwd", "src/notes.txt", "../outside.c", "src/link.c", "src/file_0.c"]
    functions = [(f"reads_{i}", f"reads_{i}", file, 1) for i, file in enumerate(files)]
    locations = [(0x400000 + 16 * i, [(i + 1, 1)]) for i in range(len(files))]
    heap(path, functions, locations, [([i + 1], [1, 100, 1, 100], [("bytes", 100)]) for i in range(len(files))])


def store():
    """A directory as approf record leaves it: two processes, one that goes; a site that leaks, one that holds a cache,
    one that only makes garbage. By moment: bytes in use, bytes allocated so far."""
    sites = ["leaks", "holds_cache", "makes_garbage"]
    functions = [("main", "main", "src/file_0.c", 1)] + [(name, name, "src/file_0.c", 13 + 12 * i) for i, name in enumerate(sites)]
    locations = [(0x400000 + 16 * i, [(i + 1, 3 + 12 * i)]) for i in range(len(functions))]
    os.makedirs("store", exist_ok=True)
    for pid, start, last in ((77, 0, 8), (78, 1, 5)):
        for moment in range(start + 1, last):
            minutes = moment - start
            figures = [(minutes * 2**20, minutes * 2**20), (5 * 2**20, 5 * 2**20), (0, minutes * 30 * 2**20)]
            samples = [([i + 2, 1], [allocated // 64, allocated, live // 64, live], [("bytes", 64)]) for i, (live, allocated) in enumerate(figures)]
            heap(f"store/server.{pid}.20260101T00{start:02}00Z.20260101T00{moment:02}00Z.pb.gz", functions, locations, samples)


def large(n):
    """As a large program's: stacks share their upper parts."""
    r = random.Random(5)
    n_functions = 6000
    functions = [(f"module_{i % 40}::Class{i % 300}::method_{i}(int, std::string const&)", f"_Z{i}", f"/src/module_{i % 40}/file_{i % 400}.cc", 10) for i in range(n_functions)]
    locations = [(0x400000 + 16 * i, [(i % n_functions + 1, 10 + i % 900)]) for i in range(20000)]
    stacks = [[1]]
    samples = []
    for _ in range(n):
        stack = [1 + r.randrange(len(locations)) for _ in range(r.randrange(1, 12))] + stacks[int(len(stacks) * r.random() ** 3)]
        if len(stack) < 60 and r.random() < 0.3:
            stacks.append(stack)
        size = 16 << r.randrange(12)
        samples.append((stack, values(r, size), [("bytes", size)]))
    heap("large.pb.gz", functions, locations, samples)


def main():
    if sys.argv[1:2] == ["large"]:
        return large(int(sys.argv[2]))
    os.makedirs("src", exist_ok=True)
    for i in range(5):
        with open(f"src/file_{i}.c", "w") as f:
            f.write("".join(f"\tline_{n}_of_file_{i}(); // <b>\n" for n in range(1, 120)))
    call_tree("plain.pb.gz", 1, 23, 160, 9)
    call_tree("old.pb.gz", 2, 25, 150, 8, scale=2)
    call_tree("deep.pb.gz", 3, 6, 40, 120)
    odd("odd.pb.gz")
    store()
    secrets("secrets.pb.gz")
    with open("src/notes.txt", "w") as f:
        f.write("TOP-SECRET-TEXT\n")
    with open("../outside.c", "w") as f:
        f.write("TOP-SECRET-OUTSIDE\n")
    if not os.path.lexists("src/link.c"):
        os.symlink("../../outside.c", "src/link.c")


if __name__ == "__main__":
    main()
