#!/bin/bash
# time: 300
# needs: go gcc g++ objdump python3
# Machine code with its weights: addresses and figures as go tool pprof's, whose text is in another syntax; what objdump may not
# do to us; what is said without it.
. "$(dirname "$0")/../lib.sh"

cat >code.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static void *leaf(size_t n) { return malloc(n); }
static inline __attribute__((always_inline)) void *twice(size_t n) { return leaf(n * 2); }
__attribute__((noinline)) void deep(int n)
{
    if (n > 0) { deep(n - 1); free(leaf(n * 10)); }
}
__attribute__((noinline)) void work(int k)
{
    for (int i = 0; i < k; i++) { free(twice(i * 100)); free(leaf(7)); }
}
int main(void) { work(100); deep(5); return 0; }
C
gcc -g -O1 -fno-optimize-sibling-calls -no-pie -o code code.c || fail "cannot be built"
APPROF_RATE=1 APPROF_OUT=code.pb.gz preload ./code || fail "exit status $?"

# go tool pprof matches the expression against `ADDRESS NAME FILE:LINE` too, so that ^ and $ find nothing. It leaves out the last byte of a symbol, and with it a `ret`; it shows code that it can't read as BYTE and ?.
pprof=$(go env GOTOOLDIR)/pprof
figures() { sed -n 's/^ROUTINE.*/&/p; s/^ *\([^ ]*\) *\([^ ]*\) *\([0-9a-f]*\): .*/\3 \1 \2/p; / of Total$/p' "$1"; }
for options in "" "-cum" "-sample_index=alloc_objects" "-unit=kb" "-focus=deep" "-divide_by=3"; do
    # shellcheck disable=SC2086
    "$pprof" $options -disasm='leaf|deep|work' code.pb.gz >theirs 2>/dev/null || fail "go tool pprof: exit status $?"
    # shellcheck disable=SC2086
    "$APPROF_BIN" -compat=go1.19 $options -disasm='leaf|deep|work' code.pb.gz >ours || fail "exit status $?"
    figures theirs >want
    # Without lines that it lacks.
    figures ours | awk 'NR == FNR { known[$1] = 1; next } /^[0-9a-f]+ [^ ]+ [^ ]+$/ && !known[$1] { next } 1' want - >got
    [ "$(grep -c ROUTINE want)" -ge 2 ] && cmp want got || { bad "other figures than pprof's with '$options'"; diff want got | head; }
    # What an instruction comes from is said where it has weight, in pprof's words.
    diff <(grep -o ';[a-z].*' theirs | sed 's/ *$//') <(grep -o ';[a-z].*' ours | sed 's/ *$//') || bad "other origins with '$options'"
done

# Today: a recursion counts once; inlined code is told; syntax; tables.
"$APPROF_BIN" disasm -alloc_space '^deep$' code.pb.gz >deep || bad "exit status $?"
total=$("$APPROF_BIN" top -trim=false -alloc_space -json code.pb.gz | "$PYTHON" -c '
import json, sys
print([r["cum"] for r in json.load(sys.stdin)["rows"] if r["name"] == "deep"][0])')
"$APPROF_BIN" disasm -alloc_space '^deep$' -unit=B code.pb.gz | has -E " ${total}B \(flat, cum\)" || bad "the recursion counts more than once"
"$APPROF_BIN" disasm '^work$' code.pb.gz | has -E ';twice code.c:3' || bad "inlined code is not told"
"$APPROF_BIN" disasm '^work$' code.pb.gz | has -E 'call +[0-9a-f]+ <leaf>' || bad "no AT&T text"
"$APPROF_BIN" disasm -intel_syntax '^deep$' code.pb.gz | has -E 'mov +e' || bad "-intel_syntax is not honoured"
"$APPROF_BIN" disasm -csv '^leaf$' code.pb.gz | has -E '^leaf,0x[0-9a-f]+,call' || bad "-csv"
"$APPROF_BIN" disasm -json -ci -alloc_space '^leaf$' code.pb.gz | "$PYTHON" -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
assert sum(r["cum"] for r in rows) > 0 and all(r["cum_low"] <= r["cum"] <= r["cum_high"] for r in rows)' || bad "-json -ci"
address=$(sed -n 's/^ *[^ ]* *[^ ]* *\([0-9a-f]*\): call .*<deep>.*/0x\1/p' deep | head -1)
"$APPROF_BIN" disasm "${address:-none}" code.pb.gz | has -E '^ROUTINE =* deep$' || bad "an address finds no function"

# C++: readable names, found by both.
cat >plus.cc <<'C'
#include <stdlib.h>
namespace shop { template <class T> struct Cart { __attribute__((noinline)) void *add(T n) { return malloc((size_t)n + 64); } }; }
int main() { shop::Cart<int> c; for (int i = 0; i < 100; i++) free(c.add(i)); }
C
g++ -g -O1 -fno-optimize-sibling-calls -o plus plus.cc || fail "cannot be built"
APPROF_RATE=1 APPROF_OUT=plus.pb.gz preload ./plus || fail "exit status $?"
"$APPROF_BIN" disasm 'Cart::add' plus.pb.gz | has -E '^ROUTINE =* shop::Cart::add$' || bad "not found by its readable name"
"$APPROF_BIN" disasm '_ZN4shop' plus.pb.gz | has -E '^ROUTINE =* shop::Cart::add$' || bad "not found by its mangled name"

# Without objdump, with one that fails, prints nonsense or never ends its line; with names that look like options and commands.
mkdir tools none
refused() { # WHAT OPTIONS...
    local what=$1
    shift
    "$APPROF_BIN" disasm leaf code.pb.gz "$@" >out 2>err && bad "$what: went through"
    [ ! -s out ] || bad "$what: printed something all the same"
    contains err '^approf: disasm: .*objdump'
    contains err '^hint: '
}
PATH=$PWD/none "$APPROF_BIN" disasm leaf code.pb.gz >out 2>err && bad "no objdump: went through"
[ ! -s out ] || bad "no objdump: printed something all the same"
contains err 'objdump is not installed'
printf '#!/bin/sh\necho "  401000:	nop"\nexit 3\n' >tools/objdump
chmod +x tools/objdump
refused "a failing objdump" -tools="$PWD/tools"
PPROF_TOOLS=objdump:$PWD/tools refused "a failing objdump in PPROF_TOOLS"
printf '#!/bin/sh\nfor i in 1 2 3; do echo "  zz: nop"; echo "  1:nop"; echo "ffffffffffffffffffffffff: x"; done; head -c 3000000 /dev/zero | tr "\\0" a\n' \
    >tools/objdump
"$APPROF_BIN" disasm leaf code.pb.gz -tools="$PWD/tools" >out || bad "nonsense: exit status $?"
[ "$(wc -l <out)" -le 4 ] || bad "nonsense is taken for instructions"
rm tools/objdump
mkdir -- '-d;touch gone $(touch gone)'
cp code './-d;touch gone $(touch gone)/--x'
(cd -- '-d;touch gone $(touch gone)' && APPROF_RATE=1 APPROF_OUT=../odd.pb.gz preload ./--x) || fail "exit status $?"
"$APPROF_BIN" disasm '^leaf$' odd.pb.gz | has -E 'call ' || bad "an odd name is not read"
[ ! -e gone ] && [ ! -e '-d;touch gone $(touch gone)/gone' ] || bad "a name was run"

# Another build, no binary, no match.
gcc -g -O2 -no-pie -o code code.c
"$APPROF_BIN" disasm leaf code.pb.gz >out 2>err && bad "another build went through"
contains err 'no matches found for regexp: leaf'
contains err 'is not here, or is another build'
"$APPROF_BIN" disasm nothing_is_called_so plus.pb.gz >out 2>err && bad "no match is no success"
[ ! -s out ] || bad "printed something without a match"
