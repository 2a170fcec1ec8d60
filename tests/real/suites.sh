#!/bin/bash
# time: 900
# needs: python3 sqlite3 git gcc
# Other people's suites and heavy work, with the preload and without: the same results. Python's own test modules for threads,
# fork, subprocess, ctypes, mmap and gc; sqlite3 on a large script; git clone, gc and fsck; gcc -O2 of this project; postgres
# under pgbench. SUITES=long has more of each (make soak).
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"
long=${SUITES:-short}
[ "$long" = long ] && times=10 || times=1
unset APPROF_RATE # as it is left on
hook() { # COMMAND…   with the preload, and a place for the many profiles
    mkdir -p profiles
    APPROF_OUT=$TEST_TMP/profiles/%e.%p.pb.gz APPROF_SYMBOLIZE=0 preload "$@"
}
part() { # NAME: how long its halves took, so that a slow one is seen in the log
    echo "$1: ${SECONDS}s"
    rm -rf profiles
}

# --- Python's tests, one process a module; what each test came to, in its order ---
modules="test_thread test_fork1 test_mmap test_gc test_ctypes test_popen"
[ "$long" = long ] && modules="$modules test_threading test_threading_local test_subprocess test_signal test_os test_posix
    test_queue test_multiprocessing_fork test_concurrent_futures test_asyncio test_mmap test_io"
if /usr/bin/python3 -c 'import test.test_gc' 2>/dev/null; then
    suite() { # MODULE    names and outcomes
        "${@:2}" /usr/bin/python3 -m test -v "$1" 2>&1 </dev/null |
            grep -aE ' \.\.\. (ok|FAIL|ERROR|skipped.*|expected failure)$|^(Ran [0-9]+ tests|OK|FAILED)' |
            sed 's/ in [0-9.]*s$//' | sort
    }
    for module in $modules; do
        suite "$module" env >py.plain
        # Some tests start a process as another user, to whom our folder of tables is of no use, which it would say.
        APPROF_TABLES=off suite "$module" hook >py.hooked
        grep -q '^Ran ' py.plain || bad "$module: does not run"
        same py.plain py.hooked "python3 -m test $module"
    done
    part "$(wc -w <<<"$modules") modules of Python's tests"
else
    echo "Python's tests are not installed: left out"
fi

# --- sqlite3 ---
cat >large.sql <<SQL
create table t(a integer primary key, b text, c real, d blob);
with recursive n(i) as (select 1 union all select i + 1 from n where i < $((times * 40000)))
  insert into t select i, 'value ' || (i * 7919 % 60000), i / 3.0, zeroblob(i % 300) from n;
create index tb on t(b); create index tc on t(c, b);
create virtual table f using fts5(b); insert into f select b from t where a % 4 = 0;
select count(*) from f where f match 'value';
select count(*), sum(a), min(b), max(b), sum(length(d)) from t;
update t set b = b || '!' where a % 3 = 0; delete from t where a % 5 = 0; vacuum;
with recursive w(x) as (select 1 union select (x * 17 + 5) % 9973 from w limit 9000) select count(*), sum(x) from w;
select x.a % 10, count(*) from t x join t y on x.b = y.b group by 1 order by 1;
pragma integrity_check;
SQL
for file in file.db :memory:; do
    rm -f file.db
    sqlite3 $file '.read large.sql' >sql.plain 2>&1
    [ $file = file.db ] && sha256sum file.db >>sql.plain
    rm -f file.db
    hook sqlite3 $file '.read large.sql' >sql.hooked 2>&1
    [ $file = file.db ] && sha256sum file.db >>sql.hooked
    same sql.plain sql.hooked "sqlite3 $file"
done
part sqlite3

# --- git ---
export HOME=$TEST_TMP GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
git init -q --bare origin.git
"$PYTHON" - $((times * 200)) <<'PY' | git -C origin.git fast-import --quiet
import sys
for i in range(int(sys.argv[1])):
    print("commit refs/heads/main\ncommitter A U Thor <a@example.org> %d +0000\ndata 4\nwork" % (1700000000 + i * 60))
    for k in range(4):
        body = "".join("line %d of %d: %x\n" % (j, i * j, hash((i, j, k)) & 0xffff) for j in range(i % 200 + 20))
        print("M 100644 inline dir%d/file%d\ndata %d\n%s" % (k, i % 60, len(body), body))
PY
cat >work-git <<'SH'
set -e
git clone -q --no-local "file://$PWD/origin.git" "$1" 2>&1
cd "$1"
git -c gc.autoDetach=false -c pack.threads=2 gc -q --aggressive 2>&1
git fsck --full --strict 2>&1
git checkout -q -b side HEAD~50 && echo more >dir0/more && git add -A && git -c user.name=a -c user.email=a@example.org commit -q -m more --date=@1700000000
git log --format=%T | sha256sum
git blame dir1/file7 | sed 's/^[^ ]* //' | sha256sum
git diff --stat HEAD main | tail -3
SH
GIT_COMMITTER_DATE=@1700000001 bash work-git plain >git.plain 2>&1 || bad "git without the preload: $(tail -3 git.plain)"
GIT_COMMITTER_DATE=@1700000001 hook bash work-git hooked >git.hooked 2>&1 || bad "git: exit status"
same git.plain git.hooked "git clone, gc, fsck"
part git

# --- gcc -O2 of this project ---
sources=$(cd "$TOP" && ls interpose/*.c)
[ "$long" = long ] || sources="interpose/resolve.c interpose/tables_memory.c"
for source in $sources; do
    object=$(basename "$source" .c).o
    for way in plain hooked; do
        [ $way = hooked ] && with=hook || with=env
        # -frandom-seed: or names would differ from run to run
        (cd "$TOP" && $with gcc -std=c17 -D_GNU_SOURCE -O2 -g -fPIC -frandom-seed=1 -Iinclude -Iproto -Iinterpose \
            -DAPPROF_VERSION='"0"' -ftls-model=initial-exec -c -o "$TEST_TMP/$way.$object" "$source") >gcc.$way 2>&1
    done
    same gcc.plain gcc.hooked "gcc: what it says of $source"
    cmp "plain.$object" "hooked.$object" || bad "gcc: another object of $source"
done
part gcc

# --- postgres under pgbench: one client whose numbers are the same each time, then four ---
if [ -x /usr/bin/pgbench ] || ls /usr/lib/postgresql/*/bin/pgbench >/dev/null 2>&1; then
    . "$TOP/tests/real/postgres-lib.sh"
    pgbench=$bin/pgbench
    [ -x "$pgbench" ] || pgbench=/usr/bin/pgbench
    bench() { # NAME VARIABLES…
        local name=$1
        server "$@"
        as "$pgbench" -q -i -s 1 "${client[@]}" postgres >"$name.init" 2>&1 || bad "$name: pgbench -i: $(tail -3 "$name.init")"
        as "$pgbench" -n --random-seed=5 -c 1 -t $((times * 200)) "${client[@]}" postgres >"$name.one" 2>&1 || bad "$name: $(tail -3 "$name.one")"
        as "$pgbench" -n --random-seed=6 -c 4 -j 2 -t $((times * 100)) "${client[@]}" postgres >"$name.four" 2>&1 || bad "$name: $(tail -3 "$name.four")"
        as "$bin/psql" -X -A -t "${client[@]}" -d postgres -c "select md5(string_agg(aid || ' ' || tid || ' ' || bid || ' ' || delta, ',' order by tid, bid, aid, delta)), count(*) from pgbench_history" \
            -c "select sum(abalance), md5(string_agg(abalance::text, ',' order by aid)) from pgbench_accounts" \
            -c "select sum(bbalance) from pgbench_branches" >"$name.result" 2>&1
        grep -h '^number of transactions actually\|^number of failed' "$name.one" "$name.four" >>"$name.result"
        server_end "$name"
        echo "exit status $?" >>"$name.result"
    }
    bench plain
    mkdir profiles && chmod 777 profiles
    bench hooked "LD_PRELOAD=$PWD/libapprof.so" APPROF_SYMBOLIZE=0 "APPROF_OUT=$PWD/profiles/%e.%p.pb.gz"
    same plain.result hooked.result pgbench
    grep -iE 'signal 11|terminated by signal|PANIC|was terminated' hooked.log && bad "postgres complains (above)"
    part pgbench
fi
exit 0
