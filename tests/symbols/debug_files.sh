#!/bin/bash
# time: 180
# needs: gcc addr2line objcopy strip readelf objdump python3
# variant: san
# Debug information that lies elsewhere is found, and only that of the same build.
. "$(dirname "$0")/../lib.sh"
here=$TOP/tests/symbols
export HOME=$TEST_TMP/home

judge() { # NAME OPTIONS…
    local name=$1
    shift
    "$here/against_addr2line.py" "$@" > judged 2>&1 || { tail -n 8 judged | cut -c1-600; bad "$name"; }
}
refused() { # NAME TEXT OPTIONS…
    local name=$1 text=$2
    shift 2
    "$here/against_addr2line.py" "$@" > judged 2>&1 && bad "$name: was not refused"
    grep -q "$text" judged || { cut -c1-300 judged; bad "$name: does not say '$text'"; }
    grep -q "AddressSanitizer\|status -" judged && bad "$name: crashed"
}

gcc -O2 -g "$here/chain.c" -o full -Wl,--build-id || fail "compile"
id=$(readelf -nW full | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug full full.debug
strip -o stripped full

gcc -O2 -fPIC -shared "$here/chain.c" -o names.so && strip names.so
judge "no debug information: dynamic symbols only" names.so --names-only

# debuglink: beside the binary, and in .debug
mkdir link link/.debug
cp stripped link/linked
cp full.debug link/linked.debug
(cd link && objcopy --add-gnu-debuglink=linked.debug linked)
judge "debuglink" link/linked --judge full
mv link/linked.debug link/.debug/
judge "debuglink in .debug" link/linked --judge full
# one of another build is not used: its CRC and build id differ
gcc -O1 -g "$here/chain.c" -o other -Wl,--build-id
objcopy --only-keep-debug other link/.debug/linked.debug
refused "debuglink of another build" "0 same" link/linked --judge full

# the symbol path, by build id in each of its forms, and by name
for place in "$id/stripped" "${id:0:2}/${id:2}.debug" ".build-id/${id:0:2}/${id:2}.debug" stripped.debug; do
    rm -rf store && mkdir -p "$(dirname "store/$place")"
    cp full.debug "store/$place"
    judge "symbol path: $place" stripped --judge full --symbol-path "$TEST_TMP/store"
    PPROF_BINARY_PATH=$TEST_TMP/nothing:$TEST_TMP/store judge "PPROF_BINARY_PATH: $place" stripped --judge full
done
rm -rf store && mkdir -p "store/$id" && cp full "store/$id/anything"
judge "the binary itself in the symbol path" stripped --path /nowhere/full --judge full --symbol-path "$TEST_TMP/store"
rm -rf store && mkdir -p "store/$id" && cp full.debug "store/$id/full"
judge "the binary is gone, its debug file is here" stripped --path /nowhere/full --judge full --symbol-path "$TEST_TMP/store"

# the wrong build
refused "another build" "another build than the profiled one" other --judge full
refused "another build in the symbol path" "another build" full --path "$TEST_TMP/other" --symbol-path "$TEST_TMP" --judge full
gcc -O2 -g "$here/chain.c" -o anonymous -Wl,--build-id=none
refused "a build id is asked for, the file has none" "build id missing" anonymous --judge full
refused "nothing there" "not here" full --path /nowhere/at/all
judge "neither has a build id" anonymous

# what is no program
mkfifo pipe
refused "a pipe" "not here" full --path "$TEST_TMP/pipe"
refused "a directory" "not here" full --path "$TEST_TMP"
refused "a device" "not here" full --path /dev/zero
head -c 3000 full > cut
refused "a file that was cut off" "not here\|another build\|0 same" cut --path "$TEST_TMP/cut" --judge full

# compressed debug sections in the separate file
objcopy --compress-debug-sections=zlib full.debug packed.debug
rm -rf store && mkdir -p "store/${id:0:2}" && cp packed.debug "store/${id:0:2}/${id:2}.debug"
judge "compressed sections in a separate file" stripped --judge full --symbol-path "$TEST_TMP/store"

# Debian's own: /usr/lib/debug/.build-id, with a supplementary file by dwz where there is one
libc=$(ldd full | sed -n 's/.*=> \(.*libc\.so\.6\) .*/\1/p')
libc_id=$(readelf -nW "$libc" | sed -n 's/.*Build ID: //p')
if [ -e "/usr/lib/debug/.build-id/${libc_id:0:2}/${libc_id:2}.debug" ]; then
    judge "libc with libc6-dbg" "$libc" --most 2000 --allow 0.03
fi
