#!/bin/bash
# time: 240
# quick
# The total of requested bytes is exact at a clean exit at any rate: 10,000 short threads, more than one
# at a time, objects of 1 MiB and of none.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/exact_total

total() { # RATE ROUNDS
    rm -f t.pb.gz
    APPROF_RATE=$1 APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/t.pb.gz" LD_PRELOAD=$APPROF_LIB "$program" "$2" >round ||
        fail "exit status $?"
    "$test_programs/hooks/exact_compare" t.pb.gz /dev/null >said
    sed -n 's/.* total_bytes=\([0-9]*\) exact=1.*/\1/p' said
}

# What a thread itself costs (its table of TLS blocks, say) is found at rate 1, where all is recorded.
own=$(total 1 12)
first=$(total 1 2)
for rate in 524288 10000 64M 0; do
    long=$(total $rate 102)
    short=$(total $rate 2)
    [ -n "$long" ] && [ -n "$short" ] || fail "rate $rate: no exact total: $(cat said)"
    want=$(((own - first) * 10))
    [ $((long - short)) -eq "$want" ] || bad "rate $rate: 100 rounds are $((long - short)) bytes, not $want"
    floor=$(($(cat round) * 100))
    [ "$want" -ge "$floor" ] && [ "$want" -lt $((floor + floor / 100)) ] ||
        bad "100 rounds are $want bytes, the program's own $floor"
done
echo "threads=43000"
