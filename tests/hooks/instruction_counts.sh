#!/bin/bash
# time: 900
# needs: valgrind readelf
# variant: none
# What the profiler adds to an allocation is counted in instructions and held against the committed counts: no more than 5% above.
# `make bench-quick` is the same by hand. The comparison itself is tried too.
. "$(dirname "$0")/../lib.sh"

status=0
"$PYTHON" "$TOP/bench/quick.py" --build "$BUILD" >out 2>&1 || status=$?
cat out
[ "$status" -eq 77 ] && skip "$(tail -1 out)"
[ "$status" -eq 0 ] || fail "instruction counts"

mkdir -p tree/bench
cp "$TOP"/bench/*.py tree/bench/
"$PYTHON" - "$TOP/bench/instructions.json" tree/bench/instructions.json <<'PY'
import json, sys
counts = json.load(open(sys.argv[1]))
counts["added"]["pairs, none sampled"] /= 2
json.dump(counts, open(sys.argv[2], "w"))
PY
"$PYTHON" tree/bench/quick.py --build "$BUILD" --only 'pairs, none' >out 2>&1
equal "$?" 1 "exit status for a count that is twice the committed one"
contains out 'hint: .*UPDATE=yes' "what to do then"
exit 0
