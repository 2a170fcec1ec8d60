#!/bin/bash
# time: 120
# quick
# What a program counts itself is what its profile says at RATE=1, to the byte, per call site and for
# all four sample types: every function of the list, four threads, realloc both ways, failures.
. "$(dirname "$0")/../lib.sh"

sites=$test_programs/hooks/exact_sites
over() { # NAME LIBRARY [pvalloc]
    local name=$1 library=$2
    if [ -n "$library" ] && ! [ -e "$library" ]; then
        echo "$name: not installed, left out"
        return
    fi
    EXACT_WITHOUT=${3:-} APPROF_SYMBOLIZE=0 APPROF_RATE=1 APPROF_OUT="$TEST_TMP/$name.pb.gz" \
        LD_PRELOAD="$APPROF_LIB${library:+:$library}" "$sites" "$name.counts" 2>"$name.err" ||
        bad "over $name: exit status $?"
    [ -s "$name.err" ] && bad "over $name: $(cat "$name.err")"
    if ! "$test_programs/hooks/exact_compare" "$name.pb.gz" "$name.counts" >"$name.out"; then
        cat "$name.out"
        bad "over $name: the profile says otherwise"
    fi
    grep -q 'lost_stacks=0 lost_live=0 lost_samples=0 lost_reentrant=0 frees_unseen=0' "$name.out" ||
        bad "over $name: something was lost: $(grep 'lost_' "$name.out")"
    # RATE=1 records all: the sum of the samples is the exact total.
    total=$(sed -n 's/^alloc_space \([0-9]*\),.*/\1/p' "$name.out")
    grep -q "total_bytes=$total exact=1" "$name.out" || bad "over $name: the exact total is not $total"
}

lib=/usr/lib/x86_64-linux-gnu
over glibc ""
over jemalloc $lib/libjemalloc.so.2 pvalloc
over tcmalloc $lib/libtcmalloc_minimal.so.4
over mimalloc $lib/libmimalloc.so.2
