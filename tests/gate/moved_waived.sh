#!/bin/bash
# time: 120
# variant: san
# Code that moved has not grown: renamed, split, inlined elsewhere, another line; against profiles and baselines.
# And waivers: what is excused, until when.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"

main="main@src/main.c:9"
rest="50 5000 0 0 format@src/format.c:7;$main"
profile base.gz <<<"100 10000 0 0 parse@src/parse.c:12;handle@src/handle.c:5;$main
$rest"

# moved NAME SITE STATUS: NAME.gz against base.gz and its baseline, each site limited
moved() {
    local name=$1 site=$2
    gate 0 "$name" -base base.gz --max-growth alloc_space=0% --max-site-growth alloc_space=0% "$name.gz"
    contains gate.out "^moved +$site " "$name: says moved"
    contains gate.out 'moved from parse' "$name: from where"
    gate 0 "$name, baseline" --baseline base.txt --max-growth alloc_space=0% --max-site-growth alloc_space=0% "$name.gz"
    contains gate.out "^moved +$site " "$name, baseline: says moved"
}
gate 0 "baseline" --baseline base.txt --update base.gz

profile renamed.gz <<<"100 10000 0 0 parse_line@src/parse.c:12;handle@src/handle.c:5;$main
$rest"
moved renamed parse_line
profile split.gz <<<"40 4000 0 0 parse@src/parse.c:12;handle@src/handle.c:5;$main
60 6000 0 0 parse_tail@src/parse.c:22;parse@src/parse.c:13;handle@src/handle.c:5;$main
$rest"
moved split parse_tail
profile two.gz <<<"40 4000 0 0 parse_head@src/parse.c:12;handle@src/handle.c:5;$main
60 6000 0 0 parse_tail@src/parse.c:22;handle@src/handle.c:5;$main
$rest"
moved two parse_tail
profile inlined.gz <<<"100 10000 0 0 handle@src/handle.c:5;$main
$rest"
moved inlined handle
profile wrapped.gz <<<"100 10000 0 0 allocate@src/memory.c:3;parse@src/parse.c:12;handle@src/handle.c:5;$main
$rest"
moved wrapped allocate
profile all_renamed.gz <<<"100 10000 0 0 parse_line@src/parse.c:12;handle_line@src/handle.c:5;$main
$rest"
gate 0 "the caller renamed, too" -base base.gz --max-growth alloc_space=0% all_renamed.gz

# What grew while it moved has grown.
profile grown.gz <<<"120 12000 0 0 parse_line@src/parse.c:12;handle@src/handle.c:5;$main
$rest"
gate 1 "renamed and grown" -base base.gz --max-site-growth alloc_space=5% grown.gz
gate 1 "renamed and grown, baseline" --baseline base.txt --max-site-growth alloc_space=5% grown.gz
# What went elsewhere has not moved here.
profile elsewhere.gz <<<"100 10000 0 0 log@src/log.c:1;write@src/log.c:8;$main
$rest"
profile elsewhere_base.gz <<<"100 10000 0 0 parse@src/parse.c:12;handle@src/handle.c:5;$main
1 1 0 0 log@src/log.c:1;write@src/log.c:8;$main
$rest"
gate 1 "something else grew as much" -base elsewhere_base.gz --max-site-growth alloc_space=5% elsewhere.gz

# By line: lines of one function that drifted.
profile lines.gz <<<"100 10000 0 0 parse@src/parse.c:14;handle@src/handle.c:5;$main
$rest"
gate 0 "by line" -base base.gz --by line --max-site-growth alloc_space=0% lines.gz
contains gate.out '^moved +parse parse.c:14 ' "by line: says moved"
gate 0 "by line: baseline" --baseline lines.txt --by line --update base.gz
gate 0 "by line, baseline" --baseline lines.txt --by line --max-site-growth alloc_space=0% lines.gz
contains gate.out '^moved +parse parse.c:14 ' "by line, baseline: says moved"
profile two_lines.gz <<<"100 10000 0 0 parse@src/parse.c:12;handle@src/handle.c:5;$main
100 10000 0 0 parse@src/parse.c:14;handle@src/handle.c:5;$main
$rest"
gate 1 "by line: another line beside the old one" -base base.gz --by line --max-site-growth alloc_space=5% two_lines.gz
contains gate.out '^FAIL +parse parse.c:14' "by line: which"

# Waivers.
profile more.gz <<<"200 20000 0 0 parse@src/parse.c:12;handle@src/handle.c:5;$main
$rest"
export SOURCE_DATE_EPOCH=1790812800 # 2026-10-01
limit="--max-site-growth alloc_space=5%"
waived() {
    # shellcheck disable=SC2086
    gate "$1" "waiver: $2" -base base.gz $limit --waivers waivers more.gz
}
echo "^parse$ 2026-10-01 the cache is being rewritten" >waivers
waived 0 "valid on its last day"
contains gate.out '^waived ' "waived"
contains gate.out 'the cache is being rewritten' "its reason"
echo "^parse$ 2026-09-30 the cache is being rewritten" >waivers
waived 1 "expired yesterday"
contains gate.out 'expired on 2026-09-30' "expired is said"
printf '# comment\n\n^parse$ 2027-01-01 reason\nformat 2027-01-01 no longer\n' >waivers
waived 0 "one used, one not"
contains gate.out "waivers:4: the waiver for 'format' excuses nothing" "unused is said"
echo "format 2027-01-01 another site" >waivers
waived 1 "of another site"
echo "'^pa rse\$|^parse\$' 2027-01-01 quoted" >waivers
waived 0 "in quotes"
echo "total 2027-01-01 planned growth" >waivers
gate 0 "waiver of the total" -base base.gz --max-growth alloc_space=5% --waivers waivers more.gz
for line in 'parse' 'parse 2027-01-01' 'parse soon reason' 'parse 2027-02-29 no such day' 'parse 2027-13-01 r' \
    '( 2027-01-01 reason' "'parse 2027-01-01 reason" 'parse 2027-01-010 r'; do
    echo "$line" >waivers
    waived 2 "$line"
done
gate 2 "missing waivers" -base base.gz --waivers gone more.gz
