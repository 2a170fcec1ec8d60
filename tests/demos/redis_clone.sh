#!/bin/bash
# time: 900
# needs: /usr/bin/python3 redis-cli
# redis-clone, buggy and fixed, as its clients see it: python3-redis, redis-cli and raw bytes.
. "$(dirname "$0")/../lib.sh"

/usr/bin/python3 -c "import redis" 2>/dev/null || skip "missing: python3-redis"
export PYTHONDONTWRITEBYTECODE=1
for which in buggy fixed; do
    start "$BUILD/demo/redis-clone-$which" --port 0 >$which.log 2>&1
    pid=$started
    wait_for 20 grep -q 'listening on' $which.log || fail "$which: not ready: $(cat $which.log)"
    port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\)$/\1/p' $which.log)
    timeout 360 /usr/bin/python3 "$TOP/tests/demos/redis_clone_client.py" "$port" "$([ $which = buggy ] || echo largest)" >client.out 2>&1 || bad "$which: $(tail -15 client.out)"
    equal "$(redis-cli -p "$port" RPUSH words a b)" 2 "$which: redis-cli"
    equal "$(printf 'LRANGE words 0 -1\n' | redis-cli -p "$port" | tr '\n' ' ')" "a b " "$which: redis-cli from a pipe"
    stop "$pid"
    equal $? 0 "$which: exit status after SIGTERM"
    equal "$(wc -l <$which.log)" 1 "$which: lines of output"
done
"$BUILD/demo/redis-clone-fixed" --port 99999 2>err && bad "port 99999 was taken"
contains err 'not a whole number from 0 to 65535' "a bad port"
"$BUILD/demo/redis-clone-fixed" --bind 256.0.0.1 --port 0 2>err && bad "a bad address was taken"
contains err '^redis-clone: 256.0.0.1: ' "a bad address"
