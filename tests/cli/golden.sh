#!/bin/bash
# time: 120
# quick
# needs: python3
# Each line of golden/cases.txt is a name and the arguments of approf; what it printed and its exit status must be what
# golden/NAME.txt says. UPDATE_GOLDEN=1 writes those files anew (then look at the difference before it is committed).
. "$(dirname "$0")/../lib.sh"

golden=$TOP/tests/cli/golden
"$PYTHON" "$TOP/tests/cli/golden_profiles.py" || fail "the profiles cannot be made"
touch -d '2020-01-01' src/*.c
cases=0
while IFS='|' read -r name arguments; do
    name=${name// /}
    case $name in '' | '#'*) continue ;; esac
    cases=$((cases + 1))
    eval "set -- $arguments"
    {
        echo "\$ approf$arguments"
        timeout 60 "$APPROF_BIN" "$@" </dev/null 2>stderr
        echo "exit status $?"
        sed 's/^/stderr: /' stderr
    } | sed "s|$PWD|FOLDER|g" >actual.txt
    if [ -n "${UPDATE_GOLDEN:-}" ]; then
        cp actual.txt "$golden/$name.txt"
    elif ! cmp -s "$golden/$name.txt" actual.txt; then
        bad "$name: - expected, + printed"
        diff -U1 "$golden/$name.txt" actual.txt | tail -n +3 | head -20
    fi
done <"$golden/cases.txt"
[ "$cases" -gt 0 ] || fail "no cases"
echo "$cases cases"
