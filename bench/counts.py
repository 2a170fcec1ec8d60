"""Instructions of an operation under each tool, by callgrind: as a module. Repeatable where times are not."""
import concurrent.futures
import os
import time

import callgrind
import measure
import workloads

# workload, operations of the short run and of the long one; a twentieth where every allocation is recorded
LENGTHS = {
    "64-byte pairs": (10000, 210000),
    "mixed sizes": (20000, 80000),
    "16 KiB under 20 frames": (2000, 14000),
    "16 KiB under 100 frames": (1000, 6000),
    "realloc, 64 bytes to 1 MiB": (10, 60),
    "std::map of strings": (10000, 40000),
    "sqlite3": (5000, 20000),
}


def countable(tool):
    # Go's runtime and valgrind itself don't run under valgrind, and heaptrack turns itself off there.
    return not tool.missing and tool.language != "go" and not tool.command and not tool.name.startswith("heaptrack")


def measure_all(build, temp, tools, seconds, say):
    """{workload: {tool: instructions}}; what can't be counted, or no longer within SECONDS, is left out."""
    end = time.monotonic() + seconds
    chosen = [w for w in workloads.patterns(temp, build) + workloads.programs(temp) if w.name in LENGTHS]
    jobs = []
    for w in chosen:
        few, many = LENGTHS[w.name]
        for t in tools:
            if countable(t) and not w.refuses(t):
                part = 20 if t.kind == "all" and many > 100 else 1
                jobs.append((w, t, few // part or 1, many // part))

    def one(job):
        w, t, few, many = job
        if time.monotonic() > min(end, measure.deadline):
            return None
        counts = [callgrind.total(w.arguments(n), t.env | {"APPROF_SEED": "1"}, min(120, min(end + 20, measure.deadline) - time.monotonic())) for n in (few, many)]
        return None if None in counts else (counts[1] - counts[0]) / (many - few)

    out = {w.name: {} for w in chosen}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (w, t, _, _), count in zip(jobs, pool.map(one, jobs)):
            if count is not None:
                out[w.name][t.name] = count
    chosen[0].clean()
    say("instructions counted")
    return out
