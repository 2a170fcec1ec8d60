#!/bin/bash
# time: 600
# needs: chromium python3
# variant: none
# Every view of every demo's profile in a real browser, and what each fix and each stage saves.
. "$(dirname "$0")/../lib.sh"

[ -x "$BUILD/demo/resp-stage7" ] || skip "missing: the demo targets (make demos)"
"$PYTHON" "$TOP/tests/web/demo_profiles.py" "$BUILD/demo" "$APPROF_LIB" || fail "no profiles of the demos"
"$PYTHON" "$TOP/tests/web/demo_checks.py" "$APPROF_BIN" "$BUILD/shots" "$TOP" || bad "demo_checks.py: exit $?"
