#!/bin/bash
# time: 900
# needs: python3
# variant: ubsan
# Every small program that has a line `matrix:` in its head does under the preload what it does without: over glibc's allocator,
# jemalloc, tcmalloc, mimalloc and a wrapper around malloc, before and behind them, at APPROF_RATE=1 and at the default rate. Its
# output, exit status and stderr are compared; one that hangs has failed.
# matrix.sh [NAME…] runs only these programs; MATRIX_TIMES=1 prints what each took.
. "$(dirname "$0")/../lib.sh"

lib=/usr/lib/x86_64-linux-gnu
allocators=(glibc=)
for library in jemalloc=libjemalloc.so.2 tcmalloc=libtcmalloc_minimal.so.4 mimalloc=libmimalloc.so.2; do
    path=$lib/${library#*=}
    [ -e "$path" ] && allocators+=("${library%%=*}=$path") || echo "${library%%=*}: not installed, left out"
done
allocators+=("wrapper=$test_programs/hooks/naive_wrapper.so")
# What is instrumented is ours: one allocator shows it.
[ "$TEST_VARIANT" = ubsan ] && allocators=(glibc= "${allocators[-1]}")

"$PYTHON" "$TOP/tests/hooks/matrix.py" --programs "$test_programs" --library "$APPROF_LIB" \
    $(printf -- '--allocator %s ' "${allocators[@]}") "$@" || failures=1
[ "$TEST_VARIANT" = ubsan ] || [ ${#allocators[@]} -ge 4 ] || bad "only ${#allocators[@]} allocators"
exit 0
