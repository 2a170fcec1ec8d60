#!/bin/sh
# Puts wrk's load on log-search and prints a table.
#   demo-targets/log-search/load.sh PORT [SECONDS [CONNECTIONS]]       (10 seconds, 4 connections)
# With CSV=FILE: requests,errors,seconds,rps,mean_ms,p50_ms,p99_ms,bytes, one line.
set -eu

[ $# -ge 1 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
port=$1
seconds=${2:-10}
connections=${3:-4}
query='ERROR.*eu-%28west%7Cnorth%29'

command -v wrk >/dev/null || {
    echo "load.sh: wrk: not found" >&2
    echo "hint: tests/install-packages.sh stories" >&2
    exit 2
}
output=$(wrk -t1 -c"$connections" -d"${seconds}s" --timeout 30s -s "$(dirname "$0")/wrk_report.lua" \
    "http://127.0.0.1:$port/search?q=$query") || { echo "$output" >&2; exit 1; }
figures=$(echo "$output" | sed -n 's/^figures,//p')
[ -n "$figures" ] || { echo "load.sh: wrk gave no figures: $output" >&2; exit 1; }

echo "$figures" >"${CSV:-/dev/null}"
printf '%8s %7s %8s %9s %9s %9s %9s %9s\n' requests errors 'time s' rps 'mean ms' 'p50 ms' 'p99 ms' MB
echo "$figures" | awk -F, '{
    printf "%8d %7d %8.1f %9.1f %9.2f %9.2f %9.2f %9.1f\n", $1, $2, $3, $4, $5, $6, $7, $8 / 1e6 }'
