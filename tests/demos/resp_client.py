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


failures = 0


def expect(what, got, wanted):
    global failures
    if got != wanted:
        failures += 1
        print(f"FAILED: {what}: got {got!r:.300}, wanted {wanted!r:.300}")


def finish():
    print(f"{failures} failed" if failures else "all as Redis does it")
    sys.exit(1 if failures else 0)
