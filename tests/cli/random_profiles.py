"""Random but sound profiles, the same for the same seed: every feature of the message, few of each."""
import gzip
import random


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def num(field, n):
    return varint(field << 3) + varint(n) if n else b""


def sub(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


class Strings:
    def __init__(self):
        self.ids = {"": 0}

    def __call__(self, text):
        return self.ids.setdefault(text, len(self.ids))

    def encode(self):
        return b"".join(sub(6, s.encode()) for s in self.ids)


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
        out += sub(1, num(1, s(kind_name)) + num(2, s(unit)))
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
        body = sub(1, b"".join(varint(l) for l in stack)) if stack else b""
        body += sub(2, b"".join(varint(v) for v in values))
        labels = []
        if r.random() < 0.5:
            labels.append(num(1, s("bytes")) + num(3, r.choice([16, 48, 1024, 5000, 70000])))
        if r.random() < 0.3:
            labels.append(num(1, s("thread")) + num(2, s(r.choice(["t1", "t2", "worker \"x\""]))))
        if r.random() < 0.2:
            labels.append(num(1, s("key1")) + num(2, s(r.choice(["v1", "v2", "v3"]))))
        if r.random() < 0.15:
            labels.append(num(1, s("key2")) + num(3, r.randrange(1, 5)) + num(4, s(r.choice(["", "kilobytes", "ms"]))))
        r.shuffle(labels)
        out += sub(2, body + b"".join(sub(3, l) for l in labels))
    for i in range(1, n_mappings + 1):
        out += sub(3, num(1, i) + num(2, 0x400000 * i) + num(3, 0x400000 * i + r.choice([0x1000, 0x10000, 0xfff])) +
                   num(4, r.choice([0, 0x1000])) + num(5, s(r.choice(["/usr/bin/server", "/lib/libc.so.6", "", "[vdso]"]))) +
                   num(6, s(r.choice(["", "abc", "def"]))) + num(7, 1) + num(8, 1) + num(9, 1) + num(10, r.randrange(2)))
    for i in range(1, n_locations + 1):
        mapping = r.randrange(0, n_mappings + 1)
        body = num(1, i) + num(2, mapping) + num(3, 0x400000 * mapping + r.randrange(0, 0x1000) if r.random() < 0.95 else 0)
        for _ in range(r.choice([0, 1, 1, 1, 1, 2, 3])):
            body += sub(4, num(1, r.randrange(1, n_functions + 1)) + num(2, r.choice([0, 7, 11, 12, r.randrange(1, 200)])))
        out += sub(4, body + num(5, r.random() < 0.1))
    for i in range(1, n_functions + 1):
        name = r.choice(NAMES)
        out += sub(5, num(1, i) + num(2, s(name)) + num(3, s(name if r.random() < 0.7 else "_Z" + name)) +
                   num(4, s(r.choice(FILES))) + num(5, r.choice([0, 0, 0, 3])))
    if r.random() < 0.2:
        out += num(7, s("f1|beta")) + num(8, s(r.choice(["", "f10"])))
    out += num(9, r.choice([0, 1700000000 * 10**9, 1700000000123456789]))
    out += num(10, r.choice([0, 10**9, 1500 * 10**6, 7 * 3600 * 10**9]))
    out += sub(11, num(1, s("space")) + num(2, s("bytes"))) + num(12, r.choice([0, 524288]))
    for _ in range(r.randrange(0, 3)):
        out += num(13, s(r.choice(["a comment", "# hidden", "#x"])))
    out += num(14, s(r.choice(["", types[0][0]])))
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

def fields(data):
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 2:
            length, at = read_varint(data, at)
            value = data[at:at + length]
            at += length
        else:
            raise ValueError("wire type")
        yield key >> 3, value


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value & (1 << 64) - 1, at


STRING_FIELDS = {"": {7, 8, 13, 14, 15}, "type": {1, 2}, "label": {1, 2, 4}, "mapping": {5, 6}, "function": {2, 3, 4}}
PARTS = {("", 1): "type", ("", 2): "sample", ("", 3): "mapping", ("", 4): "location", ("", 5): "function", ("", 11): "type",
         ("sample", 3): "label", ("location", 4): "line"}


def content(data):
    """What a message says, with strings instead of indices and without what is zero."""
    strings = [value for field, value in fields(data) if field == 6]

    def message(part, data):
        out = []
        for field, value in fields(data):
            if part == "" and field == 6:
                continue
            inner = PARTS.get((part, field))
            if inner:
                out.append((field, message(inner, value)))
            elif isinstance(value, bytes):
                at = 0
                while at < len(value):
                    number, at = read_varint(value, at)
                    out.append((field, strings[number] if field in STRING_FIELDS.get(part, ()) else number))
            elif field in STRING_FIELDS.get(part, ()):
                if value:
                    out.append((field, strings[value]))
            elif value or (part == "sample"):
                out.append((field, value))
        return out
    return message("", data)
