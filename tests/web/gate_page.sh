#!/bin/bash
# time: 120
# quick
# needs: python3
# approf gate --report: the page of what was judged, and the links to it.
. "$(dirname "$0")/../lib.sh"

mkdir -p work/in && cd work/in || exit 1
"$PYTHON" "$TOP/tests/web/web_profiles.py" || fail "profiles could not be made"

# page_says FILE KEY      a fact of the data that a page carries
page_says() {
    "$PYTHON" - "$@" <<'END'
import base64, gzip, json, re, sys
data = gzip.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', open(sys.argv[1]).read()).group(1)))
print(json.loads(data.split(b"\0")[0])[sys.argv[2]])
END
}

# Grown: the differences, linked from the summary and told in the text.
approf gate -base old.pb.gz plain.pb.gz --max alloc_space=1kB -o text -o markdown:summary.md --report page.html >out 2>err
equal $? 1 "the verdict stays"
contains out '^in a browser: page\.html$' "the text tells it"
contains summary.md '^\[Flame graph, source and differences\]\(page\.html\)$' "the summary links to it"
equal "$(page_says page.html base)" old.pb.gz "what it is compared with"
equal "$(stat -c %a page.html)" 600 "mode"

# Where CI keeps it; what would end the link is encoded.
approf gate -base old.pb.gz plain.pb.gz --max alloc_space=100TB -o markdown --report page.html \
    --report-url 'https://ci.example/jobs/1/artifacts/file/a b)(<page>.html' >summary.md 2>err
equal $? 0 "within limits: $(cat err)"
contains summary.md '\(https://ci\.example/jobs/1/artifacts/file/a%20b%29%28%3Cpage%3E\.html\)$' "the address"

# Of a command: its profile is kept, and the page is of it.
approf gate --run 'sort /dev/null' --program sort --baseline base.txt --update >out 2>err || fail "--update: $(cat err)"
rm -f page.html
approf gate --run 'sort /dev/null' --program sort --baseline base.txt --max-growth alloc_space=100% --report page.html >out 2>err
equal $? 0 "the command: $(cat out err)"
[ -s approf-gate.pb.gz ] || bad "no profile was kept"
contains out 'approf-gate.pb.gz' "how to see more"
equal "$(page_says page.html title)" sort "the page of the command"
equal "$(page_says page.html base)" '' "a baseline is no profile to compare with"

# Without it there is no link; what can't be written fails.
approf gate -base old.pb.gz plain.pb.gz --max alloc_space=100TB -o markdown >summary.md 2>err
lacks summary.md 'Flame graph' "no page, no link"
approf gate -base old.pb.gz plain.pb.gz --max alloc_space=100TB --report /nonexistent/page.html >out 2>err
equal $? 2 "a page that can't be written"
contains err '^hint: ' "a hint"
