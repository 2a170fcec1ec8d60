#!/bin/bash
# time: 300
# quick
# The runner itself: it counts right, fails when it must, kills what hangs or escapes, and never passes silently.
. "$(dirname "$0")/../lib.sh"

mkdir -p tree/tests/area
cp "$TOP"/tests/*.py "$TOP/tests/lib.sh" tree/tests/

script() {
    printf '#!/bin/bash\n%s\n' "$2" >"tree/tests/area/$1.sh"
    chmod +x "tree/tests/area/$1.sh"
}
runner() {
    tree/tests/run-tests.py --build tree/build "$@" >out 2>&1
    status=$?
    last=$(tail -1 out)
}

runner
equal "$status/$last" "1/0 passed, 0 failed" "no test at all"

script pass 'exit 0'
runner
equal "$status/$last" "0/1 passed, 0 failed" "one that passes"
runner nothing-is-called-so
equal "$status/$last" "1/0 passed, 0 failed" "a pattern that selects nothing"
runner --quick
equal "$status/$last" "1/0 passed, 0 failed" "no quick test"

script skip 'echo because of the weather; exit 77'
runner
equal "$status/$last" "0/1 passed, 0 failed, 1 skipped" "one that skips"
contains out 'skip  area/skip: because of the weather' "the reason of a skip"
runner area/skip
equal "$status/$last" "1/0 passed, 0 failed, 1 skipped" "only skips"

script needs $'# needs: no-such-command-here\nexit 0'
runner area/needs
equal "$last" "0 passed, 0 failed, 1 skipped" "a command that is missing"

script fail 'echo the reason; exit 1'
runner
equal "$status/$last" "1/1 passed, 1 failed, 2 skipped" "one that fails"
contains out '\| the reason' "the output of one that fails"
rm tree/tests/area/fail.sh

script crash 'kill -SEGV $$'
runner area/crash
equal "$status/$last" "1/0 passed, 1 failed" "one that crashes"

script hang $'# time: 1\nsleep 1000 & sleep 1000'
runner area/hang
equal "$status/$last" "1/0 passed, 1 failed" "one that hangs"
contains out 'still running after 1 s' "the reason of one that hangs"

script escape 'setsid sleep 1000 & sleep 0.2; exit 0'
runner area/escape
equal "$status/$last" "1/0 passed, 1 failed" "one whose child escapes"

script counted $'. "$(dirname "$0")/../lib.sh"\nequal 1 2 "one is two"\necho last line'
runner area/counted
equal "$status/$last" "1/0 passed, 1 failed" "a check that failed on the way"

script at_end $'. "$(dirname "$0")/../lib.sh"\nstart sleep 1000\nexit 0'
runner area/at_end
equal "$status/$last" "0/1 passed, 0 failed" "what a test started ends with it"

printf '/* test: nonsense=1 */\n' >tree/tests/area/odd.c
runner area/pass
[ "$status" -ne 0 ] || bad "an unknown mark passes"
