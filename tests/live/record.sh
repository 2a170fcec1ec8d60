#!/bin/bash
# time: 180
# approf record: files at intervals, the last one of a process that ends, retention; the directory as a source.
. "$(dirname "$0")/../lib.sh"
APPROF_RATE=65536 LD_PRELOAD=$APPROF_LIB start "$test_programs/live/churner" 2 >started
wait_for 20 grep -q ready started || fail "did not start"
pid=$started
start "$APPROF_BIN" record churner -interval 1s -keep 1h -o store 2>said
recorder=$started
files() { ls store 2>/dev/null | grep -c "^churner\.$pid\.[0-9]\{8\}T[0-9]\{6\}Z\.[0-9]\{8\}T[0-9]\{6\}Z\.pb\.gz$"; }
have() { [ "$(files)" -ge "$1" ]; }
wait_for 60 have 4 || fail "4 profiles: $(ls store) $(cat said)"
# What it allocates up to its end is in the last one.
APPROF_OUT='' stop "$pid"
# It knows the exact total then. (Two passes can come within one second, and then write the same file.)
at_its_end() { approf raw "$(ls store/* | tail -1)" | has 'allocated: .* bytes, exactly'; }
wait_for 60 at_its_end || bad "no profile of the end: $(ls store)"
stop "$recorder"
equal $? 0 "exit status after SIGTERM"
contains said 'profiles were written' "the summary"
mkdir other && cp store/* other/
count=$(ls other | wc -l)
[ "$(stat -c %a store)" = 700 ] || bad "the directory's mode: $(stat -c %a store)"
ls -A store | grep -v '^churner\.' && bad "something else was left in the directory"
for file in store/*; do readable "$file"; done

# Whole: as the last file. Between two files: their difference in what was allocated, in use as at the last.
first=$(ls store/* | head -1) second=$(ls store/* | sed -n 2p) last=$(ls store/* | tail -1)
taken() { basename "$1" | sed 's/.*Z\.\(....\)\(..\)\(..\)T\(..\)\(..\)\(..\)Z\.pb\.gz/\1-\2-\3T\4:\5:\6Z/'; }
approf proto -output=whole.pb.gz store 2>said2 || bad "top DIR: $(cat said2)"
for type in alloc_space alloc_objects inuse_space inuse_objects; do
    equal "$(total $type whole.pb.gz)" "$(total $type "$last")" "the whole, $type"
done
approf proto -output=part.pb.gz store -from "$(taken "$first")" -to "$(taken "$second")" 2>said2 || bad "-from -to: $(cat said2)"
difference=$(($(total alloc_space "$second") - $(total alloc_space "$first")))
got=$(total alloc_space part.pb.gz)
[ $((got - difference)) -ge -100 ] && [ $((got - difference)) -le 100 ] || bad "between two: $got, not $difference"
equal "$(total inuse_space part.pb.gz)" "$(total inuse_space "$second")" "between two: in use"
approf top store -from 1h >out 2>said2 || bad "-from 1h: $(cat said2)"
contains out 'keep_some' "-from 1h"
contains out 'churner' "-from 1h"
approf diff store -alloc_space --from "$(taken "$first")" --to "$(taken "$last")" >out 2>said2 || bad "diff DIR: $(cat said2)"
contains out 'keep_some' "diff DIR"
approf top store -from 2030-01-01 >out 2>said2
equal $? 2 "a range without profiles"
contains said2 'nothing was recorded between' "a range without profiles"
approf top store -from yesterday >out 2>said2
equal $? 2 "a bad time"
contains said2 'is no time' "a bad time"
mkdir empty
approf top empty >out 2>said2
equal $? 2 "an empty directory"
contains said2 'nothing in it was written by approf record' "an empty directory"

# Retention: what is older goes, other files stay.
old=other/churner.77.20200101T000000Z.20200101T000100Z.pb.gz
cp "$last" $old
cp "$last" other/mine.pb.gz
touch other/churner.77.notes
start "$APPROF_BIN" record 999999 -interval 1s -keep 1d -o other 2>said
wait_for 60 eval '[ ! -e $old ]' || bad "what is older than -keep stays"
stop "$started"
[ -e other/mine.pb.gz ] && [ -e other/churner.77.notes ] || bad "files of other names were removed"
equal "$(ls other | grep -c Z.pb.gz)" "$count" "younger profiles stay"
for options in "-interval 0s -o x" "-interval 5x -o x" "-keep never -o x" "" "-o /proc/x"; do
    "$APPROF_BIN" record all $options >out 2>said2
    equal $? 2 "record all $options"
done
