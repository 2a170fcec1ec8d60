#!/bin/bash
# time: 240
# needs: cc
# --run: a deterministic program gives the same baseline byte by byte, in any directory and environment; 1% more is found
# always; nothing of the machine is in the file.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"

cat >shop.c <<'C'
#include <stdlib.h>
#include <string.h>
static void *volatile sink;
__attribute__((noinline)) static void keep(void *p) { sink = p; }
__attribute__((noinline)) static void parse_line(int size) { void *p = malloc((size_t)size); keep(p); free(p); }
__attribute__((noinline)) static void cache_add(void) { keep(strdup("a cached value")); }
int main(int argc, char **argv)
{
    int lines = argc > 1 ? atoi(argv[1]) : 1000;
    for (int i = 0; i < lines; i++) {
        parse_line(100);
        if (i % 10 == 0)
            cache_add();
    }
    return argc > 2 ? atoi(argv[2]) : 0;
}
C
mkdir -p bin && cc -g -O1 -o bin/shop shop.c || fail "cc"

gate 0 "first" --run 'bin/shop 1000' --baseline shop.txt --update
gate 0 "second" --run 'bin/shop 1000' --baseline again.txt --update
same shop.txt again.txt "a second run"
mkdir -p "else where/bin" && cp bin/shop "else where/bin/"
(cd "else where" && LONG_VARIABLE=$(printf %1000s x) approf gate --run 'bin/shop 1000' --baseline ../third.txt --update >/dev/null) || bad "elsewhere"
same shop.txt third.txt "elsewhere, with another environment"
for by in function line; do
    gate 0 "by $by" --run 'bin/shop 1000' --baseline "by-$by.txt" --update --by "$by"
    lacks "by-$by.txt" "/|0x|$(hostname)|[0-9a-f]{12}" "by $by: paths, addresses, hosts"
done
contains by-line.txt $'^1000 100000 0 0 parse_line shop.c:5\tmain' "by line: function, file and line"
contains shop.txt $'^1000 100000 0 0 parse_line\tmain' "figures, site and caller"
contains shop.txt '^program shop$' "program"
contains shop.txt '^toolchain .' "toolchain"
contains shop.txt '^rate 1$' "rate"
grep -vE '^(#|[a-z])' shop.txt | cut -f1 | cut -d' ' -f5- >names
LC_ALL=C sort -c names || bad "sites are not sorted"
equal "$(wc -l <names)" "$(sed -n 's/^sites //p' shop.txt)" "number of sites"

gate 0 "the same" --run 'bin/shop 1000' --baseline shop.txt --max-growth alloc_space=0% --max-growth inuse_space=0%
gate 1 "1% more" --run 'bin/shop 1010' --baseline shop.txt --max-growth alloc_space=0.9%
gate 0 "1% more, allowed" --run 'bin/shop 1010' --baseline shop.txt --max-growth alloc_space=1% --max-growth inuse_space=1%
gate 1 "more in strdup" --run 'bin/shop 1200' --baseline shop.txt --site 'strdup' alloc_space=5%
contains gate.out 'at .*shop\.c:6$' "the line of ours, not the C library's"
gate 1 "one line more" --run 'bin/shop 1001' --baseline shop.txt --max-growth alloc_objects=+0
gate 1 "per line" --run 'bin/shop 1000' --baseline shop.txt --max alloc_space=100
gate 3 "the command fails" --run 'bin/shop 1000 7' --baseline shop.txt
contains gate.err 'ended with status 7' "with its status"
gate 3 "no baseline yet" --run 'bin/shop 1000' --baseline none.txt
gate 3 "another program" --run 'ls -d .' --baseline shop.txt
gate 3 "a command that can't be profiled" --run 'LD_PRELOAD= bin/shop' --baseline shop.txt
gate 3 "no such process" --run 'bin/shop 1000' --program shap --baseline shop.txt
contains gate.err "none of the command's . processes is shap" "which"
gate 0 "one of several programs" --run 'ls -d . | sort; bin/shop 1000; sed -n 1p shop.c' --program shop --baseline shop.txt \
    --max-growth alloc_space=0% --max-growth inuse_space=0%
gate 2 "--program without --run" --program shop --baseline shop.txt x.pb.gz
gate 0 "two runs" --run 'bin/shop 1000' --runs 2 --baseline shop.txt --max-growth alloc_space=0%
contains gate.out 'new: .*2 profiles' "both count"
# The command's own output does not mix with the report.
gate 0 "a command that prints" --run 'bin/shop 1000; echo noise' --baseline shop.txt -o json
"$PYTHON" -m json.tool <gate.out >/dev/null || bad "the command's output is in the report"
contains gate.err '^noise$' "the command's output is not lost"
gate 0 "sampled" --run 'bin/shop 200000' --rate 4096 --baseline sampled.txt --update
contains sampled.txt '^rate 4096$' "rate"
contains sampled.txt '^total [0-9.]+~[0-9.]+ [0-9]+ ' "objects are estimates; bytes are exact"
gate 1 "sampled, three times as much" --run 'bin/shop 600000' --rate 4096 --baseline sampled.txt
left=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'approf-gate-*' -user "$(id -u)" -newer shop.c 2>/dev/null | wc -l)
[ "$left" = 0 ] || bad "$left temporary folders are left"
gate 2 "an unwritable baseline" --run 'bin/shop 1' --baseline /nowhere/x.txt --update
