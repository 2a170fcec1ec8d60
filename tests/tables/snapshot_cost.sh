#!/bin/bash
# time: 240
# needs: valgrind
# variant: none
# What a snapshot of 10,000 stacks costs, from the tables to the written profile, in instructions: the difference of
# two run lengths. On a processor of these years 100 million are some 18 ms; the bound is 50 ms (docs/ARCHITECTURE.md).
# The process that is looked at is not stopped: see live/consistent.
. "$(dirname "$0")/../lib.sh"

instructions() { # CLASSES TIMES
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$test_programs/tables/snapshot_cost" 10000 "$@" 2>&1 |
        awk '/Collected/ { print $NF }'
}

for limits in "1 120" "3 300"; do
    read -r classes most <<<"$limits"
    few=$(instructions "$classes" 1)
    many=$(instructions "$classes" 3)
    [ -n "$few" ] && [ -n "$many" ] || fail "callgrind counted nothing"
    each=$(((many - few) / 2000000))
    echo "10,000 stacks, $((classes * 10000)) samples: $each million instructions"
    [ "$each" -gt 20 ] || bad "$each million instructions can't be right"
    [ "$each" -le "$most" ] || bad "a snapshot costs $each million instructions, more than $most"
done
