#!/bin/bash
# time: 60
# quick
# needs: gcc
# Before another allocator we see everything; behind one we see nothing, say so once, and do no harm.
# (pitfalls: wrong "real" malloc under another preload)
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/pair
lib=/usr/lib/x86_64-linux-gnu
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    [ -e $lib/$library ] || continue
    rm -f o.pb.gz
    APPROF_RATE=1 APPROF_OUT="$TEST_TMP/o.pb.gz" APPROF_SYMBOLIZE=0 LD_PRELOAD=$lib/$library:$APPROF_LIB \
        "$program" 1000 2>behind || bad "behind $library: exit status $?"
    [ "$(grep -c '^approf: .*behind another allocator' behind)" -eq 1 ] && grep -q '^hint: ' behind ||
        bad "behind $library: $(cat behind)"
    [ -e o.pb.gz ] && bad "behind $library: a profile of nothing"
    APPROF_RATE=1 APPROF_OUT="$TEST_TMP/o.pb.gz" APPROF_SYMBOLIZE=0 LD_PRELOAD=$APPROF_LIB:$lib/$library \
        "$program" 1000 2>before || bad "before $library: exit status $?"
    [ -s before ] && bad "before $library: $(cat before)"
    "$test_programs/hooks/site_sums" o.pb.gz main >sums || fail "$(cat sums)"
    grep -qx 'no 1000 0' sums || bad "before $library: $(cat sums)"
done

# Another library's _exit beneath ours is reached, whether the process is profiled or not.
cat >own_exit.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>
void _exit(int status) { write(1, "beneath\n", 8); for (;;) syscall(SYS_exit_group, status); }
C
echo 'int _exit(int); int main(void) { _exit(6); }' >ends.c
gcc -shared -fPIC -w own_exit.c -o own_exit.so && gcc -w -fno-builtin ends.c -o ends || fail "own_exit.c, ends.c"
for only in '*' other; do
    APPROF_ONLY=$only APPROF_RATE=1 LD_PRELOAD=$APPROF_LIB:$TEST_TMP/own_exit.so ./ends >out
    equal $? 6 "APPROF_ONLY=$only: exit status"
    equal "$(cat out)" beneath "APPROF_ONLY=$only: the _exit beneath"
done
exit 0
