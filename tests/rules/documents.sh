#!/bin/bash
# quick
# needs: python3
# The documents speak of what is there: links lead somewhere, tests that are named exist, the README's table of variables is the
# code's, and file names in the text are files.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

"$PYTHON" - <<'PY' || bad "documents (above)"
import glob, os, re, sys
wrong = []
pages = [p for p in ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob("docs/*.md")) + sorted(glob.glob("*/README.md")) + sorted(glob.glob("demo-targets/*/README.md")) if os.path.exists(p)]
for page in pages:
    text = open(page).read()
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", target) and not os.path.exists(os.path.join(os.path.dirname(page), target)):
            wrong.append(f"{page}: link to {target}, which is not there")
    for name in re.findall(r"`((?:interpose|proto|cli|include|demo-targets|tests|docs|bench)/[A-Za-z0-9_./-]+\.[a-z]+)`", text):
        if not os.path.exists(name) and not re.search(r"NAME|AREA", name):
            wrong.append(f"{page}: names {name}, which is not there")
    for area, name in re.findall(r"`(rules|proto|walker|sampler|tables|hooks|cli|real|demos|parity|fuzz|symbols|run|gate|live)/([a-z0-9_]+)`", text):
        if not glob.glob(f"tests/{area}/{name}.*"):
            wrong.append(f"{page}: names the test {area}/{name}, which is not there")
for line in wrong:
    print(line)
sys.exit(bool(wrong))
PY

# The table of environment variables in README.md, against the list that the code is made from.
list=proto/env_options.h
if [ -e README.md ]; then
    grep -oE '"APPROF_[A-Z]+"' "$list" | tr -d '"' | sort -u >"$TEST_TMP/in-code"
    [ -s "$TEST_TMP/in-code" ] || bad "no variables found in $list"
    # The default as the README gives it, too.
    grep -oE '"APPROF_[A-Z]+", "[^"]*"' "$list" | tr -d '",' | while read -r name standard; do
        [ -z "$standard" ] || grep -F "| \`$name\` | \`$standard\` |" README.md >/dev/null || echo "$name: the default is '$standard'"
    done >"$TEST_TMP/defaults"
    [ -s "$TEST_TMP/defaults" ] && bad "README.md: $(cat "$TEST_TMP/defaults")"
    sed -n 's/^| `\(APPROF_[A-Z]*\)` |.*/\1/p' README.md | sort -u >"$TEST_TMP/in-readme"
    same "$TEST_TMP/in-code" "$TEST_TMP/in-readme" "variables of $list and of README.md"
fi
exit 0
