#!/bin/bash
# time: 180
# A process as a source: what it allocates in N seconds (top -seconds), and what grows in it (diff PID -seconds).
. "$(dirname "$0")/../lib.sh"

APPROF_RATE=65536 LD_PRELOAD=$APPROF_LIB start "$test_programs/live/churner" 2 >started
wait_for 20 grep -q ready started || fail "did not start"
pid=$started
sleep 0.3

approf proto -output=before.pb.gz "$pid" 2>said || bad "proto: $(cat said)"
approf proto -seconds=1 -output=delta.pb.gz "$pid" 2>said || bad "proto -seconds: $(cat said)"
contains said 'Please wait' "proto -seconds says that it waits"
approf proto -output=after.pb.gz "$pid" 2>said || bad "proto: $(cat said)"

# The delta lies between what the two others say.
before=$(total alloc_space before.pb.gz) delta=$(total alloc_space delta.pb.gz) after=$(total alloc_space after.pb.gz)
[ "$delta" -gt 0 ] || bad "nothing was allocated in a second"
[ $((before + delta)) -le $((after + 100000)) ] || bad "$before before, $delta meanwhile, and only $after after"
# In use is what is live, not its difference.
[ "$(total inuse_space delta.pb.gz)" -gt 0 ] || bad "-seconds shows nothing in use"
approf raw delta.pb.gz | grep -E '^Duration' >duration
contains duration 'Duration: (0\.9|1|2|3|4|5|6|7|8|9)' "the duration is what was waited"
approf top -seconds=1 "$pid" >out 2>said || bad "top -seconds: $(cat said)"
contains out 'Type: alloc_space' "top -seconds shows what is allocated"
contains out 'keep_some|drop_all' "top -seconds"

approf diff "$pid" -seconds 1 -alloc_space >out 2>said || bad "diff -seconds: $(cat said)"
contains out 'keep_some' "diff -seconds: what was allocated"
contains out 'drop_all' "diff -seconds: what was allocated"
approf diff churner --seconds 1 >out 2>said || bad "diff NAME --seconds: $(cat said)"
contains out 'Type: inuse_space' "diff -seconds: what grew"
approf diff "$pid" >out 2>said && bad "diff PID without -seconds went through"
contains said 'hint: .*-seconds' "the hint"
approf diff delta.pb.gz -seconds=1 >out 2>said && bad "diff FILE -seconds went through"
contains said 'not a process' "diff FILE -seconds"

# The process ends meanwhile: what it counted until then is still shown.
approf top -seconds=3 "$pid" >out 2>said &
waiting=$!
wait_for 20 grep -q 'Please wait' said || bad "does not wait: $(cat said)"
stop "$pid"
wait "$waiting" || bad "a process that ends meanwhile: $(cat said)"
contains out 'keep_some|drop_all' "a process that ends meanwhile"
