#!/bin/bash
# time: 900
# needs: gcc
# The request parsers of the demo servers under ASan and UBSan on mutated inputs. FUZZ_SECONDS=600 gives each ten
# minutes; FUZZ=clang runs them in libFuzzer instead.
. "$(dirname "$0")/../lib.sh"

digest=
runs=${FUZZ_RUNS:-20000}
seconds=${FUZZ_SECONDS:-}
here=$TOP/tests/demos targets=$TOP/demo-targets
flags=(-std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -pthread)
export ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=${FUZZ_LEAKS:-1} # a leak is a failure too

# fuzz NAME SOURCES…    builds and runs it; leaves its digest in $digest
fuzz() {
    local name=$1
    shift
    if [ "${FUZZ:-}" = clang ]; then
        clang "${flags[@]}" -fsanitize=fuzzer "$@" -x c - -o "$name" <<<'#include <stdint.h>
uint64_t fuzz_digest;' || fail "$name does not build"
        "./$name" -max_total_time="${seconds:-60}" -rss_limit_mb=4096 >"$name.out" 2>&1 || fail "$name: $(tail -40 "$name.out")"
        return
    fi
    gcc "${flags[@]}" "$here/fuzz_driver.c" "$@" -o "$name" || fail "$name does not build"
    # shellcheck disable=SC2086
    "./$name" "$runs" $seconds >"$name.out" 2>&1 || fail "$name: $(tail -40 "$name.out")"
    digest=$(sed -n 's/.*digest //p' "$name.out")
    echo "$name: $(cat "$name.out")"
}

fuzz redis_request "$here/fuzz_redis_request.c" "$targets/redis-clone/resp_request.c"
fuzz http_request "$here/fuzz_http_request.c" "$targets/log-search/http_request.c" "$targets/log-search/search_pattern.c"

stage=$targets/resp-stages
common=("$here/fuzz_stage_request.c" "$stage/stage_connection.c" "$targets/common/tcp_server.c")
old="$stage/command_copies.c $stage/append_file.c"
slice="$stage/line_slice.c $stage/array_header.c"
fuzz stage0 "${common[@]}" "$stage/line_growing.c" "$stage/request_tree.c" $old
wanted=$digest
fuzz stage1 "${common[@]}" "$stage/line_slice.c" "$stage/request_tree.c" $old
tree=$digest
fuzz stage3 "${common[@]}" $slice "$stage/request_direct.c" $old
direct=$digest
fuzz stage4 "${common[@]}" $slice "$stage/request_fields.c"
fields=$digest
fuzz stage5 "${common[@]}" $slice "$stage/request_shared.c" "$stage/shared_bulk.c"
shared=$digest
fuzz stage7 "${common[@]}" $slice "$stage/request_slots.c" "$stage/shared_bulk.c"
if [ -z "$seconds" ] && [ -z "${FUZZ:-}" ]; then
    # Same inputs, so the same commands.
    equal "$tree" "$wanted" "stage 1 against stage 0"
    equal "$fields" "$direct" "stage 4 against stage 3"
    equal "$shared" "$direct" "stage 5 against stage 3"
    equal "$digest" "$direct" "stage 7 against stage 3"
fi
