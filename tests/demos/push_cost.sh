#!/bin/bash
# time: 300
# needs: valgrind redis-benchmark redis-cli
# variant: none
# What a push costs redis-clone in instructions, less what starting and ending take: to the front of the list as much as
# to its end once the fault is mended, and many times as much before. The stories say it in processor time, which is not
# judged on a busy machine.
. "$(dirname "$0")/../lib.sh"

counted() { # WHICH REQUESTS [COMMAND]
    start valgrind --tool=callgrind --callgrind-out-file=/dev/null "$BUILD/demo/redis-clone-$1" --port 0 >out.log 2>valgrind.log
    local pid=$started port
    wait_for 60 grep -q 'listening on' out.log || fail "$1: not ready: $(cat out.log valgrind.log)"
    port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\)$/\1/p' out.log)
    [ -z "${3:-}" ] || timeout 120 redis-benchmark -p "$port" -t "$3" -P 16 -c 10 -n "$2" -d 128 --csv >/dev/null || fail "$1: redis-benchmark: exit status $?"
    [ -z "${3:-}" ] || equal "$(redis-cli -p "$port" LLEN mylist)" "$2" "$1: elements after $3"
    stop "$pid"
    sed -n 's/.*Collected : *//p' valgrind.log
}

for push in "fixed 20000 0 1.15" "buggy 4000 10 40"; do
    read -r which n least most <<<"$push"
    idle=$(counted "$which" 0) rpush=$(counted "$which" "$n" rpush) lpush=$(counted "$which" "$n" lpush)
    [ -n "$idle" ] && [ -n "$rpush" ] && [ -n "$lpush" ] || fail "callgrind counted nothing"
    awk -v which="$which" -v n="$n" -v idle="$idle" -v rpush="$rpush" -v lpush="$lpush" -v least="$least" -v most="$most" 'BEGIN {
        r = (rpush - idle) / n
        l = (lpush - idle) / n
        printf "%s: RPUSH %.0f instructions, LPUSH %.0f, %.2f times as many\n", which, r, l, l / r
        exit !(r > 100 && l / r >= least && l / r <= most)
    }' || bad "$which: wanted $least to $most times"
done
