"""Answers as the path says, well and badly: http_source.py PROFILE. Prints its port."""

import socket
import sys
import threading
import time

profile = open(sys.argv[1], "rb").read()
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
print(port, flush=True)


def chunks(data):
    return b"".join(b"%x;ext=1\r\n%s\r\n" % (len(data[i:i + 999]), data[i:i + 999]) for i in range(0, len(data), 999)) + b"0\r\n\r\n"


def head(*lines):
    return ("HTTP/1.1 " + "\r\n".join(lines) + "\r\n\r\n").encode()


def answer(s):
    request = b""
    while b"\r\n\r\n" not in request:
        piece = s.recv(65536)
        if not piece:
            return
        request += piece
    path = request.split(b" ")[1].decode()
    print(request.decode().replace("\r\n", "|"), file=sys.stderr, flush=True)
    name = path.split("?")[0]
    if name == "/length":
        s.sendall(head("200 OK", f"Content-Length: {len(profile)}") + profile)
        time.sleep(2)  # the connection stays open: the length is believed
    elif name == "/chunked":
        s.sendall(head("200 OK", "Transfer-Encoding: chunked") + chunks(profile))
    elif name == "/close":
        s.sendall(head("200 OK") + profile)
    elif name == "/redirect":
        s.sendall(head("302 Found", "Location: /close", "Content-Length: 0"))
    elif name == "/away":
        s.sendall(head("301 Moved", f"Location: http://localhost:{port}/close", "Content-Length: 0"))
    elif name == "/loop":
        s.sendall(head("302 Found", "Location: /loop", "Content-Length: 0"))
    elif name == "/secure":
        s.sendall(head("302 Found", "Location: https://example.com/", "Content-Length: 0"))
    elif name == "/short":
        s.sendall(head("200 OK", f"Content-Length: {len(profile) + 9}") + profile)
    elif name == "/garbled":
        s.sendall(head("200 OK", "Transfer-Encoding: chunked") + b"-5\r\nhello\r\n")
    elif name == "/headers":
        s.sendall(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100000)
    elif name == "/long":
        s.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1000000)
    elif name == "/nothing":
        s.sendall(b"SSH-2.0-OpenSSH\r\n")
    elif name == "/slow":
        for _ in range(600):
            s.sendall(b"H")
            time.sleep(0.1)
    elif name == "/missing":
        s.sendall(head("404 Not Found", "X-Go-Pprof: 1", "Content-Type: text/plain; charset=utf-8") + b"Unknown \033profile\n")
    else:
        s.sendall(head("500 Oops", "Content-Length: 0"))


def serve(s):
    with s:
        try:
            answer(s)
        except OSError:
            pass


while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
