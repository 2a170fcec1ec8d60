#!/bin/bash
# time: 240
# needs: go python3
# Profiles in the formats before protobuf: what `go tool pprof` reads is read alike; jemalloc's dumps and folded stacks, which it
# does not read, hold what their format says.
. "$(dirname "$0")/../lib.sh"

inputs=$TOP/tests/fuzz/regress/legacy
export PPROF_BINARY_PATH=/nonexistent
pprof=$(go env GOTOOLDIR)/pprof
pairs=0
for input in "$inputs"/*; do
    case $(basename "$input") in jemalloc*|*.folded) continue ;; esac
    for report in -raw -traces -top -tags; do
        "$pprof" -symbolize=none $report "$input" >theirs 2>theirs.err
        their_status=$?
        "$APPROF_BIN" -compat=go1.19 -symbolize=none $report "$input" >ours 2>ours.err
        our_status=$?
        pairs=$((pairs + 1))
        cmp -s theirs ours || { bad "$(basename "$input") $report differs"; diff theirs ours | head -5; }
        [ $((their_status != 0)) -eq $((our_status != 0)) ] ||
            bad "$(basename "$input") $report: exit status $our_status, pprof's $their_status"
    done
done
[ $pairs -ge 40 ] || fail "only $pairs pairs were compared"
echo "$pairs reports are pprof's"

# jemalloc: each side scaled by 1 / (1 - e^(-mean/rate)), which is worked out here independently.
"$APPROF_BIN" raw -symbolize=none "$inputs/jemalloc" >raw || fail "a jemalloc dump is not read"
"$PYTHON" - raw <<'PY' || fail "a jemalloc dump has other figures"
import math, re, sys
def scaled(count, size, rate=524288):
    if not count: return [0, 0]
    scale = 1 / (1 - math.exp(-(size / count) / rate))
    return [int(count * scale), int(size * scale)]
text = open(sys.argv[1]).read()
want = [scaled(10, 20000) + scaled(3, 9000), scaled(1, 8) + [0, 0]]
got = [list(map(int, m.group(1).split())) for m in re.finditer(r"^\s+((?:\d+\s+){4})[^:]*:|^\s+((?:\d+\s+){3}\d+): ", text, re.M) if m.group(1)] or \
      [list(map(int, m.group(1).split())) for m in re.finditer(r"^\s+((?:\d+\s+){3}\d+): ", text, re.M)]
assert got == want, (got, want)
assert "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes" in text, text
assert re.search(r"^\s*1: 0x400100 M=1", text, re.M) and "/usr/bin/prog" in text, text
assert "bytes:[3000]" in text and "Period: 524288" in text, text
PY
"$APPROF_BIN" raw "$inputs/jemalloc-no-accum" >out 2>err && bad "an address of 72 bits was read"
contains err "too large"

# A real one, where jemalloc can profile.
if [ -e /usr/lib/x86_64-linux-gnu/libjemalloc.so.2 ]; then
    MALLOC_CONF=prof:true,prof_final:true,lg_prof_sample:10,prof_prefix:$TEST_TMP/je \
        LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libjemalloc.so.2 "$PYTHON" -c 'x = [bytearray(i) for i in range(9000)]' 2>jemalloc.err
    dump=$(ls je.*.heap 2>/dev/null | head -1)
    if [ -n "$dump" ]; then
        "$APPROF_BIN" top -symbolize=none -unit=b "$dump" >top || bad "a dump that jemalloc wrote is not read"
        contains top "of .* total"
    else
        echo "this jemalloc has no profiler"
    fi
fi

# Folded: what is written is read, and written again the same.
sort "$inputs/f.folded" >want
"$APPROF_BIN" folded "$inputs/f.folded" | sort >got
cmp want got || bad "folded stacks change when they are read and written"
"$APPROF_BIN" folded - <"$inputs/f.folded" | "$APPROF_BIN" top - >top || bad "folded stacks from a pipe are not read"
contains top "^ *10 55.56% .* std::vector"
printf 'just some text that ends in 5\n' >prose
"$APPROF_BIN" top prose >out 2>err && bad "prose was taken for folded stacks"
contains err "unrecognized profile format"
