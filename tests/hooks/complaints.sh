#!/bin/bash
# time: 120
# quick
# variant: none
# needs: python3
# What the hook has to say, of a bad variable or its place behind another allocator, is said where that does no harm: a stderr that is
# a closed pipe, a full one, a file at its limit, another process group's terminal, or nothing at all changes nothing for the program.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/hostile_work
export APPROF_OUT=$TEST_TMP/c.pb.gz APPROF_SYMBOLIZE=0

"$PYTHON" - "$program" "$APPROF_LIB" <<'PY' || bad "complaints (above)"
import fcntl, os, pty, resource, signal, socket, subprocess, sys
program, library = sys.argv[1:]
environment = dict(os.environ, APPROF_RATE="banana", APPROF_DEPTH="none", APPROF_UNWIND="guess")
plain = dict(os.environ)
wrong = 0

def run(what, stderr, before=None, want=7, **more):
    """Without the preload and with it: the same status and output."""
    global wrong
    seen = []
    for env in (plain, dict(environment, LD_PRELOAD=library)):
        try:
            done = subprocess.run([program], stdout=subprocess.PIPE, stderr=stderr, env=env, timeout=60,
                                  preexec_fn=before, restore_signals=False, **more)
            seen.append((done.returncode, done.stdout))
        except subprocess.TimeoutExpired:
            seen.append("hangs")
    if seen[0] != seen[1] or seen[0][0] != want:
        print(f"FAILED: {what}: {seen[1]}, not {seen[0]}")
        wrong += 1

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as a shell starts programs, not as Python does
read, write = os.pipe()
os.close(read)
run("a pipe that nobody reads", write)
os.close(write)

ours, theirs = socket.socketpair()
ours.close()
run("a socket that is closed", theirs)

read, write = os.pipe()
fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
os.set_blocking(write, False)
try:
    while True:
        os.write(write, b"x" * 512)
except BlockingIOError:
    pass
os.set_blocking(write, True)
run("a full pipe", write)

with open("at-limit", "wb") as file:
    file.write(b"x" * 4096)
with open("at-limit", "ab") as file:
    run("a file at its limit", file, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
if os.path.getsize("at-limit") != 4096:
    print("FAILED: the file at its limit has grown")
    wrong += 1

with open("/dev/full", "wb") as file:
    run("a device without room", file)
run("no stderr", None, lambda: os.close(2))

# In the background of a terminal that stops whoever writes to it.
master, slave = pty.openpty()
import termios
mode = termios.tcgetattr(slave)
mode[3] |= termios.TOSTOP
termios.tcsetattr(slave, termios.TCSANOW, mode)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    run("another group's terminal", slave, lambda: os.setpgid(0, 0))
    os._exit(wrong)
wrong += os.waitpid(child, 0)[1] != 0

# And where it can be said, it is, once and all of it.
done = subprocess.run([program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                      env=dict(environment, LD_PRELOAD=library))
lines = done.stderr.splitlines()
if len(lines) != 6 or any(not line.startswith(("approf: APPROF_", "hint: ")) for line in lines):
    print(f"FAILED: said: {done.stderr}")
    wrong += 1
sys.exit(wrong)
PY
exit 0
