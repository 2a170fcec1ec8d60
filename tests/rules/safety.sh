#!/bin/bash
# quick
# needs: python3
# docs/SAFETY.md: each promise names a test, each name is a test that is run (or a small program that one of them runs), and no test
# of tests/hooks/ is missing there.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

"$PYTHON" - <<'PY' || bad "docs/SAFETY.md (above)"
import importlib.util, glob, os, re, sys
spec = importlib.util.spec_from_file_location("list_tests", "tests/list-tests.py")
list_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(list_tests)
tests = {t.name for t in list_tests.find() if t.is_test}
programs = set()
for path in glob.glob("tests/*/*.c*"):
    with open(path, errors="replace") as f:
        if re.search(r"/\* matrix:", "".join(f.readlines()[:30])):
            programs.add(path[len("tests/"):].rsplit(".", 1)[0])
wrong, named = [], set()
rows = [line for line in open("docs/SAFETY.md") if line.startswith("| ") and not line.startswith("| promise ")]
for row in rows:
    promise, how, names = [c.strip() for c in row.strip().strip("|").split("|")]
    inside = re.findall(r"\(([^)]*)\)", names)
    ran = set(re.findall(r"`([a-z]+/[a-z0-9_]+)`", re.sub(r"\([^)]*\)", "", names)))
    small = set(re.findall(r"`([a-z]+/[a-z0-9_]+)`", " ".join(inside)))
    if not ran:
        wrong.append(f"'{promise}': no test")
    wrong += [f"'{promise}': {n} is no test" for n in sorted(ran - tests)]
    wrong += [f"'{promise}': {n} is no program of hooks/matrix" for n in sorted(small - programs)]
    named |= ran | small
wrong += [f"{n} is not named" for n in sorted(tests) if n.startswith("hooks/") and n not in named]
for line in wrong:
    print(line)
sys.exit(bool(wrong) or len(rows) < 30)
PY
exit 0
