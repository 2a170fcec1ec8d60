#!/bin/bash
# time: 120
# needs: python3
# The page of weblist: the figures of list, nothing of a profile or a source file taken for HTML, and no hang where a profile claims
# billions of lines.
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
"$PYTHON" - <<'PY'
def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128]); n >>= 7
    return out + bytes([n])
def num(field, n): return varint(field << 3) + varint(n)
def sub(field, data): return varint(field << 3 | 2) + varint(len(data)) + data
def profile(path, lines, file):
    strings = ["", "space", "bytes", "work<int>", file, "main"]
    p = sub(1, num(1, 1) + num(2, 2))
    for i, (line, value) in enumerate(lines):
        p += sub(2, sub(1, varint(i + 1)) + sub(2, varint(value)))
        p += sub(4, num(1, i + 1) + num(3, 4096 + i) + sub(4, num(1, 1) + num(2, line)))
    p += sub(5, num(1, 1) + num(2, 3) + num(3, 3) + num(4, 4) + num(5, 2))
    for s in strings: p += sub(6, s.encode())
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
sed -n 's/^<span class=line> *\([0-9]*\)<.span> <span class=[a-z]*> *\([^ ]*\) *\([^ ]*\) .*/\1 \2 \3/p' page.html >got
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
