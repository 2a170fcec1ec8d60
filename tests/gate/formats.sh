#!/bin/bash
# time: 120
# needs: xmllint
# variant: san
# Reports for machines: each parses, has what docs/GATE.md says, and survives names that try to break it.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"

main="main@src/main.c:9"
nasty='std::map<int, "a|b">::operator[]<`x`>&%,:*_#'
profile base.gz --peak 5000 <<<"100 10000 10 1000 $nasty@src/a,b:c%.cc:12;$main
50 5000 0 0 format@src/format.c:7;$main
10 1000 0 0 soft@src/soft.c:7;$main
10 1000 0 0 excused@src/soft.c:9;$main
10 1000 0 0 old@src/old.c:9;$main"
profile new.gz --peak 9000 <<<"120 12000 10 1000 $nasty@src/a,b:c%.cc:12;$main
50 5000 0 0 format@src/format.c:7;$main
11 1100 0 0 soft@src/soft.c:7;$main
12 1200 0 0 excused@src/soft.c:9;$main
10 1000 0 0 renamed@src/old.c:9;$main"
echo 'excused 2999-01-01 <a> & "b"' >waivers

gate 1 "all formats at once" -base base.gz --max-growth alloc_space=5% --site '^soft$' alloc_space=5%:warn \
    --max-site-growth alloc_space=15% --waivers waivers -o json:gate.json -o junit:gate.xml -o github:gate.github \
    -o markdown:gate.md -o benchmark:bench.json -o text:gate.txt -o text new.gz
same gate.txt gate.out "text to a file and to standard output"
approf gate -base base.gz -o json new.gz >one.json
[ $? = 1 ] || bad "json to standard output: exit status"
"$PYTHON" -m json.tool <one.json >/dev/null || bad "json on standard output is not alone"
approf gate -base base.gz -color=always new.gz >color.txt
grep -q $'\033\\[1;31m' color.txt || bad "no colour when asked for"
approf gate -base base.gz new.gz >color.txt
grep -q $'\033' color.txt && bad "colour when not asked for"

"$PYTHON" - "$TOP/docs/GATE.md" "$nasty" <<'PY' || bad "json (above)"
import json, re, sys
doc, nasty = open(sys.argv[1]).read(), sys.argv[2]
report = json.load(open("gate.json"))
def check(condition, *text):
    if not condition:
        sys.exit(" ".join(map(str, text)))
# The documented fields are those that are there, no more and no less.
def documented(heading):
    section = re.search(r"\n#+ " + heading + r"\n(.*?)(?=\n#|\Z)", doc, re.S)
    check(section, "docs/GATE.md has no section", heading)
    return set(re.findall(r"^\| `([a-z_]+)`", section.group(1), re.M))
check(documented("The report") == set(report), "the report", documented("The report") ^ set(report))
for finding in report["findings"]:
    check(documented("A finding") == set(finding), "a finding", documented("A finding") ^ set(finding))
check(documented("A side") == set(report["base"]) == set(report["new"]), "a side", documented("A side") ^ set(report["base"]))
fields = set().union(*map(set, report["rules"]))
check(documented("A rule") - {"matched"} == fields - {"matched"}, "a rule", documented("A rule") ^ fields)
check(report["schema"] == "approf-gate" and report["schema_version"] == 1 and report["exit_status"] == 1, "head")
for status, number in (("fail", "failed"), ("warn", "warned"), ("moved", "moved"), ("waived", "waived"), ("undecided", "undecided")):
    check(sum(f["status"] == status for f in report["findings"]) == report[number], status)
check(report["failed"] == 2 and report["warned"] == 1 and report["moved"] == 1 and report["waived"] == 1, "numbers")
failed = [f for f in report["findings"] if f["status"] == "fail" and f["subject"] == nasty]
check(len(failed) == 1, "the failing site by its name")
f = failed[0]
check((f["base"], f["new"], f["difference"], f["file"], f["line"], f["exact"]) == (10000, 12000, 2000, "src/a,b:c%.cc", 12, True), f)
check(f["stack"] == [nasty, "main"], f["stack"])
bench = json.load(open("bench.json"))
check([sorted(b) for b in bench] == [["name", "unit", "value"]] * 5, bench)
check({b["name"]: b["value"] for b in bench}["peak"] == 9000, bench)
PY

xmllint --noout --schema "$TOP/tests/gate/junit.xsd" gate.xml 2>xml.err || bad "JUnit: $(cat xml.err)"
equal "$(xmllint --xpath 'string(/testsuites/testsuite/@failures)' gate.xml)" 2 "JUnit failures"
equal "$(xmllint --xpath 'count(//testcase[failure])' gate.xml)" 2 "JUnit failures, counted"
equal "$(xmllint --xpath 'count(//testcase[skipped])' gate.xml)" 3 "JUnit skipped, counted"
equal "$(xmllint --xpath 'count(//testcase)' gate.xml)" "$(xmllint --xpath 'string(//testsuite/@tests)' gate.xml)" "JUnit cases"
equal "$(xmllint --xpath "string(//testcase[failure and not(@name='total')]/@name)" gate.xml)" "$nasty" "JUnit name"
# The schema is no rubber stamp.
sed 's/<testcase/<testcase colour="red"/' gate.xml >wrong.xml
xmllint --noout --schema "$TOP/tests/gate/junit.xsd" wrong.xml 2>/dev/null && bad "the schema takes everything"
# Bytes that are no text, and characters that XML can't have.
printf '10 1000 0 0 a\001\377\xef\xbf\xbf\xc3\xa9\x1b[31m@x.c:1;main@m.c:1\n' >bytes
"$PYTHON" - "$TOP/tests/gate" <<'PY' || bad "bytes.gz"
import subprocess, sys
lines = open("bytes", "rb").read()
subprocess.run([sys.executable, sys.argv[1] + "/gate_profiles.py", "plain.gz"], input=b"10 1000 0 0 NAME@x.c:1;main@m.c:1\n", check=True)
import gzip
data = gzip.decompress(open("plain.gz", "rb").read())
open("bytes.gz", "wb").write(gzip.compress(data.replace(b"NAME", b"a\xff\x01b"), mtime=0))
PY
profile few.gz <<<"1 100 0 0 main@m.c:1"
gate 1 "bytes" -base few.gz --max-site-growth alloc_space=5% -o json:b.json -o junit:b.xml bytes.gz
"$PYTHON" -m json.tool <b.json >/dev/null || bad "json of bytes"
xmllint --noout --schema "$TOP/tests/gate/junit.xsd" b.xml 2>xml.err || bad "JUnit of bytes: $(cat xml.err)"

# Annotations: one line each, with the workflow commands' escapes.
contains gate.github '^::error file=src/a%2Cb%3Ac%25\.cc,line=12,title=allocation gate::std::map<int, "a\|b">::operator\[\]<`x`>&%25,:\*_#: alloc_space' "an annotation"
contains gate.github '^::warning file=src/soft.c,line=7' "a warning"
contains gate.github '^::notice .*renamed.*moved from old' "a notice"
lacks gate.github '^[^:]' "nothing else"

# A table row has as many cells as the table's head, whatever the names are.
contains gate.md 'Allocation gate' "markdown"
awk -F'|' '/^\|/ { if (!n) n = NF; if (NF != n) print FILENAME ": " $0 }' gate.md >rows
[ -s rows ] && bad "markdown rows: $(cat rows)"
lacks gate.md '^\|.*`x`' "backticks in a table"
contains gate.md 'std::map&#60;int, "a&#124;b"&#62;' "the name, escaped"

# Undecided and too loose ones.
profile sampled.gz --rate 524288 <<<"10 1000000 0 0 parse@src/parse.c:12;$main"
gate 3 "undecided" -base sampled.gz -o junit:u.xml -o github:u.github -o json:u.json sampled.gz
equal "$(xmllint --xpath 'count(//testcase[error])' u.xml)" 1 "undecided in JUnit"
xmllint --noout --schema "$TOP/tests/gate/junit.xsd" u.xml 2>xml.err || bad "JUnit, undecided: $(cat xml.err)"
contains u.github '^::warning ' "undecided in annotations"
gate 4 "loose" -base base.gz --two-sided --max alloc_space=1GB -o junit:l.xml -o github:l.github base.gz
contains l.github 'limit too loose' "loose in annotations"
xmllint --noout --schema "$TOP/tests/gate/junit.xsd" l.xml 2>xml.err || bad "JUnit, loose: $(cat xml.err)"
equal "$(xmllint --xpath 'count(//testcase[failure])' l.xml)" 1 "loose in JUnit: a build that ends with 4 has a failed case"
