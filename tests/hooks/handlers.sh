#!/bin/bash
# time: 300
# needs: python3
# A signal handler may come at any instruction of the hook, allocate there, free, or leave by longjmp: over an allocator that bears
# it (safe_malloc) nothing hangs, and each allocation is either in the profile or counted as lost there. HANDLERS_TICKS=100000 for long.
. "$(dirname "$0")/../lib.sh"

ticks=${HANDLERS_TICKS:-300}
safe=$test_programs/hooks/safe_malloc.so

# run PROGRAM RATE
run() {
    rm -f h.pb.gz
    APPROF_RATE=$2 APPROF_SEED=7 APPROF_SYMBOLIZE=0 APPROF_OUT=$TEST_TMP/h.pb.gz LD_PRELOAD=$APPROF_LIB:$safe \
        timeout 200 "$test_programs/hooks/$1" anywhere "$ticks" >out 2>err || bad "$1, rate $2: exit status $?: $(cat out)"
    [ -s err ] && bad "$1, rate $2: $(cat err)"
    [ -s h.pb.gz ] || fail "$1, rate $2: no profile"
    "$PYTHON" "$TOP/tests/pprof_sum.py" --comments h.pb.gz >comments
}
fact() { # NAME of the profile's comments
    sed -n "s/.* $1=\([0-9]*\).*/\1/p" comments
}
printed() { # NAME of what the program printed
    sed -n "s/^$1 //p" out
}
site() { # TYPE FUNCTION
    flat "$1" "$2" h.pb.gz # the innermost: a handler that interrupted the other has both on its stack
}

run sigprof_ticks 1
equal "$(site alloc_objects site_main)" "$(printed site_main)" "what the interrupted program allocated"
equal "$(($(site alloc_objects site_tick) + $(fact lost_reentrant)))" "$(printed site_tick)" "what the handler allocated, and what was lost of it"
equal "$(site inuse_objects site_main)" 64 "what the program keeps"
live=$(site inuse_objects site_tick)
[ "$live" -le 8 ] || bad "$live blocks of the handler's 8 are in use"
[ "$(fact lost_reentrant)" -gt 0 ] || echo "no handler came into the hook: nothing was tried at rate 1"

run sigprof_ticks 20000
total=$(fact total_bytes) bytes=$(printed bytes)
if [ "$(fact lost_reentrant)" -eq 0 ]; then
    # stdio's buffer is the program's, too
    [ "$total" -ge "$bytes" ] && [ "$total" -le $((bytes + 16384)) ] || bad "the total is $total, the program's own $bytes"
fi

for rate in 1 20000 ""; do
    run handler_jumps "$rate"
    [ "$rate" = 1 ] || continue
    equal "$(site alloc_objects site_after)" "$(printed site_after)" "what was allocated after the last jump"
    equal "$(site inuse_objects site_after)" 0 "what of it is in use"
done
exit 0
