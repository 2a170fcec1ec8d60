#!/bin/bash
# time: 300
# variant: none
# 200 runs that SIGKILL ends at random moments leave tables that are right (sigkill.py).
. "$(dirname "$0")/../lib.sh"
timeout 280 "$PYTHON" "$TOP/tests/live/sigkill.py" "$test_programs/live/churner" "$APPROF_LIB" "$test_programs/live/snapshots" >out 2>&1 || fail "$(tail -20 out)"
tail -1 out
