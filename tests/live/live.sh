#!/bin/bash
# time: 200
# needs: tmux
# approf live on a terminal of 80x24: rows, orders, keys, resizing, and the terminal given back on every way out.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/terminal-lib.sh"
# leads ORDER NAME TEXT…   the first row by that order is NAME's, within a while (a screen can be seen half drawn)
first_row() { screen | awk -v order="$1*" -v name="$2" 'index($0, order) { getline; exit !($5 == name && $1 ~ /\/s$/) }'; }
leads() {
    wait_for 30 first_row "$1" "$2" || bad "${*:3}: $2 does not lead: $(screen)"
}
# still   two looks at the screen show the same: it is drawn
still() { [ "$(screen)" = "$(screen)" ]; }
gone() { ! shows "$1"; }

APPROF_RATE=65536 LD_PRELOAD=$APPROF_LIB start "$test_programs/live/churner" 2 >started
wait_for 20 grep -q ready started || fail "did not start"
pid=$started

key "'$APPROF_BIN' live $pid; echo ended with \$?" Enter
want 'FUNCTION' "the table"
want 'keep_some' "the table"
want 'drop_all' "the table"
want '^churner \('"$pid"'\)  up ' "the header"
shows hello && bad "the screen is not one of its own"
[ "$(screen | wc -l)" -le 24 ] || bad "more than 24 rows"
screen | awk 'length > 80 { exit 1 }' || bad "more than 80 columns"
# By rate keep_some leads (4,000 bytes a step, the other 1,500). The first screen has no rates yet.
want '^ +[0-9.]+[kMG]?B/s .* keep_some' "a rate"
leads RATE keep_some "by rate"
key l
leads LIVE keep_some "by live bytes"
key g
want 'GROWTH\*' "by growth"
key v
want 'churner\.c:[0-9]+' "lines"
key Enter
want '^ .*void \*\*p = malloc\(4000\);' "the source of the selected line"
key Escape
wait_for 30 gone 'malloc\(4000\)' || bad "Escape: the source stays"
key '?'
want 'order by allocation rate' "help"
key x
want 'LINE' "after help"
key f
want 'frozen' "frozen"
wait_for 30 still || bad "a frozen screen changes"
screen >one
sleep 1.5
screen >two
same <(tail -n +3 one) <(tail -n +3 two) "a frozen screen"
key f
key w
want "written: .*approf\.churner\.$pid\.pb\.gz" "writing a profile"
readable "approf.churner.$pid.pb.gz"
key j
key k
key Down
key PageDown
key Home
terminal resize-window -t live -x 60 -y 12 2>/dev/null
want '^churner' "60x12"
wait_for 30 eval "screen | awk 'length > 60 { exit 1 }'" || bad "more than 60 columns"
terminal resize-window -t live -x 200 -y 50 2>/dev/null
want 'q quit' "200x50"
terminal resize-window -t live -x 80 -y 24 2>/dev/null
key q
want 'ended with 0' "the shell after q"
want '^hello' "the screen from before"
back q

# Signals: the terminal is given back, and approf ends by the signal.
for name in TERM HUP QUIT SEGV; do
    key "clear; '$APPROF_BIN' live churner; echo ended with \$?" Enter
    want 'FUNCTION' "SIG$name: the table"
    watcher=$(pgrep -f "$APPROF_BIN live churner" | while read -r p; do
        [ "$(cat /proc/"$p"/comm)" = "$(basename "$APPROF_BIN" | cut -c1-15)" ] && echo "$p"
    done | head -1)
    kill "-$name" "$watcher"
    want "ended with $((128 + $(kill -l "$name")))" "SIG$name"
    back "SIG$name"
done
# ^C, and ^Z with fg.
key "clear; '$APPROF_BIN' live churner; echo ended with \$?" Enter
want 'FUNCTION' "^Z: the table"
key C-z
want 'Stopped' "^Z"
back "^Z"
key "fg" Enter
want 'FUNCTION' "fg: the table"
key C-c
want '^prompt>' "^C"
# A process that ends meanwhile.
key "clear; '$APPROF_BIN' live churner; echo ended with \$?" Enter
want 'FUNCTION' "the table"
stop "$pid"
want 'ended, began' "the process has ended"
want 'keep_some' "what the process did is still there"
key q
want 'ended with 0' "q after the end"
"$APPROF_BIN" live churner </dev/null >out 2>said
equal $? 2 "no such process"
contains said '^hint: ' "no such process"
