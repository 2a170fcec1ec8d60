#!/bin/bash
# time: 180
# variant: none
# A leaking server under approf run that a memory limit kills leaves a profile that names the leaking line.
. "$(dirname "$0")/../lib.sh"
server=$test_programs/live/leak_server
line=$(grep -n 'the leak' "$TOP/tests/live/leak_server.c" | cut -d: -f1)
# Either version of control groups, if we may make one.
if [ -d /sys/fs/cgroup/memory ]; then
    group=/sys/fs/cgroup/memory/approf-test-$$ limit=memory.limit_in_bytes
else
    group=/sys/fs/cgroup/approf-test-$$ limit=memory.max
fi
also_at_end 'rmdir "$group" 2>/dev/null'

# check NAME STATUS
check() {
    [ "$2" -eq 137 ] || bad "$1: exit status $2, not that of SIGKILL: $(cat said)"
    contains said 'ended by SIGKILL' "$1: the summary"
    local file
    file=$(ls "$1".leak_server.*.pb.gz 2>/dev/null | head -1)
    [ -n "$file" ] || {
        bad "$1: no profile: $(cat said)"
        return
    }
    readable "$file"
    approf top -lines "$file" >out
    contains out "remember_request .*leak_server\.c:$line" "$1: the leaking line"
    awk '/flat%/ { getline; exit !/remember_request/ }' out || bad "$1: the leak is not the first row: $(cat out)"
    [ "$(flat inuse_space remember_request "$file")" -gt 30000000 ] || bad "$1: not all of the leak is there"
}
ways=0
if mkdir "$group" 2>/dev/null && echo 64M >"$group/$limit" 2>/dev/null; then
    [ -e "$group/memory.swap.max" ] && echo 0 >"$group/memory.swap.max"
    "$APPROF_BIN" run -o cgroup.%e.%p.pb.gz -- sh -c "echo \$\$ >$group/cgroup.procs && exec $server" >out 2>said
    check cgroup $?
    killer='ended by SIGKILL; the kernel has killed for want of memory in its control group \(limit 64MB\)$'
    [ "$limit" != memory.max ] || contains said "$killer" "who killed"
    # approf run in the group as well, where version 1 shows it, too: it is smaller, so the program is killed.
    sh -c "echo \$\$ >$group/cgroup.procs && exec '$APPROF_BIN' run -o group.%e.%p.pb.gz -- $server" >out 2>said
    check group $?
    contains said "$killer" "who killed in a group of both"
    # A later death there by other hands is told from it.
    sh -c "echo \$\$ >$group/cgroup.procs && exec '$APPROF_BIN' run -- '$test_programs/run/leaky' kill 9" >out 2>said
    contains said 'ended by SIGKILL$' "a SIGKILL in a group that has seen kills"
    ways=1
fi
"$APPROF_BIN" run -o limit.%e.%p.pb.gz -- sh -c "ulimit -v 100000; exec $server" >out 2>said
check limit $?
lacks said 'the kernel has killed' "a program that killed itself"
echo "limits that killed: RLIMIT_AS$([ $ways -eq 1 ] && echo ', memory cgroup')"
