#!/bin/bash
# time: 900
# needs: python3 sqlite3 git gcc
# Other people's suites and heavy work, with the preload and without: the same results. Python's own test modules for threads,
# fork, subprocess, ctypes, mmap and gc; sqlite3 on a large script; git clone, gc and fsck; gcc -O2 of this project; postgres
# under pgbench. SUITES=long has more of each, and the suites of greenlet and GLib (make soak).
#
#   SUITES=long SUITES_PART='git test_io' tests/real/suites.sh    only these parts; `python` is all of its modules
#
# A line for each part: what was compared, and how long its halves took. After SUITES_SECONDS (3300) no other part is begun.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"
long=${SUITES:-short}
[ "$long" = long ] && times=10 || times=1
unset APPROF_RATE # as it is left on
parts=0
parts_same=0

# plain COMMAND… and hook COMMAND…   without and with the preload, and a place for the many profiles. 1,200 seconds are against hangs.
half() { # NAME COMMAND…
    local begin=${EPOCHREALTIME/./} status
    timeout --foreground 1200 "${@:2}"
    status=$?
    echo $((${EPOCHREALTIME/./} - begin)) >>"$TEST_TMP/took.$1"
    [ "$status" -ne 124 ] || echo "still running after 1200 s: ${*:2}" | tee -a "$TEST_TMP/hangs" >&2
    return "$status"
}
plain() {
    half plain "$@"
}
hook() {
    mkdir -p "$TEST_TMP/profiles"
    half hooked env APPROF_OUT="$TEST_TMP/profiles/%e.%p.pb.gz" APPROF_SYMBOLIZE=0 LD_PRELOAD="$APPROF_LIB" "$@"
}
seconds_of() {
    awk '{ s += $1 } END { printf "%.1f s", s / 1e6 }' "$TEST_TMP/took.$1" 2>/dev/null || echo "0 s"
}

# if part NAME [GROUP]; then its work; part_end WHAT; fi      only a part that is wanted is begun
part() {
    part_name=$1
    part_failures=$failures
    rm -rf "$TEST_TMP"/took.* "$TEST_TMP/profiles"
    if [ -n "${SUITES_PART:-}" ]; then
        [[ " $SUITES_PART " == *" $1 "* || " $SUITES_PART " == *" ${2:-$1} "* ]] || return 1
    fi
    if [ "$SECONDS" -gt "${SUITES_SECONDS:-3300}" ]; then
        left_out "no time left"
        return 1
    fi
}
part_end() { # WHAT WAS COMPARED
    local result=same
    [ -s "$TEST_TMP/hangs" ] && bad "$part_name: $(cat "$TEST_TMP/hangs")" && rm "$TEST_TMP/hangs"
    parts=$((parts + 1))
    if [ "$failures" -eq "$part_failures" ]; then
        parts_same=$((parts_same + 1))
    else
        result=DIFFERENT
    fi
    echo "$part_name: $result, $*, without $(seconds_of plain), with $(seconds_of hooked), $(find "$TEST_TMP/profiles" -name '*.pb.gz' 2>/dev/null | wc -l) profiles"
}
left_out() {
    echo "$part_name: left out: $*"
}

# --- Python's tests, one process a module; what each test came to. Those that take longest come last (below). ---
# What is said in between may stand before an outcome, which is then alone on its line; times and addresses go; some run in threads,
# so it is sorted.
outcomes() { # FILE HALF COMMAND…
    local status
    "${@:2}" >"$1.said" 2>&1 </dev/null
    status=$?
    {
        awk 'function is_outcome(text) { return text ~ /^(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/ }
            (at = index($0, " ... ")) { name = substr($0, 1, at - 1); said = substr($0, at + 5); sub(/^[0-9.]+s /, "", said); if (is_outcome(said)) { print name, said; name = "" } next }
            { sub(/^[0-9.]+s /, "") }
            name != "" && is_outcome($0) { print name, $0; name = "" }
            /^(Ran [0-9]+ tests?|OK|FAILED)/ { sub(/ in [0-9.]+s$/, ""); print }' "$1.said" | sed -E 's/^[0-9.]+s //; s/0x[0-9a-f]+/0x/g' | sort
        echo "exit status $status"
    } >"$1"
}
tests_run() { # FILE
    sed -n 's/^Ran \([0-9]*\) tests\{0,1\}$/\1/p' "$1" | awk '{ n += $1 } END { print n + 0, "tests" }'
}
# python_part NAME COMMAND…   one suite, both halves. Some tests start a process as another user, to whom our folder of tables is of
# no use, which it would say.
python_part() {
    outcomes "$1.plain" plain "${@:2}"
    outcomes "$1.hooked" hook APPROF_TABLES=off "${@:2}"
    grep -q '^Ran ' "$1.plain" || bad "$1: does not run: $(tail -3 "$1.plain.said")"
    same "$1.plain" "$1.hooked" "$*"
    part_end "$(tests_run "$1.plain")"
}
modules() {
    local module
    for module; do
        part "$module" python || continue
        if /usr/bin/python3 -c 'import test.test_gc' 2>/dev/null; then
            python_part "$module" /usr/bin/python3 -m test -v "$module"
        else
            left_out "Python's tests are not installed"
        fi
    done
}
modules test_thread test_fork1 test_mmap test_gc test_ctypes test_popen
[ "$long" = long ] && modules test_threading_local test_queue test_io test_posix test_os test_signal test_subprocess test_threading

# --- sqlite3 ---
if part sqlite3; then
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
        for way in plain hook; do
            rm -f file.db
            $way sqlite3 $file '.read large.sql' >sql.$way 2>&1
            echo "exit status $?" >>sql.$way
            [ $file = file.db ] && sha256sum file.db >>sql.$way
        done
        same sql.plain sql.hook "sqlite3 $file"
    done
    part_end "$(grep -c ';$' large.sql) statements, in a file and in memory"
fi

# --- git ---
if part git; then
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
    export GIT_COMMITTER_DATE=@1700000001
    plain bash work-git cloned >git.plain 2>&1 || bad "git without the preload: $(tail -3 git.plain)"
    rm -rf cloned
    hook bash work-git cloned >git.hooked 2>&1 || bad "git: exit status"
    same git.plain git.hooked "git clone, gc, fsck"
    part_end "$(git -C origin.git rev-list --all --objects | wc -l) objects"
fi

# --- gcc -O2 of this project ---
if part gcc; then
    sources=$(cd "$TOP" && ls interpose/*.c)
    [ "$long" = long ] || sources="interpose/resolve.c interpose/tables_memory.c"
    for source in $sources; do
        object=$(basename "$source" .c).o
        for way in plain hook; do
            # -frandom-seed: or names would differ from run to run
            (cd "$TOP" && $way gcc -std=c17 -D_GNU_SOURCE -O2 -g -fPIC -frandom-seed=1 -Iinclude -Iproto -Iinterpose \
                -DAPPROF_VERSION='"0"' -ftls-model=initial-exec -c -o "$TEST_TMP/$way.$object" "$source") >gcc.$way 2>&1
        done
        same gcc.plain gcc.hook "gcc: what it says of $source"
        cmp "plain.$object" "hook.$object" || bad "gcc: another object of $source"
    done
    part_end "$(wc -w <<<"$sources") objects"
fi

# --- the suites of greenlet (stacks that are switched by hand) and GLib (Debian's python3-greenlet, libglib2.0-tests) ---
if [ "$long" = long ] && part greenlet; then
    # All but test_version, which wants the project's sources.
    tests=$(cd /usr/lib/python3/dist-packages/greenlet/tests 2>/dev/null && ls test_*.py | sed 's/^/greenlet.tests./; s/\.py$//' | grep -v version)
    if /usr/bin/python3 -c 'import greenlet.tests' 2>/dev/null; then
        python_part greenlet /usr/bin/python3 -m unittest -v $tests
    else
        left_out "its tests, or the objgraph that they need, are not installed"
    fi
fi
# Left out by name: benchmarks, which judge nothing but speed.
glib_not=" 1bit-mutex performance performance-threaded "
if [ "$long" = long ] && part glib; then
    count=0
    for file in /usr/share/installed-tests/glib/*.test; do
        name=$(basename "$file" .test)
        [ -e "$file" ] && [[ "$glib_not" != *" $name "* ]] || continue
        command=$(sed -n 's/^Exec=//p' "$file")
        for way in plain hook; do
            mkdir glib-home # many leave files there
            HOME=$PWD/glib-home TMPDIR=$PWD/glib-home $way sh -c "cd '$PWD/glib-home' && exec $command" >glib.said 2>&1 </dev/null
            status=$?
            { grep -aE '^ *(ok|not ok|1\.\.)' glib.said | sed 's/seed:[0-9]*/seed/'; echo "exit status $status"; } >glib.$way
            rm -rf glib-home
        done
        count=$((count + $(grep -c '^ *ok' glib.plain)))
        same glib.plain glib.hook "glib: $name"
    done
    if [ "$count" -gt 0 ]; then part_end "$count tests"; else left_out "its tests are not installed"; fi
fi

# --- those modules of Python's that take minutes ---
[ "$long" = long ] && modules test_multiprocessing_fork test_concurrent_futures test_asyncio

# --- postgres under pgbench: one client whose numbers are the same each time, then four. Last, as it ends in another folder. ---
if part postgres && { [ -x /usr/bin/pgbench ] || ls /usr/lib/postgresql/*/bin/pgbench >/dev/null 2>&1; }; then
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
    begin=${EPOCHREALTIME/./}
    bench plain
    echo $((${EPOCHREALTIME/./} - begin)) >"$TEST_TMP/took.plain"
    mkdir -m 777 "$TEST_TMP/profiles"
    begin=${EPOCHREALTIME/./}
    bench hooked "LD_PRELOAD=$PWD/libapprof.so" APPROF_SYMBOLIZE=0 "APPROF_OUT=$TEST_TMP/profiles/%e.%p.pb.gz"
    echo $((${EPOCHREALTIME/./} - begin)) >"$TEST_TMP/took.hooked"
    same plain.result hooked.result pgbench
    grep -iE 'signal 11|terminated by signal|PANIC|was terminated' hooked.log && bad "postgres complains (above)"
    part_end "$((times * 600)) transactions"
fi

echo "$parts_same of $parts parts came to the same results"
[ "$parts" -gt 0 ] || fail "SUITES_PART=$SUITES_PART names no part"
exit 0
