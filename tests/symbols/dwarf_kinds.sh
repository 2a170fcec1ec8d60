#!/bin/bash
# time: 300
# needs: gcc g++ clang addr2line llvm-symbolizer readelf objdump python3
# variant: san
# Lines, inlined frames and names out of every kind of DWARF that compilers make, judged by addr2line and
# llvm-symbolizer at every call.
. "$(dirname "$0")/../lib.sh"
here=$TOP/tests/symbols

judge() { # NAME OPTIONS…
    local name=$1
    shift
    "$here/against_addr2line.py" "$@" > judged 2>&1 || { tail -n 8 judged | cut -c1-600; bad "$name"; }
}

for compiler in gcc clang; do
    for dwarf in 4 5; do
        for level in -O0 -O2; do
            for kind in "" -no-pie -gz=zlib -gsplit-dwarf "-ffunction-sections -Wl,--gc-sections"; do
                [ "$level$kind" = "-O0" ] || [ "$level" = -O2 ] || continue
                # shellcheck disable=SC2086
                $compiler $level -g -gdwarf-$dwarf $kind "$here/chain.c" -o chain ||
                    fail "does not compile: $compiler $dwarf $level $kind"
                judge "$compiler $dwarf $level $kind" chain
            done
        done
        ${compiler/gcc/g++} -O2 -g -gdwarf-$dwarf "$here/shop.cc" -o shop -lstdc++ || fail "shop.cc with $compiler"
        judge "C++ $compiler $dwarf" shop
    done
done

g++ -O2 -g -flto "$here/shop.cc" -o lto 2> lto.log && judge "link-time optimization" lto
g++ -O2 -g -fPIC -shared "$here/shop.cc" -o shop.so && judge "shared library" shop.so
g++ -O2 -g -no-pie -Wl,-Ttext-segment=0x10000000 "$here/shop.cc" -o moved && judge "another load address" moved
g++ -O2 -g -Wl,-z,noseparate-code "$here/shop.cc" -o joined && judge "code in the first segment" joined
g++ -O2 -g -fuse-ld=gold "$here/shop.cc" -o gold && judge "linked by gold" gold
judge "one mapping for the whole image" shop.so --whole-image
judge "a profile without build ids" shop --no-build-id
# Not only calls: any byte of code.
judge "every seventh byte" shop --every 7 --allow 0.04 # bytes between functions belong to none
cp shop "with space:colon" && judge "spaces and colons in the path" "with space:colon"
