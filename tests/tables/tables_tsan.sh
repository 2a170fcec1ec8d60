#!/bin/bash
# time: 300
# variant: none
# The stress tests of the tables and of the sampler under ThreadSanitizer: no access is shared that isn't atomic or under a lock.
. "$(dirname "$0")/../lib.sh"

cd "$TOP" || exit 1
echo 'int main(void) { return 0; }' >"$TEST_TMP/empty.c"
${CC:-gcc} -fsanitize=thread "$TEST_TMP/empty.c" -o "$TEST_TMP/empty" 2>/dev/null || skip "no ThreadSanitizer here"
# Its runtime can't stand all layouts of the address space; setarch gives it the plain one.
plain=()
setarch -R true 2>/dev/null && plain=(setarch -R)
"${plain[@]}" "$TEST_TMP/empty" || skip "ThreadSanitizer's runtime does not start here"

# NAME ARGUMENT SOURCES…
under_tsan() {
    local name=$1 argument=$2
    shift 2
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -ftls-model=initial-exec -fsanitize=thread -pthread \
        -Iinclude -Iproto -Iinterpose -Itests "tests/tables/$name.c" "$@" interpose/tables*.c interpose/spin.c \
        interpose/raw_sys.c interpose/weight.c -o "$TEST_TMP/$name" || fail "$name does not compile"
    TSAN_OPTIONS="halt_on_error=1 exitcode=66" "${plain[@]}" "$TEST_TMP/$name" "$argument" || fail "$name: exit status $?"
}
under_tsan tables_stress 40000
under_tsan sampler_threads 10 interpose/slots.c interpose/sampler.c interpose/overhead.c interpose/hook_count.c
