"""What is run under each tool: allocation patterns, and programs that nobody here wrote. As a module.

A workload's run(tool, count) does COUNT operations and gives a measure.Result. `least` operations are what a run takes at least,
`first` where calibration begins, `most` where it ends; with `fixed` there is nothing to calibrate. `limit` is in seconds. With
`portion` a run of that part of the operations is taken off: what a process does once (its first samples' modules and rules, the
heap's first pages) drops out then, and not only its start and end.
"""
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import measure
import tools


class Workload:
    least, first, most, fixed, portion, limit = 1, 100, 10**9, 0, 0, 30

    def __init__(self, name, temp):
        self.name, self.temp = name, temp
        self.base_env = tools.plain_environment()

    def environment(self, tool):
        return self.base_env | tool.env

    def refuses(self, tool):
        """Why this tool can't be measured here, empty when it can."""
        return "a Go program" if tool.language == "go" else ""

    def clean(self):
        for entry in os.scandir(self.temp):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)

    def run(self, tool, count):
        try:
            return self.go(tool, count)
        finally:
            self.clean()


class Pattern(Workload):
    """One of patterns.c's, or map_strings; Go's runtime runs go_patterns. One thread stays on one processor: moving costs as much
    as what is measured."""

    def __init__(self, name, temp, build, pattern, threads=1, first=1000):
        super().__init__(name, temp)
        self.build, self.pattern, self.threads, self.first = build, pattern, threads, first

    def refuses(self, tool):
        return ""

    def arguments(self, count, tool=None):
        folder = os.path.join(self.build, "bench")
        if tool and tool.language == "go":
            rate = tools.GO_RATE if tool.kind == "sampler" else "0"
            return [os.path.join(folder, "go_patterns"), self.pattern, str(count), str(self.threads), rate]
        if self.pattern == "map":
            return [os.path.join(folder, "map_strings"), str(count)]
        return [os.path.join(folder, "patterns"), self.pattern, str(count), str(self.threads)]

    def go(self, tool, count):
        # Go's collector has threads of its own, and heaptrack a process that must not have to wait for the program's processor.
        if self.threads > 1 or self.pattern == "crossed" or tool.language == "go" or tool.command:
            return measure.run(tool.command + self.arguments(count, tool), self.environment(tool), self.limit, count)
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(processors)})  # inherited by what is started now
        try:
            return measure.run(tool.command + self.arguments(count, tool), self.environment(tool), self.limit, count)
        finally:
            os.sched_setaffinity(0, processors)


def patterns(temp, build):
    return [
        Pattern("64-byte pairs", temp, build, "pairs", first=100000),
        Pattern("mixed sizes", temp, build, "mixed", first=50000),
        Pattern("mixed sizes, 2 threads", temp, build, "mixed", 2, first=20000),
        Pattern("mixed sizes, 8 threads", temp, build, "mixed", 8, first=5000),
        Pattern("freed in another thread", temp, build, "crossed", first=20000),
        Pattern("16 KiB under 20 frames", temp, build, "deep", first=10000),
        Pattern("16 KiB under 100 frames", temp, build, "deep100", first=5000),
        Pattern("realloc, 64 bytes to 1 MiB", temp, build, "realloc", first=50),
        Pattern("std::map of strings", temp, build, "map", first=10000),
    ]


class Sqlite(Workload):
    """sqlite3 inserting up to a million rows; an operation is a row."""
    first, most = 20000, 1000000

    def refuses(self, tool):
        return super().refuses(tool) or ("" if shutil.which("sqlite3") else "sqlite3 is not installed")

    def arguments(self, count):
        return ["sqlite3", ":memory:", "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);"
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<{count}) INSERT INTO t "
                "SELECT i, 'row number ' || i || ' of the table', i * 0.5 FROM n; CREATE INDEX x ON t(b); SELECT sum(c) FROM t;"]

    def go(self, tool, count):
        return measure.run(tool.command + self.arguments(count), self.environment(tool), self.limit, count)


class Python(Workload):
    """python_objects.py; an operation is a batch of 50 orders."""
    first, most = 5, 5000
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable

    def arguments(self, count):
        return [self.python, "-I", os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_objects.py"), str(count)]

    def go(self, tool, count):
        return measure.run(tool.command + self.arguments(count), self.environment(tool), self.limit, count)


class Gcc(Workload):
    """gcc -O2 of a generated file, the compiler proper: not all tools follow children. An operation is a function of the file."""
    first, most = 20, 20000

    def __init__(self, name, temp):
        super().__init__(name, temp)
        self.sources = {}

        found = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, check=False) if shutil.which("gcc") else None
        self.compiler = found.stdout.decode().strip() if found else ""

    def refuses(self, tool):
        return super().refuses(tool) or ("" if os.path.isabs(self.compiler) else "gcc's cc1 is not found")

    def source(self, count):
        if count not in self.sources:
            folder = os.path.join(self.temp, "sources")
            os.makedirs(folder, exist_ok=True)
            self.sources[count] = os.path.join(folder, f"functions{count}.c")
            with open(self.sources[count], "w", encoding="ascii") as file:
                file.write("int printf(const char *, ...);\nint strcmp(const char *, const char *);\nstruct item { char name[40]; long key; double weight; };\n")
                rng = random.Random(1)
                for i in range(count):
                    file.write(c_function(i, rng))
        return self.sources[count]

    def go(self, tool, count):
        return measure.run(tool.command + [self.compiler, "-quiet", "-O2", self.source(count), "-o", "/dev/null"],
                           self.environment(tool), self.limit, count)


def c_function(i, rng):
    cases = "".join(f"        case {k}: sum += items[j].key * {rng.randrange(3, 99)} ^ {rng.randrange(99)}; break;\n"
                    for k in range(rng.randrange(3, 9)))
    return (f"long work{i}(struct item *items, int n, const char *name)\n{{\n    long sum = {i};\n"
            f"    for (int j = 0; j < n; j++) {{\n        if (strcmp(items[j].name, name) == 0)\n            sum -= j;\n"
            f"        switch (items[j].key % {rng.randrange(9, 15)}) {{\n{cases}        default: items[j].weight *= 1.{i};\n        }}\n"
            f"    }}\n    if (sum > {rng.randrange(1000)})\n        printf(\"%s: %ld\\n\", name, sum);\n    return sum;\n}}\n")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, process, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not process.has_ended():
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise measure.Failed(f"{process.name}: nobody listens")


class Server(Workload):
    """A server's CPU time while a client puts load on it; what it takes to start and stop is left out like any program's."""
    least = 0
    tools_needed = ()

    def refuses(self, tool):
        if tool.name == "DHAT":
            return "too slow for a server under load"
        if tool.command:
            return "this command can't be told to end a server"
        missing = [p for p in self.tools_needed if not shutil.which(p) and not os.path.exists("/usr/sbin/" + p)]
        return super().refuses(tool) or (f"{', '.join(missing)} is not installed" if missing else "")

    def go(self, tool, count):
        port = free_port()
        process = measure.Process(tool.command + self.server(port), self.environment(tool), self.limit)
        operations, failure = 0, None
        try:
            wait_for_port(port, process)
            if count:
                operations = self.load(port, count)
        except measure.Failed as error:
            failure = error
        except (OSError, subprocess.SubprocessError) as error:
            failure = measure.Failed(f"{process.name}: the client failed: {type(error).__name__}")
        process.stop(self.stop)
        status, cpu, memory = process.ended()
        if failure:
            raise failure
        if status not in (0, -self.stop):
            raise measure.Failed(f"{process.name}: exit status {status}")
        return measure.Result(cpu, memory, operations)


class Redis(Server):
    """redis-server under redis-benchmark's SET, GET and LPUSH; an operation is a command. Debian links it with jemalloc, which is
    what lies beneath where no other allocator is preloaded."""
    tools_needed = ("redis-server", "redis-benchmark")
    stop = signal.SIGTERM
    first, most = 5000, 10000000

    def server(self, port):
        return ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", self.temp]

    def load(self, port, count):
        each = max(1, count // 3)
        subprocess.run(["redis-benchmark", "-p", str(port), "-t", "set,get,lpush", "-n", str(each), "-c", "32", "-P", "8", "-d", "128",
                        "-r", "100000", "-q"], env=self.base_env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=measure.seconds_left(self.limit), check=True)
        return 3 * each


class Nginx(Server):
    """nginx answering wrk with a compressed page; an operation is a request."""
    tools_needed = ("nginx", "wrk")
    stop = signal.SIGQUIT
    fixed = 1  # seconds: wrk counts the requests

    def server(self, port):
        site = os.path.join(self.temp, "site")
        os.makedirs(os.path.join(site, "logs"), exist_ok=True)
        with open(os.path.join(site, "page.html"), "w", encoding="ascii") as file:
            file.write("<html><body>" + "".join(f"<p>Paragraph {i} of the page.</p>\n" for i in range(120)) + "</body></html>\n")
        conf = os.path.join(site, "nginx.conf")
        with open(conf, "w", encoding="ascii") as file:
            file.write("daemon off; master_process off; pid nginx.pid; error_log stderr crit;\nevents { worker_connections 128; }\n"
                       "http { access_log off; gzip on; gzip_min_length 1; default_type text/html;\n" +
                       "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) +
                       f"server {{ listen 127.0.0.1:{port}; root {site}; }} }}\n")
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        return [nginx, "-p", site, "-c", conf, "-e", "stderr"]

    def load(self, port, count):
        done = subprocess.run(["wrk", "-t1", "-c16", f"-d{count}s", "-H", "Accept-Encoding: gzip", f"http://127.0.0.1:{port}/page.html"],
                              env=self.base_env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=measure.seconds_left(self.limit),
                              check=True)
        found = re.search(rb"(\d+) requests in", done.stdout)
        if not found or b"Non-2xx" in done.stdout:
            raise measure.Failed("wrk was not answered")
        return int(found.group(1))


def programs(temp):
    return [Redis("redis-server", temp), Nginx("nginx", temp), Sqlite("sqlite3", temp), Python("python3", temp), Gcc("gcc -O2", temp)]
