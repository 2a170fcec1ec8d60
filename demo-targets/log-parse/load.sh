#!/bin/sh
# Runs both log-parse programs over the same made-up lines and prints how long each took.
#   demo-targets/log-parse/load.sh [LINES]        (6000000)
# BUILD is where the programs are (build).
set -eu

lines=${1:-6000000}
programs=${BUILD:-build}/demo

printf '%-8s %10s %9s %12s %15s\n' program lines 'time s' 'lines/s' 'bytes written'
for which in buggy fixed; do
    # "log-parse: 6000000 lines in 0.145 s, 1597596720 bytes written"
    set -- $("$programs/log-parse-$which" --lines "$lines" 2>&1 >/dev/null)
    [ "${3:-}" = lines ] || { echo "load.sh: log-parse-$which: $*" >&2; exit 1; }
    printf '%-8s %10d %9s %12.0f %15d\n' $which "$2" "$5" \
        "$(awk -v n="$2" -v s="$5" 'BEGIN { print (s > 0 ? n / s : 0) }')" "$7"
done
