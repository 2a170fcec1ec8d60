#!/bin/bash
# time: 180
# A process that has children has the figures of one that has none: every stack's four figures, and the exact total, are the same
# after fork, raw clone, grandchildren, vfork and exec, posix_spawn, and fork in a second thread, while another thread works.
# (pitfalls: fork without exec: crash, lost or truncated profile; the child overwrites the parent's file)
. "$(dirname "$0")/../lib.sh"

cat >sums.py <<'PY'
import collections, re, sys
sys.path.insert(0, sys.argv[1])
import pprof_sum
profile = pprof_sum.load(sys.argv[2])
rows = collections.Counter()
for stack, values, labels in profile.samples:
    assert "inherited" not in labels, "a process without a parent of ours inherited something"
    names = profile.frames(stack)
    if "work" in names: # what threads and children themselves cost is their way's business
        for i, value in enumerate(values):
            rows[" ".join(names[:names.index("work") + 2]), labels.get("bytes"), i] += value
for row, value in sorted(rows.items(), key=str):
    print(row, value)
PY
never=$test_programs/hooks/never_forked
figures() { # WAY
    local way=$1 pid
    mkdir "$way"
    APPROF_RATE=1 APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/$way/%e.%p.pb.gz" \
        timeout 60 env LD_PRELOAD="$APPROF_LIB" "$never" "$way" >"$way.out" 2>"$way.err" || bad "$way: exit status $?"
    [ -s "$way.err" ] && bad "$way: $(cat "$way.err")"
    pid=$(tail -1 "$way.out")
    "$PYTHON" sums.py "$TOP/tests" "$way/never_forked.$pid.pb.gz" >"$way.sums" || bad "$way: $(ls "$way")"
}
figures none
[ "$(wc -l <none.sums)" -gt 100 ] || fail "only $(wc -l <none.sums) rows: $(head -3 none.sums)"
for way in fork clone grandchild vfork spawn thread; do
    figures $way
    same none.sums $way.sums "$way"
    case $way in
    vfork) want=1 ;; # true samples nothing of its own accord
    grandchild) want=21 ;;
    *) want=11 ;;
    esac
    [ "$(ls $way/never_forked.*.pb.gz | wc -l)" -eq $want ] || bad "$way: $(ls $way | wc -l) profiles, not $want"
done
echo "forks=70"
exit 0
