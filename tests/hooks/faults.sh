#!/bin/bash
# time: 600
# needs: python3
# variant: none
# Every system call of the hook is made to fail, one after the other, and from one on all of them, in a short program with threads
# and children: what the program prints and its exit status never change, a profile is whole or is not there, and no descriptor
# and no signal mask is left changed. On its stderr is at most that APPROF_TABLES is of no use.
. "$(dirname "$0")/../lib.sh"

wrapped=
for call in mmap read pread write fstat rename renameat2 unlink open; do
    wrapped="$wrapped -Wl,--wrap=$call"
done
make -s --no-print-directory -C "$TOP" BUILD="$BUILD/faults" CFLAGS='-O1 -g -DAPPROF_FAULTS' \
    LIB_EXTRA="-fPIC -std=c17 -D_GNU_SOURCE -Iinterpose -Iinclude tests/hooks/fault_injector.c$wrapped" lib || fail "does not build"
nm "$BUILD/faults/libapprof.so" | has ' __wrap_pread$' || fail "the calls of proto/ are not caught"

cat >all.py <<'PY'
import errno, glob, os, re, shutil, struct, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, sys.argv[3])
import pprof_sum
library, program = sys.argv[1:3]
top = os.getcwd()
said = re.compile(rb"approf: APPROF_TABLES: .*\nhint: .*\n")

def run(first, last, error, library=library):
    place = f"{top}/{first}.{last}"
    os.mkdir(place)
    with open(place + "/count", "wb") as f:
        f.write(struct.pack("q", 0))
    # The helper is a command that is there and does nothing: the way to it is made to fail too.
    setting = dict(os.environ, LD_PRELOAD=library, APPROF_RATE="1", APPROF_HELPER="/bin/true", APPROF_OUT=place + "/%p.pb.gz",
                   APPROF_TABLES=place + "/tables", FAULT_COUNT=place + "/count", FAULT_FROM=str(first), FAULT_TO=str(last),
                   FAULT_ERROR=str(error))
    try:
        done = subprocess.run([program], env=setting, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        result = (done.returncode, done.stdout, said.sub(b"", done.stderr))
    except subprocess.TimeoutExpired:
        result = "does not end"
    with open(place + "/count", "rb") as f:
        made = struct.unpack("q", f.read(8))[0]
    profiles = glob.glob(place + "/*.pb.gz")
    for path in profiles:
        try:
            pprof_sum.load(path)
        except Exception as e:
            result = f"half a profile: {e!r}"
    shutil.rmtree(place)
    return result, made, len(profiles)

plain, made, profiles = run(0, -1, 0, "")
assert made == 0 and plain[0] == 7 and plain[1].count(b"\n") == 7, plain
hooked, calls, profiles = run(0, -2, 0)
assert hooked == plain and profiles == 3, (hooked, profiles)
errors = [errno.ENOMEM, errno.ENOSPC, errno.EACCES, errno.EIO, errno.EMFILE, errno.EFBIG, errno.ENOSYS, errno.EPERM]
lives = [(at, last) for at in range(1, calls + 1) for last in (at, 1 << 40)]

def life(faults):
    at, last = faults
    error = errors[at % len(errors)]
    result, made, profiles = run(at, last, error)
    if result != plain:
        print(f"calls {at} to {last} fail with {errno.errorcode[error]}: {result}", flush=True)
    return max(min(last, made) - at + 1, 0), profiles, result != plain

with ThreadPoolExecutor(2) as pool:
    injected, profiles, wrong = map(sum, zip(*pool.map(life, lives)))
print(f"calls={calls} lives={len(lives)} injected={injected} profiles={profiles} wrong={wrong}")
sys.exit(wrong != 0 or calls < 200 or injected < len(lives) * 3 // 4 or profiles == 0)
PY
"$PYTHON" all.py "$BUILD/faults/libapprof.so" "$test_programs/hooks/steady" "$TOP/tests" || bad "some system call that fails is seen by the program (above)"
exit 0
