#!/bin/bash
# time: 120
# approf ps, and processes as sources by pid and by name.
. "$(dirname "$0")/../lib.sh"
leaky=$test_programs/run/leaky

"$APPROF_BIN" ps > out 2> said || bad "nothing to show"
grep -q "^hint: " said || bad "nothing to show: $(cat said)"

preload "$leaky" wait > started &
wait_for 20 grep -q ready started || fail "did not start"
pid=$(sed -n 's/ready //p' started)
"$APPROF_BIN" ps > out
grep -Eq "^ *$pid .* alive +.*/leaky$" out || bad "ps: $(cat out)"
"$APPROF_BIN" ps -json | python3 -c "
import json, sys
rows = [r for r in json.load(sys.stdin)['rows'] if r['pid'] == $pid]
assert len(rows) == 1 and rows[0]['state'] == 'alive' and rows[0]['exe'].endswith('/leaky'), rows
assert 0 < rows[0]['live_bytes'] <= rows[0]['peak_bytes'], rows" || bad "ps -json"
threads=$(ls /proc/"$pid"/task | wc -l) files=$(ls /proc/"$pid"/fd | wc -l)
"$APPROF_BIN" top "$pid" 2> said | has leaky || bad "by pid: $(cat said)"
"$APPROF_BIN" top leaky 2> said | has leaky || bad "by name: $(cat said)"
[ "$(ls /proc/"$pid"/task | wc -l) $(ls /proc/"$pid"/fd | wc -l)" = "$threads $files" ] || bad "the process noticed"

# two of one name
preload "$leaky" wait > started2 &
wait_for 20 grep -q ready started2 || fail "did not start"
second=$(sed -n 's/ready //p' started2)
"$APPROF_BIN" top leaky > out 2> said && bad "an ambiguous name was taken"
grep -q "several profiled processes" said || bad "ambiguous: $(cat said)"

kill -KILL "$pid" "$second"
wait
"$APPROF_BIN" ps > out
[ "$(grep -c "ended without goodbye" out)" -eq 2 ] || bad "after SIGKILL: $(cat out)"
"$APPROF_BIN" top "$pid" 2> said | has leaky || bad "the dead by pid: $(cat said)"
"$APPROF_BIN" top leaky 2> said | has leaky || bad "the dead by name: $(cat said)"
"$APPROF_BIN" ps --clean | has "tables of 2 ended processes removed" || bad "--clean"
[ -z "$(ls "$APPROF_TABLES")" ] || bad "left: $(ls "$APPROF_TABLES")"
