# postgres-lib.sh - a postgres of the test's own. Source it after lib.sh; ends in the folder pg/, where everything of it lies.
# shellcheck shell=bash

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$bin" ] || bin=$(dirname "$(command -v postgres || echo /nowhere/postgres)")
[ -x "$bin/postgres" ] && [ -x "$bin/initdb" ] || skip "missing: postgres"

# It refuses to run as root; another user needs a folder, a library and a helper that it can read.
mkdir pg
cp "$APPROF_LIB" pg/libapprof.so
cp "$APPROF_BIN" pg/approf
if [ "$(id -u)" -eq 0 ]; then
    as() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$PWD/pg" "$@"; }
    chown -R 65534:65534 pg
else
    as() { env "$@"; }
fi
export APPROF_TABLES=$PWD/pg/tables
as mkdir -m 700 pg/tables
cd pg || exit 1

as "$bin/initdb" -D base --no-sync -U tester --auth=trust --locale=C.UTF-8 >initdb.log 2>&1 || fail "initdb: $(tail -3 initdb.log)"

# server NAME VARIABLES…   on a socket of its own; its clients' options in "${client[@]}". server_end NAME: an orderly one.
server() {
    local name=$1
    shift
    as cp -r base "data-$name"
    as mkdir "socket-$name"
    as "$@" "$bin/postgres" -D "data-$name" -k "$PWD/socket-$name" -c listen_addresses= -c fsync=off \
        -c shared_buffers=16MB -c autovacuum=off -c max_parallel_workers_per_gather=2 >"$name.log" 2>&1 &
    server_job=$!
    started_pids+=("$server_job")
    client=(-h "$PWD/socket-$name" -U tester)
    wait_for 60 as "$bin/psql" -X "${client[@]}" -d postgres -c 'select 1' || fail "$name: postgres does not answer: $(tail -5 "$name.log")"
}
server_end() {
    local pid
    pid=$(head -1 "data-$1/postmaster.pid")
    started_pids+=("$pid")
    kill -INT "$pid" # its fast shutdown
    wait "$server_job"
}
