#!/bin/bash
# time: 240
# What the demo targets and the approf command allocate themselves stays what it is: against the baselines in
# tests/gate/baselines. After a change that is meant, `UPDATE=yes tests/gate/own_baselines.sh` writes them anew.
# Other compilers inline otherwise and other C libraries allocate a little otherwise: totals only, with room for that.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"
[ -x "$BUILD/demo/log-parse-fixed" ] || skip "the demo targets are not built (make demos)"
baselines=$TOP/tests/gate/baselines

cat >resp.sh <<'S'
#!/bin/bash
set -eu
rm -f server.out # of the run before
"$1" --port 0 >server.out &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
tries=400
until grep -q 'listening on .*:[0-9]' server.out 2>/dev/null; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || exit 1
    sleep 0.05
done
port=$(sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' server.out)
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "*3\r\n$3\r\nSET\r\n$7\r\nkey:%03d\r\n$5\r\nvalue\r\n", i % 100 }' >requests
exec 3<>"/dev/tcp/127.0.0.1/$port"
cat requests >&3
head -c 5000 <&3 >answers # +OK, a thousand times
exec 3>&-
grep -cq '^+OK' answers
trap - EXIT
kill -TERM "$server"
wait "$server"
S
chmod +x resp.sh
for i in $(seq 200); do
    echo "$((i * 3)) $((i * 300)) $i $((i * 100)) leaf_$((i % 50))@src/leaf.c:$i;middle_$((i % 7))@src/middle.c:$i;main@src/main.c:9"
done | profile fixture.pb.gz
cp "$APPROF_BIN" approf-under-test # the san build has an allocator of its own

# own NAME PROGRAM COMMAND LIMITS…
own() {
    local name=$1 program=$2 command=$3
    shift 3
    if [ "${UPDATE:-}" = yes ]; then
        gate 0 "$name: update" --run "$command" --program "$program" --baseline "$baselines/$name.txt" --update
        cat gate.out
    fi
    gate 0 "$name" --run "$command" --program "$program" --baseline "$baselines/$name.txt" \
        "$@"
    tail -3 gate.out
}
totals=(--max-growth alloc_space=30% --max-growth alloc_objects=30% --max-growth inuse_space=60%)
own log-parse log-parse-fixed "'$BUILD/demo/log-parse-fixed' --lines 1000 >parsed" "${totals[@]}"
own resp-stage7 resp-stage7 "./resp.sh '$BUILD/demo/resp-stage7'" "${totals[@]}"
# Libraries that approf is linked with allocate when they are loaded, each release otherwise: what is ours alone.
own approf-top approf-under-test "./approf-under-test top fixture.pb.gz >top.txt" \
    --site '(^memory_|vasprintf)' alloc_space=30% --site '(^memory_|vasprintf)' alloc_objects=30%

# It would notice: the buggy twin under the fixed one's baseline.
gate 1 "the buggy log-parse" --run "'$BUILD/demo/log-parse-buggy' --lines 1000 >parsed" --program log-parse-buggy \
    --allow-other-program --baseline "$baselines/log-parse.txt" --max-growth alloc_space=30%
