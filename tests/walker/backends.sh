#!/bin/bash
# time: 300
# The other backends (APPROF_UNWIND): libunwind by its remote interface sees what it sees by its local one; ours with
# libunwind behind it is no worse than ours; null knows the caller.
. "$(dirname "$0")/../lib.sh"
judge=$test_programs/walker/judge.so
ldconfig -p 2>/dev/null | has 'libunwind-x86_64\.so\.8' || skip "missing: libunwind-x86_64.so.8"

judged() { # BACKEND CMD ARGS…
    JUDGE_WITH=$1 JUDGE_LIMIT=2000 JUDGE_OUT=$TEST_TMP/judged LD_PRELOAD=$judge "${@:2}" >out 2>err ||
        bad "$1: $2: exit status $?: $(head -3 err)"
    grep -q '^no such backend' judged && bad "no backend $1"
}

for backend in libunwind approf+libunwind; do
    for program in judged_c judged_cpp judged_threads; do
        rm -f judged
        judged $backend "$test_programs/walker/$program" 2
        read -r stacks agree < <(awk '$1 == "stacks" { s += $2; a += $4 } END { print s + 0, a + 0 }' judged)
        echo "$backend, $program: $agree of $stacks agree"
        [ "$stacks" -ge 1000 ] || bad "$backend, $program: only $stacks stacks"
        if [ "$agree" -ne "$stacks" ]; then
            bad "$backend, $program: $agree of $stacks agree"
            grep '^differ' judged | sort | uniq -c | sort -rn | head -5
            grep '^#' judged | head -20
        fi
    done
done
[ "$("$test_programs/walker/walk_cost" null 20 10 | cut -d, -f1)" = "1 frames" ] || bad "null shows more than the caller"
"$test_programs/walker/walk_cost" nonsense 20 10 >/dev/null && bad "an unknown backend is taken"
true
