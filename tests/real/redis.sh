#!/bin/bash
# time: 180
# needs: redis-server redis-cli redis-benchmark
# Debian's redis-server, which runs on jemalloc: the same answers and the same end with the preload as without, through
# a load with several threads of clients, background saves (fork) and expiry; and its memory is seen.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"

cat >commands <<'EOT'
PING
SET greeting "hello world"
GET greeting
APPEND greeting "!"
STRLEN greeting
MSET a 1 b 2 c 3
INCRBY a 41
RPUSH list one two three four
LRANGE list 0 -1
LPOP list
HSET hash f1 v1 f2 v2 f3 v3
HGETALL hash
ZADD board 1 ann 2 bob 3 cyd
ZRANGE board 0 -1 WITHSCORES
SADD set x y z x
SCARD set
EVAL "local t = {} for i = 1, 1000 do t[i] = i * i end return #t" 0
EVAL "return redis.call('get', KEYS[1])" 1 greeting
XADD stream 1-1 field value
XRANGE stream - +
SETRANGE big 1048576 end
STRLEN big
GET nothing
INCR greeting
NOSUCHCOMMAND
DBSIZE
DEBUG JMAP
LPUSH greeting x
EOT

# session NAME CMD…    runs a server, drives it, and ends it
session() {
    local name=$1 port
    shift
    port=$(free_port)
    mkdir -p "data-$name"
    start "$@" redis-server --port "$port" --bind 127.0.0.1 --dir "$PWD/data-$name" --save '' --appendonly no \
        --daemonize no --logfile "$PWD/$name.log" --io-threads 2 --enable-debug-command local
    local pid=$started
    wait_for 20 port_open "$port" || fail "$name: redis-server does not answer: $(cat "$name.log")"
    redis-cli -p "$port" <commands >"$name.answers" 2>&1
    redis-benchmark -p "$port" -q -t set,get,lpush,lpop,sadd,zadd -n 20000 -r 10000 -c 20 -P 8 -d 200 >/dev/null ||
        bad "$name: redis-benchmark failed"
    redis-cli -p "$port" bgsave >/dev/null
    wait_for 30 saved "$port" || bad "$name: background save did not end"
    redis-cli -p "$port" info persistence | tr -d '\r' | grep -E 'rdb_last_bgsave_status' >>"$name.answers"
    redis-cli -p "$port" dbsize >"$name.dbsize"
    redis-cli -p "$port" shutdown nosave >/dev/null 2>&1
    wait "$pid"
    echo "exit status $?" >>"$name.answers"
}
saved() {
    redis-cli -p "$1" info persistence | tr -d '\r' | has '^rdb_bgsave_in_progress:0'
}

session plain env
mkdir -p profiles/redis
export APPROF_OUT=$PWD/profiles/redis/%e.%p.pb.gz APPROF_RATE=65536
session preload env "LD_PRELOAD=$APPROF_LIB"
unset APPROF_OUT
same plain.answers preload.answers "redis: answers"
[ -s data-preload/dump.rdb ] || bad "the background save left no file"
grep -iE 'crash|bug report|assert' preload.log && bad "the server's log complains"

profiles_readable redis
count=$(find profiles/redis -name 'redis-server*.pb.gz' -o -name 'redis-check*.pb.gz' | wc -l)
[ "$count" -ge 2 ] || bad "wanted profiles of the server and of its saving child, found $count"
server=$(for f in profiles/redis/*.pb.gz; do echo "$(total alloc_space "$f") $f"; done | sort -n | tail -1 | cut -d' ' -f2)

# Over a hundred thousand commands with 200-byte values: tens of megabytes at least went through the allocator.
[ "$(total alloc_space "$server")" -gt 20000000 ] || bad "only $(total alloc_space "$server") bytes seen of the server"
# Its own functions are named (the binary keeps its dynamic symbols for modules).
"$PYTHON" "$TOP/tests/pprof_sum.py" --functions "$server" >functions
contains functions '^(zmalloc|ztrymalloc_usable|sdsnewlen|_sdsnewlen|createStringObject|processCommand|call|aeMain)$' "redis' own functions"
