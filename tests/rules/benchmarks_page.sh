#!/bin/bash
# quick
# needs: python3
# docs/BENCHMARKS.md and its plots are what bench/page.py makes of the figures beside them: written by `make bench`, not by hand.
. "$(dirname "$0")/../lib.sh"

mkdir benchmarks
cp "$TOP/docs/benchmarks/figures.json" benchmarks/ || fail "no figures"
"$PYTHON" "$TOP/bench/bench.py" --from-figures --page "$PWD/BENCHMARKS.md" || fail "exit status $?"
same "$TOP/docs/BENCHMARKS.md" BENCHMARKS.md "the page"
for file in "$TOP"/docs/benchmarks/*; do
    same "$file" "benchmarks/${file##*/}" "${file##*/}"
done
for file in benchmarks/*.svg; do
    "$PYTHON" -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$file" || bad "$file is no XML"
    contains BENCHMARKS.md "$file" "the plot"
done
exit 0
