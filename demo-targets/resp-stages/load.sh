#!/bin/sh
# Puts redis-benchmark's pipelined SETs on a server and prints a table.
#   demo-targets/resp-stages/load.sh PORT [REQUESTS]        (10000000)
# With CSV=FILE: requests,seconds,rps,mean_ms,p50_ms,p99_ms, one line.
set -eu

[ $# -ge 1 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
port=$1
requests=${2:-10000000}

command -v redis-benchmark >/dev/null || {
    echo "load.sh: redis-benchmark: not found" >&2
    echo "hint: tests/install-packages.sh demo" >&2
    exit 2
}
# Its second line is test,rps,avg,min,p50,p95,p99,max. That the stages know no CONFIG is no error.
figures=$(redis-benchmark -p "$port" -t set -P 16 -n "$requests" -r 1000000 --csv 2>/dev/null |
    awk -F'","' -v n="$requests" 'NR == 2 { printf "%d,%.3f,%.0f,%s,%s,%s", n, n / $2, $2, $3, $5, $7 }')
[ -n "$figures" ] || { echo "load.sh: redis-benchmark gave no result" >&2; exit 1; }

echo "$figures" >"${CSV:-/dev/null}"
printf '%-12s %9s %9s %10s %9s %9s %9s\n' command requests 'time s' rps 'avg ms' 'p50 ms' 'p99 ms'
echo "$figures" | awk -F, '{
    printf "%-12s %9d %9.2f %10.0f %9.3f %9.3f %9.3f\n", "SET -P 16", $1, $2, $3, $4, $5, $6 }'
