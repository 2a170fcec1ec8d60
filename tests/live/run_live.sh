#!/bin/bash
# time: 300
# needs: tmux
# variant: none
# approf run -live: the live view while the program runs, its output in a file, the terminal given back when it ends
# (or when the view is closed), then the summary and the program's exit status.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/terminal-lib.sh"
# run_live ARGS…   in the terminal, on an empty screen
run_live() {
    key "clear; '$APPROF_BIN' run --live -rate 65536 $*; echo ended with \$?" Enter
}
# churner, with something to say on both streams first
cat >server.sh <<S
#!/bin/sh
echo says this
echo and that >&2
exec '$test_programs/live/churner' 2 >>other
S
chmod +x server.sh

run_live ./server.sh
want 'FUNCTION' "the table"
want '^ +[0-9.]+[kMG]?B/s .* keep_some' "a rate"
want '^churner \([0-9]+\)  up ' "the header"
[ "$(screen | wc -l)" -le 24 ] && screen | awk 'length > 80 { exit 1 }' || bad "not 80x24: $(screen)"
shows 'says this|and that' && bad "the program's output is on the screen"
pid=$(screen | sed -n 's/^churner (\([0-9]*\)).*/\1/p')
equal "$(readlink "/proc/$pid/fd/0")" /dev/null "the program's input: keys belong to the view"
equal "$(readlink "/proc/$pid/fd/2")" "$TEST_TMP/approf.server.sh.out" "the program's output"
equal "$(ls "/proc/$pid/fd" | tr '\n' ' ')" '0 1 2 ' "the program's descriptors"
key g
want 'GROWTH\*' "a key"
kill -TERM "$pid"
want '^ended with 0' "the end"
want '^approf: output: approf.server.sh.out$' "where the output is"
want '^approf: churner \([0-9]+\): .* allocated' "the summary"
want "^next:   approf top 'approf.churner.$pid.pb.gz'" "the next command"
printf 'says this\nand that\n' | cmp -s - approf.server.sh.out || bad "output: $(cat approf.server.sh.out)"
readable "approf.churner.$pid.pb.gz"
back "the end"
rm -f -- *.pb.gz *.out

terminal resize-window -t live -x 160 -y 40 # messages in one line each

# ^C is the program's; its status is passed on. What is redirected stays so, and an empty file goes.
run_live "'$test_programs/run/leaky' wait >mine"
want '^leaky \([0-9]+\)  up ' "leaky"
key C-c
want '^ended with 5' "^C"
equal "$(tail -1 mine)" "got it" "redirected output"
[ -e approf.leaky.out ] && bad "an empty file stays"
back "^C"

# q closes the view, the program goes on; ^Z and fg.
run_live ./server.sh
want '^churner' "the table, again"
key C-z
want 'Stopped' "^Z"
back "^Z"
key fg Enter
want '^churner' "fg"
key q
want 'the view is closed, the program goes on; its output: approf.server.sh.out$' "q"
key C-c
want 'ended by SIGINT' "^C after q"
back "q"
rm -f -- *.out

# Several processes: the one that allocates most; n is the next one.
run_live "sh -c \"'$test_programs/run/leaky' wait & leaky=\\\$!; '$test_programs/live/churner' 2; kill \\\$leaky; wait \\\$leaky\""
want '^churner .* one of 3 processes' "several processes"
key n
want '^(sh|dash|leaky) ' "n"
for _ in 1 2 3 4 5; do
    shows '^leaky ' && break
    key n
    wait_for 5 shows '^leaky '
done
want '^leaky ' "n comes to each"
# Of this test's own tables: another test may run the same program.
churner_pid() { "$APPROF_BIN" ps | awk '/ alive .*\/churner$/ { print $1 }'; }
kill -TERM "$(churner_pid)"
want '^ended with' "the end"
back "several processes"
rm -f -- *.out

# SIGKILL of approf itself: the view goes, and gives the terminal back.
run_live ./server.sh
want '^churner' "the table"
pid=$(screen | sed -n 's/^churner (\([0-9]*\)).*/\1/p')
kill -KILL "$(sed -n 's/^PPid:\t//p' "/proc/$pid/status")"
view_is_gone() { ! shows FUNCTION; }
wait_for 60 view_is_gone || bad "SIGKILL: the view stays"
back "SIGKILL"
kill -KILL "$pid"
"$APPROF_BIN" ps --clean >/dev/null

# What can't be started says so on a terminal that is as it was; nothing is left.
run_live ./nothing-of-this-name
want 'no such file' "no such program"
want '^ended with 127' "no such program"
back "no such program"
key "clear; APPROF_TABLES=off '$APPROF_BIN' run -live -- true; echo ended with \$?" Enter
want '^ended with 2' "without tables"
ls approf.*.out >/dev/null 2>&1 && [ -e approf.nothing-of-this-name.out ] && bad "left: $(ls)"
"$APPROF_BIN" run -live -- touch ran </dev/null >out 2>said
equal $? 2 "without a terminal"
contains said '^hint: ' "without a terminal"
[ -e ran ] && bad "without a terminal it ran all the same"
[ -z "$(find "$APPROF_TABLES" -mindepth 1)" ] || bad "left: $(find "$APPROF_TABLES" -mindepth 1)"
