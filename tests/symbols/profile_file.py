"""A pprof file written and read without any of the code that is tested: just what these tests need."""
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from pprof_wire import Strings, fields, message, number, varint  # noqa: E402


class Writer:
    """mappings: dicts start, limit, offset, file, build_id and flags; locations: (address, mapping index or None, lines
    as (name, system name, file, line))."""

    def __init__(self):
        self.text = Strings()
        self.body = b""
        self.functions = 0
        self.locations = 0
        self.mappings = 0
        self.body += message(1, number(1, self.text("space")) + number(2, self.text("bytes")))

    def mapping(self, start, limit, offset, file, build_id="", functions=0, filenames=0, has_lines=0, inlines=0):
        self.mappings += 1
        self.body += message(3, number(1, self.mappings) + number(2, start) + number(3, limit) + number(4, offset)
                             + number(5, self.text(file)) + number(6, self.text(build_id)) + number(7, functions)
                             + number(8, filenames) + number(9, has_lines) + number(10, inlines))
        return self.mappings

    def location(self, address, mapping, lines=()):
        self.locations += 1
        body = number(1, self.locations) + number(2, mapping) + number(3, address)
        for name, system_name, file, line in lines:
            self.functions += 1
            self.body += message(5, number(1, self.functions) + number(2, self.text(name))
                                 + number(3, self.text(system_name)) + number(4, self.text(file)))
            body += message(4, number(1, self.functions) + number(2, line))
        self.body += message(4, body)
        self.body += message(2, number(1, self.locations) + varint(2 << 3) + varint(self.locations))
        return self.locations

    def write(self, path):
        with gzip.open(path, "wb") as file:
            file.write(self.body + self.text.encode())


class Reader:
    """locations: list of (address, mapping index, [(name, system name, file, start line, line)]); mappings: dicts."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = gzip.decompress(file.read())
        strings, functions, locations, self.mappings, self.samples = [], {}, [], [], []
        for field, value in fields(data):
            if field == 6:
                strings.append(value.decode(errors="replace"))
            elif field == 5:
                f = dict(fields(value))
                functions[f[1]] = f
            elif field == 4:
                locations.append(value)
            elif field == 3:
                m = dict(fields(value))
                self.mappings.append({"start": m.get(2, 0), "file": m.get(5, 0), "build_id": m.get(6, 0),
                                      "functions": m.get(7, 0), "filenames": m.get(8, 0), "lines": m.get(9, 0),
                                      "inlines": m.get(10, 0)})
            elif field == 2:
                self.samples.append(value)
        self.n_functions = len(functions)
        for m in self.mappings:
            m["file"], m["build_id"] = strings[m["file"]], strings[m["build_id"]]
        self.locations = []
        for value in locations:
            address, mapping, lines = 0, 0, []
            for field, inner in fields(value):
                if field == 3:
                    address = inner
                elif field == 2:
                    mapping = inner
                elif field == 4:
                    line = dict(fields(inner))
                    f = functions[line[1]]
                    lines.append((strings[f.get(2, 0)], strings[f.get(3, 0)], strings[f.get(4, 0)], f.get(5, 0),
                                  line.get(2, 0)))
            self.locations.append((address, mapping, lines))
