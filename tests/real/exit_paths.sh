#!/bin/bash
# time: 120
# Every way out of a process leaves its figures: a profile where the process could still write one, with all that static
# destructors and exit handlers allocated; tables where it could not.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/real/exit_paths
mkdir -p tables && chmod 700 tables
export APPROF_TABLES=$PWD/tables

# run WAY STATUS   runs it at RATE=1; the exit status is the program's own
run() {
    local way=$1 status
    rm -f out.pb.gz tables/*
    (
        ulimit -c 0
        # exec: a shell in between would report the signal.
        exec env APPROF_RATE=1 APPROF_OUT="$PWD/out.pb.gz" LD_PRELOAD="$APPROF_LIB" "$program" "$way" \
            >"$way.out" 2>"$way.err"
    ) 2>/dev/null
    status=$?
    equal "$status" "$2" "$way: exit status"
    contains "$way.out" '^ready$' "$way: output"
    [ -s "$way.err" ] && bad "$way: on stderr: $(head -2 "$way.err")"
}

# has WAY FUNCTION OBJECTS BYTES
has() {
    local pattern="$2(\\((void)?\\))?"
    equal "$(cum alloc_objects "$pattern" out.pb.gz) $(cum alloc_space "$pattern" out.pb.gz)" "$3 $4" "$1: $2"
}

# written WAY   one profile, readable, and the tables are gone
written() {
    readable out.pb.gz
    has "$1" in_main 100 100000
    find tables -type f | grep . && bad "$1: tables are left although there is a profile"
    [ "$(stat -c %a out.pb.gz)" = 600 ] || bad "$1: mode of the profile is $(stat -c %a out.pb.gz)"
    find . -maxdepth 1 -name 'out.pb.gz?*' | grep . && bad "$1: something is left beside the profile"
}

for way in return:3 exit:4; do
    run "${way%:*}" "${way#*:}"
    written "${way%:*}"
    has "${way%:*}" in_atexit 20 1000
    has "${way%:*}" in_static_destructor 10 7000
    has "${way%:*}" in_destructor_function 40 440
    has "${way%:*}" in_at_quick_exit 0 0
done
run quick_exit 5
written quick_exit
has quick_exit in_at_quick_exit 30 1800
has quick_exit in_static_destructor 0 0
for way in _exit:6 _Exit:7; do
    run "${way%:*}" "${way#*:}"
    written "${way%:*}"
    has "${way%:*}" in_static_destructor 0 0
done

# What ends without a goodbye leaves its tables, which every command reads.
for way in abort:134 segv:139 term:143 kill:137 exec:0; do
    run "${way%:*}" "${way#*:}"
    way=${way%:*}
    tables=$(grep -l . tables/exit_paths.*.heap 2>/dev/null | head -1)
    if [ -z "$tables" ]; then
        bad "$way: no tables are left: $(ls tables)"
        continue
    fi
    approf top -sample_index=alloc_space "$tables" >top.out 2>top.err || bad "$way: approf top: exit $?: $(head -2 top.err)"
    contains top.out ' in_main' "$way: the tables know what was allocated"
    approf raw "$tables" >raw.out 2>raw.err || bad "$way: approf raw: exit $?"
    # 100 samples of 1000 bytes each are on one line, with their class: 100 and 100000, all of it still in use
    contains raw.out '^ +100 +100000 +100 +100000: ' "$way: exact figures"
done
contains exec.out '^another program$' "exec: the other program ran"

# A file that exists is never overwritten.
run return 3
APPROF_RATE=1 APPROF_OUT=$PWD/out.pb.gz preload "$program" return >/dev/null
[ -s out.pb.gz.2 ] || [ -s out.2.pb.gz ] || bad "a second run left no second file: $(ls)"
exit 0
