#!/bin/bash
# time: 600
# variant: none
# needs: python3
# However a process ends, `approf top` gives its figures up to the last sample: what the program itself counted, in memory that
# outlives it. At rate 1 to the object, of each thread that was stopped in the middle to the one it was at; else within the error.
# (pitfalls: nothing left after OOM, SIGKILL or a core; empty file after a signal)
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/ends_ways
lib=/usr/lib/x86_64-linux-gnu
export APPROF_SYMBOLIZE=0 APPROF_OUT=$TEST_TMP/end.pb.gz

count() { # what the program counted, all threads
    od -An -v -t u8 -w8 -N 800 count | awk '{ s += $1 } END { printf "%d", s }'
}

# The objects that `approf top` shows for site_lost in what was left, a profile or tables.
shown() {
    local file
    for file in "$APPROF_TABLES"/ends_ways.*.heap end.pb.gz; do # a program that came by exec wrote the latter
        [ -e "$file" ] || continue
        approf top -sample_index=alloc_objects -focus=site_lost "$file" 2>top.err | awk '$NF == "site_lost" { print int($4); exit }'
        return
    done
}

# check WHAT THREADS [LEAST]   the figures of the one that has just ended
check() {
    local what=$1 threads=$2 own objects
    own=$(count) objects=$(shown)
    [ -n "$objects" ] || { bad "$what: no figures: $(ls "$APPROF_TABLES") $(head -2 top.err 2>/dev/null)"; return; }
    if [ "${APPROF_RATE:-}" = 1 ]; then
        # A thread is stopped between the allocation and its count, at most; but where the process writes its profile itself, the
        # others go on after that.
        [ "$objects" -ge "${3:-$own}" ] && [ "$objects" -le $((own + threads)) ] || bad "$what: $objects objects, the program counted $own"
    else
        [ $((objects * 100)) -ge $((own * 70)) ] && [ $((objects * 100)) -le $((own * 130)) ] ||
            bad "$what: about $objects objects, the program counted $own"
    fi
}

fresh() {
    rm -f end.pb.gz count ready "${APPROF_TABLES:?}"/*
}

# A shell of its own, which says nothing of the signal, but passes it on in its status.
quietly() {
    bash -c 'timeout 60 "$@" >/dev/null 2>err; exit $?' quietly "$@" 2>/dev/null
}

# ends ALLOCATOR WAY STATUS [THREADS]
ends() {
    local library=$1 way=$2 want=$3 threads=${4:-0} status least
    fresh
    quietly env LD_PRELOAD="$APPROF_LIB${library:+:$library}" "$program" "$way" ${4:-}
    status=$?
    [[ " $want " == *" $status "* ]] || bad "$way over ${library:-glibc}: exit status $status, not $want: $(head -3 err)"
    case $threads:$way in
    0:* | *:abort | *:segv) least= ;;
    *) least=$(od -An -t u8 -j 4000 -N 8 count) ;;
    esac
    check "$way over ${library:-glibc}, rate ${APPROF_RATE:-default}${4:+, $threads threads}" $((threads + 1)) $least
}

# Killed from outside at some moment, with THREADS beside the first.
killed() { # ALLOCATOR SIGNAL THREADS
    local library=$1 pid
    fresh
    env LD_PRELOAD="$APPROF_LIB${library:+:$library}" "$program" forever "$3" >ready 2>err &
    pid=$!
    wait_for 60 grep -q ready ready || bad "killed: did not start: $(head -3 err)"
    sleep "0.0$((RANDOM % 9))"
    kill "-$2" $pid
    wait $pid 2>/dev/null
    check "killed by $2 over ${library:-glibc}, rate ${APPROF_RATE:-default}" $(($3 + 1))
}

ways="exit:3 quick_exit:4 _exit:5 abort:134 term:143 segv:139 fpe:136 overflow:139 pipe:141 exec:0 memory:134"
for library in "" libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    [ -z "$library" ] || [ -e $lib/$library ] || continue
    library=${library:+$lib/$library}
    export APPROF_RATE=1
    for way in $ways; do
        ends "$library" "${way%:*}" "${way#*:}"
    done
    killed "$library" KILL 3
done
ends "" double_free "134 139"
ends "" cpu "152 137"
for way in exit:3 _exit:5 abort:134 segv:139; do
    ends "" "${way%:*}" "${way#*:}" 3
done
export APPROF_RATE=16384 APPROF_SEED=3
for way in $ways; do
    ends "" "${way%:*}" "${way#*:}"
done
killed "" KILL 2

# The total of requested bytes is called exact only if it is: with one thread always, with others that go on allocating when none did
# while it was taken. At this rate all of it lies in countdowns that other threads are changing.
facts() {
    "$PYTHON" "$TOP/tests/pprof_sum.py" --comments end.pb.gz | sed -n 's/.* total_bytes=\([0-9]*\) exact=\([01]\).*/\2 \1/p'
}
export APPROF_RATE=64M
inexact=0
for run in $(seq 40); do
    threads=3
    [ "$run" -le 2 ] && threads=
    for way in exit:3 _exit:5; do
        fresh
        quietly env LD_PRELOAD="$APPROF_LIB" "$program" "${way%:*}" $threads
        equal "$?" "${way#*:}" "${way%:*} with ${threads:-no} threads: exit status"
        read -r exact total < <(facts)
        own=$(count) before=$(od -An -t u8 -j 4000 -N 8 count)
        if [ "$exact" = 1 ]; then # besides these, what the C library needs for itself and for threads
            [ "$total" -ge $((before * 1000)) ] && [ "$total" -le $((own * 1000 + 65536)) ] ||
                bad "$way, ${threads:-no} threads: exactly $total bytes, while the program went from $before to $own objects of 1000"
        elif [ -z "$threads" ]; then
            bad "$way: one thread, and no exact total"
        elif [ "$total" -gt $((own * 1000 + 65536)) ]; then
            bad "$way: at least $total bytes, but there were $own objects of 1000"
        else
            inexact=$((inexact + 1))
        fi
    done
    [ "$run" -ge 8 ] && [ "$inexact" -gt 0 ] && break
done
# And it is of the same moment as the samples: at rate 1 it is their sum. Threads that pause between allocations are seldom in one.
export APPROF_RATE=1
for _ in $(seq 6); do
    fresh
    quietly env LD_PRELOAD="$APPROF_LIB" "$program" exit 2 20000
    read -r exact total < <(facts)
    [ "$exact" = 0 ] || equal "$(total alloc_space end.pb.gz)" "$total" "the sum of all samples, and the exact total"
done
[ "$inexact" -gt 0 ] || bad "the total was always called exact, with three threads allocating"

# The kernel's own judgement: a memory cgroup of 64 MiB, version 1 or 2.
group=
for place in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    limit=memory.max
    [ $place = /sys/fs/cgroup/memory ] && limit=memory.limit_in_bytes
    mkdir "$place/approf-ends-$$" 2>/dev/null || continue
    if echo 67108864 2>/dev/null >"$place/approf-ends-$$/$limit"; then
        group=$place/approf-ends-$$
        [ -w "$group/memory.swap.max" ] && echo 0 >"$group/memory.swap.max"
        break
    fi
    rmdir "$place/approf-ends-$$"
done
if [ -z "$group" ]; then
    echo "left out: the OOM killer (no memory cgroup can be made)"
elif ! on_disk=$APPROF_TABLES APPROF_TABLES=$(mktemp -d /dev/shm/approf-ends-XXXXXX); then
    echo "left out: the OOM killer (no /dev/shm)"
else
    # In shared memory, as is the default: a file on a disk is written out and read again for long, before the kernel gives up.
    for rate in 1 16384; do
        export APPROF_RATE=$rate
        fresh
        quietly bash -c 'echo $$ >"$1/cgroup.procs" && exec env LD_PRELOAD="$2" "$3" greedy' - "$group" "$APPROF_LIB" "$program"
        equal "$?" 137 "out of memory, rate $rate: exit status"
        check "out of memory, rate $rate" 1
    done
    for _ in $(seq 100); do
        rmdir "$group" 2>/dev/null && break
        sleep 0.05
    done
    rm -rf "$APPROF_TABLES"
    APPROF_TABLES=$on_disk
fi
exit 0
