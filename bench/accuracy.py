"""How right the samplers are: known_sizes.cc under each of them, many times, against what it says itself. As a module.

Files of jemalloc and gperftools hold what was sampled; it is scaled as their own tools do it: a stack's samples, of average size
s, stand for 1 / (1 - exp(-s / rate)) times as many.
"""
import math
import os
import re
import statistics
import sys
import time

import measure
import tools as tool_list

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))
import pprof_sum  # noqa: E402  (a decoder that shares nothing with ours)

RATE = 524288
PAGE = 4096
SIZES = (32, 512, 8192, 131072, 2097152)


def scaled(objects, size):
    return size / (1 - math.exp(-size / objects / RATE)) if objects and size else 0.0


def read_text(path):
    """(addresses, alive, allocated) by stack, of jemalloc's and gperftools' heap_v2 files."""
    addresses = []
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            found = re.match(r"\s*(t\*)?:?\s*(\d+):\s*(\d+) \[\s*(\d+):\s*(\d+)\](?: @((?: 0x[0-9a-f]+)+))?", line)
            if line.startswith("@ "):
                addresses = [int(a, 16) for a in line[2:].split() if a.startswith("0x")]
            elif found:
                here = [int(a, 16) for a in found.group(6).split()] if found.group(6) else addresses
                numbers = [int(found.group(i)) for i in range(2, 6)]
                yield here, scaled(*numbers[:2]), scaled(*numbers[2:])


def read_pprof(path):
    profile = pprof_sum.load(path)
    allocated, alive = profile.column("alloc_space"), profile.column("inuse_space")
    for stack, values, _ in profile.samples:
        yield [profile.locations[location][0] for location in stack], values[alive], values[allocated]


def one_run(program, tool, env, folder):
    """Relative errors by size: {size: (allocated, alive)}."""
    said, out = os.path.join(folder, "said"), os.path.join(folder, "out")
    with open(said, "wb") as file:
        measure.run([program, tool, out], env | ({"APPROF_OUT": out} if tool == "approf" else {}), stdout=file)
    sizes = {}
    with open(said, encoding="ascii") as file:
        for line in file:
            words = line.split()
            sizes[int(words[1], 16) // PAGE] = (int(words[0]), int(words[2]), int(words[4]))
    sums = {page: [0.0, 0.0] for page in sizes}
    for addresses, alive, allocated in (read_pprof if tool == "approf" else read_text)(out):
        # An address may be the call's or the one after it; neither is the function's first.
        page = next((a // PAGE for a in addresses if a // PAGE in sums), None)
        if page is not None:
            sums[page][0] += allocated
            sums[page][1] += alive
    os.unlink(said)
    os.unlink(out)
    return {size: (sums[page][0] / allocated - 1, sums[page][1] / alive - 1) for page, (size, allocated, alive) in sizes.items()}


def summary(errors):
    return {"mean": statistics.mean(errors), "sd": statistics.stdev(errors), "worst": max(errors, key=abs)}


def expected(size):
    """The spread that sampling has by itself, of what is allocated and of what is alive: nobody can be better."""
    parts = [(size, 64 << 20)] if size else [(s, 16 << 20) for s in SIZES]
    out = []
    for part in (1, 4):
        variance = total = 0.0
        for one, allocated in parts:
            n, p = -(-(allocated // one) // part), 1 - math.exp(-one / RATE)
            variance += n * one * one * (1 - p) / p
            total += n * one
        out.append(math.sqrt(variance) / total)
    return out


def measure_all(program, tools, temp, runs, seconds, say):
    """{"runs": N, "sizes": {size: {"expected": (alloc, inuse), tool: {"alloc": summary, "inuse": summary}}}, "missing": {...}}"""
    asked = {"approf": ("approf", {}), "jemalloc prof": ("jemalloc", {"MALLOC_CONF": "prof:true,lg_prof_sample:19,prof_accum:true"}),
             "tcmalloc sampler": ("tcmalloc", {})}
    chosen = {t.name: t for t in tools if t.name in asked}
    errors = {name: [] for name in chosen}
    missing = {name: t.missing for name, t in chosen.items() if t.missing}
    base = tool_list.plain_environment()
    end = time.monotonic() + seconds
    done = 0
    while done < runs and (done < 5 or time.monotonic() < end) and time.monotonic() < measure.deadline:
        for name, tool in chosen.items():
            if name not in missing:
                try:
                    errors[name].append(one_run(program, asked[name][0], base | tool.env | asked[name][1], temp))
                except (measure.Failed, OSError) as failure:
                    if time.monotonic() < measure.deadline:
                        missing[name] = str(failure)
        done += 1
    say(f"accuracy: {done} runs")
    out = {"runs": done, "missing": missing, "sizes": {}}
    for size in next((runs[0] for runs in errors.values() if runs), {}):
        row = out["sizes"][size] = {"expected": expected(size)}
        for name, each in errors.items():
            if name not in missing and len(each) > 1:
                row[name] = {"alloc": summary([e[size][0] for e in each]), "inuse": summary([e[size][1] for e in each])}
                if name == "tcmalloc sampler":
                    del row[name]["alloc"]  # it knows only of what is alive
    return out

