#!/bin/bash
# time: 120
# A forked child writes a file of its own and nothing into its parent's: fork, raw clone, grandchildren,
# fork while other threads allocate; a vfork child writes nothing. What a child inherited is live there
# with the label `inherited`, and counts as allocated in its parent only.
# (pitfalls: fork without exec: crash, lost or truncated profile; the child overwrites the parent's file)
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/fork_ways

# Sums of SAMPLE_TYPE in FUNCTION over samples that are or are not inherited.
site() { # PROFILE FUNCTION yes|no ALLOC_OBJECTS INUSE_OBJECTS
    "$test_programs/hooks/site_sums" "$1" "$2" >sums || fail "$1: $(cat sums)"
    local want="$3 $4 $5"
    grep -qx "$want" sums || bad "$1: $2: want '$want', have: $(tr '\n' ';' <sums)"
}

for way in fork clone threads vfork; do
    mkdir $way
    APPROF_RATE=1 APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/$way/%p.pb.gz" \
        timeout 60 env LD_PRELOAD="$APPROF_LIB" "$program" $way >pids 2>err || bad "$way: exit status $?"
    [ -s err ] && bad "$way: $(cat err)"
    read -r parent child grandchild <pids
    site $way/$parent.pb.gz parent_site no 10 10
    if [ $way = vfork ]; then
        [ "$(ls $way | wc -l)" -eq 1 ] || bad "vfork: $(ls $way)"
        continue
    fi
    site $way/$parent.pb.gz child_site no 0 0
    for pid in $child $grandchild; do
        site $way/$pid.pb.gz child_site no 7 7
        site $way/$pid.pb.gz parent_site yes 0 10
    done
    site $way/$child.pb.gz child_site yes 0 0
    site $way/$grandchild.pb.gz child_site yes 0 7
done
[ "$(ls threads | wc -l)" -eq 53 ] || bad "threads: $(ls threads | wc -l) files, not 53"
echo "forks=57"
exit 0
