#!/bin/bash
# time: 120
# needs: gcc readelf
# Modules with gaps between their segments (lld's layouts, node): the loader tells each segment apart, and the headers, the build id and the
# unwind tables lie in another one than the code. Programs and libraries: mapping, build id, names and whole stacks are right.
. "$(dirname "$0")/../lib.sh"

cat >library.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void *library_allocates(size_t n)
{
    void *volatile p = malloc(n);
    return p;
}
__attribute__((noinline)) void *library_enters(size_t n, void *(*callback)(size_t))
{
    void *volatile p = callback(n);
    return p;
}
C
cat >program.c <<'C'
#include <stdlib.h>
void *library_allocates(size_t n);
void *library_enters(size_t n, void *(*callback)(size_t));
__attribute__((noinline)) void *program_allocates(size_t n)
{
    void *volatile p = malloc(n);
    return p;
}
int main(void)
{
    return !program_allocates(1000) || !library_allocates(2000) || !library_enters(4000, program_allocates);
}
C
build="gcc -O2 -fomit-frame-pointer -Wl,--build-id=sha1"
$build -fPIC -shared -Wl,-Ttext-segment=0,--section-start=.text=0x500000 library.c -o libgapped.so &&
    $build -no-pie -Wl,--section-start=.text=0x900000 program.c -L. -lgapped -Wl,-rpath,"$PWD" -o gapped ||
    fail "the programs can't be built"

build_id() {
    readelf -n "$1" | sed -n 's/.*Build ID: *//p'
}
APPROF_RATE=1 APPROF_OUT=$TEST_TMP/gapped.pb.gz preload ./gapped || fail "exit status $?"
approf raw gapped.pb.gz >raw.out || fail "raw: exit status $?"
contains raw.out "^1: 0x900000/.*/gapped $(build_id gapped)" "the program's mapping and build id"
contains raw.out "/libgapped.so $(build_id libgapped.so)" "the library's build id"
contains raw.out "truncated_stacks=0 " "no stack ends early"
approf traces -unit=B -sample_index=alloc_space gapped.pb.gz >traces.out || fail "traces: exit status $?"
tr -s ' \n' ' ' <traces.out >line.out
contains line.out '2000B library_allocates main' "the library's stack"
contains line.out '4000B program_allocates library_enters main' "through both"
approf top -unit=B gapped.pb.gz >top.out || fail "top: exit status $?"
contains top.out ' 5000B .* program_allocates$' "top, program"
exit 0
