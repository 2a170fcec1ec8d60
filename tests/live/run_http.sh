#!/bin/bash
# time: 120
# needs: curl
# variant: none
# approf run -http: the endpoints while the program runs, its profile and its exit status after.
. "$(dirname "$0")/../lib.sh"
"$APPROF_BIN" run -rate 65536 -http 127.0.0.1:0 -- "$test_programs/live/churner" 2 >out 2>said &
running=$!
started_pids+=("$running")
wait_for 30 grep -q ready out || fail "did not start: $(cat said)"
url=$(sed -n 's/.* at \(http:[^ ]*\)$/\1/p' said)
equal "$(curl -s -o heap.gz -w '%{http_code}' "$url"heap)" 200 "heap"
readable heap.gz
[ "$(cum alloc_space keep_some heap.gz)" -gt 0 ] || bad "heap does not show keep_some"
port=${url#http://*:}
"$APPROF_BIN" run -http "127.0.0.1:${port%%/*}" -- touch ran >out2 2>said2
equal $? 2 "an address that is taken"
[ -e ran ] && bad "the program ran although the address was taken"
kill -TERM "$running"
wait "$running"
equal $? 0 "exit status"
readable approf.churner.*.pb.gz
[ -z "$(ls "$APPROF_TABLES")" ] || bad "left: $(ls "$APPROF_TABLES")"
