#!/bin/bash
# elf_kinds.sh - names are right however a binary was linked and mapped, and missing rather than wrong
# where the file on disk is not the one that ran.
# time: 240
# needs: gcc readelf objcopy
. "$(dirname "$0")/../lib.sh"

probe=$test_programs/proto/elf_probe
source=$TOP/tests/proto/elf_sample.c

# build NAME FLAGS...; false when this toolchain can't
build() {
    local name=$1
    shift
    gcc -O1 -Wl,--build-id -o "$name" "$source" "$@" 2>"$name.log" && ./"$name" >"$name.lines" 2>>"$name.log" &&
        [ -s "$name.lines" ]
}

# Every line found under its own name; those given may have none.
right() {
    local name=$1 but=${2:-none} expected found
    while read -r expected found; do
        [ "$expected" = "$found" ] || { [[ $expected =~ ^($but)$ ]] && [ "$found" = - ]; } ||
            fail "$name: $expected was named $found"
    done <"$name.names"
    [ "$(wc -l <"$name.names")" -ge 6 ] || fail "$name: lines are missing"
}

none() {
    grep -vq ' -$' "$1" && fail "$2: $(grep -v ' -$' "$1" | head -1)"
    [ -s "$1" ] || fail "$2: nothing asked"
}

kinds=0
kind() {
    local name=$1
    shift
    if build "$name" "$@"; then
        "$probe" "$PWD/$name" <"$name.lines" >"$name.names" || fail "$name: the probe failed"
        right "$name"
        kinds=$((kinds + 1))
    else
        echo "not built: $name"
    fi
}

kind pie -fPIE -pie
kind nopie -fno-pie -no-pie
kind pie_one_segment -fPIE -pie -Wl,-z,noseparate-code
kind nopie_one_segment -fno-pie -no-pie -Wl,-z,noseparate-code
kind prelinked_pie -fPIE -pie -Wl,-Ttext-segment=0x7000000
kind high_nopie -fno-pie -no-pie -Wl,-Ttext-segment=0x10000000
kind split_segments -fno-pie -no-pie -Wl,--section-start=.far_text=0x900000
kind split_pie -fPIE -pie -Wl,--section-start=.far_text=0x900000
kind static -static
kind static_pie -static-pie
kind many_sections -ffunction-sections -fPIE -pie -Wl,--gc-sections,-z,max-page-size=65536
kind lld -fuse-ld=lld -fPIE -pie
kind gold -fuse-ld=gold -fPIE -pie
[ $kinds -ge 9 ] || fail "only $kinds kinds could be built"

# Stripped: .dynsym has the global names and no others, and none is given to a wrong one.
build dynsym -fPIE -pie -rdynamic -s || fail "dynsym was not built: $(cat dynsym.log)"
"$probe" "$PWD/dynsym" <dynsym.lines >dynsym.names
right dynsym 'sample_static|sample_unsized|sample_last'
grep -q '^sample_global sample_global$' dynsym.names || fail "dynsym: no global name"
build stripped -fPIE -pie -s || fail "stripped was not built"
"$probe" "$PWD/stripped" <stripped.lines >stripped.names
none stripped.names "a stripped file"

# The build id decides.
id=$(readelf -n pie | sed -n 's/.*Build ID: //p')
other=$(readelf -n nopie | sed -n 's/.*Build ID: //p')
[ -n "$id" ] && [ "$id" != "$other" ] || fail "build ids: $id $other"
"$probe" "$PWD/pie" "$id" <pie.lines >pie.names
right pie
"$probe" "$PWD/pie" "$other" <pie.lines >pie.names
none pie.names "another build id"
objcopy --remove-section=.note.gnu.build-id pie noid || fail "objcopy"
"$probe" "$PWD/noid" "$id" <pie.lines >noid.names
none noid.names "a file without a build id"

# A deleted file's name belongs to whatever came after it.
"$probe" "$PWD/pie (deleted)" <pie.lines >pie.names
none pie.names "a deleted file without a build id"
"$probe" "$PWD/pie (deleted)" "$id" <pie.lines >pie.names
right pie

# What is no file of that kind gives no names, and does not hang.
mkfifo fifo
head -c 3000 pie >cut
for file in /dev/zero /dev/stdin "$PWD/fifo" "$PWD" "$PWD/cut" "$PWD/pie.lines" "[vdso]" pie /nonexistent; do
    "$probe" "$file" <pie.lines >odd.names || fail "$file: the probe failed"
    none odd.names "$file"
done

[ "$failures" -eq 0 ]
