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


# A token, another name, a warning when it is open; nothing can be served without tables.
"$APPROF_BIN" run -http 0.0.0.0:0 -token s3cret -host_names other.example -- "$test_programs/live/churner" 1 >out3 2>said3 &
running=$!
started_pids+=("$running")
wait_for 30 grep -q ready out3 || fail "did not start: $(cat said3)"
port=$(sed -n 's/.* at http:.*:\([0-9]*\)\/debug.*/\1/p' said3)
lacks said3 'anybody' "a warning although there is a token"
equal "$(curl -s -o refused -w '%{http_code}' "http://127.0.0.1:$port/debug/pprof/")" 401 "without the token"
equal "$(curl -s -o page -w '%{http_code}' -H 'Host: other.example' -H 'Authorization: Bearer s3cret' "http://127.0.0.1:$port/debug/pprof/")" 200 "with the token"
kill -TERM "$running"
wait "$running"
"$APPROF_BIN" run -http 0.0.0.0:0 -- true 2>said3
contains said3 'anybody who reaches' "open, without a token"
APPROF_TABLES=off "$APPROF_BIN" run -http 127.0.0.1:0 -- touch ran 2>said3
equal $? 2 "without tables"
[ -e ran ] && bad "the program ran although nothing can be served"
[ -z "$(ls "$APPROF_TABLES")" ] || bad "left: $(ls "$APPROF_TABLES")"
