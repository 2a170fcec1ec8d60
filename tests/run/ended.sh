#!/bin/bash
# time: 180
# needs: python3
# Tables of the dead: approf ps says how each ended as far as anybody knows, and their time ends with the process.
. "$(dirname "$0")/../lib.sh"
leaky=$test_programs/run/leaky

# has_state REGEXP TEXT…   a line of approf ps matches
has_state() {
    "$APPROF_BIN" ps >states || bad "ps: $?"
    contains states "$1" "${*:2}"
}
# left   the newest tables
left() { find "$APPROF_TABLES" -name '*.heap' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-; }
# times FILE…   time and duration of each, as a reader of the profile gets them
times() {
    local file
    for file in "$@"; do "$APPROF_BIN" raw "$file" | grep -E '^(Time|Duration)'; done
}

# What approf run has waited for, when no profile could be made of it (there is no such directory).
"$APPROF_BIN" run -output /proc/none/x.pb.gz -- "$leaky" status 3 2>/dev/null
equal $? 3 "exit status"
has_state '^ *[0-9]+ .* exit 3 +/.*/leaky$' "exit 3"
one=$(left)
[ -e "${one%.heap}.end" ] || bad "no note beside $one"
for signal in KILL SEGV ABRT; do
    "$APPROF_BIN" run -output /proc/none/x.pb.gz -- "$leaky" kill "$(kill -l $signal)" 2>/dev/null
    has_state "^ *[0-9]+ .* killed by SIG$signal +/.*/leaky\$" "SIG$signal"
done
killed=$(left)
"$APPROF_BIN" run -output /proc/none/x.pb.gz -- "$leaky" exec 2>/dev/null
has_state 'became another program +/.*/leaky$' "exec"
has_state ' exit 4 +/.*/leaky$' "after exec"
"$APPROF_BIN" ps -json >states.json
"$PYTHON" - states.json <<'P' || bad "ps -json: $(cat states.json)"
import collections, json, sys
rows = json.load(open(sys.argv[1]))["rows"]
states = collections.Counter(row["state"] for row in rows)
assert states == {"exit 3": 1, "killed by SIGKILL": 1, "killed by SIGSEGV": 1, "killed by SIGABRT": 1,
                  "became another program": 1, "exit 4": 1}, states
P

# Of one that nobody waited for: from the kernel while it is a zombie, then nothing is known.
"$PYTHON" - "$leaky" "$APPROF_LIB" <<'P' &
import os, subprocess, sys
subprocess.Popen([sys.argv[1], "kill", "8"], env=dict(os.environ, LD_PRELOAD=sys.argv[2]))
open("waiting", "w").close()
sys.stdin.close()
while not os.path.exists("enough"):
    pass
P
parent=$!
started_pids+=("$parent")
wait_for 30 eval '"$APPROF_BIN" ps | has -E "killed by SIGFPE .*/leaky"' || bad "a zombie: $("$APPROF_BIN" ps)"
touch enough
wait "$parent"
wait_for 30 eval '"$APPROF_BIN" ps | has -E "ended without goodbye .*/leaky"' || bad "after the zombie: $("$APPROF_BIN" ps)"
unknown=$(left)
# exec without approf run: the process is there, and is another program.
start env LD_PRELOAD="$APPROF_LIB" APPROF_RATE=1 sh -c 'exec sleep 600'
wait_for 30 eval '"$APPROF_BIN" ps | has -E "^ *$started .*became another program .*/d?a?sh"' || bad "exec: $("$APPROF_BIN" ps)"

# An orphan of a run: it is told how it ended while the run goes on.
"$APPROF_BIN" run -- sh -c "('$leaky' kill 11 &); while [ ! -e stop ]; do sleep 0.1; done" 2>/dev/null &
running=$!
started_pids+=("$running")
orphan() { "$APPROF_BIN" ps | grep 'killed by SIGSEGV' | grep -c leaky | grep -qx 2; }
wait_for 30 orphan || bad "an orphan: $("$APPROF_BIN" ps)"
touch stop
wait "$running"
rm -f -- *.pb.gz

# Time: read at once or later, it is the same, and no longer than the process lived.
times "$one" "$killed" "$unknown" >first
sleep 1.2
times "$one" "$killed" "$unknown" >second
same first second "time and duration of the dead"
equal "$(grep -c '^Time' first)" 3 "times"
"$APPROF_BIN" ps -json >states.json
"$PYTHON" -c "
import json
for row in json.load(open('states.json'))['rows']:
    assert row['exe'].endswith('leaky') <= (row['up_seconds'] < 30), row" || bad "up: $(cat states.json)"

# A note that somebody forged is no note; --clean takes notes along.
for text in 'exit 256 1' 'signal 0 1' 'exit' 'party 1 1' 'exit 1 99999999999999999999999' 'exit 1 -1' ''; do
    printf '%s' "$text" >"${unknown%.heap}.end"
    "$APPROF_BIN" ps | has -E "ended without goodbye .*leaky" || bad "the note '$text' was believed: $("$APPROF_BIN" ps)"
done
"$APPROF_BIN" ps --clean | has 'tables of 8 ended processes removed' || bad "--clean: $("$APPROF_BIN" ps)"
stop "$started"
"$APPROF_BIN" ps --clean >/dev/null
[ -z "$(find "$APPROF_TABLES" -mindepth 1)" ] || bad "left: $(find "$APPROF_TABLES" -mindepth 1)"
