#!/bin/bash
# time: 1500
# needs: go python3
# variant: none
# `go tool pprof` and `approf -compat=go1.19` side by side: reports x options over our own profiles, over randomly made ones, and over
# a corpus where there is one (../shared/corpus or APPROF_CORPUS). Every difference is in differences.txt, with its reason.
#   PAIRS_EVERY=1      every case of the corpus, not one in 37 (half an hour)
#   PAIRS_RANDOM=500   random profiles
#   PAIRS_SEED=1
. "$(dirname "$0")/../lib.sh"

here=$TOP/tests/cli
compare() {
    "$PYTHON" "$here/compare_pprof.py" --approf "$APPROF_BIN" --differences "$here/differences.txt" "$@" || status=1
}
status=0

# Our own: made ones with every feature, and what the preload says of a real program.
mkdir own && cd own || exit 1
"$PYTHON" "$here/golden_profiles.py" || fail "the profiles cannot be made"
APPROF_RATE=2048 APPROF_OUT=real.pb.gz preload "$APPROF_BIN" tree -lines heap.pb.gz later.pb.gz >/dev/null || fail "exit status $?"
rm -r src
cd ..
compare --corpus own --every "${PAIRS_OWN_EVERY:-3}"
compare --random "${PAIRS_RANDOM:-500}" --seed "${PAIRS_SEED:-1}"
corpus=${APPROF_CORPUS:-$TOP/../shared/corpus}
if [ -d "$corpus" ]; then
    compare --corpus "$(readlink -f "$corpus")" --every "${PAIRS_EVERY:-37}"
else
    echo "no corpus at $corpus"
fi
exit $status
