#!/bin/bash
# time: 600
# needs: chromium python3
# variant: none
# A profile of 200,000 samples in the browser: bytes, boxes and elements stay few; what it took is told.
. "$(dirname "$0")/../lib.sh"

"$PYTHON" "$TOP/tests/web/web_profiles.py" large 200000 || fail "no profile"
"$PYTHON" "$TOP/tests/web/large_checks.py" "$APPROF_BIN" || bad "large_checks.py: exit $?"
