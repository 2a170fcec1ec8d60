#!/bin/bash
# time: 120
# needs: valgrind
# variant: none
# What a walk costs in instructions, warm: the difference of two run lengths, so that learning the rules and starting
# up don't count. On a processor of these years it is some 12 ns a frame (walk_cost approf 20 1000000 prints it), and 1 ns
# for frames of a stack that was walked before, be it the last one or one of several that take turns.
. "$(dirname "$0")/../lib.sh"

instructions() { # FRAMES TIMES [again|other|turns]
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$test_programs/walker/walk_cost" approf "$@" 2>&1 |
        awk '/Collected/ { print $NF }'
}

for limits in "5 600" "20 1700" "20 1800 other" "20 260 again" "100 1060 again" "20 400 turns"; do
    read -r frames most how <<<"$limits"
    few=$(instructions "$frames" 1000 ${how:+"$how"})
    many=$(instructions "$frames" 6000 ${how:+"$how"})
    [ -n "$few" ] && [ -n "$many" ] || fail "callgrind counted nothing"
    each=$(((many - few) / 5000))
    echo "$frames frames${how:+, $how}: $each instructions"
    [ "$each" -gt $((frames * 6)) ] || bad "$frames frames: $each instructions can't be right"
    [ "$each" -le "$most" ] || bad "$frames frames cost $each instructions, more than $most"
done
