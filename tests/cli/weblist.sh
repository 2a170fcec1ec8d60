#!/bin/bash
# time: 120
# needs: python3 gcc objdump
# The page of weblist: the figures of list, the machine code of lines, nothing of a profile, a binary or a source file taken for HTML,
# and no hang where a profile claims billions of lines.
. "$(dirname "$0")/../lib.sh"

cat >'so<u>rce.c' <<'C'
int plain(void);
int work(int a, int b)
{
    if (a < b && "x")
        return plain();
    return 0;
}
C
PYTHONPATH=$TOP/tests "$PYTHON" - <<'PY'
from pprof_wire import message, number, varint
def profile(path, lines, file):
    strings = ["", "space", "bytes", "work<int>", file, "main"]
    p = message(1, number(1, 1) + number(2, 2))
    for i, (line, value) in enumerate(lines):
        p += message(2, message(1, varint(i + 1)) + message(2, varint(value)))
        p += message(4, number(1, i + 1) + number(3, 4096 + i) + message(4, number(1, 1) + number(2, line)))
    p += message(5, number(1, 1) + number(2, 3) + number(3, 3) + number(4, 4) + number(5, 2))
    for s in strings: p += message(6, s.encode())
    open(path, "wb").write(p)
profile("small.pb", [(4, 100), (5, 2000)], "so<u>rce.c")
profile("huge.pb", [(4, 100), (2000000000, 7), ((1 << 62), 9)], "so<u>rce.c")
profile("gone.pb", [(4, 100), (2000000000, 7)], "gone.c")
PY

"$APPROF_BIN" weblist -symbolize=none work small.pb >page.html || fail "exit status $?"
"$APPROF_BIN" -symbolize=none -weblist=work small.pb >again.html && cmp page.html again.html || bad "pprof's form makes another page"
"$APPROF_BIN" list -symbolize=none work small.pb >list.txt || fail "exit status $?"
contains page.html '<h2>work&lt;int&gt;</h2>'
contains page.html '<p class="filename">so&lt;u&gt;rce.c</p>'
contains page.html 'if \(a &lt; b &amp;&amp; &#34;x&#34;\)'
grep -q '<u>\|<int>\|&&' page.html && bad "names or source reach the page as they are"
# Flat, cum and line of every line of list, in the same order.
sed -n 's/^ *\([^ ]*\) *\([^ ]*\) *\([0-9][0-9]*\):.*/\3 \1 \2/p' list.txt >want
sed -n 's/^<[a-z =<>]*><span class=line> *\([0-9]*\)<.span> <span class=[a-z]*> *\([^ ]*\) *\([^ ]*\) .*/\1 \2 \3/p' page.html >got
[ -s want ] && cmp want got || { bad "other figures than list"; diff want got | head; }
# Found by the file's name too, as pprof's.
"$APPROF_BIN" weblist -symbolize=none 'rce[.]c$' small.pb | cmp -s - <(sed 's,<h1>work<,<h1>rce[.]c$<,' page.html) ||
    bad "not found by the name of the file"
"$APPROF_BIN" weblist -symbolize=none -output=o.html work small.pb 2>/dev/null && cmp page.html o.html || bad "-output"

for input in huge gone; do
    timeout 60 "$APPROF_BIN" weblist -symbolize=none work $input.pb >$input.html || bad "$input: exit status $?"
    contains $input.html '> 2000000000</span> <span class=livesrc> .* 7B +\?\?\? </span>'
done
contains gone.html 'no such file|could not find file'
"$APPROF_BIN" weblist -symbolize=none nothing small.pb >out 2>err && bad "no match is no success"
contains err "weblist: no matches found for regexp: nothing"
[ ! -s out ] || bad "a page without a match"

# Machine code: of the right lines, with the figures of disasm, inlined callees told; no script, nothing from elsewhere.
cat >code.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static void *leaf(size_t n)
{
    return malloc(n);
}
static inline __attribute__((always_inline)) void *twice(size_t n)
{
    return leaf(n * 2);
}
__attribute__((noinline)) void work(int k)
{
    for (int i = 0; i < k; i++)
        free(twice(i * 100));
    free(leaf(7));
}
int main(void)
{
    work(100);
    return 0;
}
C
gcc -g -O1 -fno-optimize-sibling-calls -o code code.c || fail "cannot be built"
APPROF_RATE=1 APPROF_OUT=code.pb.gz preload ./code || fail "exit status $?"
"$APPROF_BIN" weblist '^(work|leaf)$' code.pb.gz >code.html || fail "exit status $?"
"$APPROF_BIN" disasm -csv '^(work|leaf)$' code.pb.gz >code.csv || fail "disasm: exit status $?"
grep -i '<script\|src=\|href=\|@import\|<leaf>' code.html && bad "a script, something from elsewhere, or names as they are"
"$PYTHON" - <<'PY' || bad "other machine code than disasm's"
import csv, html, re
rows = {r["address"][2:]: r for r in csv.DictReader(open("code.csv"))}
page, lines, at = {}, {}, None
for text in open("code.html"):
    found = re.search(r"<span class=line> *(\d+)<", text)
    if found: at = int(found[1])
    found = re.search(r"([\d.]\S*) +([\d.]\S*) +([0-9a-f]+): (.*?) <span class=from>(\S+):(\d+)<", text)
    if found:
        lines.setdefault(at, []).append(found[3])
        assert html.unescape(found[4]) == rows[found[3]]["instruction"], text
        assert found[6] == rows[found[3]]["line"], text
        assert (found[2] == ".") == (rows[found[3]]["cum"] == "0"), text
assert set(lines) <= {3, 4, 5, 11, 12, 13, 14, 15} and {4, 13, 14} <= set(lines), sorted(lines)
# The call of the inlined function is under its caller's line, once.
calls = [a for a in lines[13] if "call" in rows[a]["instruction"] and rows[a]["line"] == "8"]
assert len(calls) == 1 and int(rows[calls[0]]["cum"]) > 0, lines[13]
assert sorted(a for l in lines.values() for a in l) == sorted(rows), "an instruction is missing or twice there"
PY
grep -c 'class=inlined>return leaf(n \* 2);' code.html | has '^[1-9]' || bad "the inlined callee's line is not shown"
"$APPROF_BIN" weblist -intel_syntax '^leaf$' code.pb.gz | has 'rsp,0x8' || bad "-intel_syntax is not honoured"
"$APPROF_BIN" weblist -ci '^leaf$' code.pb.gz | has '95% of cum' || bad "-ci shows no intervals"
# Sources that changed since.
"$APPROF_BIN" list '^leaf$' code.pb.gz >out 2>said || bad "list: exit status $?"
[ ! -s said ] || bad "list says: $(cat said)"
touch -d "@$(($(stat -c %Y code) + 1))" code.c
"$APPROF_BIN" list '^leaf$' code.pb.gz >out 2>said || bad "list: exit status $?"
contains said '/code.c changed after the program was built'
touch -d '+1 hour' code.c
cp code built
gcc -O2 -o code code.c # another build says nothing of the profiled one
"$APPROF_BIN" list '^leaf$' code.pb.gz >out 2>said || bad "list: exit status $?"
contains said '/code.c changed after the profile was taken'
mv built code
mkdir none
PATH=$PWD/none "$APPROF_BIN" weblist '^leaf$' code.pb.gz >none.html || bad "without objdump: exit status $?"
contains none.html 'No machine code: objdump is not installed'
contains none.html '<div class=plain><span class=line>      4'
