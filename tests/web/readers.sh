#!/bin/bash
# time: 600
# needs: chromium python3 node npm
# variant: none
# Third-party readers open our files, with the same totals and functions: speedscope and pprof-format, from npm.
. "$(dirname "$0")/../lib.sh"

[ -x "$BUILD/demo/log-parse-buggy" ] || skip "missing: the demo targets (make demos)"
readers=$BUILD/readers
mkdir -p "$readers"
cp "$TOP"/tests/web/readers/* "$readers"/
if ! cmp -s "$readers/package-lock.json" "$readers/installed-lock.json"; then
    (cd "$readers" && timeout 300 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >npm.out 2>&1) ||
        skip "the packages in tests/web/readers cannot be had: $(grep -m 1 -i 'err' "$readers/npm.out")"
    cp "$readers/package-lock.json" "$readers/installed-lock.json"
fi

for which in buggy fixed; do
    APPROF_RATE=1 APPROF_OUT=$which.pb.gz preload "$BUILD/demo/log-parse-$which" --lines 2000 >/dev/null 2>&1
    readable "$which.pb.gz"
done
# What approf itself writes, of sampled weights.
APPROF_RATE=4096 APPROF_OUT=sampled.pb.gz preload "$BUILD/demo/log-parse-buggy" --lines 20000 >/dev/null 2>&1
approf proto -output=written.pb.gz sampled.pb.gz buggy.pb.gz 2>err || fail "approf proto: $(cat err)"

"$PYTHON" "$TOP/tests/web/readers_checks.py" "$APPROF_BIN" "$readers" buggy.pb.gz fixed.pb.gz written.pb.gz ||
    bad "readers_checks.py: exit $?"
