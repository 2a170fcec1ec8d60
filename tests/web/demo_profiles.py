#!/usr/bin/env python3
"""Runs every demo target under the preload with a small load: NAME.pb.gz of each, in the folder. demo_profiles.py DEMOS LIBRARY

Every allocation is recorded (RATE=1), so that figures are the same each time but for threads that come and go."""
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request

demos, library = sys.argv[1:3]
STAGES = [f"resp-stage{i}" for i in range(8)]
HANGS = 120  # seconds


def environment(name):
    tables = os.path.abspath("tables")
    os.makedirs(tables, mode=0o700, exist_ok=True)
    return {**os.environ, "LD_PRELOAD": library, "APPROF_RATE": "1", "APPROF_OUT": f"{os.getcwd()}/{name}.pb.gz", "APPROF_TABLES": tables}


def command(name, *arguments):
    subprocess.run([f"{demos}/{name}", *arguments], env=environment(name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=HANGS)


def server(name, load, *arguments):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    process = subprocess.Popen([f"{demos}/{name}", "--port", str(port), *arguments], env=environment(name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    timer = threading.Timer(HANGS, process.kill)
    timer.start()
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            except ConnectionRefusedError:
                if process.poll() is not None:
                    raise SystemExit(f"{name} has ended") from None
                time.sleep(0.05)
        load(port)
        process.terminate()
        if process.wait(HANGS) not in (0, -15):
            raise SystemExit(f"{name}: exit status {process.returncode}")
    finally:
        process.kill()
        process.wait()
        timer.cancel()


def resp(port, requests):
    """All requests, sixteen at a time; each answer is one line."""
    with socket.create_connection(("127.0.0.1", port), timeout=HANGS) as one:
        answers = one.makefile("rb")
        for at in range(0, len(requests), 16):
            part = requests[at:at + 16]
            one.sendall(b"".join(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words) for words in part))
            for words in part:
                line = answers.readline()
                if not line or line[:1] == b"-":
                    raise SystemExit(f"{words[:2]}: {line}")
                if line[:1] == b"$" and line != b"$-1\r\n":
                    answers.readline()


def redis_load(port):
    resp(port, [[b"LPUSH", b"list", b"x" * 100] for _ in range(400)] + [[b"SET", b"key%d" % i, b"v" * 128] for i in range(200)] + [[b"GET", b"key%d" % i] for i in range(200)])


def stage_load(port):
    resp(port, [[b"SET", b"key:%06d" % (i * 7919 % 500), b"v" * 3] for i in range(4000)])


def search_load(port):
    for word in ("error", "user.*login", "[0-9]+ms"):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/search?q={urllib.parse.quote(word)}", timeout=HANGS) as answer:
            answer.read()


def main():
    for which in ("buggy", "fixed"):
        command(f"log-parse-{which}", "--lines", "2000")
        server(f"redis-clone-{which}", redis_load)
        server(f"log-search-{which}", search_load, "--lines", "300")
    for name in STAGES:
        server(name, stage_load)


main()
