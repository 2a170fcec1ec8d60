#!/bin/bash
# Bad values of the environment's variables: each is named on stderr once, the default is used, and the program runs as ever.
. "$(dirname "$0")/../lib.sh"

program=$test_programs/real/exit_paths
"$program" return 2>/dev/null >plain.out
plain=$?

# warned VARIABLE VALUE
warned() {
    rm -rf out && mkdir out
    (
        export "$1=$2"
        [ "$1" = APPROF_OUT ] || export APPROF_OUT=$PWD/out/%e.%p.pb.gz
        cd out && preload "$program" return
    ) >run.out 2>run.err
    equal "$?" "$plain" "$1='$2': exit status"
    same plain.out run.out "$1='$2': output"
    equal "$(grep -c "$1" run.err)" 1 "$1='$2': named once on stderr ($(head -2 run.err))"
    contains run.err "^approf: .*$1" "$1='$2': the form of the message"
    [ "$(wc -l <run.err)" -le 2 ] || bad "$1='$2': more than an error and a hint: $(cat run.err)"
    readable out/*.pb.gz
}
for value in fast -1 1e99 99999999999999999999 '12 monkeys' 0x; do
    warned APPROF_RATE "$value"
done
for value in much -1% 0 0% 101% 1%% 1.2.3 . %; do
    warned APPROF_OVERHEAD "$value"
done
warned APPROF_DEPTH none
warned APPROF_DEPTH 0
warned APPROF_DEPTH 1000000000
warned APPROF_MEMORY lots
warned APPROF_MEMORY -5
warned APPROF_UNWIND magic
warned APPROF_SYMBOLIZE maybe

# And good ones are not spoken of: nothing is ever written to the target's stderr.
for setting in APPROF_RATE=1 APPROF_RATE=524288 APPROF_RATE=0 APPROF_DEPTH=32 APPROF_MEMORY=64M APPROF_TABLES=off \
    APPROF_SYMBOLIZE=0 APPROF_UNWIND=libunwind APPROF_ONLY='nothing*' APPROF_SEED=7 APPROF_OVERHEAD=1% APPROF_OVERHEAD=0.25; do
    (
        export "${setting?}"
        export APPROF_OUT=$PWD/quiet.pb.gz
        preload "$program" return
    ) >run.out 2>run.err
    equal "$?" "$plain" "$setting: exit status"
    same plain.out run.out "$setting: output"
    [ -s run.err ] && bad "$setting: on stderr: $(head -2 run.err)"
done
exit 0
