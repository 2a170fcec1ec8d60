#!/bin/bash
# time: 240
# needs: go nm c++filt g++ python3
# variant: san
# Function names are demangled, and cut, as go tool pprof does it, on thousands of real ones.
. "$(dirname "$0")/../lib.sh"
here=$TOP/tests/symbols
export HOME=$TEST_TMP PPROF_TMPDIR=$TEST_TMP GOTOOLCHAIN=local
unset PPROF_BINARY_PATH

names() { # NAME FILE MODE SHARE
    "$PYTHON" "$here/names_as_pprof.py" "$2" "$3" --allow "$4" > judged 2>&1 || { cut -c1-300 judged | tail -n 12; bad "$1, $3"; }
}
: "${PYTHON:=python3}"

library=$(ldd "$(command -v c++filt)" "$(g++ -print-prog-name=cc1plus)" 2> /dev/null | sed -n 's/.*=> \(.*libstdc++[^ ]*\) .*/\1/p' | head -1)
[ -n "$library" ] || library=$(g++ -print-file-name=libstdc++.so.6)
nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | grep '^_Z' | sort -u | awk 'NR % 3 == 0' > mangled
g++ -O0 -g "$here/shop.cc" -c -o shop.o && nm shop.o | awk '{ print $NF }' | grep '^_Z' >> mangled
[ "$(wc -l < mangled)" -gt 1000 ] || fail "too few names: $(wc -l < mangled)"
# Inheriting constructors: pprof names them after the class, libiberty after its base.
grep -v 'CI[12]' mangled > plain
names "C++" plain default 0
names "C++" plain templates 0.002 # ">>" of an empty pack: libiberty leaves out a space
c++filt < plain | awk 'length($0) < 800' | sort -u > readable
cat >> readable <<'X'
std::vector<int, std::allocator<int> >::push_back(int const&)
(anonymous namespace)::g(int)
<T as core::Trait>::meth
a::operator()(int)
foo(int)
operator new(unsigned long)
ns::f<int>(int)
a.<init>
foo.(*Bar[...]).Method
x::y)z
x::(y<z
a<b>c<d>::e(f)(g)
X
names "readable names" readable default 0
names "readable names" readable templates 0
cat > rust <<'X'
_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE
_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE
_RNvCs15kBYyAo9fc_7mycrate7example
_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo
_RINvCs6DXkGYLi8lr_2cc5spawnNtB2_5Errorj4_EB2_
_RNCNvCs6DXkGYLi8lr_7mycrate4main0B3_
_RNvXs5_NtCsd4VYFwevHkG_4core3fmtReNtB5_7Display3fmt
X
names "Rust" rust default 0
