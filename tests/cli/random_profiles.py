"""Random but sound profiles, the same for the same seed: every feature of the message, few of each."""
import gzip
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pprof_wire import Strings, fields, message, number, read_varint, varint  # noqa: E402

NAMES = ["f%d" % i for i in range(12)] + ["ns::Type::method", "alpha(int)", "beta", "parse<int>", "(*T).m", "", "_start"]
FILES = ["/src/a.c", "/src/b.c", "/src/./c.c", "/home/me/src/d.c", "rel/e.c", "", "/proc/self/cwd/f.c"]
TYPES = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]


def build(seed, like=None):
    """like: another seed, whose profile has the same sample types, so that the two can be added up."""
    r = random.Random(seed if like is None else like)
    s = Strings()
    out = b""
    kind = r.randrange(4)
    if kind == 0:
        types = [("samples", "count"), ("cpu", "nanoseconds")]
    elif kind == 1:
        types = [(r.choice(["w", "delay", "contentions"]), r.choice(["widgets", "count", "ms", ""]))]
    else:
        types = TYPES
    for kind_name, unit in types:
        out += message(1, number(1, s(kind_name)) + number(2, s(unit)))
    if like is not None:
        r = random.Random(seed)
    n_mappings = r.randrange(0, 4)
    n_functions = r.randrange(1, 25)
    n_locations = r.randrange(1, 50)
    negative = r.random() < 0.3
    for i in range(r.randrange(0, 60)):
        stack = [r.randrange(1, n_locations + 1) for _ in range(r.choice([0, 1, 2, 3, 5, 8, 13]))]
        values = []
        for _, unit in types:
            value = r.choice([0, 1, r.randrange(1, 100), r.randrange(1, 10**6), r.randrange(1, 10**10)])
            values.append(-value if negative and r.random() < 0.4 else value)
        body = message(1, b"".join(varint(l) for l in stack)) if stack else b""
        body += message(2, b"".join(varint(v) for v in values))
        labels = []
        if r.random() < 0.5:
            labels.append(number(1, s("bytes")) + number(3, r.choice([16, 48, 1024, 5000, 70000])))
        if r.random() < 0.3:
            labels.append(number(1, s("thread")) + number(2, s(r.choice(["t1", "t2", "worker \"x\""]))))
        if r.random() < 0.2:
            labels.append(number(1, s("key1")) + number(2, s(r.choice(["v1", "v2", "v3"]))))
        if r.random() < 0.15:
            labels.append(number(1, s("key2")) + number(3, r.randrange(1, 5)) + number(4, s(r.choice(["", "kilobytes", "ms"]))))
        r.shuffle(labels)
        out += message(2, body + b"".join(message(3, l) for l in labels))
    for i in range(1, n_mappings + 1):
        out += message(3, number(1, i) + number(2, 0x400000 * i) + number(3, 0x400000 * i + r.choice([0x1000, 0x10000, 0xfff])) +
                   number(4, r.choice([0, 0x1000])) + number(5, s(r.choice(["/usr/bin/server", "/lib/libc.so.6", "", "[vdso]"]))) +
                   number(6, s(r.choice(["", "abc", "def"]))) + number(7, 1) + number(8, 1) + number(9, 1) + number(10, r.randrange(2)))
    for i in range(1, n_locations + 1):
        mapping = r.randrange(0, n_mappings + 1)
        body = number(1, i) + number(2, mapping) + number(3, 0x400000 * mapping + r.randrange(0, 0x1000) if r.random() < 0.95 else 0)
        for _ in range(r.choice([0, 1, 1, 1, 1, 2, 3])):
            body += message(4, number(1, r.randrange(1, n_functions + 1)) + number(2, r.choice([0, 7, 11, 12, r.randrange(1, 200)])))
        out += message(4, body + number(5, r.random() < 0.1))
    for i in range(1, n_functions + 1):
        name = r.choice(NAMES)
        out += message(5, number(1, i) + number(2, s(name)) + number(3, s(name if r.random() < 0.7 else "_Z" + name)) +
                   number(4, s(r.choice(FILES))) + number(5, r.choice([0, 0, 0, 3])))
    if r.random() < 0.2:
        out += number(7, s("f1|beta")) + number(8, s(r.choice(["", "f10"])))
    out += number(9, r.choice([0, 1700000000 * 10**9, 1700000000123456789]))
    out += number(10, r.choice([0, 10**9, 1500 * 10**6, 7 * 3600 * 10**9]))
    out += message(11, number(1, s("space")) + number(2, s("bytes"))) + number(12, r.choice([0, 524288]))
    for _ in range(r.randrange(0, 3)):
        out += number(13, s(r.choice(["a comment", "# hidden", "#x"])))
    out += number(14, s(r.choice(["", types[0][0]])))
    return s.encode() + out


def write(path, seed, like=None):
    with open(path, "wb") as f:
        f.write(gzip.compress(build(seed, like), mtime=0))


OPTIONS = ["-cum", "-lines", "-files", "-addresses", "-filefunctions", "-noinlines", "-nodecount=3", "-nodefraction=0.05",
           "-edgefraction=0.1", "-trim=false", "-unit=kb", "-mean", "-drop_negative", "-sample_index=0", "-relative_percentages",
           "-focus=f[1-5]", "-ignore=f7", "-hide=f3|f4", "-show=f|src", "-show_from=f2|f5", "-prune_from=f6|beta",
           "-tagfocus=t1|v1", "-tagignore=bytes=1kb:", "-tagshow=key|bytes", "-taghide=thread", "-tagroot=key1", "-tagleaf=bytes",
           "-compact_labels", "-divide_by=7", "-call_tree"]


def options(seed):
    r = random.Random(seed ^ 0x5eed)
    chosen = r.sample(OPTIONS, r.choice([0, 1, 1, 2, 3]))
    granularities = [o for o in chosen if o in ("-lines", "-files", "-addresses", "-filefunctions")]
    for extra in granularities[1:]:
        chosen.remove(extra)
    return chosen


# ---- reading, for comparing what is written ----

STRING_FIELDS = {"": {7, 8, 13, 14, 15}, "type": {1, 2}, "label": {1, 2, 4}, "mapping": {5, 6}, "function": {2, 3, 4}}
PARTS = {("", 1): "type", ("", 2): "sample", ("", 3): "mapping", ("", 4): "location", ("", 5): "function", ("", 11): "type",
         ("sample", 3): "label", ("location", 4): "line"}


def content(data):
    """What a message says, with strings instead of indices and without what is zero."""
    strings = [value for field, value in fields(data) if field == 6]

    def content_of(part, data):
        out = []
        for field, value in fields(data):
            if part == "" and field == 6:
                continue
            inner = PARTS.get((part, field))
            if inner:
                out.append((field, content_of(inner, value)))
            elif isinstance(value, bytes):
                at = 0
                while at < len(value):
                    index, at = read_varint(value, at)
                    out.append((field, strings[index] if field in STRING_FIELDS.get(part, ()) else index))
            elif field in STRING_FIELDS.get(part, ()):
                if value:
                    out.append((field, strings[value]))
            elif value or (part == "sample"):
                out.append((field, value))
        return out
    return content_of("", data)
