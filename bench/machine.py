"""What machine this is and which versions of what is measured, without names of hosts or places: as a module."""
import os
import platform
import re
import shutil
import subprocess
import time


def first_line(path, pattern):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read(), re.M)
            return found.group(1).strip() if found else ""
    except OSError:
        return ""


def said(command, pattern=r"(\d+(?:\.\d+)+)"):
    path = shutil.which(command[0]) or (os.path.exists("/usr/sbin/" + command[0]) and "/usr/sbin/" + command[0])
    if not path:
        return "not installed"
    try:
        done = subprocess.run([path, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return "unknown"
    found = re.search(pattern, done.stdout.decode(errors="replace"))
    return found.group(1) if found else "unknown"


def package(name):
    if not shutil.which("dpkg-query"):
        return "unknown"
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode().strip() or "not installed"


def describe():
    memory = int(first_line("/proc/meminfo", r"^MemTotal:\s*(\d+)") or 0) / (1 << 20)
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": first_line("/proc/cpuinfo", r"^model name\s*:\s*(.*)$") or platform.machine(),
        "virtual": bool(re.search(r"\bhypervisor\b", first_line("/proc/cpuinfo", r"^flags\s*:(.*)$"))),
        "cores": os.cpu_count(),
        "memory_gib": round(memory),
        "load": round(os.getloadavg()[0], 1),
        "kernel": platform.release().split("-")[0],
        "system": first_line("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
        "versions": {
            "glibc": platform.libc_ver()[1], "gcc": said(["gcc", "--version"]), "jemalloc": package("libjemalloc2"),
            "gperftools": package("libgoogle-perftools4"), "heaptrack": package("heaptrack"),
            "valgrind": said(["valgrind", "--version"]), "Go": said(["go", "version"]),
            "redis-server": said(["redis-server", "--version"]), "nginx": said(["nginx", "-v"]), "sqlite3": said(["sqlite3", "--version"]),
            "python3": said(["/usr/bin/python3", "--version"]),
        },
    }
