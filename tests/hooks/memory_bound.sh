#!/bin/bash
# time: 60
# variant: none
# What the hook takes at the default rate: at most 1% of the live heap, 4 MiB, and 400 bytes for each distinct stack, all
# in: its code, tables, filter, slots. The same program's memory in RAM with and without it; tables/tables_density holds
# the part for stacks at any number of them.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/live_heap
for mib in 1 64 512; do
    plain=$("$program" "$mib") || fail "exit status $?"
    hooked=$(APPROF_SYMBOLIZE=0 APPROF_OUT=$TEST_TMP/m.pb.gz preload "$program" "$mib") || fail "exit status $?"
    stacks=$((mib * 2)) # no more than samples
    bound=$((mib * 1024 / 100 + 4096 + stacks * 400 / 1024))
    echo "$mib MiB live: $plain KiB in RAM, $((hooked - plain)) KiB more with the hook, at most $bound"
    [ "$plain" -ge $((mib * 1024)) ] || bad "$mib MiB: $plain KiB can't be right"
    [ $((hooked - plain)) -gt 100 ] || bad "$mib MiB: $((hooked - plain)) KiB can't be right"
    [ $((hooked - plain)) -le "$bound" ] || bad "$mib MiB: $((hooked - plain)) KiB, more than $bound"
done
