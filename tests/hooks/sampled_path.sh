#!/bin/bash
# time: 300
# needs: valgrind
# variant: none
# The bounds on what sampling at the default rate costs, as ratios of instructions with the hook and without it, each
# the difference of two run lengths: 16 KiB under 20 frames, where one allocation in 32 is sampled, within 15% (held is 13). Mixed
# sizes are to be within 3%, which the unsampled path alone is not (14 or 15 instructions on 305): held is what is reached.
. "$(dirname "$0")/../lib.sh"

program=$BUILD/bench/patterns
[ -x "$program" ] || fail "no $program: make test-programs"

instructions() { # LIBRARY PATTERN COUNT
    APPROF_SEED=1 APPROF_SYMBOLIZE=0 APPROF_TABLES=off APPROF_OUT=$TEST_TMP/s.pb.gz LD_PRELOAD=$1 valgrind \
        --tool=callgrind --callgrind-out-file=/dev/null "$program" "$2" "$3" 2>&1 | sed -n 's/.*Collected : *//p'
    rm -f s.pb.gz
}
each() { # LIBRARY PATTERN
    local short long
    short=$(instructions "$1" "$2" 20000)
    long=$(instructions "$1" "$2" 120000)
    [ -n "$short" ] && [ -n "$long" ] || fail "callgrind counted nothing"
    awk "BEGIN { printf \"%.2f\", ($long - $short) / 100000 }"
}

for bound in "deep 13" "mixed 7"; do
    read -r pattern most <<<"$bound"
    plain=$(each "" "$pattern") hooked=$(each "$APPROF_LIB" "$pattern")
    more=$(awk "BEGIN { printf \"%.1f\", ($hooked / $plain - 1) * 100 }")
    echo "$pattern: $plain instructions without the hook, $hooked with it: $more% more"
    awk "BEGIN { exit !($more > 1) }" || bad "$pattern: $more% can't be right"
    awk "BEGIN { exit !($more <= $most) }" || bad "$pattern: $more% more, the bound is $most%"
done
