"""The wire format of pprof's files, written and read without any of the code that is tested."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    """A field that holds a number; zero is the default, and is left out."""
    return varint(field << 3) + varint(value) if value else b""


def message(field, body):
    """A field that holds bytes: a message, a string, or packed numbers."""
    return varint(field << 3 | 2) + varint(len(body)) + body


class Strings:
    """The string table: a text's index, and in the end the table's fields."""

    def __init__(self):
        self.ids = {"": 0}

    def __call__(self, text):
        return self.ids.setdefault(text, len(self.ids))

    def encode(self):
        return b"".join(message(6, s.encode()) for s in self.ids)


def read_varint(data, at):
    """The number at that place, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value & (1 << 64) - 1, at


def fields(data):
    """(number of the field, an int or bytes) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind in (1, 2, 5):
            size, at = read_varint(data, at) if kind == 2 else (8 if kind == 1 else 4, at)
            if at + size > len(data):
                raise ValueError("field runs past the end")
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def numbers(value):
    """A repeated field of integers: one number, or a packed run of them."""
    if isinstance(value, int):
        return [signed(value)]
    out, at = [], 0
    while at < len(value):
        one, at = read_varint(value, at)
        out.append(signed(one))
    return out
