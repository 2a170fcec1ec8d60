#!/usr/bin/env python3
"""Sums in pprof profiles, read by a decoder that shares nothing with ours: the tests' own judge of a file.

    pprof_sum.py TYPE FILE...                     the total of a sample type
    pprof_sum.py --cum REGEXP TYPE FILE...        samples with a function of that (whole) name anywhere on the stack
    pprof_sum.py --flat REGEXP TYPE FILE...       ... as the innermost function
    pprof_sum.py --functions FILE...              every function's name, once
    pprof_sum.py --system-names FILE...           the same as the linker knows them
    pprof_sum.py --comments FILE...               the comments

--label KEY counts only samples that have the label, --no-label KEY only those without.
As a module: load(path) gives a Profile.
"""

import argparse
import gzip
import re
import sys

from pprof_wire import fields, numbers, signed


def message(data):
    """The last value of each field."""
    return dict(fields(data))


class Profile:
    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        self.strings, self.types, self.samples, self.comments = [], [], [], []
        self.mappings, self.functions, self.locations = [], {}, {}
        self.header = {}
        raw_samples, raw_types, raw_mappings, raw_functions, raw_comments = [], [], [], [], []
        for number, value in fields(data):
            if number == 1:
                raw_types.append(message(value))
            elif number == 2:
                raw_samples.append(value)
            elif number == 3:
                raw_mappings.append(message(value))
            elif number == 4:
                location, lines = {}, []
                for n, v in fields(value):
                    if n == 4:
                        line = message(v)
                        lines.append((line.get(1, 0), signed(line.get(2, 0))))
                    else:
                        location[n] = v
                self.locations[location[1]] = (location.get(3, 0), location.get(2, 0), lines)
            elif number == 5:
                raw_functions.append(message(value))
            elif number == 6:
                self.strings.append(value.decode(errors="replace"))
            elif number == 13:
                raw_comments += numbers(value)
            else:
                self.header[number] = signed(value) if isinstance(value, int) else value
        text = self.strings.__getitem__
        self.types = [(text(t.get(1, 0)), text(t.get(2, 0))) for t in raw_types]
        self.comments = [text(c) for c in raw_comments]
        self.functions = {f[1]: (text(f.get(2, 0)), text(f.get(3, 0)), text(f.get(4, 0))) for f in raw_functions}
        self.mappings = [{"file": text(m.get(5, 0)), "build_id": text(m.get(6, 0)), "start": m.get(2, 0),
                          "limit": m.get(3, 0), "has_functions": m.get(7, 0), "has_lines": m.get(9, 0)}
                         for m in raw_mappings]
        for raw in raw_samples:
            stack, values, labels = [], [], {}
            for n, v in fields(raw):
                if n == 1:
                    stack += numbers(v)
                elif n == 2:
                    values += numbers(v)
                elif n == 3:
                    label = message(v)
                    labels[text(label.get(1, 0))] = text(label[2]) if label.get(2) else signed(label.get(3, 0))
            self.samples.append((stack, values, labels))

    def column(self, name):
        for i, (kind, _) in enumerate(self.types):
            if kind == name:
                return i
        sys.exit(f"pprof_sum.py: no sample type {name} among {self.types}")

    def frames(self, stack):
        """Function names, innermost first, inlined ones included."""
        return [self.functions[f][0] for location in stack for f, _ in self.locations[location][2]]


def load(path):
    with open(path, "rb") as f:
        return Profile(f.read())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cum")
    parser.add_argument("--flat")
    parser.add_argument("--label")
    parser.add_argument("--no-label")
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--system-names", action="store_true")
    parser.add_argument("--comments", action="store_true")
    parser.add_argument("words", nargs="+")
    args = parser.parse_args()

    if args.functions or args.system_names:
        part = 1 if args.system_names else 0
        for name in sorted({f[part] for path in args.words for f in load(path).functions.values()}):
            print(name)
        return
    if args.comments:
        for path in args.words:
            print("\n".join(load(path).comments))
        return
    total = 0
    for path in args.words[1:]:
        profile = load(path)
        column = profile.column(args.words[0])
        for stack, values, labels in profile.samples:
            if args.label and args.label not in labels or args.no_label and args.no_label in labels:
                continue
            names = profile.frames(stack)
            if args.cum and not any(re.fullmatch(args.cum, n) for n in names):
                continue
            if args.flat and not (names and re.fullmatch(args.flat, names[0])):
                continue
            total += values[column]
    print(total)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, IndexError, EOFError) as error:
        sys.exit(f"pprof_sum.py: {error}")
