#!/bin/bash
# time: 120
# http URLs as sources: answers of every kind, errors in words, servers that misbehave, approf serve itself.
. "$(dirname "$0")/../lib.sh"
APPROF_RATE=65536 LD_PRELOAD=$APPROF_LIB start "$test_programs/live/churner" 2 >started
wait_for 20 grep -q ready started || fail "did not start"
pid=$started
approf proto -output=wanted.pb.gz "$pid" 2>said || fail "$(cat said)"
approf top wanted.pb.gz >wanted
start "$PYTHON" "$TOP/tests/live/http_source.py" wanted.pb.gz >port 2>requests
wait_for 20 test -s port || fail "no server"
url=http://127.0.0.1:$(cat port)

for path in length chunked close redirect away; do
    approf top "$url/$path" >out 2>said || bad "$path: $(cat said)"
    same wanted out "$path"
    contains said '^Fetching profile over HTTP from http://' "$path"
done
approf top "127.0.0.1:$(cat port)/close" >out 2>said || bad "without http://: $(cat said)"
same wanted out "without http://"
APPROF_TOKEN=s3cret approf top -seconds=3 "$url/away?x=1" >out 2>said || bad "-seconds: $(cat said)"
contains requests '^GET /away\?x=1&seconds=3 HTTP/1.1\|Host: 127.0.0.1:[0-9]+\|.*Authorization: Bearer s3cret\|' "the request"
tail -1 requests | has 's3cret' && bad "the token was sent to another server"

# wrong PATH REGEXP   is refused in these words, with exit status 2
wrong() {
    timeout 60 "$APPROF_BIN" top "$url$1" "${@:3}" >out 2>said
    equal $? 2 "$1"
    contains said "$2" "$1"
    contains said '^hint: ' "$1"
}
wrong /missing 'server response: 404 Not Found - Unknown \?profile'
wrong /other 'server response: 500 Oops$'
wrong /loop 'from one place to another'
wrong /secure 'https is not spoken here'
wrong /short 'cut off'
wrong /garbled 'garbled'
wrong /headers 'too many headers'
wrong /long 'header that is too long'
wrong /nothing 'no HTTP'
wrong /slow 'takes too long' -timeout=1
url=http://user@127.0.0.1 wrong / 'not a URL'
url='http://127.0.0.1:80x' wrong / 'not a URL'
url=http://127.0.0.1:99999999 wrong / 'not a URL'
url=https://127.0.0.1 wrong /heap 'https is not spoken here'
url=http://127.0.0.1:$(free_port) wrong /heap 'onnection refused'

start "$APPROF_BIN" serve churner -http 127.0.0.1:0 2>serve.err >serve.out
wait_for 30 grep -q serving serve.err || fail "serve: $(cat serve.err)"
base=$(sed -n 's/.* at \(http:.*\)$/\1/p' serve.err)
approf top "${base}allocs" >out 2>said || bad "approf serve: $(cat said)"
contains out 'keep_some' "approf serve"
approf top -seconds=1 "${base}heap" >out 2>said || bad "approf serve, -seconds: $(cat said)"
contains out 'keep_some' "approf serve, -seconds"
approf top "${base%debug/pprof/}" >out 2>said || bad "approf serve, no path: $(cat said)"
contains out 'Type: inuse_space' "no path is heap"
