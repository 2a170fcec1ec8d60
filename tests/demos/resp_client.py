"""What the tests of the Redis servers share: a raw RESP connection that says byte for byte what it got."""

import socket
import sys


class Raw:
    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.rest = b""

    def send(self, data):
        self.sock.sendall(data)

    def line(self):
        """One line without its end; None when the server has closed."""
        while b"\r\n" not in self.rest:
            got = self.sock.recv(65536)
            if not got:
                return None
            self.rest += got
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def exactly(self, count):
        while len(self.rest) < count:
            got = self.sock.recv(65536)
            if not got:
                return None
            self.rest += got
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def reply(self):
        """A reply as python: bytes with their type byte for lines, bytes or None for bulk, list for arrays."""
        line = self.line()
        if line is None:
            return "closed"
        if line[:1] == b"$":
            size = int(line[1:])
            return None if size < 0 else self.exactly(size + 2)[:-2]
        if line[:1] == b"*":
            count = int(line[1:])
            return None if count < 0 else [self.reply() for _ in range(count)]
        return line

    def ask(self, *arguments):
        self.send(request(*arguments))
        return self.reply()

    def closed(self):
        """The server has closed, after whatever it still had to say."""
        try:
            return self.reply() == "closed"
        except ConnectionResetError:
            return True

    def close(self):
        self.sock.close()


def request(*arguments):
    data = b"*%d\r\n" % len(arguments)
    for argument in arguments:
        argument = argument if isinstance(argument, bytes) else str(argument).encode()
        data += b"$%d\r\n%s\r\n" % (len(argument), argument)
    return data


def largest_value(port):
    """The largest value that Redis takes, 512 MiB, goes in and comes back; one byte more is refused."""
    with open("/proc/meminfo") as file:
        free_kb = int(next(line for line in file if line.startswith("MemAvailable")).split()[1])
    if free_kb < 4000000:
        print(f"the value of 512 MiB is left out: {free_kb} kB of memory")
        return
    size, piece = 512 << 20, b"0123456789abcdef" * 65536
    raw = Raw(port)
    raw.sock.settimeout(300)
    raw.send(b"*3\r\n$3\r\nSET\r\n$7\r\nlargest\r\n$%d\r\n" % size)
    for _ in range(size // len(piece)):
        raw.send(piece)
    raw.send(b"\r\n")
    expect("set 512 MiB", raw.line(), b"+OK")
    raw.send(request("GET", "largest"))
    expect("get 512 MiB, its size", raw.line(), b"$%d" % size)
    wrong = sum(raw.exactly(len(piece)) != piece for _ in range(size // len(piece)))
    expect("get 512 MiB, pieces that differ", (wrong, raw.exactly(2)), (0, b"\r\n"))
    expect("del 512 MiB", raw.ask("DEL", "largest"), b":1")
    raw.send(b"*3\r\n$3\r\nSET\r\n$7\r\nlargest\r\n$%d\r\n" % (size + 1))
    expect("set 512 MiB and one", raw.line(), b"-ERR Protocol error: invalid bulk length")
    expect("set 512 MiB and one: then closed", raw.closed(), True)
    expect("the others go on", Raw(port).ask("PING"), b"+PONG")


failures = 0


def expect(what, got, wanted):
    global failures
    if got != wanted:
        failures += 1
        print(f"FAILED: {what}: got {got!r:.300}, wanted {wanted!r:.300}")


def finish():
    print(f"{failures} failed" if failures else "all as Redis does it")
    sys.exit(1 if failures else 0)
