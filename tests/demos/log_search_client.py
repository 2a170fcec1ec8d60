"""log_search_client.py PORT: what log-search says to raw bytes."""

import sys

from resp_client import Raw, expect, finish

PORT = int(sys.argv[1])


def status_of(data):
    raw = Raw(PORT)
    raw.send(data)
    line = raw.line()
    raw.close()
    return line and line.split()[1]


cases = {
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n": b"200",
    b"\r\nGET / HTTP/1.0\n\n": b"200",
    b"GET / HTTP/2.0\r\n\r\n": b"505",
    b"GET /\r\n\r\n": b"400",
    b"GET  / HTTP/1.1\r\n\r\n": b"400",
    b"G@T / HTTP/1.1\r\n\r\n": b"400",
    b"GET x HTTP/1.1\r\n\r\n": b"400",
    b"GET / HTTP/1.1\r\nno colon\r\n\r\n": b"400",
    b"GET / HTTP/1.1\r\nspace : x\r\n\r\n": b"400",
    b"GET / HTTP/1.1\r\nA: b\x01c\r\n\r\n": b"400",
    b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n": b"400",
    b"GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n": b"200",
    b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n": b"400",
    b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n": b"431",
    b"GET / HTTP/1.1\r\nA: " + b"b" * 9000: b"431",
    b"GET /search?q=" + b"a" * 300 + b" HTTP/1.1\r\n\r\n": b"400",
    b"GET /search?q=a%00b HTTP/1.1\r\n\r\n": b"400",
    b"\xff\xfe\x00": None,
}
for data, wanted in cases.items():
    if wanted is None:
        raw = Raw(PORT)
        raw.send(data)
        raw.close()
    else:
        expect(f"{data[:40]!r}", status_of(data), wanted)

# Two requests in one piece, then one byte at a time, on one connection.
raw = Raw(PORT)
get = b"GET /nope HTTP/1.1\r\nHost: x\r\n\r\n"
raw.send(get + get)
for byte in get:
    raw.send(bytes([byte]))
for _ in range(3):
    expect("kept alive", raw.line(), b"HTTP/1.1 404 Not Found")
    length = 0
    while line := raw.line():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split()[1])
    raw.exactly(length)
raw.send(b"GET /nope HTTP/1.1\r\nConnection: close\r\n\r\n")
while raw.line():
    pass
expect("closed when asked to", raw.exactly(34) is not None and raw.line(), None)

idle = [Raw(PORT) for _ in range(1000)]
expect("beside 1,000 idle ones", status_of(get), b"404")
for one in idle:
    one.send(get[:20])
for one in idle:
    one.close()
slow = Raw(PORT)
slow.send(b"GET /search?q=. HTTP/1.1\r\n\r\n" * 100)
expect("beside a slow reader", status_of(get), b"404")
slow.close()
expect("after those that vanished", status_of(get), b"404")
finish()
