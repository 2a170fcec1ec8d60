"""Hostile clients of approf serve: serve_clients.py PORT. Each must be refused or dropped, and the
server must answer an honest one after each. Prints what went wrong; exit status 1 then."""

import http.client
import socket
import sys
import time

PORT = int(sys.argv[1])
failures = []


def bad(text):
    failures.append(text)
    print("FAILED:", text)


def ask(data, wait=60):
    """Sends bytes, returns what comes until the end."""
    with socket.create_connection(("127.0.0.1", PORT), timeout=wait) as s:
        got = b""
        try:
            s.sendall(data)
            while piece := s.recv(65536):
                got += piece
        except (ConnectionError, socket.timeout) as error:
            if isinstance(error, socket.timeout):
                bad(f"no end of the answer to {data[:40]!r}")
        return got


def status(answer):
    words = answer.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/1.") else 0


def honest(after):
    try:
        c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        c.request("GET", "/debug/pprof/heap")
        r = c.getresponse()
        body = r.read()
        if r.status != 200 or body[:2] != b"\x1f\x8b":
            bad(f"after {after}: status {r.status}")
        c.close()
    except OSError as error:
        bad(f"after {after}: {error}")


def request(line="GET /debug/pprof/ HTTP/1.1", host=f"Host: 127.0.0.1:{PORT}", more=""):
    return (line + "\r\n" + (host + "\r\n" if host else "") + more + "Connection: close\r\n\r\n").encode()


for host, want in [
    (f"Host: 127.0.0.1:{PORT}", 200), ("Host: localhost", 200), ("Host: LOCALHOST.:99", 200),
    ("Host: [::1]:6060", 200), ("Host: 127.8.9.1", 200), ("Host: evil.example", 403),
    ("Host: evil.example:6060", 403), ("Host: 10.0.0.1", 403), ("Host: localhost.evil.example", 403),
    ("Host: 127.0.0.1.evil.example", 403), ("Host: ", 403), ("Host: localhost:80@evil", 403),
    ("Host: [::1", 403), ("Host: " + "a" * 5000, 403),
]:
    if (got := status(ask(request(host=host)))) != want:
        bad(f"{host[:60]}: {got}, not {want}")
if status(ask(b"GET /debug/pprof/ HTTP/1.0\r\n\r\n")) not in (400, 403):
    bad("no Host at all was let in")

for line, want in [
    ("GET /debug/pprof/heap?seconds=0 HTTP/1.1", 400), ("GET /debug/pprof/heap?seconds=-1 HTTP/1.1", 400),
    ("GET /debug/pprof/heap?seconds=99999999999999999999 HTTP/1.1", 400),
    ("GET /debug/pprof/heap?seconds=3601 HTTP/1.1", 400),
    ("GET /debug/pprof/heap?seconds=1x HTTP/1.1", 400),
    ("GET /debug/pprof/allocs?seconds=1&debug=1 HTTP/1.1", 400),
    ("GET /debug/pprof/goroutine HTTP/1.1", 404), ("GET /debug/pprof/profile?seconds=5 HTTP/1.1", 404),
    ("GET /debug/pprof/../../etc/passwd HTTP/1.1", 404), ("GET /0/debug/pprof/heap HTTP/1.1", 200),
    ("GET /4294967296/debug/pprof/heap HTTP/1.1", 404), ("GET /1/debug/pprof/heap HTTP/1.1", 404),
    ("GET //debug/pprof/heap HTTP/1.1", 404),
    ("GET /debug/pprof HTTP/1.1", 301), ("DELETE /debug/pprof/heap HTTP/1.1", 405),
    ("GET /debug/pprof/heap?gc=1 HTTP/1.1", 200), ("GET /debug/pprof/heap?seconds= HTTP/1.1", 200),
]:
    if (got := status(ask(request(line)))) != want:
        bad(f"{line}: {got}, not {want}")

# huge lines, headers, many of them, bodies
for name, data in [
    ("a long path", request("GET /" + "a" * 100000 + " HTTP/1.1")),
    ("a long query", request("GET /debug/pprof/symbol?" + "0x1+" * 50000 + " HTTP/1.1")),
    ("a long header", request(more="X-Long: " + "b" * 1000000 + "\r\n")),
    ("many headers", request(more="".join(f"X-{i}: y\r\n" for i in range(20000)))),
]:
    if status(ask(data)) not in (0, 400, 413, 414, 431):
        bad(f"{name} was taken")
    honest(name)
body = b"0x1+" * 100000
if status(ask(f"POST /debug/pprof/symbol HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              f"Content-Length: {len(body)}\r\n\r\n".encode() + body)) not in (0, 413):
    bad("a body of 400,000 bytes was taken")
honest("a long body")
for data in [b"\0" * 5000, b"\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 9000,
             b"POST /debug/pprof/symbol HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
             b"POST /debug/pprof/symbol HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]:
    with socket.create_connection(("127.0.0.1", PORT), timeout=60) as s:
        s.sendall(data)
    honest(repr(data[:30]))

# 300 connections that say nothing, 300 that stop within a header
for name, first in [("silent", b""), ("half", b"GET /debug/pprof/heap HTTP/1.1\r\nHost: loc")]:
    crowd = []
    for _ in range(300):
        s = socket.create_connection(("127.0.0.1", PORT), timeout=60)
        s.sendall(first)
        crowd.append(s)
    honest(f"300 {name} connections")
    if name == "half":
        # One trickles on: it is dropped all the same, within the deadline of a request.
        trickle, start = crowd[0], time.monotonic()
        trickle.settimeout(0.5)
        dropped = False
        while not dropped and time.monotonic() - start < 120:
            try:
                trickle.sendall(b"a")
                dropped = trickle.recv(1) == b""
            except socket.timeout:
                pass
            except ConnectionError:
                dropped = True
        if not dropped:
            bad("a client that sends a byte now and then is never dropped")
    for s in crowd:
        s.close()

# Clients that ask and never read, and that ask and go.
idle = []
for _ in range(50):
    s = socket.create_connection(("127.0.0.1", PORT), timeout=60)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.sendall(request("GET /debug/pprof/heap?debug=1 HTTP/1.1"))
    idle.append(s)
for _ in range(50):
    s = socket.create_connection(("127.0.0.1", PORT), timeout=60)
    s.sendall(request("GET /debug/pprof/allocs?seconds=1 HTTP/1.1"))
    s.close()
# Those that have gone are noticed: there is room again.
for _ in range(60):
    s = socket.create_connection(("127.0.0.1", PORT), timeout=60)
    s.sendall(request("GET /debug/pprof/allocs?seconds=3600 HTTP/1.1"))
    s.close()
honest("clients that do not read")
deadline = time.monotonic() + 60
while (got := status(ask(request("GET /debug/pprof/allocs?seconds=1 HTTP/1.1")))) == 503 and time.monotonic() < deadline:
    time.sleep(0.5)
if got != 200:
    bad(f"clients that have gone still take the room: {got}")
# More waiting ones than there is room for: some get 503, none is lost.
many = []
for _ in range(80):
    s = socket.create_connection(("127.0.0.1", PORT), timeout=120)
    s.sendall(request("GET /debug/pprof/allocs?seconds=2 HTTP/1.1"))
    many.append(s)
counts = {}
for s in many:
    got = b""
    while piece := s.recv(65536):
        got += piece
    counts[status(got)] = counts.get(status(got), 0) + 1
if counts.get(200, 0) == 0 or counts.get(503, 0) == 0 or sum(counts.values()) != counts.get(200, 0) + counts.get(503, 0):
    bad(f"80 requests at once: {counts}")
honest("80 requests at once")
sys.exit(1 if failures else 0)
