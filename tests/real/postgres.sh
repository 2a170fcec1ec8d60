#!/bin/bash
# time: 300
# A postgres that forks a process per connection: the same answers with the preload as without, an orderly end, a profile
# of each process, none written by two, and what was inherited told apart from what a child allocated itself.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"

. "$TOP/tests/real/postgres-lib.sh"

cat >session.sql <<'SQL'
create table if not exists t(a int primary key, b text);
insert into t select i, repeat(md5(i::text), 3) from generate_series(1, 20000) i on conflict do nothing;
select count(*), sum(length(b)), min(b) from t;
select substr(b, 1, 2) k, count(*) from t group by 1 order by 2 desc, 1 limit 5;
select x.a from t x join t y on x.b = y.b where x.a < 20 order by 1;
do $$ declare s text := ''; begin for i in 1..2000 loop s := s || i; end loop; raise notice '%', length(s); end $$;
select no_such_column from t;
SQL

# session NAME CMD…   a server on a socket of its own; three clients after another, two at once
session() {
    local name=$1 n
    shift
    server "$name" "$@"
    local psql=(as "$bin/psql" -X "${client[@]}" -d postgres)
    for n in 1 2 3; do
        "${psql[@]}" -f session.sql >"$name.$n.out" 2>&1
    done
    "${psql[@]}" -c 'select sum(length(b || b)) from t' >"$name.4.out" 2>&1 &
    local other=$!
    "${psql[@]}" -c 'select count(distinct b) from t' >"$name.5.out" 2>&1
    wait "$other"
    server_end "$name"
    echo "exit status $?" >"$name.6.out"
}

session plain
as mkdir profiles
session preload "LD_PRELOAD=$PWD/libapprof.so" "APPROF_HELPER=$PWD/approf" "APPROF_RATE=16384" \
    "APPROF_OUT=$PWD/profiles/%e.%p.pb.gz"
for n in 1 2 3 4 5 6; do
    same "plain.$n.out" "preload.$n.out" "postgres: client $n"
done
contains preload.1.out 'column "no_such_column" does not exist' "an error is an error"
contains preload.6.out 'exit status 0' "an orderly end"
grep -iE 'signal 11|terminated by signal|PANIC|was terminated' preload.log && bad "the server's log complains"
grep '^approf:\|hint:' preload.log && bad "we write into the server's log"

files=(profiles/postgres.*.pb.gz)
# The postmaster, three clients one by one, two more, the ones that waited for it to come up, and its own helpers.
[ "${#files[@]}" -ge 7 ] || bad "${#files[@]} profiles: wanted one of each process"
ls profiles | grep -vE '^postgres\.[0-9]+\.pb\.gz$' && bad "unexpected files (above)"
readable "${files[@]:0:4}"
small=0 sum=0
for file in "${files[@]}"; do
    approf top "$file" >/dev/null || bad "approf top $file: exit $?"
    bytes=$(total --no-label inherited alloc_space "$file")
    equal "$(total --label inherited alloc_space "$file")" 0 "$file: what was inherited was not allocated there"
    sum=$((sum + bytes))
    [ "$bytes" -gt 1000000 ] && small=$((small + 1))
done
echo "${#files[@]} profiles, $sum bytes allocated in all, $small processes with over 1 MB"
[ "$small" -ge 3 ] || bad "the three clients' processes are not seen"
"$PYTHON" "$TOP/tests/pprof_sum.py" --functions "${files[@]}" >functions
contains functions '^(AllocSetAlloc|AllocSetContextCreateInternal|AllocSetAllocLarge|palloc|PostgresMain|exec_simple_query)$' "postgres' own functions"
