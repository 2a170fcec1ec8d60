#!/bin/bash
# time: 60
# quick
# needs: python3
# svg, png and pdf: what dot is given and asked for, whatever happens to it; clear words without it.
. "$(dirname "$0")/../lib.sh"

"$PYTHON" "$TOP/tests/cli/golden_profiles.py" || fail "the profiles cannot be made"
mkdir bin none
printf '#!/bin/sh\necho "$@"\ncat\n' >bin/dot
chmod +x bin/dot
was=$PATH
"$APPROF_BIN" dot -alloc_space heap.pb.gz >graph.dot || fail "dot: exit status $?"
for format in svg png pdf; do
    PATH=$PWD/bin:$was "$APPROF_BIN" $format -alloc_space heap.pb.gz >out || bad "$format: exit status $?"
    { echo "-T$format" && cat graph.dot; } | cmp -s - out || bad "$format: dot is given something else"
    PATH=$PWD/bin:$was "$APPROF_BIN" -$format -alloc_space -output=o.$format heap.pb.gz 2>err || bad "$format -output: exit status $?"
    cmp -s out o.$format || bad "$format: another file"
    contains err "Generating report in o.$format"
done

# Without dot, with one that fails, with one that is killed: a message, and what stood in the file stays.
refused() { # WHAT WORDS
    "$APPROF_BIN" svg -output=o.svg heap.pb.gz >out 2>err && bad "$1: went through"
    contains err "^approf: dot: $2"
    contains err '^hint: .*approf dot'
    cmp -s o.svg kept.svg || bad "$1: the old file is gone"
    equal "$(echo o.*)" "o.pdf o.png o.svg" "$1: files"
}
cp o.svg kept.svg
PATH=$PWD/none "$APPROF_BIN" svg -output=o.svg heap.pb.gz >out 2>err && bad "without dot: went through"
contains err '^approf: dot: cannot be run: no such file or directory'
contains err '^hint: graphviz draws the pictures: apt-get install graphviz'
cmp -s o.svg kept.svg || bad "without dot: the old file is gone"
export PATH=$PWD/bin:$was
printf '#!/bin/sh\necho half\nexit 1\n' >bin/dot
refused "a failing dot" "failed to draw"
printf '#!/bin/sh\necho half\nkill -SEGV $$\n' >bin/dot
refused "a crashing dot" "failed to draw"

# In the interactive mode.
printf '#!/bin/sh\necho "$@"\n' >bin/dot
printf 'svg\npng >there.png\n' | "$APPROF_BIN" -symbolize=none heap.pb.gz >out 2>err || bad "interactive: exit status $?"
equal "$(cat profile001.svg)" -Tsvg "profile001.svg"
equal "$(cat there.png)" -Tpng "there.png"
printf '#!/bin/sh\nexit 1\n' >bin/dot
printf 'svg\n' | "$APPROF_BIN" -symbolize=none heap.pb.gz >out 2>err
[ ! -e profile002.svg ] || bad "half a picture is left"
