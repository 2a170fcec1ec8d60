#!/bin/bash
# time: 900
# needs: python3 sqlite3
# Our walker and libunwind walk the same stacks in programs that are hard on walkers and in ones that nobody here
# wrote. Every difference must be among those listed, with its reason, in known-differences.txt.
# JUDGE_STACKS=1000000 makes it as many stacks (default 100,000).
. "$(dirname "$0")/../lib.sh"

wanted=${JUDGE_STACKS:-100000}
judge=$test_programs/walker/judge.so
known=$TOP/tests/walker/known-differences.txt
[ -e "$judge" ] || fail "no $judge: make test-programs"
ldconfig -p 2>/dev/null | has 'libunwind\.so\.8' || skip "missing: libunwind.so.8"

export JUDGE_LIMIT=$((wanted / 8)) # of one process
python=$(command -v /usr/bin/python3 || command -v python3)

# judged NAME CMD ARGS…   runs it under the judge; its stdout must be there, its stderr must not
judged() {
    local name=$1
    shift
    JUDGE_OUT=$TEST_TMP/$name.judged LD_PRELOAD=$judge "$@" >"$name.out" 2>"$name.err" ||
        bad "$name: exit status $?: $(head -3 "$name.err")"
    grep -q '^stacks' "$name.judged" || bad "$name: nothing was judged"
}

scale=$((1 + wanted / 100000))
judged c "$test_programs/walker/judged_c" $((4 * scale))
judged cpp "$test_programs/walker/judged_cpp" $((2 * scale))
judged signals "$test_programs/walker/judged_signals" $((2000 * scale))
judged threads "$test_programs/walker/judged_threads" $((3 * scale))
JUDGE_EVERY=3 judged python "$python" -c '
import asyncio, ctypes, decimal, json, re, sqlite3, threading
db = sqlite3.connect(":memory:")
db.execute("create table t(a, b)")
db.executemany("insert into t values(?, ?)", [(i, "x%d" % i) for i in range(3000)])
db.create_function("f", 1, lambda v: len(json.dumps([v] * 3)))
print(db.execute("select sum(f(a)), count(distinct b) from t").fetchone())
numbers = (ctypes.c_int * 100)(*[i * 37 % 101 for i in range(100)])
order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
ctypes.CDLL(None).qsort(numbers, 100, 4, order(lambda a, b: len([a[0]] * 1000) and a[0] - b[0]))
def nested(n):
    return [nested(n - 1), "%r" % n] if n else []
thread = threading.Thread(target=lambda: [nested(40) for _ in range(20)])
thread.start(); thread.join()
async def one(n):
    await asyncio.sleep(0)
    return decimal.Decimal(n).sqrt()
async def every():
    return await asyncio.gather(*[one(n) for n in range(100)])
print(len(asyncio.run(every())), re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world " * 50)[:11])
'
JUDGE_EVERY=2 judged sqlite sqlite3 :memory: "with recursive c(x) as (select 1 union all select x+1 from c where x<9999)
    select count(distinct x%777), group_concat(x), sum(json_array_length(json_array(x,x))) from c group by x%50;"
judged ls ls -lR /etc/ssl /usr/include/x86_64-linux-gnu
if command -v gcc >/dev/null; then
    JUDGE_EVERY=3 judged gcc gcc -O2 -c -o "$TEST_TMP/o.o" "$TOP/tests/walker/judged_threads.c"
fi
if command -v git >/dev/null && git -C "$TOP" rev-parse HEAD >/dev/null 2>&1; then
    judged git git -C "$TOP" log --stat -20
fi
# More of the same until there are as many as were asked for.
count() {
    cat ./*.judged | awk '$1 == "stacks" { stacks += $2; agree += $4; frames += $6 } END { print stacks, agree, frames }'
}
round=0
while read -r stacks agree frames < <(count) && [ "$stacks" -lt "$wanted" ] && [ "$round" -lt 50 ]; do
    round=$((round + 1))
    judged "cpp$round" "$test_programs/walker/judged_cpp" $((2 * scale))
    judged "signals$round" "$test_programs/walker/judged_signals" $((2000 * scale))
done

# A line of the list is "KIND MODULE:SYMBOL  reason"; the pair is a shell pattern.
cat ./*.judged | grep '^differ ' | sort | uniq -c | while read -r times _ kind where; do
    reason=
    while read -r known_kind pattern text; do
        case $known_kind in '' | '#'*) continue ;; esac
        # shellcheck disable=SC2254
        case "$kind $where" in "$known_kind "$pattern) reason=$text ;; esac
    done <"$known"
    if [ -n "$reason" ]; then
        echo "known: $times times $kind $where: $reason"
    else
        echo "$times times $kind $where" >>unknown
    fi
done
echo "$stacks stacks of $frames frames, $agree agree"
[ "$stacks" -ge "$wanted" ] || bad "only $stacks stacks were judged, $wanted were wanted"
if [ -s unknown ]; then
    bad "differences that nobody has explained:"
    cat unknown
    grep -h '^#' ./*.judged | head -60
fi
# What is listed may excuse single frames, not a walker that fails.
[ $((agree * 1000)) -ge $((stacks * 999)) ] || bad "fewer than 99.9% agree"
