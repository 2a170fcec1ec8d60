#!/bin/bash
# time: 60
# quick
# approf.h: without the library every call does nothing and says so; with it, profiles are written to a
# path and to a descriptor, counted since a reset, and sampling stops, starts and changes its rate.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/api_calls
"$program" . >absent || bad "without the library: exit status $?"
[ "$(grep -c ' 1$' absent)" -ge 7 ] || bad "without the library: $(cat absent)"
[ -e first.pb.gz ] && bad "without the library: a profile"

APPROF_RATE=1 APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/exit.pb.gz" LD_PRELOAD=$APPROF_LIB "$program" . >said 2>err ||
    bad "exit status $?"
[ -s err ] && bad "$(cat err)"
for line in 'write 0' 'reset 0' 'write_fd 0' 'still open: 1' 'stop 0' 'start 0' 'set_rate 0' 'nowhere 1' 'bad rate 1'; do
    grep -qx "$line" said || bad "not '$line': $(tr '\n' ';' <said)"
done

site() { # PROFILE FUNCTION ALLOC_OBJECTS INUSE_OBJECTS
    "$test_programs/hooks/site_sums" "$1" "$2" >sums || fail "$1: $(cat sums)"
    grep -qx "no $3 $4" sums || bad "$1: $2: want $3 $4, have $(grep '^no' sums)"
}
site first.pb.gz first_site 10 10
site first.pb.gz second_site 0 0
site second.pb.gz first_site 0 6 # since the reset nothing, and still there
site second.pb.gz second_site 20 20
site third.pb.gz second_site 20 20
site third.pb.gz stopped_site 1 0 # the next sample of the old rate, then none
site exit.pb.gz first_site 10 6 # the whole
site exit.pb.gz second_site 20 20

# Sampled at 100,000: 3,000 objects, +- 10 standard deviations.
"$test_programs/hooks/site_sums" third.pb.gz sampled_site >sums
read -r _ objects _ < <(grep '^no' sums)
[ "$objects" -gt 1300 ] && [ "$objects" -lt 4700 ] || bad "3,000 objects were taken for $objects"
"$test_programs/hooks/site_sums" third.pb.gz woken_site >sums
read -r _ objects _ < <(grep '^no' sums)
[ "$objects" -gt 150 ] && [ "$objects" -le 300 ] || bad "started again: $objects of at most 300 objects"
exit 0
