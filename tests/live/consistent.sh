#!/bin/bash
# time: 300
# variant: none
# 1,000 snapshots of a program under load, at random moments: each is sound, totals never go back, the program's
# throughput differs by less than it does by itself (undisturbed.py), and it has meanwhile no thread, descriptor, child
# or signal handler that it has not without the preload.
. "$(dirname "$0")/../lib.sh"
churner=$test_programs/live/churner

# outside PID   what can be seen of it: threads, descriptors, children, signals that are caught, ignored, blocked,
# pending, who traces it, whether a thread is stopped
outside() {
    ls "/proc/$1/task" | wc -l
    ls "/proc/$1/fd" | tr '\n' ' '
    cat "/proc/$1"/task/*/children
    sed 's/.*) //; s/ .*//' "/proc/$1"/task/*/stat | grep -i t
    grep -E '^(SigCgt|SigIgn|SigBlk|SigPnd|ShdPnd|TracerPid)' "/proc/$1/status"
}
start "$churner" 3 >plain
wait_for 20 grep -q ready plain || fail "did not start"
outside "$started" >wanted
stop "$started"

CHURNER_LOG=log APPROF_RATE=16384 LD_PRELOAD=$APPROF_LIB start "$churner" 3 >started
wait_for 20 grep -q ready started || fail "did not start"
pid=$started
tables=$(echo "$APPROF_TABLES"/churner."$pid".*.heap)
timeout 250 "$PYTHON" "$TOP/tests/live/undisturbed.py" "$pid" "$tables" "$test_programs/live/snapshots" log >snapshots.out 2>&1 &
taking=$!
looks=0 instants=0
same_outside() {
    outside "$pid" >now
    cmp -s wanted now
}
while kill -0 $taking 2>/dev/null; do
    if ! same_outside; then
        # While its tables grow, the hook has their file (or the memory cgroup's limit) open for an instant: nothing
        # else, and not for longer.
        ls -l "/proc/$pid/fd" | sed -n 's/.* -> //p' | grep -Ev '^(pipe:|/dev/|/.*/plain$|/.*/started$|/.*/test-logs/)' >extra
        grep -Ev "^($APPROF_TABLES/churner\.$pid\..*\.heap|/sys/fs/cgroup/.*)\$" extra && bad "look $looks: descriptors"
        instants=$((instants + 1))
        wait_for 10 same_outside || {
            bad "look $looks: seen from outside, the program differs"
            diff wanted now
            break
        }
    fi
    looks=$((looks + 1))
    sleep 0.05
done
# approf's own way to a snapshot asks the kernel for nothing that a process could notice.
if command -v strace >/dev/null; then
    strace -f -qq -o calls -e trace=ptrace,kill,tkill,tgkill,pidfd_send_signal,process_vm_readv,process_vm_writev,process_madvise \
        "$APPROF_BIN" top "$pid" >out 2>&1 || bad "approf top under strace: $(tail -3 out)"
    lacks calls "$pid" "system calls that concern the program"
    [ -s calls ] && grep -v 'exited with\|SIGCHLD' calls && bad "such system calls"
fi
wait $taking || bad "$(tail -20 snapshots.out)"
[ $((instants * 4)) -lt "$looks" ] || bad "a descriptor too many at $instants of $looks looks"
[ "$looks" -gt 20 ] || bad "only $looks looks from outside"
[ "$(sed -n 's/ samples$//p' snapshots.out)" -gt 10000 ] || bad "there was no load: $(tail -1 snapshots.out)"
stop "$pid"
equal $? 0 "exit status"
tail -1 snapshots.out
