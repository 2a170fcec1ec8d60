#!/usr/bin/env python3
"""against_addr2line.py BINARY [options]: symbolizes addresses of a binary with approf and with addr2line, compares.

Addresses are the last bytes of call instructions (what a profile holds), or with --every N each Nth byte of code.
Exits 1 and says where they differ. Names are compared as the linker knows them, files after "." and "//" are gone.
addr2line gives the innermost frame of split code the name of the outermost function's symbol, and shows clones by
their suffix: llvm-symbolizer, where it is installed, is the second judge, and a frame is right when one of them agrees.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import profile_file  # noqa: E402


def run(*command, stdin=None):
    return subprocess.run(command, input=stdin, capture_output=True, text=True, errors="replace").stdout


def segments(binary):
    found = []
    for line in run("readelf", "-lW", binary).splitlines():
        words = line.split()
        if words and words[0] == "LOAD":
            flags = "".join(words[6:-1])
            found.append((int(words[1], 16), int(words[2], 16), int(words[4], 16), int(words[5], 16), "E" in flags))
    return found


def build_id(binary):
    match = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-nW", binary))
    return match.group(1) if match else ""


def call_sites(binary):
    sites = []
    for line in run("objdump", "-d", "--no-show-raw-insn", "-w", "--section=.text", binary).splitlines():
        words = line.split(None, 1)
        if sites and sites[-1] is None and words and words[0].endswith(":"):
            try:
                sites[-1] = int(words[0][:-1], 16) - 1
            except ValueError:
                sites.pop()
        if len(words) == 2 and words[1].startswith("call"):
            if sites and sites[-1] is None:
                sites.pop()
            sites.append(None)
    return [s for s in sites if s is not None]


def clean(path):
    path = re.sub(r" \(discriminator \d+\)$", "", path)
    path, _, line = path.rpartition(":")
    return re.sub(r"/(\./)+", "/", re.sub(r"//+", "/", path)), int(line) if line.isdigit() else 0


def judge(binary, addresses):
    lines = run("addr2line", "-afie", binary, stdin="\n".join(map(hex, addresses))).splitlines()
    chains, current, at = {}, None, 0
    while at < len(lines):
        if re.match(r"0x[0-9a-f]{16}$", lines[at]):
            current = chains.setdefault(int(lines[at], 16), [])
            at += 1
            continue
        current.append((lines[at],) + clean(lines[at + 1]))
        at += 2
    return chains


def second_judge(binary, addresses):
    if not shutil.which("llvm-symbolizer"):
        return {}
    answer = run("llvm-symbolizer", "--inlining", "--no-demangle", "--functions=linkage", "--output-style=GNU", "-e",
                 binary, "--addresses", stdin="\n".join(map(hex, addresses)))
    chains = {}
    for block in answer.split("\n0x"):
        lines = block.strip().splitlines()
        if len(lines) > 2:
            chain = [(lines[i],) + clean(lines[i + 1]) for i in range(1, len(lines) - 1, 2)]
            chains[int(lines[0].replace("0x", ""), 16)] = chain
    return chains


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--approf", default=os.environ.get("APPROF_BIN", "build/approf"))
    parser.add_argument("--path", help="what the mapping says, when it is not the binary itself")
    parser.add_argument("--symbol-path", default="")
    parser.add_argument("--every", type=int, default=0)
    parser.add_argument("--most", type=int, default=3000)
    parser.add_argument("--base", type=lambda s: int(s, 0), default=0x7f0000000000)
    parser.add_argument("--whole-image", action="store_true", help="one mapping from the first segment on")
    parser.add_argument("--no-build-id", action="store_true")
    parser.add_argument("--judge", help="the binary that addr2line reads")
    parser.add_argument("--allow", type=float, default=0, help="share that may differ")
    parser.add_argument("--names-only", action="store_true", help="no line information is there to be found")
    parser.add_argument("--keep", help="where to leave the symbolized profile")
    parser.add_argument("--show", type=int, default=3)
    args = parser.parse_args()

    loads = segments(args.judge or args.binary)
    text = [s for s in loads if s[4]]
    if args.every:
        addresses = [a for s in text for a in range(s[1] + 64, s[1] + s[2] - 64, args.every)]
    else:
        addresses = call_sites(args.binary)
    addresses = addresses[::len(addresses) // args.most + 1]
    fixed = "EXEC" in run("readelf", "-hW", args.binary)
    base = 0 if fixed else args.base
    writer = profile_file.Writer()
    path = args.path or os.path.abspath(args.binary)
    identity = "" if args.no_build_id else build_id(args.judge or args.binary)
    page = 4095
    if args.whole_image:
        start = loads[0][1] & ~page
        mapping = writer.mapping(base + start, base + loads[-1][1] + loads[-1][3], 0, path, identity)
        where = [(0, 1 << 64, mapping)]
    else:
        where = []
        for offset, vaddr, filesz, memsz, _ in text:
            start = vaddr & ~page
            mapping = writer.mapping(base + start, (base + vaddr + memsz + page) & ~page, offset & ~page, path, identity)
            where.append((vaddr, vaddr + memsz, mapping))
    for address in addresses:
        for low, high, mapping in where:
            if low <= address < high:
                writer.location(base + address, mapping)
    with tempfile.TemporaryDirectory() as folder:
        source, result = folder + "/in.pb.gz", args.keep or folder + "/out.pb.gz"
        writer.write(source)
        command = [args.approf, "symbolize", source, "-o", result]
        if args.symbol_path:
            command.append("-symbol_path=" + args.symbol_path)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit("approf symbolize: status %d: %s" % (done.returncode, done.stderr))
        sys.stderr.write(done.stderr)
        read = profile_file.Reader(result)
    expected = judge(args.judge or args.binary, addresses)
    others = second_judge(args.judge or args.binary, addresses)
    demangle({line[1] for _, _, lines in read.locations for line in lines}
             | {frame[0] for chains in (expected, others) for chain in chains.values() for frame in chain})
    same = different = unknown = inlined = 0
    for address, _, lines in read.locations:
        want, other = expected.get(address - base, []), others.get(address - base, [])
        if not want or want[0][0] == "??" or (not lines and want[0][2] == 0):
            unknown += 1
            continue
        got = [(system_name, file, line) for _, system_name, file, _, line in lines]
        inlined += len(got) > 1
        if args.names_only:
            want = want[-1:]
        right = len(got) in (len(want), len(other))
        for at, frame in enumerate(got):
            judges = [chain[at] for chain in (want, other) if len(chain) == len(got)]
            right = right and any(match(frame, j, args.names_only) for j in judges)
        if right:
            same += 1
            continue
        different += 1
        if different <= args.show:
            print("%#x\n  approf    %s\n  addr2line %s\n  llvm      %s" % (address - base, got, want, other))
    print("%d same, %d different, %d unknown to addr2line, %d with inlined frames" % (same, different, unknown, inlined))
    if same == 0 or different > args.allow * (same + different):
        sys.exit(1)


readable = {}


def demangle(names):
    """Constructors and destructors have several linkage names for one thing."""
    names = sorted(names)
    readable.update(zip(names, run("c++filt", "-i", stdin="\n".join(n.split(".")[0] for n in names)).split("\n")))


def match(got, want, names_only):
    if readable[got[0]] != readable[want[0]] and want[0] != "??":
        return False
    if names_only or want[2] == 0:  # no line: a file from the symbol table is as good as none
        return got[2] == 0
    return got[1:] == want[1:]


main()
