#!/bin/bash
# time: 60
# quick
# The command that adds lines to the file at the end of the process is nobody's child as far as the program can hear: no SIGCHLD
# for its handler, nothing for a thread that waits for any child, as its own reaper too.
. "$(dirname "$0")/../lib.sh"

"$test_programs/hooks/children_heard" >plain || fail "without the preload: exit status $?"
for i in 1 2 3 4 5; do
    APPROF_HELPER=$APPROF_BIN APPROF_RATE=1 APPROF_OUT="$TEST_TMP/$i.pb.gz" \
        preload "$test_programs/hooks/children_heard" >heard 2>err || bad "exit status $?"
    same plain heard "run $i"
    [ -s err ] && bad "$(cat err)"
    "$PYTHON" -c 'import sys; sys.path.insert(0, sys.argv[1]); import pprof_sum
sys.exit(not any(m["has_lines"] for m in pprof_sum.load(sys.argv[2]).mappings))' "$TOP/tests" $i.pb.gz ||
        bad "run $i: no lines in the file: the command was not started, nothing was tested"
done
exit 0
