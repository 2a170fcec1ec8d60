#!/bin/bash
# time: 300
# variant: none
# APPROF_OVERHEAD: under a low ceiling the rate rises by itself until sampling costs no more, and the estimate still
# meets the exact total; under a ceiling that can't be reached it stays, and without one no clock is read.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/pair

# profiled CEILING RATE PAIRS   leaves rate= samples= total= estimate= from the profile
profiled() {
    rm -f o.pb.gz
    APPROF_OVERHEAD=$1 APPROF_RATE=$2 APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/o.pb.gz" LD_PRELOAD=$APPROF_LIB \
        "$program" "$3" 2>err || fail "$1: exit status $?"
    [ -s err ] && bad "$1: $(cat err)"
    "$test_programs/hooks/exact_compare" o.pb.gz /dev/null >said
    rate=$(sed -n 's/.*[ ^]rate=\([0-9]*\).*/\1/p' said)
    total=$(sed -n 's/.* total_bytes=\([0-9]*\) exact=1.*/\1/p' said)
    estimate=$(sed -n 's/^alloc_space \([0-9]*\),.*/\1/p' said)
    echo "ceiling '$1', rate $2: rate $rate at the end, $estimate bytes for $total"
    [ -n "$rate" ] && [ -n "$total" ] && [ -n "$estimate" ] || fail "no figures: $(cat said)"
}

# Half of the allocations are sampled at first, which is most of the program's time: far above 1%, on any machine.
profiled 1% 64 30000000
[ "$rate" -ge 1024 ] || bad "the rate has not risen: $rate"
awk "BEGIN { exit !($estimate > $total * 0.7 && $estimate < $total * 1.3) }" || bad "$estimate bytes for $total"
# A power of two times the first one.
[ $((rate & (rate - 1))) -eq 0 ] || bad "a rate of $rate"

profiled 100% 64 1000000
[ "$rate" -eq 64 ] || bad "100%: the rate has changed to $rate"
profiled '' 64 1000000
[ "$rate" -eq 64 ] || bad "without a ceiling: the rate has changed to $rate"
