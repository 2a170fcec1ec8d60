#!/bin/bash
# time: 600
# variant: none
# needs: python3 unshare setpriv
# Where a program can hardly live, it lives as well with the hook as without: no shared memory, a full or read-only one, none of the
# descriptors, no room, no /proc, another root, other people's traps. Output and exit status are those without the preload, nothing
# comes on stderr, and the profile is right where one can be written. (pitfalls: SIGBUS when the disk fills; descriptors closed under
# the tool; the child overwrites the parent's file)
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/hostile_work
objects=6000
n=0
is_root=$([ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null && echo yes)

# in_mounts SETUP CMD…   in mounts of its own, which SETUP (shell text) has changed
in_mounts() {
    unshare -m bash -c "mount --make-rprivate / && { $1; } >/dev/null 2>&1 || exit 66; shift; exec \"\$@\"" - "$@"
}

# leaves WHAT   what a run at this rate left: profile, tables, nothing, or anything (that is readable)
leaves() {
    local file found
    case $1 in
    profile)
        [ -s h.pb.gz ] || { bad "$what: no profile"; return; }
        found=$(cum alloc_objects site_hostile h.pb.gz)
        [ "$rate" != 1 ] || equal "$found" "$objects" "$what: objects in the profile"
        ;;
    nothing)
        [ ! -e h.pb.gz ] || bad "$what: a profile"
        compgen -G "$tables/*" >/dev/null && bad "$what: tables: $(ls "$tables")"
        ;;
    totals) # stacks that found no room are one entry
        [ -s h.pb.gz ] || { bad "$what: no profile"; return; }
        found=$(total alloc_objects h.pb.gz)
        [ "$rate" != 1 ] || { [ "$found" -ge "$objects" ] && [ "$found" -le $((objects + 20)) ]; } || bad "$what: $found objects in all"
        ;;
    tables)
        file=$(compgen -G "$tables/hostile_work.*.heap" | head -1)
        [ -n "$file" ] || { bad "$what: no tables"; return; }
        approf top "$file" >top.out 2>top.err || bad "$what: approf top: $(cat top.err)"
        ;;
    esac
}

in_time() { # as commands of a shell of their own, which can be ended
    export -f $(compgen -A function | grep -E '^(in_|closed|limited|moved)')
    timeout 60 bash -c '"$@"' - "$@"
}

# try WHAT LEAVES SURROUNDINGS… -- [ARGUMENT]   SURROUNDINGS is a command that runs the rest of its arguments there
try() {
    local what=$1 leaves=$2 status plain where=()
    shift 2
    while [ "$1" != -- ]; do
        where+=("$1")
        shift
    done
    shift
    rm -rf result h.pb.gz "${tables:?}"/*
    RESULT=$TEST_TMP/result in_time "${where[@]}" "$program" "$@" >plain.out 2>plain.err
    plain=$?
    [ $plain = 66 ] && { echo "left out: $what (can't be had here)"; return; }
    n=$((n + 1))
    [ $plain = 7 ] || { bad "$what: fails without the preload: $plain $(cat plain.err)"; return; }
    touch result && cp result plain.result
    for rate in 1 524288; do
        rm -rf result h.pb.gz "${tables:?}"/*
        RESULT=$TEST_TMP/result in_time "${where[@]}" env LD_PRELOAD="$APPROF_LIB" APPROF_RATE=$rate APPROF_SEED=5 APPROF_SYMBOLIZE=0 \
            ${out:+APPROF_OUT="$out"} ${APPROF_TABLES:+APPROF_TABLES="$APPROF_TABLES"} "$program" "$@" >hooked.out 2>hooked.err
        status=$?
        touch result
        equal "$status" 7 "$what, rate $rate: exit status"
        same plain.result result "$what, rate $rate: result"
        same plain.out hooked.out "$what, rate $rate: stdout"
        # A directory that was named and can't be used is said once.
        grep -vE '^(approf: APPROF_TABLES: no tables can be made|hint: it must be a directory of your own)' hooked.err >other.err
        [ -z "$APPROF_TABLES" ] || [ "$(wc -l <hooked.err)" -gt $(($(wc -l <other.err) + 2)) ] || mv other.err hooked.err
        same plain.err hooked.err "$what, rate $rate: stderr"
        leaves "$leaves"
    done
}

out=$TEST_TMP/h.pb.gz
tables=$APPROF_TABLES
try "as everywhere" profile env --

# --- descriptors ---
closed() { # N… CMD
    local redirections=""
    while [[ $1 = [0-9] ]]; do
        redirections+=" $1>&-"
        shift
    done
    eval '"$@"' "$redirections"
}
try "stdin, stdout and stderr closed" profile closed 0 1 2 --
try "stdin closed" profile closed 0 --
try "all descriptors closed on the way" profile env -- closed
try "RLIMIT_NOFILE 3 on the way" anything env -- nofile
limited() { # OPTION VALUE CMD…
    ulimit "$1" "$2"
    shift 2
    "$@"
}
try "RLIMIT_NOFILE 3 and no descriptor" anything closed 0 1 2 limited -n 3 --

# --- room ---
try "RLIMIT_FSIZE 1 KiB" anything limited -f 1 --
try "RLIMIT_FSIZE on the way" anything env -- fsize
# By how much the address space may be short: 1 MiB over what the program itself needs.
for need in $(seq 4096 512 65536); do
    (limited -v "$need" "$program") >/dev/null 2>&1
    [ $? = 7 ] && break
done
for more in 1024 2048 4096; do
    try "RLIMIT_AS $more KiB more than enough" anything limited -v $((need + more)) --
done
# What the library itself takes of a limited address space: its own image, 2.1 MiB, and hardly a page more where there is no room.
smallest() { # COMMAND…   KiB of addresses with which it ends well, to a page
    local low=0 high=65536 middle
    while [ $((high - low)) -gt 4 ]; do
        middle=$(((low + high) / 2))
        if (limited -v $middle "$@") >/dev/null 2>&1; then high=$middle; else low=$middle; fi
    done
    echo $high
}
without=$(smallest "$test_programs/hooks/pair" 10)
with=$(APPROF_OUT=$TEST_TMP/h.pb.gz APPROF_SYMBOLIZE=0 smallest env LD_PRELOAD="$APPROF_LIB" "$test_programs/hooks/pair" 10)
echo "smallest RLIMIT_AS: $without KiB without, $with KiB with"
[ $((with - without)) -le 4096 ] || bad "RLIMIT_AS: $((with - without)) KiB more than without"
[ "$with" -gt "$without" ] || bad "RLIMIT_AS: the library takes no room, so it was not there"
try "RLIMIT_STACK 64 KiB" profile limited -s 64 --
try "no more processes or threads" profile limited -u 0 --
try "no locked memory, no core, lowest priority" profile nice -n 19 --
try "addresses as they are" profile setarch -R --

# --- a place to write ---
in_deleted() {
    mkdir gone && cd gone && rmdir ../gone && "$@"
}
try "working directory deleted" profile in_deleted --
out= try "working directory deleted, relative name" tables in_deleted --
out=/proc/self/nothing/x try "output nowhere" tables env --
ln -s "$TEST_TMP/aim" trap.pb.gz
out=$TEST_TMP/trap.pb.gz try "output through a link" anything env --
[ -e aim ] && bad "a link was followed"

# --- other mounts: the default place of the tables ---
if [ -n "$is_root" ]; then
    APPROF_TABLES=
    empty_dev='mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9'
    try "no /dev/shm" profile in_mounts "$empty_dev" --
    try "a full /dev/shm" profile in_mounts 'mount -t tmpfs -o size=64k none /dev/shm; head -c 64k /dev/zero >/dev/shm/ballast' --
    try "a /dev/shm that fills up" totals in_mounts 'mount -t tmpfs -o size=700k none /dev/shm' --
    try "a /dev/shm without inodes" profile in_mounts 'mount -t tmpfs -o nr_inodes=1 none /dev/shm' --
    try "a read-only /dev/shm" profile in_mounts 'mount -t tmpfs -o ro none /dev/shm' --
    try "no /proc" profile in_mounts 'mount -t tmpfs none /proc' --
    mkdir -p folder
    in_folder() {
        local setup=$1
        shift
        in_mounts "$setup" bash -c 'cd "$0" && exec "$@"' "$TEST_TMP/folder" "$@"
    }
    out= try "a read-only working directory" anything in_folder "mount -t tmpfs -o ro none '$TEST_TMP/folder'" --
    out= try "a full working directory" anything in_folder "mount -t tmpfs -o size=4k none '$TEST_TMP/folder'; head -c 4k /dev/zero >'$TEST_TMP/folder/ballast'" --

    # Traps of another user's.
    mkdir -m 700 victim && echo precious >victim/file && touch -d @1000000000 victim
    mkdir -m 700 foreign && chown 1234 foreign && touch -d @1000000000 foreign
    for trap in "mkdir /dev/shm/approf-0; mount --bind $TEST_TMP/foreign /dev/shm/approf-0" \
        "ln -s $TEST_TMP/victim /dev/shm/approf-0" \
        'echo x >/dev/shm/approf-0' \
        'mkdir -m 777 /dev/shm/approf-0' \
        "mkdir -m 700 /dev/shm/approf-0; for i in 1 2 3 4 5 6 7 8 9; do ln -s $TEST_TMP/victim/file /dev/shm/approf-0/hostile_work.9999\$i.ab.heap; done"; do
        try "a trap: $trap" profile in_mounts "mount -t tmpfs -o mode=1777 none /dev/shm; $trap" --
        equal "$(ls victim) $(cat victim/file) $(stat -c %Y victim foreign | uniq)" "file precious 1000000000" "after $trap"
    done
    APPROF_TABLES=$tables

    # --- another root ---
    mkdir -p root/bin root/tmp
    for file in "$program" "$APPROF_LIB" /usr/bin/env; do
        mkdir -p "root$(dirname "$file")" && cp "$file" "root$file"
        ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
            mkdir -p "root$(dirname "$library")" && cp -L "$library" "root$library"
        done
    done
    mkdir -p "root$TEST_TMP"
    in_chroot() {
        chroot "$TEST_TMP/root" "$@"
        local status=$?
        mv "$TEST_TMP/root$TEST_TMP"/result "$TEST_TMP"
        mv "$TEST_TMP/root$TEST_TMP"/h.pb.gz "$TEST_TMP" 2>/dev/null
        return $status
    }
    try "another root, without /dev and /proc" profile in_chroot --
    unset -f in_chroot
    mkdir -p another-root"$TEST_TMP"
    moved() {
        "$@" && return
        local status=$?
        mv "$TEST_TMP/another-root$TEST_TMP"/result "$TEST_TMP"
        return $status
    }
    try "another root on the way" anything moved -- moved
else
    echo "left out: mounts, other roots, traps (not root)"
fi

# --- memory ---
group=
for place in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    limit=memory.max
    [ $place = /sys/fs/cgroup/memory ] && limit=memory.limit_in_bytes
    mkdir "$place/approf-hostile-$$" 2>/dev/null || continue
    group=$place/approf-hostile-$$
    echo 33554432 2>/dev/null >"$group/$limit" && break
    rmdir "$group"
    group=
done
in_group() {
    echo $BASHPID >"$group/cgroup.procs" && "$@"
}
if [ -n "$group" ]; then
    export group
    try "a memory cgroup with room" profile in_group --
    # 29 of 32 MiB are taken, by a process that lives as long as this.
    start bash -c 'echo $BASHPID >"$group/cgroup.procs" && exec "$1" -c "
import time
ballast = bytearray(22 << 20)
print(len(ballast), flush=True)
time.sleep(1000)"' - "$PYTHON" >ballast
    wait_for 30 test -s ballast || bad "no ballast"
    try "a memory cgroup nearly full" anything in_group --
    stop "$started" 2>/dev/null
    for _ in $(seq 100); do
        rmdir "$group" 2>/dev/null && break
        sleep 0.05
    done
else
    echo "left out: a memory cgroup (none can be made)"
fi
echo "$n surroundings"
exit 0
