#!/bin/bash
# time: 1500
# needs: go python3
# variant: none
# `go tool pprof` and `approf -compat=go1.19` side by side: reports x options over a corpus of profiles, where there is one
# (../shared/corpus or APPROF_CORPUS), and over randomly made ones. Every difference is in differences.txt, with its reason.
#   PAIRS_EVERY=1     every case, not one in 37 (hours)
#   PAIRS_RANDOM=50   random profiles, each through all reports
#   PAIRS_SEED=1
. "$(dirname "$0")/../lib.sh"

here=$TOP/tests/cli
corpus=${APPROF_CORPUS:-$TOP/../shared/corpus}
status=0
if [ -d "$corpus" ]; then
    "$PYTHON" "$here/compare_pprof.py" --approf "$APPROF_BIN" --corpus "$(readlink -f "$corpus")" \
        --differences "$here/differences.txt" --every "${PAIRS_EVERY:-37}" || status=1
else
    echo "no corpus at $corpus: random profiles only"
fi
"$PYTHON" "$here/compare_pprof.py" --approf "$APPROF_BIN" --differences "$here/differences.txt" \
    --random "${PAIRS_RANDOM:-50}" --seed "${PAIRS_SEED:-1}" || status=1
exit $status
