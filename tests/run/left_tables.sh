#!/bin/bash
# time: 300
# needs: python3
# Tables that a killed process left, and what can become of them: of another boot, another version, cut off, tampered
# with. Every report reads what is sound of them, or refuses them in words; nothing crashes, hangs or asks for the moon.
. "$(dirname "$0")/../lib.sh"
leaky=$test_programs/run/leaky
APPROF_RATE=4096 preload "$leaky" kill 9 2>/dev/null
tables=$(echo "$APPROF_TABLES"/leaky.*.heap)
[ -s "$tables" ] || fail "no tables after SIGKILL: $(ls "$APPROF_TABLES")"
mv "$tables" left.heap

for report in top 'list leaky' tree 'peek leaky' traces tags raw dot churn 'diff -base left.heap' proto 'merge -output=merged.pb.gz'; do
    read -ra words <<<"$report"
    "$APPROF_BIN" "${words[0]}" "${words[@]:1}" left.heap >out 2>said || bad "$report: exit status $?: $(cat said)"
    [ "${words[0]}" = diff ] || [ "${words[0]}" = merge ] || [ -s out ] || bad "$report: prints nothing"
done
"$APPROF_BIN" top left.heap >out
contains out ' leaky$' "the report"
"$APPROF_BIN" proto -output=left.pb.gz left.heap 2>said || bad "proto: $(cat said)"
readable left.pb.gz
got=$(flat inuse_space leaky left.pb.gz)
[ "$got" -gt 18000000 ] && [ "$got" -lt 22000000 ] || bad "in use: $got, not about 20,000,000"

# Copies with one thing changed each; offsets from the layout itself.
cat >layout.c <<'C'
#include "heap_tables.h"
#include <stdio.h>
int main(void)
{
#define AT(name) printf("%s %zu %zu\n", #name, offsetof(struct heap_header, name), sizeof(((struct heap_header *)0)->name))
    AT(magic), AT(version), AT(header_size), AT(file_size), AT(boot_id), AT(start_realtime_ns), AT(start_monotonic_ns);
    AT(last_sample_ns), AT(n_regions), AT(n_modules), AT(n_rates), AT(rate), AT(exe_len), AT(regions), AT(stripes);
    return 0;
}
C
${CC:-gcc} -I"$TOP/include" -o layout layout.c && ./layout >layout.txt || fail "the layout does not compile"
cat >change.py <<'P'
import random, sys
at = {name: (int(o), int(n)) for name, o, n in (line.split() for line in open("layout.txt"))}
whole = open("left.heap", "rb").read()
what, seed = sys.argv[1], int(sys.argv[2])
random.seed(seed)
data = bytearray(whole)
def put(name, value):
    offset, size = at[name]
    data[offset:offset + size] = value if isinstance(value, bytes) else (value & (1 << 8 * size) - 1).to_bytes(size, "little")
if what == "boot":
    put("boot_id", b"an earlier boot!")
elif what == "version":
    put("version", 77)
elif what == "unborn":
    put("magic", 0)
elif what == "cut":
    del data[random.choice([0, 1, 8, 100, at["regions"][0], len(data) // 2, len(data) - 1, random.randrange(len(data))]):]
elif what == "longer":
    data += b"\xff" * 100000
elif what == "field":
    names = [n for n in at if n not in ("magic", "version", "header_size", "boot_id", "regions", "stripes")]
    put(names[seed % len(names)], random.choice([0, 1, -1, 1 << 31, 1 << 62, (1 << 63) + 1]))
elif what == "noise":  # in the header's tables and in the data
    for _ in range(random.choice([1, 10, 1000])):
        i = random.randrange(at["n_regions"][0], len(data)) if random.random() < .5 else at["regions"][0] + random.randrange(400)
        data[i] = random.choice([0, 1, 127, 255, random.randrange(256)])
elif what == "swapped":
    half = len(data) // 2
    data[at["stripes"][0]:half], data[half:] = data[half:half + 1000], data[at["stripes"][0]:half]
open("changed.heap", "wb").write(data)
P
# try WHAT SEED   must end with 0, or with 2 and words, within little memory
try() {
    "$PYTHON" change.py "$1" "$2"
    (
        ulimit -v 1500000
        timeout 60 "$APPROF_BIN" top changed.heap >out 2>said
    )
    status=$?
    if [ $status -eq 2 ]; then
        grep -q '^approf: ' said && grep -q '^hint: ' said || bad "$1 $2: refused without words: $(cat said)"
    elif [ $status -ne 0 ]; then
        bad "$1 $2: exit status $status: $(tail -3 said)"
        cp changed.heap "$BUILD/test-logs/left_tables.$1.$2.heap" 2>/dev/null
    fi
}
try boot 0
equal $status 0 "another boot"
contains out ' leaky$' "another boot"
try version 0
equal $status 2 "another version"
contains said 'heap tables of version 77, this approf reads version' "another version"
try unborn 0
equal $status 2 "without magic"
try longer 0
contains out ' leaky$' "longer than it says"
for seed in $(seq 12); do try cut "$seed"; done
for seed in $(seq 14); do try field "$seed"; done
for seed in $(seq 20); do try noise "$seed"; done
try swapped 0
# approf ps and run's conversion look at the same files.
cp changed.heap "$APPROF_TABLES/leaky.1.abc.heap"
"$PYTHON" change.py boot 0 && cp changed.heap "$APPROF_TABLES/leaky.2.abc.heap"
"$PYTHON" change.py version 0 && cp changed.heap "$APPROF_TABLES/leaky.3.abc.heap"
"$APPROF_BIN" ps >out 2>said || bad "ps: exit status $?"
contains out 'from before the last boot +.*/leaky$' "ps, another boot"
contains said '1 ended process left tables of another version' "ps, another version"
"$APPROF_BIN" ps --clean >out 2>said || bad "ps --clean: exit status $?"
if [ -e "$APPROF_TABLES/leaky.2.abc.heap" ] || [ -e "$APPROF_TABLES/leaky.3.abc.heap" ]; then
    bad "--clean leaves $(ls "$APPROF_TABLES")"
fi
