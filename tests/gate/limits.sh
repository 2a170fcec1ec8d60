#!/bin/bash
# time: 180
# variant: san
# Limits of every kind, floors, operations, several profiles a side, moved code, waivers, --two-sided.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"

main="main@src/main.c:9"
fixed="50 5000 0 0 format@src/format.c:7;$main
1 8 1 8 tiny@src/tiny.c:2;$main"
profile base.gz --peak 5000 <<<"100 10000 10 1000 parse@src/parse.c:12;$main
$fixed"
# 10% more of everything at one site: 6.67% of the total.
profile ten.gz --peak 5500 <<<"110 11000 11 1100 parse@src/parse.c:12;$main
$fixed"

# Growth of the total: relative, by an amount, of each type.
gate 1 "total beyond 5%" -base base.gz --max-growth alloc_space=5% ten.gz
gate 0 "total within 7%" -base base.gz --max-growth alloc_space=7% ten.gz
gate 1 "by an amount" -base base.gz --max-growth alloc_space=999 ten.gz
gate 0 "by just that amount" -base base.gz --max-growth alloc_space=1000 ten.gz
gate 0 "by +1kB" -base base.gz --max-growth alloc_space=+1kB ten.gz
gate 1 "objects" -base base.gz --max-growth alloc_objects=6% ten.gz
gate 0 "objects, just within" -base base.gz --max-growth alloc_objects=+10 ten.gz
gate 1 "live bytes" -base base.gz --max-growth inuse_space=9% ten.gz
gate 0 "live bytes, within" -base base.gz --max-growth inuse_space=10% ten.gz
gate 1 "live objects" -base base.gz --max-growth inuse_objects=+0 ten.gz
gate 1 "peak" -base base.gz --max-growth peak=9% ten.gz
gate 0 "peak, within" -base base.gz --max-growth peak=10% ten.gz
gate 1 "no growth at all" -base base.gz --max-growth alloc_space=0% ten.gz
gate 0 "none there" -base base.gz --max-growth alloc_space=0% base.gz

# Absolute.
gate 1 "max" -base base.gz --max alloc_space=16007 ten.gz
gate 0 "max, just" -base base.gz --max alloc_space=16008 ten.gz
gate 1 "max peak" -base base.gz --max peak=5kB ten.gz
gate 0 "max peak, within" -base base.gz --max peak=6kB ten.gz
gate 1 "one of several" -base base.gz --max alloc_space=1MB --max peak=1 ten.gz

# Of each site, of a pattern.
gate 1 "each site" -base base.gz --max-site-growth alloc_space=9% ten.gz
contains gate.out '^FAIL +parse ' "the site by name"
contains gate.out '2 sites within limits' "and those within limits counted"
gate 0 "each site, within" -base base.gz --max-site-growth alloc_space=10% ten.gz
gate 1 "each site, at most" -base base.gz --max-site alloc_space=10999 ten.gz
gate 1 "pattern, nothing allowed" -base base.gz --site '^par' alloc_space=0 ten.gz
gate 0 "pattern, elsewhere" -base base.gz --site '^format' alloc_space=0% ten.gz
gate 1 "pattern, relative" -base base.gz --site '^parse$' alloc_space=9% ten.gz
gate 0 "pattern, sum of its sites" -base base.gz --site '^(parse|format)$' alloc_space=7% ten.gz
gate 1 "pattern, by an amount" -base base.gz --site '^parse$' alloc_space=+999 ten.gz

# Floors.
profile tiny.gz --peak 5000 <<<"100 10000 10 1000 parse@src/parse.c:12;$main
50 5000 0 0 format@src/format.c:7;$main
9 72 1 8 tiny@src/tiny.c:2;$main
1 90 0 0 new_one@src/new.c:1;$main"
gate 1 "a tiny site grows ninefold, and one is new" -base base.gz --max-site-growth alloc_space=5% tiny.gz
contains gate.out '2 failed' "both"
gate 0 "below the floor" -base base.gz --max-site-growth alloc_space=5% --floor alloc_space=100 tiny.gz
contains gate.out '2 below the floor' "and says so"
gate 1 "above the floor" -base base.gz --max-site-growth alloc_space=5% --floor alloc_space=80 tiny.gz

# Soft limits.
gate 0 "soft" -base base.gz --max-growth alloc_space=5%:warn ten.gz
contains gate.out '^warn ' "a warning"
gate 1 "soft and hard" -base base.gz --max-growth alloc_space=5%:warn --max alloc_space=1 ten.gz

# Operations.
gate 0 "per operation" -base base.gz --per 10 --max alloc_objects=16.1/op ten.gz
gate 1 "per operation, beyond" -base base.gz --per 10 --max alloc_objects=16/op ten.gz
echo 10 >ops
gate 1 "from a file" -base base.gz --per-file ops --max alloc_objects=16/op ten.gz
gate 0 "a limit without /op is of the whole run" -base base.gz --per 10 --max alloc_objects=161 ten.gz
gate 1 "... and beyond" -base base.gz --per 10 --max alloc_objects=160 ten.gz
# A baseline of 10 operations against a run of 5 that allocates as much: twice as much an operation.
gate 0 "baseline per operation" --baseline per.txt --update --per 10 base.gz
gate 0 "as many operations" --baseline per.txt --per 10 base.gz
gate 1 "half the operations" --baseline per.txt --per 5 base.gz
gate 2 "how many operations?" --baseline per.txt base.gz
gate 0 "plain baseline" --baseline plain.txt --update base.gz
gate 2 "a baseline of how many operations?" --baseline plain.txt --per 5 base.gz

# Rules from a file, and from the one in the current directory.
cat >rules <<'R'
# what this service may do
floor alloc_space=100
max-growth alloc_space=5% inuse_space=50%
warn max-site-growth alloc_space=2%   # to be looked at
site "^format" alloc_space=0%
per 10
max alloc_objects=100/op
R
gate 1 "rules" -base base.gz --rules rules ten.gz
contains gate.out '1 failed, 0 can.t tell, 1 warned' "one hard, one soft"
mkdir own && cp ./*.gz own/ && cp rules own/approf.gate
(cd own && gate 1 "approf.gate" -base base.gz ten.gz && contains gate.out 'limits are those of approf.gate' "named")
(cd own && gate 0 "approf.gate is not read beside limits" -base base.gz --max alloc_space=1GB ten.gz && contains gate.out 'approf.gate was not read' "said")
[ -e own/gate.out ] || bad "approf.gate: not tried"
(cd own && approf gate -base base.gz ten.gz >/dev/null; [ $? = 1 ]) || bad "approf.gate does not fail"
gate 0 "without any rules" -base base.gz base.gz
contains gate.out 'no limits were given: alloc_space may grow by 5%' "the default is named"

# Several profiles a side: pooled, and their spread counts.
for i in 1 2 3 4; do
    profile "v$i.gz" <<<"100 $((10000 + i * 400)) 0 0 parse@src/parse.c:12;$main"
    profile "w$i.gz" <<<"100 $((30000 + i * 400)) 0 0 parse@src/parse.c:12;$main"
done
gate 1 "one noisy profile against another, by chance" -base v1.gz v4.gz
gate 3 "means that differ by less than the spread" -base v1.gz -base v3.gz v2.gz v4.gz
gate 1 "means that differ by more" -base v1.gz -base v2.gz -base v3.gz -base v4.gz w1.gz w2.gz w3.gz w4.gz
gate 0 "several runs in a baseline" --baseline many.txt --update v1.gz v2.gz v3.gz v4.gz
contains many.txt '^runs 4$' "their number"
gate 1 "against it" --baseline many.txt w1.gz w2.gz w3.gz w4.gz
gate 0 "against it, a limit above the spread" --baseline many.txt --max-growth alloc_space=80% v1.gz v2.gz v3.gz v4.gz
# The same figures in all of them are exact, large as they may be.
for i in 1 2 3; do profile "x$i.gz" <<<"1000000007 3000000000021 0 0 parse@src/parse.c:12;$main"; done
gate 0 "three equal ones" -base x1.gz -base x2.gz -base x3.gz --max-growth alloc_space=0% x1.gz x2.gz x3.gz
contains gate.out ', exact$' "without noise"

# Exact totals of sampled profiles.
sampled="4 2097152 0 0 parse@src/parse.c:12;$main"
profile t1.gz --rate 524288 --total 2000000 <<<"$sampled"
profile t2.gz --rate 524288 --total 2200000 <<<"$sampled"
gate 1 "exact totals show what samples can't" -base t1.gz t2.gz
gate 0 "exact totals" -base t1.gz --max-growth alloc_space=10% t2.gz
profile t3.gz --rate 524288 <<<"$sampled"
gate 3 "without one, samples have to do" -base t1.gz t3.gz

# --two-sided: an improvement is to be locked in.
profile half.gz --peak 2000 <<<"50 5000 5 500 parse@src/parse.c:12;$main"
gate 0 "baseline" --baseline two.txt --update base.gz
gate 4 "far below" --baseline two.txt --two-sided half.gz
contains gate.out 'too loose' "and says so"
gate 0 "lock it in" --baseline two.txt --update half.gz
gate 0 "locked in" --baseline two.txt --two-sided half.gz
gate 1 "and the old figure fails" --baseline two.txt --two-sided base.gz
gate 4 "an absolute limit, too" --baseline two.txt --two-sided --max alloc_space=1MB half.gz
gate 0 "not for a little" -base base.gz --two-sided --max alloc_space=16kB base.gz
