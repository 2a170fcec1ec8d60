#!/bin/bash
# time: 120
# needs: python3
# What a program inherits is the same under approf run: ignored and blocked signals, limits, descriptors, umask,
# directory, group, priority.
. "$(dirname "$0")/../lib.sh"
ulimit -Sn 256 # the server of -http wants more, for itself
cat >show.py <<'P'
import os, resource, sys
for line in open("/proc/self/status"):
    if line.startswith(("SigBlk", "SigIgn", "SigCgt", "ShdPnd", "Umask", "CapEff", "NoNewPrivs", "Seccomp:", "Groups")):
        print(line, end="")
names = {os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and os.path.exists(f"/proc/self/fd/{fd}")}
print("descriptors", sorted(names - {sys.argv[0]}))
for name in dir(resource):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
print(os.getcwd(), os.getpgrp() == int(os.environ["GROUP"]), os.nice(0), os.sched_getaffinity(0), sys.argv[1:])
print({k: v for k, v in os.environ.items() if not k.startswith(("APPROF_", "LD_PRELOAD")) and k != "_"})
P
# Signals that are ignored or blocked, as shells, daemons and nohup leave them.
cat >with.py <<'P'
import os, signal, sys
for name in sys.argv[1].split(","):
    what, _, signals = name.partition(":")
    for s in signals.split("+"):
        number = getattr(signal, "SIG" + s, None)
        if what == "ignore":
            signal.signal(number, signal.SIG_IGN)
        elif what == "default":
            signal.signal(number, signal.SIG_DFL)
        elif what == "block":
            signal.pthread_sigmask(signal.SIG_BLOCK, {number})
os.environ["GROUP"] = str(os.getpgrp())
os.umask(0o027)
fd = os.open("/dev/zero", os.O_RDONLY)
os.set_inheritable(fd, True)
os.execv(sys.argv[2], sys.argv[2:])
P
for signals in default:PIPE ignore:HUP+INT+QUIT+CHLD block:USR1+TERM+CHLD ignore:TSTP+TTOU,block:PIPE,default:PIPE; do
    for http in no yes; do
        options=(-rate 0)
        [ $http = yes ] && options+=(-http 127.0.0.1:0)
        "$PYTHON" with.py "$signals" "$PYTHON" show.py a 'b c' >plain 2>said || fail "plain: $(cat said)"
        "$PYTHON" with.py "$signals" "$APPROF_BIN" run "${options[@]}" -- "$PYTHON" show.py a 'b c' >under 2>said || bad "$signals: $(cat said)"
        same plain under "$signals, -http: $http"
    done
done
# What is written to a reader that has gone ends a program by SIGPIPE, or does not, as without approf.
for kind in default ignore; do
    "$PYTHON" with.py $kind:PIPE "$APPROF_BIN" run -rate 0 -- sh -c 'seq 100000; echo "status $?" >seq.status' 2>/dev/null | head -1 >/dev/null
    equal "$(cat seq.status)" "status $([ $kind = default ] && echo 141 || echo 1)" "SIGPIPE: $kind"
done
