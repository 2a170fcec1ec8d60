#!/bin/bash
# time: 120
# quick
# log-parse: both programs write the same, and say what is wrong with their input.
. "$(dirname "$0")/../lib.sh"

buggy=$BUILD/demo/log-parse-buggy fixed=$BUILD/demo/log-parse-fixed
for program in $buggy $fixed; do
    name=$(basename "$program")
    "$program" --lines 5000 >$name.out 2>$name.err || bad "$name: exit status $?"
    contains $name.err '^log-parse: 5000 lines in [0-9.]+ s, [0-9.]+ s of the processor, [0-9]+ bytes written$' "$name"
    equal "$(wc -c <$name.out)" "$(sed 's/.*, \([0-9]*\) bytes.*/\1/' $name.err)" "$name: bytes written"
    printf 'a|b|c|d|e\n\nx|y\nu|v|w|\na|b|c|no line end' >input
    printf 'd|e;d|e;d|e\n;;\nno line end;no line end;no line end\n' >wanted
    "$program" - <input >output 2>err || bad "$name -: exit status $?"
    same output wanted "$name from stdin"
    contains err '3 lines in .*, 2 lines with fewer than 4 fields left out$' "$name from stdin"
    "$program" input >output 2>err || bad "$name FILE: exit status $?"
    same output wanted "$name from a file"
    head -c 200000 /dev/zero | tr '\0' x >long && printf '|b|c|d\n' >>long
    equal "$("$program" long 2>/dev/null)" "d;d;d" "$name: a long line"
    head -c 2000000 /dev/zero | tr '\0' x >long
    "$program" long >/dev/null 2>err && bad "$name took a line of 2 MB"
    contains err 'longer than 1048576 bytes' "$name: a line of 2 MB"
    "$program" --lines 0 >output 2>err || bad "$name --lines 0: exit status $?"
    equal "$(wc -c <output)" 0 "$name --lines 0"
    for arguments in "--lines x" "--lines -1" "--nonsense" "a b c"; do
        # shellcheck disable=SC2086
        "$program" $arguments >/dev/null 2>&1
        equal $? 2 "$name $arguments: exit status"
    done
    "$program" missing >/dev/null 2>err
    equal $? 1 "$name missing: exit status"
    contains err 'missing: No such file' "$name missing"
    "$program" --lines 100 >/dev/full 2>err && bad "$name did not notice that its output is full"
    contains err 'writing: No space left' "$name: output full"
done
same log-parse-buggy.out log-parse-fixed.out "what buggy and fixed write"
equal "$(head -1 log-parse-fixed.out | tr ';' '\n' | sort -u | wc -l)" 1 "different parts of a line"
