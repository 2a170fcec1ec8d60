#!/bin/bash
# time: 1200
# needs: redis-benchmark wrk curl python3
# What the stories claim, as ratios of figures of this run, at sizes that end soon. demos/demo.sh has redis-clone.
. "$(dirname "$0")/../lib.sh"

# figure STORY NAME
figure() {
    awk -v n="$2" '$1 == n { print $2 }' "$TEST_TMP/$1.figures"
}

# holds STORY NAME OPERATOR LIMIT
holds() {
    local value
    value=$(figure "$1" "$2")
    echo "$1: $2 is $value, wanted $3 $4"
    awk "BEGIN { exit !(\"$value\" != \"\" && ${value:-0} $3 $4) }" || bad "$1: $2 is '$value', wanted $3 $4"
}

tell() {
    PROFILES=$TEST_TMP sh "$TOP/demo-targets/stories.sh" "$1" >"$1.out" 2>&1 || fail "$1: $(tail -20 "$1.out")"
}

LINES_PARSED=6000000 tell parse
holds parse alloc_bytes '>=' 2e9
holds parse alloc_fixed_bytes '<' 1e6
holds parse largest_inuse_bytes '<=' 1048576
holds parse faster '>=' 5

SEARCH_SECONDS=5 SEARCH_REQUESTS=40 tell search
holds search compile_percent '>=' 95
holds search bad_pattern '==' 400
holds search line_percent '>=' 95
holds search growth_off_percent '<=' 5
holds search growth_off_percent '>=' -5
holds search fixed_growth_percent '<' 10
holds search faster '>=' 8

REQUESTS=50000 tell resp
for stage in 1 2 3 4 5 6 7; do
    before=$((stage - 1))
    holds resp "objects_$stage" '<' "$(figure resp objects_$before)"
    holds resp "bytes_$stage" '<' "$(figure resp bytes_$before)"
done
# Of what the last stage allocates, all but the connections' own buffers is what it stores.
holds resp stored_percent '>=' 99
# The requests a second are in the story's table; how they compare is for a machine with nothing else to do.
