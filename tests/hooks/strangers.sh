#!/bin/bash
# time: 300
# variant: none
# needs: python3 unshare setpriv
# Processes that could be taken for one another are not: two of one program at once, with one output name; two with the same pid in two
# pid namespaces; fifty that crash in turn, of which four tables remain. And with more rights than its user a program is left alone.
# (pitfalls: the child overwrites the parent's file)
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/hostile_work
export APPROF_RATE=1 APPROF_SYMBOLIZE=0 APPROF_VERBOSE=0
is_root=$([ "$(id -u)" = 0 ] && unshare -mpf true 2>/dev/null && echo yes)

# right FILE…   each is a whole profile of one run
right() {
    local file
    for file in "$@"; do
        equal "$(cum alloc_objects site_hostile "$file")" 6000 "$file"
    done
}

# waiting NAME CMD…   starts a run that waits half-way, and goes on when a line is written to the pipe NAME
waiting() {
    local name=$1
    shift
    mkfifo "$name"
    start bash -c 'exec "$@" <"$0" >"$0.out" 2>"$0.err"' "$name" "$@"
    exec {writer}>"$name"
    writers+=("$writer")
    wait_for 30 grep -q ready "$name.out" || bad "$name: did not start: $(cat "$name.err")"
}
writers=()

# finish   lets all of them go on
finish() {
    local writer pid
    for writer in "${writers[@]}"; do
        echo go >&"$writer"
        exec {writer}>&-
    done
    for pid in "${started_pids[@]}"; do
        wait "$pid"
        equal "$?" 7 "a run that waited"
    done
    started_pids=() writers=()
}

# --- two of one program ---
APPROF_OUT=$TEST_TMP/same.pb.gz waiting one env LD_PRELOAD="$APPROF_LIB" "$program" wait
APPROF_OUT=$TEST_TMP/same.pb.gz waiting two env LD_PRELOAD="$APPROF_LIB" "$program" wait
waiting three env LD_PRELOAD="$APPROF_LIB" "$program" wait
equal "$(ls "$APPROF_TABLES" | wc -l)" 3 "tables of three processes of one program"
# A fourth, which ends at once, cleans up after the dead: nobody is.
APPROF_OUT=$TEST_TMP/fourth.pb.gz preload "$program" >/dev/null
equal "$(ls "$APPROF_TABLES" | wc -l)" 3 "tables after a fourth"
finish
right same.pb.gz same.pb.gz.2 fourth.pb.gz approf.hostile_work.*.pb.gz
equal "$(ls -- *.pb.gz* | wc -l)" 4 "profiles of four processes"
equal "$(cat one.err two.err three.err)" "" "on stderr"
rm -f -- *.pb.gz* one* two* three*

# --- the same pid twice ---
if [ -n "$is_root" ]; then
    for name in left right; do
        waiting $name unshare -mpf --mount-proc env LD_PRELOAD="$APPROF_LIB" "$program" wait
    done
    # A third one with that pid, and one of these that died, do not take them for each other.
    unshare -mpf --mount-proc env LD_PRELOAD="$APPROF_LIB" APPROF_OUT="$TEST_TMP/third.pb.gz" "$program" >/dev/null
    equal "$(ls "$APPROF_TABLES" | wc -l)" 2 "tables of two processes with one pid"
    ls "$APPROF_TABLES" | sed 's/^hostile_work\.\([0-9]*\)\..*/\1/' | sort -u >pids
    equal "$(cat pids)" 1 "their pids"
    finish
    right approf.hostile_work.1.pb.gz approf.hostile_work.1.pb.gz.2 third.pb.gz
    rm -f -- *.pb.gz*
else
    echo "left out: pid namespaces (not root)"
fi

# --- a crash loop ---
for _ in $(seq 50); do
    bash -c 'LD_PRELOAD=$0 "$1" abort; true' "$APPROF_LIB" "$test_programs/hooks/ends_ways" >/dev/null 2>&1
done
equal "$(ls "$APPROF_TABLES"/ends_ways.*.heap | wc -l)" 4 "tables after 50 crashes"
for file in "$APPROF_TABLES"/ends_ways.*.heap; do
    approf top -sample_index=alloc_objects "$file" 2>&1 | has ' site_lost' || bad "$file cannot be read"
done
find . -name '*.pb.gz' | grep . && bad "a crash left a profile"

# --- more rights than the user has ---
if [ -n "$is_root" ]; then
    mkdir -m 777 open && mkdir -m 755 place && cp "$program" place/raised && chmod 4755 place/raised
    cp "$APPROF_LIB" place/libapprof.so && chmod 755 . place/libapprof.so
    export APPROF_ONLY=raised
    as_nobody() { # through the variable, or the file that holds for everybody
        unshare -m bash -c "mount --make-rprivate / && mount -t tmpfs -o mode=1777 none /dev/shm && { $1; } && cd open &&
            env -u APPROF_TABLES setpriv --reuid=65534 --regid=65534 --clear-groups env $2 '$TEST_TMP/place/raised'; echo \$?;
            ls -A . /dev/shm" >nobody.out 2>nobody.err
    }
    as_nobody true ""
    mv nobody.out plain.out
    contains plain.out '^7$' "a setuid program as it is"
    as_nobody true "LD_PRELOAD=$TEST_TMP/place/libapprof.so"
    same plain.out nobody.out "a setuid program with LD_PRELOAD"
    grep -v 'cannot be preloaded: ignored' nobody.err | grep . && bad "a setuid program: $(cat nobody.err)"
    # All that runs there is preloaded; only what is raised would be profiled.
    as_nobody "cp -a /etc '$TEST_TMP/etc' && echo '$TEST_TMP/place/libapprof.so' >'$TEST_TMP/etc/ld.so.preload' && mount --bind '$TEST_TMP/etc' /etc" \
        ""
    same plain.out nobody.out "a setuid program with /etc/ld.so.preload"
    [ -s nobody.err ] && bad "a setuid program with /etc/ld.so.preload: $(cat nobody.err)"
else
    echo "left out: a setuid program (not root)"
fi
exit 0
