#!/bin/bash
# time: 200
# needs: curl tmux
# variant: none
# log-search's leak: two snapshots of the running server and -base name the line, and approf live has it as the
# fastest-growing row. LEAK_SECONDS=60 does it as a person would: 10 requests a second for a minute between the two
# snapshots, at the default rate.
. "$(dirname "$0")/../lib.sh"
export TMUX_TMPDIR=$TEST_TMP
unset TMUX
seconds=${LEAK_SECONDS:-0}
APPROF_RATE=$([ "$seconds" -gt 0 ] && echo 524288 || echo 32768) LD_PRELOAD=$APPROF_LIB start "$BUILD/demo/log-search-buggy" --port 0 >server.log 2>&1
pid=$started
wait_for 30 grep -q 'listening on' server.log || fail "not ready: $(cat server.log)"
port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\)$/\1/p' server.log)
ask() {
    local i
    for i in $(seq "$1"); do
        curl -s -o /dev/null "http://127.0.0.1:$port/search?q=ERROR.*eu-%28west%7Cnorth%29" || bad "no answer"
    done
}
ask 10
approf proto -output=first.pb.gz "$pid" 2>said || fail "$(cat said)"
tmux -f /dev/null -L leak new-session -d -s live -x 80 -y 24 "'$APPROF_BIN' live $pid" || fail "no terminal"
also_at_end 'tmux -L leak kill-server 2>/dev/null'
screen() { tmux -L leak capture-pane -p -t live; }
wait_for 30 eval 'screen | has FUNCTION' || bad "approf live: $(screen)"
tmux -L leak send-keys -t live g
if [ "$seconds" -gt 0 ]; then
    end=$((SECONDS + seconds)) asked=0
    while [ $SECONDS -lt $end ]; do
        ask 1
        asked=$((asked + 1))
        sleep 0.1
    done
    echo "$asked requests in $seconds seconds"
else
    ask 40
fi
approf proto -output=second.pb.gz "$pid" 2>said || fail "$(cat said)"
approf top -lines -inuse_space -base first.pb.gz second.pb.gz >out 2>said || bad "-base: $(cat said)"
awk '/flat%/ { getline; print; exit }' out >row
contains row 'search' "the first row of the difference"
contains row '\.c:[0-9]+' "the line"
name=$(awk '{ print $6 }' row)
leads() { screen | awk -v name="$name" '/GROWTH\*/ { getline; exit !($5 == name && $3 ~ /^\+/) }'; }
wait_for 30 leads || bad "approf live: $name is not the fastest-growing row: $(screen)"
[ "$seconds" -gt 0 ] && cat out && screen
cat row
