#!/bin/bash
# time: 120
# needs: gcc python3
# variant: san
# approf symbolize: what it changes in a file and what it leaves, in place and elsewhere.
. "$(dirname "$0")/../lib.sh"
here=$TOP/tests/symbols
export HOME=$TEST_TMP
: "${PYTHON:=python3}"
gcc -O2 -g "$here/chain.c" -o chain -Wl,--build-id || fail compile
cat > make.py <<'PY'
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
import profile_file, re
text = subprocess.run(["readelf", "-lW", "chain"], capture_output=True, text=True).stdout
segment = [l.split() for l in text.splitlines() if "LOAD" in l and " E " in l][0]
offset, address, size = (int(segment[i], 16) for i in (1, 2, 4))
symbols = subprocess.run(["nm", "chain"], capture_output=True, text=True).stdout
main = int(re.search(r"([0-9a-f]+) T main", symbols).group(1), 16)
base = 0x550000000000
def build(path, file="chain", lines=(), jit=False, **flags):
    w = profile_file.Writer()
    m = w.mapping(base + address, base + address + size, offset, os.path.abspath(file), **flags)
    w.location(base + main + 4, m, lines)
    if jit:
        anonymous = w.mapping(0x7000000, 0x7001000, 0, "[anon:jit]")
        w.location(0x7000010, anonymous)
        w.location(0x7000810, anonymous)
    w.write(path)
build("bare.gz")
build("named.gz", lines=[("main", "main", "", 0)], functions=1)
build("lined.gz", lines=[("other", "other", "other.c", 99)], functions=1, filenames=1, has_lines=1)
build("unflagged.gz", lines=[("other", "other", "other.c", 99)])
build("gone.gz", file="gone", lines=[("kept", "_Z4keptv", "kept.c", 0)], functions=1)
build("jit.gz", jit=True)
PY
cat > show.py <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import profile_file
r = profile_file.Reader(sys.argv[2])
for address, m, lines in r.locations:
    print(" < ".join("%s %s:%d" % (n, f.rsplit("/", 1)[-1], l) for n, s, f, start, l in lines) or "nothing")
print("flags", *("%d%d%d%d" % (m["functions"], m["filenames"], m["lines"], m["inlines"]) for m in r.mappings))
print("functions", r.n_functions)
PY
"$PYTHON" make.py "$here" || fail make.py
shown() { "$PYTHON" show.py "$here" "$1" | tr '\n' '|'; }
check() { # IN WANTED OPTIONS…
    local in=$1 wanted=$2
    shift 2
    "$APPROF_BIN" symbolize "$in" -o out.gz "$@" 2> said || bad "$in: status $?: $(cat said)"
    equal "$(shown out.gz)" "$wanted" "$in $*"
}
lined=$("$APPROF_BIN" symbolize bare.gz -o out.gz && shown out.gz)
case $lined in "main chain.c:"*"|flags 1111|functions 1|") ;; *) bad "bare: $lined" ;; esac
check bare.gz "$lined"
check named.gz "$lined"                                 # names only: completed, the old function is gone
check lined.gz "other other.c:99|flags 1110|functions 1|" # has lines: left alone
check lined.gz "$lined" -symbolize=force
check unflagged.gz "$lined"
check bare.gz "nothing|flags 0000|functions 0|" -symbolize=none
check bare.gz "main :0|flags 1000|functions 1|" -symbolize=fastlocal
check gone.gz "kept kept.c:0|flags 1000|functions 1|"
contains said "gone: not here" "a binary that is gone is told"
contains said "^hint: " "with a hint"

# in place, private, the same when done again
cp named.gz place.gz && chmod 644 place.gz
"$APPROF_BIN" symbolize place.gz -o place.gz || bad "in place"
equal "$(shown place.gz)" "$lined" "in place"
equal "$(stat -c %a place.gz)" 600 "mode"
cp place.gz once.gz && "$APPROF_BIN" symbolize place.gz -o place.gz
equal "$(shown place.gz)" "$(shown once.gz)" "twice"
equal "$(find . -name '*.tmp*' -o -name '.*.gz*' | wc -l)" 0 "temporary files"
"$APPROF_BIN" symbolize bare.gz -o - > piped.gz && equal "$(shown piped.gz)" "$lined" "standard output"

# mistakes
"$APPROF_BIN" symbolize 2> said; equal $? 2 "no file"
"$APPROF_BIN" symbolize bare.gz 2> said; equal $? 2 "no -o"
"$APPROF_BIN" symbolize nothing.gz -o x.gz 2> said; equal $? 2 "missing"
"$APPROF_BIN" symbolize chain -o x.gz 2> said; equal $? 2 "no profile"
"$APPROF_BIN" symbolize -symbolize=quickly bare.gz -o x.gz 2> said; equal $? 2 "mode"
"$APPROF_BIN" symbolize bare.gz -o no/such/folder/x.gz 2> said; equal $? 2 "not writable"
[ -e x.gz ] && bad "a file was written"
exit 0
