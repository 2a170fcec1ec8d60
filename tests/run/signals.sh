#!/bin/bash
# time: 120
# needs: python3
# Signals: sent to approf, they reach the program; from the terminal, it gets them once.
. "$(dirname "$0")/../lib.sh"
leaky=$test_programs/run/leaky

for name in TERM INT; do
    # A script's background commands ignore SIGINT, and what is ignored stays so.
    rm -f out
    env --default-signal=INT "$APPROF_BIN" run -- "$leaky" wait > out 2> said &
    pid=$!
    wait_for 20 grep -q ready out || bad "$name: did not start"
    kill -$name $pid
    wait $pid
    status=$?
    [ $status -eq 5 ] || bad "$name: status $status"
    [ "$(grep -c 'got it' out)" -eq 1 ] || bad "$name: $(cat out)"
    rm -f -- *.pb.gz
done

# ^C at a terminal
python3 - "$APPROF_BIN" "$leaky" <<'PY' || bad "^C at a terminal"
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", "--", sys.argv[2], "wait"])
seen = b""
def read():
    global seen
    try:
        data = os.read(fd, 4096)
    except OSError:
        data = b""
    seen += data
    return data
while b"ready" not in seen and read():
    pass
os.write(fd, b"\x03")
while read():
    pass
status = os.waitpid(pid, 0)[1]
print(seen.decode())
sys.exit(not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == 5 and seen.count(b"got it") == 1 and b"next:" in seen))
PY

# ignored ones stay ignored (nohup)
(trap '' HUP; exec "$APPROF_BIN" run -- sh -c 'kill -HUP $$; echo alive') 2> /dev/null | grep -q alive || bad "nohup"
