#!/bin/bash
# time: 120
# needs: go python3
# The interactive mode on a pipe says what pprof's says; at a terminal it completes and remembers.
. "$(dirname "$0")/../lib.sh"

pprof=$(go env GOTOOLDIR)/pprof
"$PYTHON" - "$TOP/tests/cli" <<'PY' || fail "no random profiles"
import sys
sys.path.insert(0, sys.argv[1])
import random_profiles
for i in range(4): random_profiles.write("p%d.pb.gz" % i, 4711 + i)
PY

# The pieces between prompts, so that a difference names the line that made it.
compare() { # PROFILE LINE...
    local profile=$1
    shift
    printf '%s\n' "$@" | "$pprof" -symbolize=none "$profile" >theirs 2>theirs.err
    printf '%s\n' "$@" | "$APPROF_BIN" -compat=go1.19 -symbolize=none "$profile" >ours 2>ours.err ||
        bad "exit status $? after: $*"
    cmp -s theirs ours || { bad "differs after: $*"; diff theirs ours | head -8; }
    grep -q '^(pprof)' ours || bad "no prompt"
}

for i in 0 1 2 3; do
    compare p$i.pb.gz top top5 'top 3 -cum' 'text 4'
    compare p$i.pb.gz 'top f1 -f2' 'tree f[12]' 'peek f1' 'list f2' 'traces -f1' top
    compare p$i.pb.gz 'focus=f1' top ':' top 'ignore=f1|f2 //: a comment' 'top20' 'raw' 'tags'
    compare p$i.pb.gz 'granularity=lines' top 'sort=cum' top 'lines=false' 'files=true' top 'functions' top
    compare p$i.pb.gz 'sample_index=0' top 'mean' top 'mean=false' top 'nonsense' 'top' 'nodecount=3' top 'help' 'o'
    compare p$i.pb.gz 'tags t1 -key1' 'unit=kb' 'top' 'q' 'top'
done

# What o shows, word by word.
printf 'focus=abc\nnodecount=7\ngranularity=lines\no\n' | "$pprof" -symbolize=none p0.pb.gz 2>&1 >/dev/null | grep ' = ' >theirs
printf 'focus=abc\nnodecount=7\ngranularity=lines\no\n' |
    "$APPROF_BIN" -compat=go1.19 -symbolize=none p0.pb.gz 2>&1 >/dev/null | grep ' = ' >ours
[ -s ours ] && cmp theirs ours || bad "options are shown in other words"

# Our own: intervals, the type that reports really show, and what opens a viewer elsewhere.
"$PYTHON" "$TOP/tests/cli/golden_profiles.py" || fail "the profiles cannot be made"
printf 'ci\ntop\nci=false\ntop\nweb\no\n' | "$APPROF_BIN" -symbolize=none -alloc_space heap.pb.gz >out 2>err || bad "exit status $?"
[ "$(grep -c '95% of flat' out)" -eq 1 ] || bad "ci is not set and unset"
contains err "hint: 'approf web PROFILE'"
contains err '^  sample_index  *= alloc_space '
# Files.
printf 'top >one.txt\nproto\nproto\ntop > two.txt\n' | "$APPROF_BIN" -symbolize=none p0.pb.gz >out 2>err || bad "exit status $?"
contains one.txt "flat%"
contains two.txt "flat%"
contains err "Generating report in profile001.pb.gz"
[ -s profile001.pb.gz ] && [ -s profile002.pb.gz ] || bad "proto was not written to a free name"
"$APPROF_BIN" top -symbolize=none profile002.pb.gz >/dev/null || bad "a written profile is not readable"

# Mistakes end nothing.
printf 'list\nbogus\nfocus\ngranularity=zz\ntop >\nlist (\ntop focus=(\nfocus=(\ntop\n:\ntop\n' |
    "$APPROF_BIN" -symbolize=none p0.pb.gz >out 2>err || bad "exit status $?"
contains out "flat%"
contains err "command list requires an argument"
contains err 'unrecognized command: "bogus"'
contains err "please specify a value, e.g. focus=<val>"
contains err 'invalid "granularity" value "zz"'
contains err "unexpected end of line after >"
contains err "missing closing|error parsing regexp"

# A terminal: tab completes a command and an option, the arrow key brings the last line back.
"$PYTHON" - "$APPROF_BIN" <<'PY' || bad "at a terminal"
import os, pty, re, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], [sys.argv[1], "-symbolize=none", "p0.pb.gz"])
seen = b""
def until(pattern, limit=60):
    global seen
    end = time.time() + limit
    while not re.search(pattern, seen):
        if time.time() > end: sys.exit("no %r in %r" % (pattern, seen))
        if select.select([fd], [], [], 1)[0]:
            try: seen += os.read(fd, 65536)
            except OSError: break
    assert re.search(pattern, seen), (pattern, seen)
    seen = b""
until(rb"\(approf\) ")
os.write(fd, b"topp\t\x15commen\t\r")     # completed, wiped out; completed and run
until(rb"(?s)commen.*ts.*\(approf\) ")
os.write(fd, b"top3 -cum\r")
until(rb"(?s)flat%.*\(approf\) ")
os.write(fd, b"\x1b[A\r")
until(rb"(?s)top3 -cum.*flat%.*\(approf\) ")
os.write(fd, b"focu\t\x15q\r")
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
PY
