#!/bin/bash
# time: 120
# needs: unshare gcc
# A process whose program lies in mounts of its own, as in a container: its lines are found where it sees them, and a file of the same
# name out here is not taken for it.
. "$(dirname "$0")/../lib.sh"

unshare --mount true 2>said || skip "no mounts of our own: $(tail -1 said)"
mkdir place
cat >waits.c <<'C'
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) static void inside(void)
{
    kept = malloc(5000);
}
int main(void)
{
    for (int i = 0; i < 100; i++)
        inside();
    if (write(1, "ready\n", 6) != 6)
        return 1;
    for (;;)
        pause();
}
C
gcc -g -O0 -o waits waits.c || fail "cannot be built"
APPROF_RATE=1 unshare --mount sh -c 'mount -t tmpfs tmpfs place && cp waits place/waits && exec env LD_PRELOAD="$0" place/waits' \
    "$APPROF_LIB" >ready &
pid=$!
started_pids+=("$pid")
wait_for 60 grep -q ready ready || fail "it does not run"
"$APPROF_BIN" top -lines "$pid" >out 2>said || fail "top: $(cat said)"
contains out 'inside .*/waits\.c:6$'
lacks said 'not here'
cp /bin/true place/waits
"$APPROF_BIN" top -lines "$pid" >out 2>said || fail "top beside another file: $(cat said)"
contains out 'inside .*/waits\.c:6$' "beside a file of the same name"
