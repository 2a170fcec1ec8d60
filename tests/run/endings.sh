#!/bin/bash
# time: 180
# needs: python3
# However a program ends under approf run: its status is passed on, its profile is there and names the leak.
. "$(dirname "$0")/../lib.sh"
leaky=$test_programs/run/leaky

leak_in() { # FILE: leaky() holds most of what lives
    local share
    share=$("$APPROF_BIN" top -sample_index=inuse_space "$1" 2>&1 | awk '$NF == "leaky" && NF == 6 { print int($5) }')
    [ "${share:-0}" -ge 90 ] || bad "$2: leaky has ${share:-none}% of $1"
}
one_profile() { # NAME
    local files=(approf.*.pb.gz)
    [ "${#files[@]}" -eq 1 ] && [ -e "${files[0]}" ] || { bad "$1: ${files[*]}"; return; }
    leak_in "${files[0]}" "$1"
    rm -f -- *.pb.gz
}

"$APPROF_BIN" run -- "$leaky" status 7 2> said; [ $? -eq 7 ] || bad "exit status is not passed on"
grep -q "^approf: leaky ([0-9]*): 19.07MB allocated, about .* live at the end, about .* at its peak$" said || bad "summary: $(cat said)"
next=$(sed -n 's/^next:   //p' said)
[ -n "$next" ] && (PATH=$(dirname "$APPROF_BIN"):$PATH; eval "$next" | has leaky) || bad "next command: $next"
one_profile status

# by a signal: the parent sees just that signal, and no core of ours
for number in 9 11 6 15; do
    python3 - "$APPROF_BIN" "$leaky" $number 2> said <<'PY' || bad "signal $number is not passed on: $(cat said)"
import subprocess, sys
done = subprocess.run([sys.argv[1], "run", "--", sys.argv[2], "kill", sys.argv[3]])
sys.exit(done.returncode != -int(sys.argv[3]))
PY
    grep -q "ended by SIG" said || bad "signal $number is not told"
    one_profile "signal $number"
done
ls core* 2> /dev/null && bad "a core of approf"

# out of memory, then abort
"$APPROF_BIN" run -- "$leaky" limit 2> said
[ $? -eq 134 ] || bad "abort after the memory limit"
one_profile "memory limit"

# exec in place: two programs, one pid, two profiles
"$APPROF_BIN" run -- "$leaky" exec 2> said; [ $? -eq 4 ] || bad "status after exec"
files=(approf.leaky.*.pb.gz*)
[ "${#files[@]}" -eq 2 ] || bad "exec: ${files[*]}"
rm -f -- *.pb.gz*

# standard streams and the terminal's order of things
printf 'hello' | "$APPROF_BIN" run -- cat 2> /dev/null > copied
[ "$(cat copied)" = hello ] || bad "standard input and output"
rm -f -- *.pb.gz*

# nothing stays behind
left=$(find "$APPROF_TABLES" -mindepth 1)
[ -z "$left" ] || bad "left: $left"
