#!/bin/bash
# time: 120
# needs: valgrind
# variant: none
# What a walk costs in instructions, warm: the difference of two run lengths, so that learning the rules and starting
# up don't count. On a processor of these years it is some 12 ns a frame (walk_cost approf 20 1000000 prints it).
. "$(dirname "$0")/../lib.sh"

instructions() { # FRAMES TIMES
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$test_programs/walker/walk_cost" approf "$1" "$2" 2>&1 |
        awk '/Collected/ { print $NF }'
}

for limits in "5 500" "20 1700"; do
    read -r frames most <<<"$limits"
    few=$(instructions "$frames" 1000)
    many=$(instructions "$frames" 6000)
    [ -n "$few" ] && [ -n "$many" ] || fail "callgrind counted nothing"
    each=$(((many - few) / 5000))
    echo "$frames frames: $each instructions"
    [ "$each" -gt $((frames * 10)) ] || bad "$frames frames: $each instructions can't be right"
    [ "$each" -le "$most" ] || bad "$frames frames cost $each instructions, more than $most"
done
