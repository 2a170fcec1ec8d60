#!/bin/bash
# time: 300
# needs: redis-cli
# The redis-clone's LPUSH bug, put back, fails the gate at its line; fixed, it passes; and --two-sided asks for an update.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"
[ -x "$BUILD/demo/redis-clone-buggy" ] || skip "the demo targets are not built (make demos)"

# The program under test, by one name as a project's own would be.
use() {
    cp "$BUILD/demo/redis-clone-$1" redis-clone
}
# Starts the server, pushes 1000 times onto one list, and stops it: what one would write for any server. The client is
# not what is judged.
cat >drive.sh <<'S'
#!/bin/sh
set -eu
rm -f server.out # of the run before
./redis-clone --port 0 >server.out &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
tries=400
until grep -q 'listening on .*:[0-9]' server.out 2>/dev/null; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || exit 1
    sleep 0.05
done
port=$(sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' server.out)
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "*3\r\n$5\r\nLPUSH\r\n$4\r\nlist\r\n$5\r\nvalue\r\n" }' |
    LD_PRELOAD= redis-cli -p "$port" --pipe >client.out
trap - EXIT
kill -TERM "$server"
wait "$server"
S
chmod +x drive.sh

use fixed
gate 0 "baseline of the fixed one" --run ./drive.sh --program redis-clone --baseline redis.txt --per 1000 --update
contains redis.txt '^program redis-clone$' "the program"
contains redis.txt '^rate 1$' "exact"
lacks redis.txt '/|0x' "addresses and paths"
limits="--max-growth alloc_space=20% --max-site-growth alloc_space=20% --floor alloc_space=100kB"
# shellcheck disable=SC2086
{
    gate 0 "fixed" --run ./drive.sh --program redis-clone --baseline redis.txt --per 1000 $limits

    use buggy
    line=$(grep -nE 'items = [a-z]*alloc\(' "$TOP/demo-targets/redis-clone/store_lpush_buggy.c" | cut -d: -f1)
    gate 1 "the bug is back" --run ./drive.sh --program redis-clone --baseline redis.txt --per 1000 $limits -o json:bug.json -o github:bug.github
    contains bug.github "^::error file=.*store_lpush_buggy\.c,line=$line," "the line at fault"
    [ -s approf-gate.pb.gz ] || bad "no profile was kept of the failed run"
    "$PYTHON" - "$line" <<'PY' || bad "the finding (above)"
import json, sys
findings = [f for f in json.load(open("bug.json"))["findings"] if f["status"] == "fail" and f["scope"] == "each site"]
assert len(findings) == 1, findings
f = findings[0]
assert f["subject"] == "store_lpush" and f["line"] == int(sys.argv[1]) and f["exact"], f
# Half a million list entries of 16 bytes and more were copied for a thousand pushes.
assert f["new"] * 1000 > 1000 * 1000 / 2 * 16 > f["base"] * 1000 * 10, f
assert "handle_connection" in f["stack"], f["stack"]
PY
    gate 0 "baseline of the buggy one" --run ./drive.sh --program redis-clone --baseline buggy.txt --per 1000 --update

    use fixed
    gate 0 "fixed again" --run ./drive.sh --program redis-clone --baseline redis.txt --per 1000 $limits
    gate 4 "far below the old limit" --run ./drive.sh --program redis-clone --baseline buggy.txt --per 1000 --two-sided $limits
    contains gate.out 'lock the improvement in with --update' "and asks for an update"
    gate 0 "update" --run ./drive.sh --program redis-clone --baseline buggy.txt --per 1000 --update
    gate 0 "locked in" --run ./drive.sh --program redis-clone --baseline buggy.txt --per 1000 --two-sided $limits
}
