#!/bin/bash
# time: 120
# needs: python3 less
# At a terminal: colour and a pager, and none of them where they are not wanted; in a pipe never.
. "$(dirname "$0")/../lib.sh"

"$PYTHON" "$TOP/tests/cli/golden_profiles.py" || fail "the profiles cannot be made"
cat >at_terminal.py <<'PY'
"""at_terminal.py KEYS COMMAND...: what the command shows at a terminal of 24 lines; KEYS are typed once it waits for some."""
import fcntl, os, pty, select, struct, sys, termios, time
keys = sys.argv[1].encode().decode("unicode_escape").encode()
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
seen, end, waits, typed = b"", time.time() + 60, False, 0.0
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try:
            seen += os.read(fd, 65536)
        except OSError:
            break
    # less shows a colon, or the end, and waits. What is typed while it handles a Ctrl-C may be lost: the last key comes again.
    waits = waits or seen.rstrip(b"\x1b[mK?1lh=>").endswith(b":") or b"(END)" in seen
    if keys and waits and time.time() - typed > 0.3:
        os.write(fd, keys[:1])
        keys, typed = keys[1:] or keys, time.time()
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
PY
terminal() { env TERM=xterm "${environment[@]}" "$PYTHON" at_terminal.py "$@"; }
environment=(A=b)

# What fits is left there, in colour, without a key.
terminal '' "$APPROF_BIN" top -alloc_space heap.pb.gz >out || fail "exit status $?"
contains out $'\e\\[1m +2560kB.*store_push\e\\[0m'
terminal '' "$APPROF_BIN" diff -alloc_space heap.pb.gz later.pb.gz >out || bad "diff: exit status $?"
contains out $'\e\\[31m +2560kB.*store_push'
terminal '' "$APPROF_BIN" diff -alloc_space later.pb.gz heap.pb.gz >out || bad "diff: exit status $?"
contains out $'\e\\[32m +-2560kB.*store_push'
for variable in NO_COLOR=1 TERM=dumb TERM=; do
    environment=("$variable")
    terminal '' "$APPROF_BIN" top -alloc_space heap.pb.gz >out || bad "$variable: exit status $?"
    grep -q $'\e\\[[0-9]*m.*store' out && bad "$variable: colour"
    contains out 'store_push'
done
environment=(A=b)
terminal '' "$APPROF_BIN" top -color=never -alloc_space heap.pb.gz >out || bad "-color=never: exit status $?"
grep -q $'\e\\[1m' out && bad "-color=never: colour"
"$APPROF_BIN" top -alloc_space heap.pb.gz >piped
grep -q $'\e' piped && bad "colour in a pipe"
"$APPROF_BIN" top -color=always -alloc_space heap.pb.gz | has $'\e\\[1m' || bad "-color=always: no colour"

# What does not fit waits; Ctrl-C is the pager's, q ends both.
terminal '\x03\x03q' "$APPROF_BIN" help top >out
contains out '^ *-sample_index='
[ "$(grep -c '^ *-[a-z]' out)" -lt "$("$APPROF_BIN" help top | grep -c '^ *-[a-z]')" ] || bad "all of it was shown at once"
environment=(PAGER=cat)
terminal '' "$APPROF_BIN" help top >out || bad "PAGER=cat: exit status $?"
contains out 'what the command does and its options'
environment=("PAGER=sed -n 1p")
terminal '' "$APPROF_BIN" help >out
contains out 'approf COMMAND'
[ "$(grep -c . out)" -eq 1 ] || bad "not through \$PAGER"
