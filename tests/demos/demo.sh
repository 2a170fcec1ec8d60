#!/bin/bash
# time: 600
# needs: redis-benchmark redis-cli python3
# What `make demo` and redis-clone's story claim. The story judges its claims itself, in proportion to fewer requests than
# the 300,000 that they are made for; here the tests' own decoder and the reports are asked as well. What a push costs is
# counted in push_cost.sh.
. "$(dirname "$0")/../lib.sh"

n=60000
BUSY=1 PROFILES=$TEST_TMP REQUESTS=$n sh "$TOP/demo-targets/stories.sh" redis >story.out 2>&1 || bad "stories.sh redis: exit status $?: $(tail -30 story.out)"
equal "$(wc -l <redis.claims)" 10 "claims"
sed 's/^/  /' redis.claims
contains story.out '^Of 10 claims 7 hold, 3 were not judged\.$' "the summary"
mv redis-buggy.pb.gz buggy.pb.gz
mv redis-fixed.pb.gz fixed.pb.gz
readable buggy.pb.gz fixed.pb.gz

share() { # TYPE FILE   per mille of store_lpush
    local part all
    part=$(flat "$1" store_lpush "$2") all=$(total "$1" "$2")
    echo $((part * 1000 / all))
}
alloc=$(share alloc_space buggy.pb.gz) inuse=$(share inuse_space buggy.pb.gz)
echo "buggy: store_lpush has $alloc per mille of alloc_space, $inuse of inuse_space"
[ "$alloc" -gt 900 ] || bad "store_lpush has only $alloc per mille of alloc_space"
[ "$inuse" -lt 100 ] || bad "store_lpush has $inuse per mille of inuse_space"

# Its reports say so: first row, and the line.
approf top -sample_index=alloc_space buggy.pb.gz >top.out 2>top.err || bad "approf top: $(head -2 top.err)"
grep -A1 '^ *flat  *flat%' top.out | tail -1 >first-row
contains first-row ' store_lpush$' "the first row of top"
approf list -sample_index=alloc_space '^store_lpush$' buggy.pb.gz >list.out 2>list.err || bad "approf list: $(head -2 list.err)"
# Column one is what the line itself allocated: one line has it all.
awk '/:/ && $1 != "." && $1 ~ /^[0-9.]+[kMGT]?B$/ && $3 ~ /^[0-9]+:/' list.out >lines
equal "$(wc -l <lines)" 1 "lines of store_lpush that allocate"
contains lines 'calloc\(len, sizeof \*items\)' "the line that allocates"
contains list.out 'ROUTINE =+ store_lpush in .*store_lpush_buggy\.c' "the file"

# n pushes to one list copy 16 bytes for each element each time: 16 n (n+1) / 2. 55,000 samples: one sigma is 0.4%.
expected=$((16 * n * (n + 1) / 2))
got=$(flat alloc_space store_lpush buggy.pb.gz)
echo "store_lpush: $got bytes, by arithmetic $expected"
[ $(((got - expected) * (got > expected ? 1 : -1) * 100)) -le $((expected * 3)) ] || bad "off by more than 3%"

# Who called it, to the thread's start.
for frame in handle_lpush handle_command handle_connection; do
    got=$(cum alloc_space $frame buggy.pb.gz)
    [ "$got" -ge "$(flat alloc_space store_lpush buggy.pb.gz)" ] || bad "$frame is not among the callers of store_lpush"
done

# Fixed.
approf top -sample_index=alloc_space -nodecount=10 fixed.pb.gz >top.out 2>top.err || bad "approf top: $(head -2 top.err)"
lacks top.out ' store_lpush$' "the fixed one's first ten"
buggy=$(total alloc_space buggy.pb.gz) fixed=$(total alloc_space fixed.pb.gz)
echo "alloc_space in all: $buggy, fixed: $fixed"
[ "$buggy" -gt $((fixed * 8)) ] || bad "the fix takes alloc_space from $buggy to $fixed only"
approf diff -sample_index=alloc_space buggy.pb.gz fixed.pb.gz >diff.out 2>diff.err || bad "approf diff: exit $?: $(head -2 diff.err)"
grep -A1 '^ *flat  *flat%' diff.out | tail -1 >first-row
contains first-row '^ *-.* store_lpush$' "the first row of the difference"
