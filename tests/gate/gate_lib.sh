# gate_lib.sh - what the gate's tests share. Sourced after lib.sh.
# shellcheck shell=bash

# profile OUT [OPTIONS…]     a profile of the lines on standard input (gate_profiles.py)
profile() {
    "$PYTHON" "$TOP/tests/gate/gate_profiles.py" "$@" || fail "gate_profiles.py $*"
}

# gate STATUS TEXT ARGS…     approf gate ARGS ends with STATUS; its output is in gate.out and gate.err
gate() {
    local wanted=$1 text=$2 got
    shift 2
    approf gate "$@" >gate.out 2>gate.err
    got=$?
    if [ "$got" != "$wanted" ]; then
        bad "$text: exit status $got, wanted $wanted (approf gate $*)"
        head -25 gate.out gate.err
    fi
    # Whoever can't pass or judge says why, and what to do.
    if [ "$got" = 2 ] || { [ "$got" = 3 ] && [ ! -s gate.out ]; }; then
        grep -q '^approf: ' gate.err || bad "$text: no message"
        grep -q '^hint: ' gate.err || bad "$text: no hint"
    fi
    case $got in 0 | 1 | 2 | 3 | 4) ;; *) bad "$text: $(tail -5 gate.err)" ;; esac
}
