#!/bin/bash
# time: 300
# needs: chromium python3
# variant: none
# The web page in a real browser: figures, views, keys, search, differences, a file from disk, names that are markup.
. "$(dirname "$0")/../lib.sh"

mkdir -p work/in && cd work/in || exit 1
"$PYTHON" "$TOP/tests/web/web_profiles.py" || fail "profiles could not be made"

for name in plain deep odd secrets; do
    approf web -o "$name.html" "$name.pb.gz" 2>web.err || fail "approf web -o $name.html: $(cat web.err)"
done
approf web -o store.html store 2>web.err || fail "approf web DIRECTORY: $(cat web.err)"
approf web -o difference.html -base old.pb.gz plain.pb.gz 2>web.err || fail "approf web -base: $(cat web.err)"

# Files that the profile names, but that are no sources or lie elsewhere, stay out. (The data is compressed: look inside.)
"$PYTHON" - secrets.html plain.html >texts.out <<'END'
import base64, gzip, re, sys
for path in sys.argv[1:]:
    page = open(path).read()
    data = gzip.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', page).group(1))).decode(errors="replace")
    print(path, "passwd-text" if "root:" in data else "", "secret" if "TOP-SECRET" in data else "", "source" if "line_1_of_file_0" in data else "")
END
contains texts.out 'secrets.html +source' "source lines that may be shown"
lacks texts.out 'passwd-text|secret ' "text of files that are none of the page's business"

# A usual profile's page is far below 2 MB.
for page in *.html; do
    [ "$(stat -c %s "$page")" -lt 2000000 ] || bad "$page is too large: $(stat -c %s "$page") bytes"
done
[ "$(stat -c %a plain.html)" = 600 ] || bad "the page can be read by others"

CHURNER=$test_programs/live/churner "$PYTHON" "$TOP/tests/web/page_checks.py" "$APPROF_BIN" "$BUILD/shots" || bad "page_checks.py: exit $?"
