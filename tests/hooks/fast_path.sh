#!/bin/bash
# time: 240
# quick
# needs: valgrind objdump
# variant: none
# The unsampled path: malloc and free together cost at most 16 instructions over no preload, reach the
# allocator beneath by a jump and not a call, and the library needs no more than 64 bytes of static TLS.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/pair

instructions() { # LIBRARY COUNT
    APPROF_SEED=1 APPROF_RATE=1G APPROF_SYMBOLIZE=0 LD_PRELOAD=$1 valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null "$program" "$2" 2>&1 | sed -n 's/.*Collected : *//p'
}

# The difference of two run lengths: everything but the pairs drops out.
pair_cost() {
    local short long
    short=$(instructions "$1" 10000)
    long=$(instructions "$1" 30000)
    [ -n "$short" ] && [ -n "$long" ] || fail "callgrind counted nothing"
    awk "BEGIN { printf \"%.2f\", ($long - $short) / 20000 }"
}

plain=$(pair_cost "")
hooked=$(pair_cost "$APPROF_LIB")
over=$(awk "BEGIN { printf \"%.2f\", $hooked - $plain }")
echo "a pair: $plain instructions without, $hooked with the preload, $over more"
awk "BEGIN { exit !($over > 0 && $over <= 16) }" || bad "malloc and free cost $over instructions more"

for function in malloc free; do
    objdump -d "$APPROF_LIB" --disassemble=$function >$function.s
    grep -q 'jmp \+\*.*<real_' $function.s || bad "$function does not jump to the allocator beneath"
    grep -qw call $function.s && bad "$function calls before it knows that it must"
done

tls=$(readelf -lW "$APPROF_LIB" | awk '$1 == "TLS" { print $6 }')
[ "$((${tls:-0}))" -le 64 ] || bad "$tls bytes of static TLS"
