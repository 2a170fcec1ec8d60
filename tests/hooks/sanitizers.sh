#!/bin/bash
# time: 1800
# variant: none
# needs: gcc g++ clang clang++ python3
# Programs that are built with a sanitizer, by gcc and by clang, with a shared runtime and with one inside: under a bare preload each
# prints the same, report and all, and ends the same; `approf run` refuses it and says which sanitizer. Without an allocator of its own
# (-fsanitize=undefined) it is profiled.
. "$(dirname "$0")/../lib.sh"

source_file=$TOP/tests/hooks/sanitized.cc
lib=/usr/lib/x86_64-linux-gnu
# Names would need llvm-symbolizer; places in a file tell as well whose frames a stack has.
for tool in ASAN LSAN TSAN MSAN UBSAN; do export ${tool}_OPTIONS=symbolize=0:atexit_sleep_ms=0; done

built() { # NAME COMPILER ARGUMENTS…     false, with a word, where the compiler has no such runtime; it may also not work here
    local name=$1
    shift
    if ! "$@" -g -O1 "$source_file" -o "$name" -pthread 2>build.err || ! ./"$name" none >none.out 2>&1 && [ "$(tail -1 none.out)" != "a child ended with 5" ]; then
        echo "$name: does not work here, left out: $(cat build.err none.out | head -2)"
        return 1
    fi
}

normal() {
    sed -E 's/==[0-9]+==/==PID==/; s/0x[0-9a-f]+/ADDRESS/g; s/pid=[0-9]+/pid/g; s/tid=[0-9]+/tid/g; s/BuildId: [0-9a-f]+//' "$1" >"$1.n"
}

# as_without NAME FAULT STATUS TEXT     the fault is found, with the preload as without: the same status and every word of the report
as_without() {
    local name=$1 fault=$2 wanted=$3 text=$4 file
    ./"$name" "$fault" >plain.out 2>plain.err
    equal $? "$wanted" "$name $fault, without the preload"
    APPROF_RATE=1 APPROF_OUT=$TEST_TMP/$name.pb.gz APPROF_SYMBOLIZE=0 preload ./"$name" "$fault" >pre.out 2>pre.err
    equal $? "$wanted" "$name $fault: exit status"
    if [ -n "$text" ]; then
        contains plain.err "$text" "$name $fault, without the preload"
        contains pre.err "$text" "$name $fault"
    fi
    # Which accesses of a race are reported differs from run to run.
    [ "$fault" = race ] && return
    for file in plain pre; do normal $file.err; done
    same plain.out pre.out "$name $fault: output"
    same plain.err.n pre.err.n "$name $fault: report"
}

refused() { # NAME TEXT
    approf run -- ./"$1" >out 2>said </dev/null
    equal $? 2 "$1: approf run"
    contains said "^approf: .*is built with $2\$" "$1"
    contains said '^hint: ' "$1"
    [ -s out ] && bad "$1: was run all the same"
    [ -e "$1.pb.gz" ] && bad "$1: a profile under a bare preload"
}

clang_runtime=$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")
seen=0
for build in "gcc-shared g++" "gcc-inside g++ -static-libasan" "clang-inside clang++" \
    "clang-shared clang++ -shared-libasan -Wl,-rpath,$clang_runtime" "gcc-options g++ -DOWN_OPTIONS" "gcc-fixed g++ -no-pie"; do
    read -r name command <<<"$build"
    # shellcheck disable=SC2086 # the command is words
    built asan-$name $command -fsanitize=address || continue
    seen=$((seen + 1))
    error=1
    [ $name = gcc-options ] && error=77
    as_without asan-$name none 3 ''
    as_without asan-$name use_after_free $error 'AddressSanitizer: heap-use-after-free'
    as_without asan-$name leak $error 'leak of 3996 byte.* in 4 object'
    [ $name = gcc-shared ] && {
        as_without asan-$name mismatch $error 'AddressSanitizer: alloc-dealloc-mismatch'
        as_without asan-$name overrun $error 'AddressSanitizer: heap-buffer-overflow'
        as_without asan-$name leak_and_exit 0 ''
    }
    refused asan-$name AddressSanitizer
done

for compiler in g++ clang++; do
    built lsan-$compiler $compiler -fsanitize=leak && seen=$((seen + 1)) && {
        as_without lsan-$compiler none 3 ''
        as_without lsan-$compiler leak 23 'leak of 3996 byte.* in 4 object'
        refused lsan-$compiler LeakSanitizer
    }
done

for build in "shared g++" "inside g++ -static-libtsan" "clang clang++"; do
    read -r name command <<<"$build"
    # shellcheck disable=SC2086
    built tsan-$name $command -fsanitize=thread || continue
    seen=$((seen + 1))
    as_without tsan-$name none 3 '' # no race: our own tables are none of its business
    as_without tsan-$name race 66 'ThreadSanitizer: data race'
    refused tsan-$name ThreadSanitizer
done

# It takes what a C++ library that is not built with it writes for uninitialised, and stops there, with us or without.
clang++ -fsanitize=memory -g -O1 "$source_file" -o msan -pthread 2>build.err && seen=$((seen + 1)) && {
    as_without msan none 1 'MemorySanitizer: use-of-uninitialized-value'
    refused msan MemorySanitizer
}

for build in "shared g++" "inside g++ -static-libubsan" "clang clang++"; do
    read -r name command <<<"$build"
    # shellcheck disable=SC2086
    built ubsan-$name $command -fsanitize=undefined || continue
    seen=$((seen + 1))
    as_without ubsan-$name shift 3 'runtime error: shift exponent 40 is too large'
    readable ubsan-$name.pb.gz ubsan-$name.pb.gz.2 # the child's, its parent's
    [ "$(cum alloc_space '.*work.*' ubsan-$name.pb.gz*)" -gt 1000000 ] || bad "ubsan-$name: work is not seen"
    approf run -quiet -o run.pb.gz -- ./ubsan-$name none >out 2>said || [ $? -eq 3 ] || bad "ubsan-$name: approf run: $(cat said)"
    readable run.pb.gz
done
[ "$seen" -gt 0 ] || skip "no compiler here has a sanitizer that works"

# A runtime that is preloaded itself, before us and behind us.
runtime=$(gcc -print-file-name=libasan.so)
g++ -g -O1 "$source_file" -o unsanitized -pthread || fail "$source_file"
if [ -e "$runtime" ]; then
    runtime=$(readlink -f "$runtime")
    LD_PRELOAD=$runtime ./unsanitized leak >plain.out 2>plain.err
    contains plain.err 'leak of 3996 byte' "the runtime preloaded"
    normal plain.err
    for order in "$runtime:$APPROF_LIB" "$APPROF_LIB:$runtime"; do
        LD_PRELOAD=$order ./unsanitized leak >pre.out 2>pre.err
        equal $? 1 "$order: exit status"
        normal pre.err
        same plain.err.n pre.err.n "$order"
    done
    LD_PRELOAD=$APPROF_LIB:$runtime APPROF_VERBOSE=1 ./unsanitized leak >pre.out 2>pre.err
    contains pre.err "^approf: a sanitizer's allocator is in this process: not profiled\$" "asked for words"
fi
exit 0
