#!/bin/bash
# time: 60
# quick
# A C program that loads a C++ plugin, local, global or with RTLD_DEEPBIND, behaves as without the
# preload: operator new is found in the plugin's own scope, bad_alloc is thrown, and a free always
# reaches the allocator that gave the pointer. (pitfalls: RTLD_DEEPBIND mixes allocators; C++ exceptions)
. "$(dirname "$0")/../lib.sh"

host=$test_programs/hooks/plugin_host
for scope in local deep global; do
    for rate in 1 524288; do
        "$host" "$test_programs/hooks/plugin.so" $scope >plain
        rm -f p.pb.gz
        APPROF_RATE=$rate APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/p.pb.gz" LD_PRELOAD=$APPROF_LIB \
            "$host" "$test_programs/hooks/plugin.so" $scope >hooked 2>err || bad "$scope, rate $rate: exit status $?"
        same plain hooked "$scope, rate $rate"
        [ -s err ] && bad "$scope, rate $rate: $(cat err)"
    done
done

# 4 operators and an exception, thrown twice, per round; the failing new[] makes an exception of its own.
for scope in local global; do
    APPROF_RATE=1 APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/$scope.pb.gz" LD_PRELOAD=$APPROF_LIB \
        "$host" "$test_programs/hooks/plugin.so" $scope >/dev/null
    "$test_programs/hooks/site_sums" $scope.pb.gz plugin_site >sums || fail "$(cat sums)"
    read -r _ objects _ < <(grep '^no' sums)
    [ "$objects" -ge 180 ] && [ "$objects" -le 240 ] || bad "$scope: $objects objects under plugin_site"
done
exit 0
