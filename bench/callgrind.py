"""Instructions of an operation, counted by valgrind's callgrind: as a module.

The difference of two run lengths is taken, so that starting up and ending drop out. The environment is the caller's alone and
is filled up to one size, so that the stack begins at one address however long the paths are; and the C library is held to the
variants of memcpy and the like that every x86-64 processor has: what is counted does not depend on the machine, but on the C
library, the compiler and valgrind.
"""
import os
import re
import subprocess

SAME_EVERYWHERE = "glibc.cpu.hwcaps=" + ",".join("-" + f for f in (
    "AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "AVX_Fast_Unaligned_Load", "ERMS", "FSRM", "BMI1", "BMI2", "LZCNT", "MOVBE",
    "POPCNT", "RTM", "SSE3", "SSSE3", "SSE4_1", "SSE4_2", "Fast_Unaligned_Copy", "Prefer_ERMS", "Prefer_FSRM"))


STRINGS = 8192


def filled_up(command, env):
    """env with one variable more: all strings that a new process finds above its stack take STRINGS bytes then."""
    strings = [*command, command[0], *(k + "=" + v for k, v in env.items()), "FILL="]
    return env | {"FILL": "-" * (STRINGS - sum(len(os.fsencode(s)) + 1 for s in strings))}


def total(command, env, timeout=300):
    """All instructions of a run, None when it fails."""
    env = {"PATH": "/usr/bin:/bin", "HOME": "/", "LC_ALL": "C", "GLIBC_TUNABLES": SAME_EVERYWHERE} | env
    try:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                              env=filled_up(command, env), capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(rb"Collected : (\d+)", done.stderr)
    return int(found.group(1)) if found and done.returncode == 0 else None


def per_operation(command, env, few, many, timeout=300):
    """COMMAND is a list with None where the number of operations goes."""
    counts = [total([str(n) if part is None else part for part in command], env, timeout) for n in (few, many)]
    return None if None in counts else (counts[1] - counts[0]) / (many - few)
