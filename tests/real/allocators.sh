#!/bin/bash
# time: 180
# A C++ program over glibc's allocator, jemalloc, tcmalloc and mimalloc: linked with it, and with it preloaded behind us. Every
# allocation is seen (RATE=1, exact counts by function), operator new and delete in all forms included.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"

program=$test_programs/real/allocators
"$program" >expected || fail "the program fails by itself"

# check NAME FILE    the profile has exactly what the program says
check() {
    local name=$1 file=$2 objects bytes
    objects=$(cum alloc_objects 'arrays(\(int\))?' "$file") bytes=$(cum alloc_space 'arrays(\(int\))?' "$file")
    equal "$objects $bytes" "4000 3000000" "$name: new[] and nothrow new[]"
    objects=$(cum alloc_objects 'aligned(\(int\))?' "$file") bytes=$(cum alloc_space 'aligned(\(int\))?' "$file")
    equal "$objects $bytes" "500 96000" "$name: aligned new"
    objects=$(cum alloc_objects 'by_malloc(\(int\))?' "$file") bytes=$(cum alloc_space 'by_malloc(\(int\))?' "$file")
    equal "$objects $bytes" "700 210000" "$name: malloc"
    # 400 objects and the vector's own array
    objects=$(cum alloc_objects 'kept(\(int\))?' "$file") bytes=$(cum alloc_space 'kept(\(int\))?' "$file")
    equal "$objects $bytes" "401 28800" "$name: plain operator new, kept"
    # The vector is freed by its static destructor, which the profile has seen; what it pointed to was not.
    equal "$(cum inuse_space 'kept(\(int\))?' "$file")" 25600 "$name: what is kept is in use"
    equal "$(cum inuse_space 'arrays(\(int\))?' "$file")" 0 "$name: what is deleted is not in use"
    # 1000 ints; the vector that holds them grows beside them
    objects=$("$PYTHON" "$TOP/tests/pprof_sum.py" --cum '.*Basket::add_items.*' --label bytes alloc_objects "$file")
    [ "$objects" -ge 1000 ] && [ "$objects" -le 1020 ] || bad "$name: add_items has $objects objects"
    "$PYTHON" "$TOP/tests/pprof_sum.py" --functions "$file" >functions
    contains functions 'shop::Basket::add_items(\(int\))?$' "$name: a method's name"
    contains functions 'shop::make_one' "$name: a template's name"
}

# run NAME PROGRAM   under $LD_PRELOAD's allocator, when that is set
run() {
    local name=$1 program=$2
    rm -f "$name.pb.gz"
    APPROF_RATE=1 APPROF_OUT=$PWD/$name.pb.gz preload "$program" >"$name.out" 2>"$name.err" || bad "$name: exit status $?"
    same expected "$name.out" "$name: output"
    [ -s "$name.err" ] && bad "$name: on stderr: $(head -3 "$name.err")"
    if [ -s "$name.pb.gz" ]; then
        readable "$name.pb.gz"
        check "$name" "$name.pb.gz"
    else
        bad "$name: no profile"
    fi
}

run glibc "$program"
found=0
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    path=$(ldconfig -p | awk -v l="$library" '$1 == l { print $NF; exit }')
    if [ -z "$path" ]; then
        echo "not here: $library"
        continue
    fi
    found=$((found + 1))
    LD_PRELOAD=$path run "preloaded-$library" "$program"
    # As a program that was built for it has it.
    g++ -std=c++17 -g -O1 -pthread -o "linked-$library-program" "$TOP/tests/real/allocators.cc" -Wl,--no-as-needed \
        "-l:$library" || fail "cannot link with $library"
    run "linked-$library" "./linked-$library-program"
done
[ "$found" -ge 2 ] || bad "of jemalloc, tcmalloc and mimalloc only $found are here"
