#!/usr/bin/env python3
"""names_as_pprof.py NAMES MODE: function names of a profile (name = system name) as approf symbolize shows them and as
go tool pprof does. One name a line in NAMES. Exits 1 when more than --allow of them differ."""
import argparse
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import profile_file  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("names")
parser.add_argument("mode", choices=["default", "templates", "full"])
parser.add_argument("--allow", type=float, default=0)
args = parser.parse_args()
with open(args.names, encoding="utf-8", errors="replace") as file:
    names = [line.rstrip("\n") for line in file if line.strip()]
writer = profile_file.Writer()
mapping = writer.mapping(0x1000, 0x100000000, 0, "/nowhere/names", functions=1, has_lines=1)
for i, name in enumerate(names):
    writer.location(0x1000 + i, mapping, [(name, name, "file.c", 1)])
writer.write("names.pb.gz")
mode = "-symbolize=demangle=" + args.mode
done = subprocess.run([os.environ.get("APPROF_BIN", "build/approf"), "symbolize", mode, "names.pb.gz", "-o", "ours.pb.gz"],
                      capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr)
ours = {a: lines[0][0] for a, _, lines in profile_file.Reader("ours.pb.gz").locations}
raw = subprocess.run(["go", "tool", "pprof", "-raw", mode, "names.pb.gz"], capture_output=True, text=True,
                     errors="replace").stdout
theirs = {}
for line in raw.split("Locations\n", 1)[1].splitlines():
    match = re.match(r"\s*\d+: 0x([0-9a-f]+) M=1 (.*) file\.c:1 s=0(?:\(.*\))?$", line)
    if match:
        theirs[int(match.group(1), 16)] = match.group(2)
different = 0
for i, name in enumerate(names):
    if ours.get(0x1000 + i) != theirs.get(0x1000 + i):
        different += 1
        if different <= 10:
            print("%s\n  approf %s\n  pprof  %s" % (name[:300], ours.get(0x1000 + i), theirs.get(0x1000 + i)))
print("%d names, %d different" % (len(names), different))
sys.exit(len(theirs) < len(names) or different > args.allow * len(names))
