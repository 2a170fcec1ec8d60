#!/bin/bash
# time: 900
# needs: python3 redis-cli
# All stages of resp-stages say the same, and keep what they were told in their append-only file.
. "$(dirname "$0")/../lib.sh"

export PYTHONDONTWRITEBYTECODE=1
serve() { # STAGE ARGS…
    local stage=$1
    shift
    start "$BUILD/demo/resp-stage$stage" --port 0 "$@" >stage.log 2>&1
    pid=$started
    wait_for 20 grep -q 'listening on' stage.log || fail "stage $stage: not ready: $(cat stage.log)"
    port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\)$/\1/p' stage.log)
}
for stage in 0 1 2 3 4 5 6 7; do
    serve $stage
    timeout 360 "$PYTHON" "$TOP/tests/demos/resp_stages_client.py" "$port" "$([ $stage != 7 ] || echo largest)" >client.out 2>&1 || bad "stage $stage: $(tail -15 client.out)"
    stop "$pid"
    equal $? 0 "stage $stage: exit status after SIGTERM"
    equal "$(wc -l <stage.log)" 1 "stage $stage: lines of output"
    [ -e appendonly.aof ] && bad "stage $stage: an append-only file that nobody asked for"

    serve $stage --appendonly 1
    printf 'SET a 1\nSET b 2\nDEL a nothing\nGET b\nDEL nothing\n' | redis-cli -p "$port" >/dev/null
    stop "$pid"
    equal "$(grep -c '^\*' appendonly.aof)" 3 "stage $stage: commands in the append-only file"
    mv appendonly.aof "$stage.aof"
    same 0.aof "$stage.aof" "stage $stage: the append-only file"
    cp "$stage.aof" appendonly.aof
    serve $stage --appendonly 1
    equal "$(redis-cli -p "$port" GET b)" 2 "stage $stage: b after a restart"
    equal "$(redis-cli -p "$port" GET a)" "" "stage $stage: a after a restart"
    stop "$pid"
    rm -f appendonly.aof
done
head -c 40 0.aof >appendonly.aof
timeout 20 "$BUILD/demo/resp-stage7" --port 0 --appendonly 1 >cut.log 2>&1 && bad "a file that is cut off was taken"
contains cut.log 'does not end with a whole command' "a file that is cut off"
