#!/bin/sh
# Puts redis-benchmark's load on a server and prints a table.
#   demo-targets/redis-clone/load.sh PORT [REQUESTS [CLIENTS]]       (300000 requests, 100 clients)
# With CSV=FILE the table is also written there, one line a command. With SERVER=PID the last column is
# the processor time of that process, user and system, for each request: a busy machine does not change
# it much.
#
# It is `redis-benchmark -t set,get,incr,lpush,rpush,lpop,lrange -r 1000000 -d 128`, one command after the other,
# with three differences. Its list tests share the key "mylist": RPUSH and LPOP come first and leave the list
# empty, so that LPUSH starts from nothing and its arithmetic is plain, and LRANGE reads what LPUSH left, where
# redis-benchmark's own would first push as much again. And the two that are compared, RPUSH and LPUSH, are sent
# sixteen at a time: one by one, nearly all of a push's time is the socket's and the client's.
set -eu

[ $# -ge 1 ] || { sed -n '2,6s/^# *//p' "$0" >&2; exit 2; }
port=$1
requests=${2:-300000}
clients=${3:-100}
csv=${CSV:-/dev/null}

command -v redis-benchmark >/dev/null || {
    echo "load.sh: redis-benchmark: not found" >&2
    echo "hint: tests/install-packages.sh demo" >&2
    exit 2
}

# Prints: rps avg p50 p99, from redis-benchmark's second line (test,rps,avg,min,p50,p95,p99,max).
measure() {
    redis-benchmark -p "$port" -n "$requests" -r 1000000 -c "$clients" -d 128 --csv "$@" |
        awk -F'","' 'NR == 2 { print $2, $3, $5, $7 }'
}

# The server's processor time so far, in ticks: utime and stime, behind the name that may hold spaces.
ticks_so_far() {
    [ -z "${SERVER:-}" ] || sed 's/.*) //' "/proc/$SERVER/stat" | awk '{ print $12 + $13 }'
}
ticks_a_second=$(getconf CLK_TCK)

header=$(printf '%-12s %9s %9s %10s %9s %9s %9s' command requests 'time s' rps 'avg ms' 'p50 ms' 'p99 ms')
echo "$header${SERVER:+    cpu us}"
echo 'command,requests,seconds,rps,avg_ms,p50_ms,p99_ms,cpu_us' >"$csv"
total=0
for command in set get incr rpush lpop lpush lrange; do
    before=$(ticks_so_far)
    case $command in
    lrange) name=LRANGE_100; row=$(measure lrange mylist 0 99) ;;
    rpush | lpush) name=$(echo "$command" | tr a-z A-Z); row=$(measure -t "$command" -P 16) ;;
    *) name=$(echo "$command" | tr a-z A-Z); row=$(measure -t "$command") ;;
    esac
    [ -n "$row" ] || { echo "load.sh: $name: redis-benchmark gave no result" >&2; exit 1; }
    set -- $row
    seconds=$(awk -v n="$requests" -v rps="$1" 'BEGIN { printf "%.3f", n / rps }')
    total=$(awk -v a="$total" -v b="$seconds" 'BEGIN { printf "%.3f", a + b }')
    cpu=
    [ -z "$before" ] || cpu=$(awk -v t=$(($(ticks_so_far) - before)) -v hz="$ticks_a_second" -v n="$requests" \
        'BEGIN { printf "%.2f", t / hz / n * 1e6 }')
    row=$(printf '%-12s %9d %9.2f %10.0f %9.3f %9.3f %9.3f' "$name" "$requests" "$seconds" "$1" "$2" "$3" "$4")
    echo "$row${cpu:+$(printf '%10.2f' "$cpu")}"
    echo "$name,$requests,$seconds,$1,$2,$3,$4,$cpu" >>"$csv"
done
printf '%-12s %9d %9.2f\n' total $((requests * 7)) "$total"
