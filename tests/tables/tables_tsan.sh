#!/bin/bash
# time: 300
# variant: none
# The stress test of the tables under ThreadSanitizer: no access is shared that isn't atomic or under a lock.
. "$(dirname "$0")/../lib.sh"

cd "$TOP" || exit 1
echo 'int main(void) { return 0; }' >"$TEST_TMP/empty.c"
${CC:-gcc} -fsanitize=thread "$TEST_TMP/empty.c" -o "$TEST_TMP/empty" 2>/dev/null || skip "no ThreadSanitizer here"
# Its runtime can't stand all layouts of the address space; setarch gives it the plain one.
plain=()
setarch -R true 2>/dev/null && plain=(setarch -R)
"${plain[@]}" "$TEST_TMP/empty" || skip "ThreadSanitizer's runtime does not start here"

${CC:-gcc} -std=c17 -D_GNU_SOURCE -g -O1 -fsanitize=thread -pthread -Iinclude -Iproto -Iinterpose -Itests \
    tests/tables/tables_stress.c interpose/tables*.c interpose/spin.c interpose/raw_sys.c interpose/weight.c \
    -o "$TEST_TMP/stress" || fail "does not compile"
TSAN_OPTIONS="halt_on_error=1 exitcode=66" "${plain[@]}" "$TEST_TMP/stress" 40000 || fail "exit status $?"
