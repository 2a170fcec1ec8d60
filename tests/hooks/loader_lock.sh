#!/bin/bash
# time: 300
# needs: gcc
# Threads that allocate inside callbacks of dl_iterate_phdr, deep and unseen stacks, libraries loaded and unloaded at each other's
# addresses, exceptions thrown through them, and forks, all at once: nothing hangs, every exception arrives, and at RATE=1 every
# call site's figures are exact, of the right one of two libraries that took the same address, in either order.
# A few seconds; LOADER_SECONDS=120 for minutes.
# (pitfalls: unwinder or dl_iterate_phdr against the loader's lock; frames in a library unloaded since; fork without exec)
. "$(dirname "$0")/../lib.sh"

seconds=${LOADER_SECONDS:-3}
stress=$test_programs/hooks/loader_stress
cat >twin.c <<'C'
#include <stdlib.h>
/* The same layout, frames of different sizes: a rule that outlives its library leads astray. */
void SITE(void (*callback)(void *), void *argument)
{
    volatile char frame[BYTES];
    frame[0] = frame[BYTES - 1] = 1;
    for (int i = 0; i < 3; i++) {
        void *volatile p = malloc(500);
        free(p);
    }
    callback(argument);
    frame[1] = frame[0];
}
C
twin() { # SITE BYTES ARGUMENTS
    gcc -shared -fPIC -O2 -fno-builtin -fexceptions -fomit-frame-pointer -DSITE="$1" -DBYTES="$2" twin.c "${@:3}" -o "$1.so" || fail "$1.so"
}
run() { # NAME RATE
    local name=$1 rate=$2
    mkdir -p "$name"
    APPROF_RATE=$rate APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/$name/%p.pb.gz" APPROF_TABLES="$TEST_TMP/tables" \
        timeout -s ABRT $((seconds * 4 + 60)) env LD_PRELOAD="$APPROF_LIB" \
        "$stress" "$seconds" "$PWD/site_first.so" "$PWD/site_other.so" "$name.counts" >"$name.said" 2>"$name.err" ||
        bad "$name: exit status $?: $(cat "$name.err" | head -5)"
    [ -s "$name.err" ] && bad "$name: $(head -5 "$name.err")"
    echo "$name: $(cat "$name.said")"
    for way in '[1-9][0-9]*,[0-9]*' '[0-9]*,[1-9][0-9]*'; do
        grep -q " reused=$way " "$name.said" || bad "$name: no address was taken again in that order: nothing was tested"
    done
}
exact() { # NAME
    local name=$1 forks
    forks=$(sed -n 's/.* forks=\([0-9]*\) .*/\1/p' "$name.said")
    parent=$(sed -n 's/^pid=\([0-9]*\) .*/\1.pb.gz/p' "$name.said")
    [ "$(ls "$name" | wc -l)" -eq $((forks + 1)) ] || bad "$name: $(ls "$name" | wc -l) profiles of $forks forks"
    "$test_programs/hooks/exact_compare" "$name/$parent" "$name.counts" >"$name.out" || bad "$name: $(cat "$name.out")"
    grep -q 'lost_stacks=0 lost_live=0 lost_samples=0 lost_reentrant=0 frees_unseen=0 truncated_stacks=0' "$name.out" ||
        bad "$name: something was lost: $(grep 'lost_' "$name.out")"
    echo "$name: lost=$(grep -oE 'lost_[a-z]+=[0-9]+' "$name.out" | awk -F= '{ n += $2 } END { print n + 0 }')"
    [ "$(cum alloc_objects site_child "$name/$parent")" -eq 0 ] || bad "$name: a child wrote into its parent's tables"
    # All files: a child whose pid an earlier one had in this run writes PID.pb.gz.2.
    [ "$(cum alloc_objects site_child "$name"/*)" -eq $((forks * 5)) ] && return
    bad "$name: children's allocations"
    for file in "$name"/*; do
        [ "$file" = "$name/$parent" ] || [ "$(cum alloc_objects site_child "$file")" -eq 5 ] && continue
        echo "$file: $(cum alloc_objects site_child "$file")"
        approf comments "$file"
        approf traces -sample_index=alloc_objects "$file" | head -60
    done
}

twin site_first 520 && twin site_other 5000
run ids 1
exact ids
run sampled 524288
twin site_first 520 -Wl,--build-id=none && twin site_other 5000 -Wl,--build-id=none
run digests 1
exact digests
exit 0
