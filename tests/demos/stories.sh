#!/bin/bash
# time: 1200
# needs: redis-benchmark redis-server wrk curl python3
# What the stories claim, at sizes that end soon: demo-targets/stories.sh judges it and ends with 1 when something does not
# hold. Times are not judged here, bytes and processor time are. demos/demo.sh has redis-clone's.
. "$(dirname "$0")/../lib.sh"

export BUSY=1 PROFILES=$TEST_TMP LINES_PARSED=6000000 SEARCH_SECONDS=4 SEARCH_APART=5 REQUESTS=60000
sh "$TOP/demo-targets/stories.sh" parse search resp >stories.out 2>&1 || bad "stories.sh: exit status $?: $(tail -30 stories.out)"

# None of them has gone.
equal "$(wc -l <parse.claims)" 6 "claims about log-parse"
equal "$(wc -l <search.claims)" 7 "claims about log-search"
equal "$(wc -l <resp.claims)" 20 "claims about resp-stages"
sed 's/^/  /' parse.claims search.claims resp.claims
contains stories.out '^Of 33 claims 29 hold, 4 were not judged\.$' "the summary"

# A claim that does not hold ends the run with 1 and is named: a hundred thousand lines allocate no gigabytes.
mkdir small
PROFILES=$TEST_TMP/small LINES_PARSED=100000 sh "$TOP/demo-targets/stories.sh" parse >small.out 2>small.err
equal $? 1 "stories.sh with a claim that does not hold: exit status"
contains small.err '^approf: stories: does not hold: bytes allocated, buggy: [0-9]+, wanted >= 2e\+09$' "the claim that does not hold"
