#!/bin/bash
# time: 240
# variant: san
# Each exit status, and each way in which gates pass silently: none of them does so here.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"

main="main@src/main.c:9"
profile base.gz --peak 5000 <<<"100 10000 10 1000 parse@src/parse.c:12;$main
50 5000 0 0 format@src/format.c:7;$main"
profile same.gz --peak 5000 <<<"100 10000 10 1000 parse@src/parse.c:12;$main
50 5000 0 0 format@src/format.c:7;$main"
profile more.gz --peak 9000 <<<"120 12000 10 1000 parse@src/parse.c:12;$main
50 5000 0 0 format@src/format.c:7;$main"
profile less.gz --peak 500 <<<"20 2000 1 100 parse@src/parse.c:12;$main"
profile none.gz </dev/null
profile zero.gz <<<"0 0 0 0 $main"
profile other.gz --program /usr/bin/another <<<"100 10000 10 1000 parse@src/parse.c:12;$main"
profile live.gz --types inuse <<<"100 10000 10 1000 parse@src/parse.c:12;$main"
: >empty

gate 0 "equal profiles" -base base.gz same.gz
gate 1 "20% more" -base base.gz more.gz
contains gate.out 'at src/parse.c:12' "the failing line"
contains gate.out 'called by main' "the stack that grew"
contains gate.out 'approf diff .*base.gz more.gz' "the command to see more"
gate 4 "two-sided" -base base.gz -two-sided less.gz
gate 0 "one-sided" -base base.gz less.gz

# Nothing to judge by, or nothing to judge.
gate 3 "missing base" -base gone.gz same.gz
gate 3 "missing baseline" --baseline gone.txt same.gz
gate 2 "missing new profile" -base base.gz gone.gz
gate 3 "new profile without samples" -base base.gz none.gz
gate 3 "base without samples" -base none.gz same.gz
gate 3 "base of zeros" -base zero.gz same.gz
gate 3 "new profile of zeros" -base base.gz zero.gz
gate 3 "no samples, absolute limit" -base base.gz --max alloc_space=1GB none.gz
gate 2 "an empty file is no profile" -base base.gz empty
gate 2 "an empty file is no base" -base empty same.gz
gate 3 "another program" -base base.gz other.gz
contains gate.err 'another program: server, not another' "which programs"
gate 0 "another program, allowed" -base base.gz -allow-other-program --max alloc_space=1MB other.gz
gate 2 "nothing given"
gate 2 "no new profile" -base base.gz
gate 2 "no base" same.gz
gate 2 "profiles and a command" -base base.gz --run true same.gz
gate 2 "two bases" -base base.gz --baseline base.txt same.gz
gate 2 "update of nothing" -base base.gz --update same.gz

# A type that was not measured.
gate 3 "no alloc_space in the new profile" -base base.gz live.gz
gate 3 "no alloc_space in the base" -base live.gz --max-growth alloc_space=5% same.gz
gate 3 "an absolute limit on what is not there" -base base.gz --max alloc_space=1GB live.gz
gate 0 "what is there is judged" -base base.gz --max inuse_space=1MB live.gz
gate 3 "no peak" -base base.gz --max peak=1GB live.gz

# Limits that can't be understood.
for limit in alloc_space=5 alloc_space alloc_space=x% alloc_space=-5% alloc_space=5%/op space=5% alloc_space=nan \
    alloc_space=inf alloc_space=0x10 alloc_space=5MB5 alloc_space= =5% alloc_space=1e999; do
    case $limit in alloc_space=5) continue ;; esac
    gate 2 "limit $limit" -base base.gz --max-growth "$limit" same.gz
done
gate 2 "a percentage for an absolute limit" -base base.gz --max alloc_space=5% same.gz
gate 2 "a floor in percent" -base base.gz --floor alloc_space=5% same.gz
gate 2 "per operation of how many?" -base base.gz --max alloc_objects=1000/op same.gz
gate 2 "peak of a site" -base base.gz --max-site peak=5 same.gz
gate 2 "false alarms" -base base.gz --false-alarms 0 same.gz
gate 2 "an unknown format" -base base.gz -o yaml same.gz
gate 2 "an unwritable report" -base base.gz -o json:/nowhere/x same.gz
gate 2 "--per 0" -base base.gz --per 0 same.gz
gate 2 "--per-file of nothing" -base base.gz --per-file empty same.gz
gate 2 "--per-file that is missing" -base base.gz --per-file gone same.gz
gate 2 "too many runs" --baseline base.txt --run true --runs 1000 --update

# A pattern that matches nothing is an error; so is one that isn't a regular expression.
gate 2 "pattern that matches nothing" -base base.gz --site '^prase' alloc_space=5% same.gz
contains gate.err "'\^prase' matches no site" "which pattern"
gate 2 "no regular expression" -base base.gz --site '(' alloc_space=5% same.gz
gate 0 "pattern that matches in the base only" -base base.gz --site '^format' alloc_space=5% less.gz
contains gate.out 'matches nothing any more' "and says so"

# Rules from a file.
gate 2 "missing rules" -base base.gz --rules gone same.gz
for rule in 'max-grwth alloc_space=5%' 'max-growth' 'site parse' "site '^prase' alloc_space=5%" 'per' 'per 0' 'warn' 'max-growth alloc_space'; do
    echo "$rule" >rules
    gate 2 "rule: $rule" -base base.gz --rules rules same.gz
    contains gate.err 'rules:1' "rule: $rule: where"
done

# A command that fails measured nothing.
gate 3 "a command that fails" --baseline x.txt --update --run 'exit 3'
gate 3 "a command that is killed" --baseline x.txt --update --run 'kill -9 $$'
gate 3 "a command that is not there" --baseline x.txt --update --run '/nowhere/program'
[ -e x.txt ] && bad "a failed run wrote a baseline"

# Baselines that are not whole.
gate 0 "a baseline" --baseline base.txt --update base.gz
gate 0 "judged by it" --baseline base.txt same.gz
gate 0 "-base takes it too" -base base.txt same.gz
gate 1 "more than it" --baseline base.txt more.gz
gate 2 "a profile is no baseline" --baseline base.gz same.gz
size=$(stat -c %s base.txt)
for ((cut = 1; cut < size; cut += 13)); do
    head -c "$cut" base.txt >cut.txt
    gate 2 "baseline cut at $cut" --baseline cut.txt same.gz
done
lines=$(wc -l <base.txt)
for ((cut = 1; cut < lines; cut++)); do
    head -n "$cut" base.txt >cut.txt
    gate 2 "baseline cut after line $cut" --baseline cut.txt same.gz
done
: >cut.txt
gate 2 "empty baseline" --baseline cut.txt same.gz
sed 's/^samples .*/samples 0/' base.txt >cut.txt
gate 3 "baseline of no samples" --baseline cut.txt same.gz

# "Can't tell" is no pass.
profile few.gz --rate 524288 <<<"10 1000000 0 0 parse@src/parse.c:12;$main"
gate 3 "too few samples" -base few.gz few.gz
contains gate.out "can't tell" "and says so"
contains gate.out 'smallest that would have been seen' "and what could have been seen"
gate 0 "undecided, allowed" -base few.gz -allow-undecided few.gz
gate 0 "a soft limit is not undecided" -base few.gz --max-growth alloc_space=5%:warn few.gz
