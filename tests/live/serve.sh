#!/bin/bash
# time: 400
# needs: go curl
# approf serve: Go's addresses, headers and errors; go tool pprof as a client; tokens; hostile clients.
. "$(dirname "$0")/../lib.sh"
churner=$test_programs/live/churner

# serve NAME OPTIONS…   a server; its address in $url, its pid in $server
serve() {
    start "$APPROF_BIN" serve -http 127.0.0.1:0 "$@" >serve.out 2>serve.err
    server=$started
    wait_for 30 grep -q 'serving' serve.err || fail "serve: $(cat serve.err)"
    url=$(sed -n 's/.* at \(http:[^ ]*\)\/debug\/pprof\/$/\1/p' serve.err)
    port=${url##*:}
}
APPROF_RATE=65536 LD_PRELOAD=$APPROF_LIB start "$churner" 2 >started
wait_for 20 grep -q ready started || fail "did not start"
pid=$started
serve churner
base=$url/debug/pprof
descriptors=$(ls /proc/"$pid"/fd | wc -l) threads=$(ls /proc/"$pid"/task | wc -l)

# Headers and bodies.
curl -s -D headers -o heap.gz "$base/heap" || bad "curl heap"
tr -d '\r' <headers >h
contains h '^HTTP/1.1 200 ' "heap"
contains h '^Content-Type: application/octet-stream$' "heap"
contains h '^Content-Disposition: attachment; filename="heap"$' "heap"
contains h '^X-Content-Type-Options: nosniff$' "heap"
readable heap.gz
curl -s -D headers -o allocs.gz "$base/allocs?gc=1" || bad "curl allocs"
contains headers 'filename="allocs"' "allocs"
approf top heap.gz >out
contains out 'Type: inuse_space' "heap shows what is in use"
approf top allocs.gz >out
contains out 'Type: alloc_space' "allocs shows what was allocated"
approf raw allocs.gz >raw
contains raw 'keep_some .*churner\.c:[1-9]' "profiles have lines"
curl -s -D headers -o delta.gz "$base/allocs?seconds=1"
contains headers 'filename="allocs-delta"' "seconds=1"
curl -s -o later.gz "$base/allocs"
[ "$(total alloc_space delta.gz)" -gt 0 ] || bad "seconds=1 shows nothing allocated"
[ $(($(total alloc_space allocs.gz) + $(total alloc_space delta.gz))) -le $(($(total alloc_space later.gz) + 100000)) ] ||
    bad "seconds=1 shows more than was allocated meanwhile"
[ "$(total inuse_space delta.gz)" -gt 0 ] || bad "seconds=1 shows nothing in use"

# Text: Go's form, read by Go's tool; its totals are those of its lines.
curl -s -D headers "$base/heap?debug=1" >text || bad "curl debug=1"
contains headers '^Content-Type: text/plain; charset=utf-8' "debug=1"
head -1 text | grep -Eq '^heap profile: [0-9]+: [0-9]+ \[[0-9]+: [0-9]+\] @ heap/2$' || bad "debug=1: $(head -1 text)"
"$PYTHON" - text <<'P' || bad "debug=1: lines and totals differ"
import re, sys
rows = [tuple(map(int, m.groups())) for m in re.finditer(r"^(?:heap profile: )?(\d+): (\d+) \[(\d+): (\d+)\] @", open(sys.argv[1]).read(), re.M)]
assert len(rows) > 2 and tuple(map(sum, zip(*rows[1:]))) == rows[0], rows[:3]
assert [r[1] for r in rows[1:]] == sorted((r[1] for r in rows[1:]), reverse=True)
P
contains text '^#	0x[0-9a-f]+	keep_some	/.*churner\.c:[0-9]+$' "debug=1: frames"
go_pprof -sample_index=alloc_space -top text >out 2>said || bad "go tool pprof reads debug=1: $(cat said)"

# The rest.
curl -s "$base/cmdline" | tr '\0' '\n' >out
printf '%s\n2\n' "$churner" | cmp -s - <(cat out; echo) || bad "cmdline: $(cat out)"
curl -s "$base/" >index || bad "curl index"
contains index 'heap\?debug=1' "index"
address=$(sed -n 's/.*@ \(0x[0-9a-f]*\).*/\1/p' text | head -1)
curl -s "$base/symbol" >out
contains out '^num_symbols: [1-9]' "symbol"
curl -s "$base/symbol?$address+0x10" >out
contains out "^$address (keep_some|drop_all)\$" "symbol, GET"
curl -s -d "0x10+$address" "$base/symbol" >out
contains out "^$address (keep_some|drop_all)\$" "symbol, POST"
curl -s -D headers "$base/profile" >out
contains headers '^HTTP/1.1 404 ' "profile"
contains headers '^X-Go-Pprof: 1' "profile"
contains out 'no CPU profile' "profile"
curl -s -D headers -o heap2.gz "$url/$pid/debug/pprof/heap"
contains headers '^HTTP/1.1 200 ' "by pid"

# go tool pprof, twice, and the difference.
go_pprof -proto -output=one.pb.gz "$base/allocs" >/dev/null 2>said || bad "go tool pprof URL: $(cat said)"
contains said 'Fetching profile over HTTP' "go tool pprof URL"
go_pprof -proto -output=two.pb.gz "$base/allocs" >/dev/null 2>said || bad "go tool pprof URL: $(cat said)"
go_pprof -top -base one.pb.gz two.pb.gz >out 2>said || bad "go tool pprof -base: $(cat said)"
contains out 'keep_some|drop_all' "go tool pprof -base"
go_pprof -top -seconds 1 "$base/allocs" >out 2>said || bad "go tool pprof -seconds: $(cat said)"
contains out 'keep_some|drop_all' "go tool pprof -seconds"
go_pprof -top "$base/profile" >out 2>said && bad "go tool pprof got a CPU profile"
contains said 'no CPU profile' "go tool pprof shows why there is no CPU profile"

timeout 300 "$PYTHON" "$TOP/tests/live/serve_clients.py" "$port" >clients.out 2>&1 || bad "$(tail -30 clients.out)"

# The process has noticed nothing; nor has it when it is a second one of the name.
equal "$(ls /proc/"$pid"/fd | wc -l) $(ls /proc/"$pid"/task | wc -l)" "$descriptors $threads" "descriptors and threads"
APPROF_RATE=65536 LD_PRELOAD=$APPROF_LIB start "$churner" 1 >started2
wait_for 20 grep -q ready started2 || fail "did not start"
second=$started
# Without a pid the sum of both, between what they are before and after.
one_and_two() { # NAME
    local which
    for which in "$pid" "$second"; do
        equal "$(curl -s -o "$1.$which.gz" -w '%{http_code}' "$url/$which/debug/pprof/allocs")" 200 "one of two"
    done
    echo $(($(total alloc_space "$1.$pid.gz") + $(total alloc_space "$1.$second.gz")))
}
before=$(one_and_two before)
equal "$(curl -s -o both.gz -w '%{http_code}' "$base/allocs")" 200 "two of one name"
after=$(one_and_two after)
both=$(total alloc_space both.gz)
[ "$before" -le "$both" ] && [ "$both" -le "$after" ] || bad "two of one name: $both is not between $before and $after"
readable both.gz
approf raw both.gz | has '# approf: 2 processes together' || bad "the sum does not say so"
approf raw both.gz | has 'keep_some .*churner\.c:[1-9]' || bad "the sum has no lines"
curl -s -o both-delta.gz "$base/allocs?seconds=1"
delta=$(total alloc_space both-delta.gz)
[ "$delta" -gt 0 ] && [ "$delta" -le $(($(one_and_two later) - before)) ] || bad "two of one name, seconds=1: $delta"
curl -s "$base/heap?debug=1" >out
contains out '^heap profile: ' "two of one name, debug=1"
equal "$(curl -s -o out -w '%{http_code}' "$base/cmdline")" 404 "cmdline of two"
contains out '/PID/debug/pprof/' "cmdline of two"
# What a child inherited is counted once.
leaky=$test_programs/run/leaky
APPROF_RATE=1 LD_PRELOAD=$APPROF_LIB start "$leaky" pair >pair.out
pair=$started
wait_for 30 grep -q ready pair.out || fail "did not start"
equal "$(curl -s -o out -w '%{http_code}' "$url/$pair/debug/pprof/heap")" 404 "a process of another name"
start "$APPROF_BIN" serve leaky -http 127.0.0.1:0 >serve2.out 2>serve2.err
wait_for 30 grep -q serving serve2.err || fail "serve: $(cat serve2.err)"
curl -s -o family.gz "$(sed -n 's/.* at \(http:.*\)$/\1/p' serve2.err)heap"
equal "$(cum inuse_space leaky family.gz)" 25000000 "a parent and its child"
pkill -KILL -P "$pair"
curl -s "$url/" >index
contains index "href=\"/$pid/debug/pprof/\"" "index of two"
contains index "href=\"/$second/debug/pprof/\"" "index of two"
# After SIGKILL the tables are still there; after a clean end they are not. A delta outlives it.
curl -s -o last.gz "$url/$second/debug/pprof/allocs?seconds=2" &
fetching=$!
wait_for 20 eval 'ls -l /proc/$server/fd | has heap' || bad "the server does not hold the tables"
sleep 0.5
stop "$second"
wait "$fetching"
readable last.gz
equal "$(curl -s -o out -w '%{http_code}' "$url/$second/debug/pprof/heap")" 404 "after its end"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
equal "$(curl -s -o dead.gz -w '%{http_code}' "$base/heap")" 200 "after SIGKILL"
stop "$server"
equal $? 0 "exit status after SIGTERM"

# Tokens, from a file; other names; a warning when it is open.
echo "s3cret token" >token
serve churner -token @token -host_names other.example
for authorization in "" "Bearer " "Bearer s3cret" "Bearer s3cret token2" "Basic s3cret token" "Bearer S3cret token"; do
    equal "$(curl -s -o out -w '%{http_code}' ${authorization:+-H "Authorization: $authorization"} "$url/debug/pprof/")" 401 "'$authorization'"
done
equal "$(curl -s -o out -w '%{http_code}' -H 'Authorization: Bearer s3cret token' "$url/debug/pprof/")" 200 "the token"
equal "$(curl -s -o out -w '%{http_code}' -H 'Authorization: bearer s3cret token' -H 'Host: other.example' "$url/debug/pprof/")" 200 "another name"
lacks serve.err 'anybody' "a warning on loopback"
"$APPROF_BIN" serve -http "127.0.0.1:$port" >out 2>said
equal $? 2 "a port that is taken"
contains said 'cannot listen' "a port that is taken"
stop "$server"
start "$APPROF_BIN" serve -http 0.0.0.0:0 >out 2>open.err
wait_for 30 grep -q 'anybody who reaches' open.err || bad "no warning when it is open: $(cat open.err)"
"$APPROF_BIN" serve -http nonsense >out 2>said
equal $? 2 "a bad address"
contains said '^hint: ' "a bad address"
