#!/bin/bash
# time: 120
# Pitfalls "profile far below RSS" and "allocators that bypass malloc: silence": the profile says how much of the process's
# memory it saw, and why it saw almost nothing, at a plain exit, under approf run, and from outside.
. "$(dirname "$0")/../lib.sh"

says() { # FILE WHAT
    approf comments "$1" >comments.out || bad "$1: comments: exit status $?"
    contains comments.out "$2" "$1"
}

APPROF_RATE=1 APPROF_OUT=$TEST_TMP/own.pb.gz preload "$test_programs/hooks/own_memory" || fail "exit status $?"
says own.pb.gz '^# seen: 100 bytes live of [0-9]* bytes resident \(0%\)$'
says own.pb.gz '^# seen: almost none, because '
resident=$(sed -n 's/.*resident_bytes=\([0-9]*\) .*/\1/p' comments.out)
[ "$resident" -ge $((64 << 20)) ] && [ "$resident" -lt $((96 << 20)) ] || bad "resident: $resident"

approf run -quiet -rate 1 -o run.pb.gz -- "$test_programs/hooks/own_memory" || bad "run: exit status $?"
says run.pb.gz '^# seen: almost none, because '

# A program whose memory is malloc's says nothing of the sort.
APPROF_RATE=1 APPROF_OUT=$TEST_TMP/py.pb.gz preload /usr/bin/python3 -c 'x = [b"x" * 1000 for i in range(60000)]' ||
    bad "python3: exit status $?"
approf comments py.pb.gz | has 'almost none' && bad "python3: memory from elsewhere?"
exit 0
