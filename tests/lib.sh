# lib.sh - what the test scripts share. Source it first:
#
#   #!/bin/bash
#   # time: 60
#   . "$(dirname "$0")/../lib.sh"
#
# tests/run-tests.py sets BUILD, APPROF_BIN, APPROF_LIB, TEST_TMP and TEST_VARIANT; a script that is run by
# hand gets the plain build and a temporary folder that goes when it ends. Scripts run in $TEST_TMP.
# shellcheck shell=bash

set -u -o pipefail

# has PATTERN…   grep -q for the end of a pipe: it reads all of it. grep -q leaves at the first match, the one who still writes then
# dies of SIGPIPE, and with pipefail a match counts as none, now and then.
has() {
    grep "$@" >/dev/null
}

TOP=${TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
BUILD=${BUILD:-$TOP/build}
APPROF_BIN=${APPROF_BIN:-$BUILD/approf}
APPROF_LIB=${APPROF_LIB:-$BUILD/libapprof.so}
TEST_VARIANT=${TEST_VARIANT:-}
PYTHON=${PYTHON:-$(python3 -c 'import sys; print(sys.executable)')} # not a wrapper script
test_programs=$BUILD/tests
test_area=$(basename "$(cd "$(dirname "$0")" && pwd)")

if [ -z "${TEST_TMP:-}" ]; then
    TEST_TMP=$(mktemp -d "${TMPDIR:-/tmp}/approf-test-XXXXXX")
    chmod 711 "$TEST_TMP"
    own_tmp=yes
fi
export TOP BUILD APPROF_BIN APPROF_LIB TEST_TMP LC_ALL=C.UTF-8 TZ=UTC TERM=dumb
cd "$TEST_TMP" || exit 1

# Tables of tests lie apart from the user's own and from other tests' (dead ones of the same exe are removed).
# A test of the default place unsets this.
export APPROF_TABLES=${APPROF_TABLES:-$TEST_TMP/tables}
mkdir -p "$APPROF_TABLES" && chmod 700 "$APPROF_TABLES"

started_pids=()
failures=0

# SIGTERM, again after a second, SIGKILL after ten: a child that has only just been forked can still
# have the shell's own handler, and what that catches is lost with the exec.
end_child() {
    local tries
    for ((tries = 0; tries <= 200; tries++)); do
        case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
            '' | Z*) break ;;
        esac
        [ $((tries % 20)) -eq 0 ] && kill "$1" 2>/dev/null
        [ "$tries" -eq 200 ] && kill -KILL "$1" 2>/dev/null
        sleep 0.05
    done
    wait "$1" 2>/dev/null
}

# also_at_end COMMAND   what else goes when the test ends, ahead of its processes
at_end_commands=
also_at_end() {
    at_end_commands+="$1"$'\n'
}

at_end() {
    local status=$? pid
    trap - EXIT
    eval "$at_end_commands"
    for pid in "${started_pids[@]:-}"; do
        [ -n "$pid" ] && end_child "$pid"
    done
    cd /
    [ "${own_tmp:-}" = yes ] && rm -rf "$TEST_TMP"
    if [ "$status" -eq 0 ] && [ "$failures" -gt 0 ]; then
        echo "$failures check(s) failed"
        status=1
    fi
    exit "$status"
}
trap at_end EXIT
trap 'exit 143' TERM INT

# fail TEXT…          ends the test as failed
# bad TEXT…           notes a failure and goes on; the test fails at its end
# skip TEXT…          ends the test as skipped
fail() {
    echo "FAILED: $*"
    exit 1
}
bad() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
skip() {
    echo "$*"
    exit 77
}

# need COMMAND…       skips when one is missing (rather declare `# needs:`)
need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "missing: $tool"
    done
}

# preload CMD ARGS…   runs CMD under libapprof.so; set APPROF_OUT and the like in front of it
preload() {
    LD_PRELOAD="$APPROF_LIB${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
}

# approf ARGS…        the command under test
approf() {
    "$APPROF_BIN" "$@"
}

# free_port           a port of 127.0.0.1 that nobody listens on just now
free_port() {
    "$PYTHON" -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start CMD ARGS…     in the background, ended at the end of the test; its pid in $started
start() {
    "$@" &
    started=$!
    started_pids+=("$started")
}

# stop PID            SIGTERM, and wait; returns its exit status
stop() {
    kill -TERM "$1" 2>/dev/null
    wait "$1"
}

# wait_for SECONDS CMD…   until CMD succeeds; fails after SECONDS
wait_for() {
    local tries=$(($1 * 20))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.05
    done
}

# port_open PORT      someone listens on 127.0.0.1:PORT
port_open() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# same FILE1 FILE2 TEXT…  files are equal, else their difference is shown and noted
same() {
    local a=$1 b=$2
    shift 2
    if ! cmp -s "$a" "$b"; then
        bad "$*: $a and $b differ"
        diff -u "$a" "$b" | head -40
    fi
}

# equal GOT WANTED TEXT…
equal() {
    local got=$1 wanted=$2
    shift 2
    [ "$got" = "$wanted" ] || bad "$*: got '$got', wanted '$wanted'"
}

# contains FILE REGEXP TEXT…      (extended regular expression)
contains() {
    local file=$1 pattern=$2
    shift 2
    if ! grep -Eq -- "$pattern" "$file"; then
        bad "$*: nothing in $file matches /$pattern/:"
        head -30 "$file"
    fi
}

# lacks FILE REGEXP TEXT…
lacks() {
    local file=$1 pattern=$2
    shift 2
    if grep -Eq -- "$pattern" "$file"; then
        bad "$*: $file has what it must not, /$pattern/:"
        grep -E -- "$pattern" "$file" | head -5
    fi
}

# readable FILE…      approf reads it without a complaint; so does `go tool pprof` where there is one
readable() {
    local file
    for file in "$@"; do
        if [ ! -s "$file" ]; then
            bad "no profile $file"
            continue
        fi
        approf top "$file" >readable.out 2>readable.err || bad "approf top $file: exit $?"
        # That an empty profile is empty may be said.
        grep -v '^hint: the profile has no samples' readable.err >readable.complaints &&
            bad "approf top $file complains: $(head -3 readable.complaints)"
        [ -s readable.out ] || bad "approf top $file prints nothing"
        if command -v go >/dev/null; then
            go_pprof -top "$file" >readable.out 2>readable.err || bad "go tool pprof -top $file: exit $?"
            [ -s readable.err ] && bad "go tool pprof $file complains: $(head -3 readable.err)"
        fi
    done
}

# go_pprof ARGS…      Go's own tool, without a home of its own, without the preload; -top and the like as given
go_pprof() {
    mkdir -p "$TEST_TMP/go-home"
    env -u LD_PRELOAD HOME="$TEST_TMP/go-home" PPROF_TMPDIR="$TEST_TMP/go-home" GOTOOLCHAIN=local GOFLAGS=-mod=mod \
        PPROF_BINARY_PATH="${PPROF_BINARY_PATH:-}" go tool pprof "$@"
}

# total TYPE FILE…            the sum of a sample type over files, in its plain unit
# cum TYPE REGEXP FILE…       of the samples with a function of that whole name anywhere on the stack
# flat TYPE REGEXP FILE…      of those with it innermost
# All read by the tests' own decoder.
total() {
    "$PYTHON" "$TOP/tests/pprof_sum.py" "$@"
}
cum() {
    "$PYTHON" "$TOP/tests/pprof_sum.py" --cum "$2" "$1" "${@:3}"
}
flat() {
    "$PYTHON" "$TOP/tests/pprof_sum.py" --flat "$2" "$1" "${@:3}"
}
