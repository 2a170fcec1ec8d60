#!/bin/bash
# time: 60
# quick
# Once the program has installed a seccomp filter, through prctl, seccomp(2) or in strict mode, the hook
# makes no system call any more: not when it samples, and not at exit. The tables stand in for the file.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/hooks/seccomp_ways
for way in strict prctl syscall; do
    "$program" $way >plain
    status=$?
    [ $status -eq 77 ] && skip "no seccomp here"
    for rate in 1 524288; do
        rm -rf s.pb.gz "${APPROF_TABLES:?}"/*
        APPROF_RATE=$rate APPROF_OUT="$TEST_TMP/s.pb.gz" LD_PRELOAD=$APPROF_LIB "$program" $way >hooked 2>err
        [ $? -eq $status ] || bad "$way, rate $rate: another exit status than $status"
        same plain hooked "$way, rate $rate"
        [ -s err ] && bad "$way, rate $rate: $(cat err)"
        [ -e s.pb.gz ] && bad "$way, rate $rate: wrote a profile"
        compgen -G "$APPROF_TABLES/seccomp_ways.*.heap" >/dev/null || bad "$way, rate $rate: no tables"
    done
done
exit 0
