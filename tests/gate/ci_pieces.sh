#!/bin/bash
# time: 180
# needs: make cc
# The pieces to copy in ci/: the Makefile rule is run, and so is the command of the workflow and of the job.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/gate/gate_lib.sh"
"$PYTHON" -c 'import yaml' 2>/dev/null || skip "missing: python3-yaml"

mkdir bin && ln -s "$APPROF_BIN" bin/approf && ln -s "$APPROF_LIB" bin/libapprof.so
export PATH="$TEST_TMP/bin:$PATH"
cat >bench.c <<'C'
#include <stdlib.h>
static void *volatile sink;
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 1000 * argc; i++) {
        void *p = malloc(50);
        sink = p;
        free(p);
    }
    return 0;
}
C
cc -g -o bench bench.c || fail "cc"

# A command with both kinds of quotes in it.
cat >Makefile <<'M'
GATE_CMD = ./bench $(MORE); test 'a b' = "a b"
GATE_PROGRAM = bench
include gate.mk
M
cp "$TOP/ci/gate.mk" .
run_make() {
    make --no-print-directory "$@" >make.out 2>make.err
}
run_make gate && bad "make gate passes without a baseline"
run_make gate-update || bad "make gate-update: $(cat make.err)"
contains allocations.txt '^program bench$' "the baseline"
run_make gate || bad "make gate: $(cat make.err make.out)"
run_make gate MORE=x && bad "make gate passes with twice as much"
contains make.out 'at bench.c:7' "make gate: the line"
run_make gate MORE=x GATE_LIMITS='--max-growth alloc_space=100%' || bad "GATE_LIMITS: $(cat make.err make.out)"
printf 'all:\n\ninclude gate.mk\n' >Makefile
run_make gate && bad "make gate passes without a command"

# The steps of the workflow and the job, as their shells would run them.
"$PYTHON" - "$TOP/ci" <<'PY' || fail "the yaml files (above)"
import sys, yaml
workflow = yaml.safe_load(open(sys.argv[1] + "/github-workflow.yml"))
steps = workflow["jobs"]["gate"]["steps"]
assert workflow[True].keys() == {"pull_request", "push"}, "on"
assert all(("run" in s) != ("uses" in s) for s in steps), "each step runs or uses"
gate = [s for s in steps if "approf gate" in s.get("run", "")]
assert len(gate) == 1
open("github.sh", "w").write(gate[0]["run"])
job = yaml.safe_load(open(sys.argv[1] + "/gitlab-ci.yml"))["allocations"]
assert job["artifacts"]["reports"]["junit"] == "allocations.xml"
open("gitlab.sh", "w").write("\n".join(job["script"]) + "\n")
PY
export GATE_BASELINE=allocations.txt GITHUB_STEP_SUMMARY=$TEST_TMP/step-summary.md
for shell in github gitlab; do
    : >step-summary.md
    rm -f allocations.xml
    GATE_CMD=./bench bash -eo pipefail "$shell.sh" >step.out 2>&1 || bad "$shell: $(cat step.out)"
    [ -s allocations.xml ] || bad "$shell: no JUnit report"
    GATE_CMD='./bench x' bash -eo pipefail "$shell.sh" >step.out 2>&1
    equal $? 1 "$shell: exit status of a regression"
    GATE_CMD='false' bash -eo pipefail "$shell.sh" >failed.out 2>&1
    equal $? 3 "$shell: exit status of a command that fails"
    [ "$shell" = gitlab ] && continue
    contains step.out '^::error file=bench.c,line=7,' "github: the annotation"
    contains step-summary.md 'Allocation gate' "github: the summary"
done
