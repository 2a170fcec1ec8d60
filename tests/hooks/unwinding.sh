#!/bin/bash
# time: 120
# quick
# Exceptions, pthread_cancel and pthread_exit through a C++ plugin of a C program run the same destructors in the same order as
# without us, with each way to walk stacks; and nobody's _Unwind_* is bound to libunwind or to us, whose own would make
# destructors at pthread_cancel silently not run.
. "$(dirname "$0")/../lib.sh"

host=$test_programs/hooks/unwound_host
plugin=$test_programs/hooks/unwound.so
"$host" "$plugin" >plain || fail "without the preload: exit status $?"
[ "$(grep -c '^~cancelled, outer$' plain)" -eq 3 ] || fail "the destructors do not run without us either"

for walker in approf approf+libunwind libunwind; do
    for rate in 1 524288; do
        APPROF_UNWIND=$walker APPROF_RATE=$rate APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/u.pb.gz" \
            timeout 60 env LD_PRELOAD="$APPROF_LIB" "$host" "$plugin" >hooked 2>err || bad "$walker, rate $rate: exit status $?"
        same plain hooked "$walker, rate $rate"
        [ -s err ] && bad "$walker, rate $rate: $(cat err)"
    done
    rm -f debug.*
    APPROF_UNWIND=$walker APPROF_RATE=1 APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/u.pb.gz" LD_DEBUG=bindings \
        LD_DEBUG_OUTPUT=$TEST_TMP/debug LD_PRELOAD="$APPROF_LIB" "$host" "$plugin" >/dev/null 2>err
    # binding file A to B: normal symbol `_Unwind_Resume'
    sed -n "s/.*binding file \(.*\) \[[0-9]*\] to \(.*\) \[[0-9]*\]: [a-z]* symbol \`\(_Unwind_[A-Za-z]*\)'.*/\1 \2 \3/p" debug.* >bindings
    [ -s bindings ] || bad "$walker: no _Unwind_* is bound at all: nothing was tested"
    # libunwind's own references stay its own business, in its own scope.
    grep -vE '^[^ ]*/libunwind[^ ]* ' bindings | grep -E '^[^ ]+ [^ ]*(libunwind|libapprof)[^ ]* ' && bad "$walker: bound to the wrong ones (above)"
done
exit 0
