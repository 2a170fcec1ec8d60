#!/bin/bash
# time: 120
# needs: gcc strip objcopy readelf script
# Code of a stripped file is a row like [program]: at a terminal a hint names the file and what brings the names, and
# that does bring them. Nothing of it for a program with debug information, nor where no person looks.
. "$(dirname "$0")/../lib.sh"

cat >stripped.c <<'C'
#include <stdlib.h>
static __attribute__((noinline)) void *make_one(int n)
{
    void *p = malloc(n);
    *(volatile char *)p = 1;
    return p;
}
int main(void)
{
    for (int i = 0; i < 20000; i++)
        free(make_one(1000));
    return 0;
}
C
gcc -O1 -g -Wl,--build-id -o whole stripped.c || fail "gcc"
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
mkdir -p "store/${id:0:2}"
objcopy --only-keep-debug whole "store/${id:0:2}/${id:2}.debug"
strip -o stripped whole
for program in whole stripped; do
    APPROF_RATE=10000 APPROF_OUT=$program.pb.gz preload ./$program || fail "$program: exit status $?"
done

# at_terminal ARGS…   what approf says at a terminal
at_terminal() {
    APPROF_PAGER=cat PAGER=cat script -qec "$(printf '%q ' "$APPROF_BIN" "$@")" /dev/null </dev/null >shown 2>&1
}
hint='^hint: code of stripped without'
at_terminal top stripped.pb.gz
contains shown '\[stripped\]' "a row without a name"
contains shown "$hint names is in 100% of this: install its debug symbols" "top"
at_terminal top -lines stripped.pb.gz
contains shown "$hint lines" "top -lines"
approf top stripped.pb.gz >out 2>said
lacks said . "no terminal"
at_terminal top -lines whole.pb.gz
contains shown 'make_one' "the program with debug information"
lacks shown '^hint' "the program with debug information"

approf symbolize -symbol_path="$PWD/store" -o stripped.pb.gz stripped.pb.gz 2>said || bad "symbolize: $(cat said)"
at_terminal top -lines stripped.pb.gz
contains shown 'make_one .*stripped\.c:4' "with the debug file"
lacks shown '^hint' "with the debug file"

# list: names alone, as a shared library's own table has them.
gcc -O1 -rdynamic -Dstatic= -o named stripped.c && strip named || fail "gcc -rdynamic"
APPROF_RATE=10000 APPROF_OUT=named.pb.gz preload ./named || fail "named: exit status $?"
at_terminal list make_one named.pb.gz
contains shown 'No source information for make_one' "list"
contains shown '^hint: code of named without lines' "list"
at_terminal top named.pb.gz
lacks shown '^hint' "names are there"
