#!/bin/bash
# time: 240
# needs: nginx curl wrk
# An nginx with two workers under load: the same answers with the preload as without, an orderly end, a profile of each process
# that adds up with the others', what a worker inherited told apart from what it allocated itself.
# (pitfalls: fork without exec: crash, lost or truncated profile; the child overwrites the parent's file)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"

if [ "$(id -u)" -eq 0 ]; then
    as() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$PWD/web" "$@"; }
else
    as() { env "$@"; }
fi
mkdir -p web/html web/logs web/tmp web/profiles
cp "$APPROF_LIB" "$APPROF_BIN" web/
seq 1 20000 >web/html/numbers.txt
"$PYTHON" -c 'print("<p>" + "text " * 50000)' >web/html/page.html
: >web/html/empty.txt
[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 web
cd web || exit 1
export APPROF_TABLES=$PWD/tables
as mkdir -m 700 tables

ask() { # PORT NAME      a few requests one by one, in an order; headers that tell the time are left out
    local url=http://127.0.0.1:$1 path
    for path in /page.html /numbers.txt /empty.txt /missing /page.html?again; do
        curl -s -i -H 'Accept-Encoding: gzip' "$url$path" | sed -a '/^Date:/d; /^Last-Modified:/d; /^ETag:/d' 2>/dev/null | sha256sum
        curl -s -i -r 100-999 "$url$path" | grep -av '^Date:\|^Last-Modified:\|^ETag:' | sha256sum
    done >"$2.answers"
}

session() { # NAME VARIABLES…
    local name=$1 port
    shift
    port=$(free_port)
    cat >"$name.conf" <<CONF
daemon off; worker_processes 2; pid $PWD/$name.pid; error_log $PWD/logs/$name.log notice;
events { worker_connections 256; }
http {
    access_log $PWD/logs/$name.access;
    client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
    gzip on; gzip_min_length 100; gzip_types text/plain; types { text/html html; text/plain txt; }
    server { listen 127.0.0.1:$port; root $PWD/html; location /status { return 200 "fine\n"; } }
}
CONF
    start as "$@" nginx -p "$PWD" -c "$PWD/$name.conf" >"$name.out" 2>"$name.err"
    local job=$started
    wait_for 60 curl -sf "http://127.0.0.1:$port/status" || fail "$name: nginx does not answer: $(tail -3 "$name.err" "logs/$name.log")"
    ask "$port" "$name"
    wrk -t1 -c16 -d"${NGINX_SECONDS:-2}s" "http://127.0.0.1:$port/page.html" >"$name.wrk" 2>&1
    grep -q 'Non-2xx\|Socket errors' "$name.wrk" && bad "$name: $(cat "$name.wrk")"
    ask "$port" "$name.after"
    if [ "$name" = preload ]; then # what a worker inherited is live until it ends
        workers=$(sed -n 's/.* start worker process \([0-9]*\)$/\1/p' logs/preload.log)
        for worker in $workers; do
            approf merge -o "live.$worker.pb.gz" "$worker" 2>live.err || bad "worker $worker, live: $(cat live.err)"
        done
    fi
    kill -QUIT "$(cat "$name.pid")"
    wait "$job"
    echo "exit status $?" >"$name.end"
}

session plain
session preload "LD_PRELOAD=$PWD/libapprof.so" "APPROF_HELPER=$PWD/approf" "APPROF_RATE=4096" "APPROF_OUT=$PWD/profiles/%e.%p.pb.gz"
for file in answers after.answers end out err; do
    same "plain.$file" "preload.$file" "nginx"
done
contains preload.end 'exit status 0' "an orderly end"
grep -E 'exited on signal|exited with code [^0]|alert|emerg' logs/preload.log && bad "the server's log complains (above)"
for worker in $workers; do # it has no children, and hears of none
    grep -E " $worker#.* signal 17 " logs/preload.log && bad "a worker hears of a child (above)"
done

files=(profiles/nginx.*.pb.gz)
[ "${#files[@]}" -eq 3 ] || bad "profiles of a master and two workers: $(ls profiles)"
readable "${files[@]}"
sum=0
for file in "${files[@]}"; do
    [ "$(total --label inherited alloc_space "$file")" -eq 0 ] || bad "$file: what was inherited was not allocated there"
    own=$(total --no-label inherited alloc_space "$file")
    echo "$file: $own bytes of its own"
    sum=$((sum + own))
done
[ "$(total --no-label inherited alloc_space "${files[@]}")" -eq "$sum" ] || bad "the family's files do not add up"
for worker in $workers; do
    inherited=$(total --label inherited inuse_space "live.$worker.pb.gz")
    [ "$inherited" -gt 10000 ] || bad "worker $worker inherited $inherited bytes of its configuration"
done
[ "$(cum alloc_space ngx_http_core_run_phases profiles/nginx.*.pb.gz)" -gt 1000000 ] || bad "the load is not seen"
exit 0
