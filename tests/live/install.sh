#!/bin/bash
# time: 200
# needs: pkg-config gcc make
# variant: none
# make install, and the example of approf.h: compiled with the installed header and pkg-config file, run without
# the library, with it preloaded, and linked with it.
. "$(dirname "$0")/../lib.sh"
stage=$TEST_TMP/stage
make -C "$TOP" --no-print-directory -s install BUILD="$BUILD" DESTDIR="$stage" PREFIX=/opt/approf >made 2>&1 || fail "make install: $(tail -5 made)"
root=$stage/opt/approf
for file in bin/approf lib/libapprof.so include/approf.h lib/pkgconfig/approf.pc; do
    [ -s "$root/$file" ] || bad "make install leaves no $file"
done
export PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage
equal "$(pkg-config --modversion approf)" "$("$APPROF_BIN" version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)" "pkg-config's version"
read -ra cflags < <(pkg-config --cflags approf)
read -ra libs < <(pkg-config --libs approf)
gcc -g -O1 -Wall -Wextra -Werror -o plain "$TOP/examples/two_profiles.c" "${cflags[@]}" || fail "the example does not compile"
g++ -x c++ -fsyntax-only -Wall -Werror "${cflags[@]}" "$root/include/approf.h" || bad "approf.h is no C++"
gcc -g -O1 -o linked "$TOP/examples/two_profiles.c" "${cflags[@]}" "${libs[@]}" || fail "the example does not link"
readelf -d linked | has 'NEEDED.*libapprof.so' || bad "the linked example does not need libapprof.so"

# profiles TEXT   both are there; remember() grew from 1,000 to 6,000 entries, within sampling's error
profiles() {
    readable before.pb.gz after.pb.gz
    local before after
    before=$(cum inuse_space remember before.pb.gz) after=$(cum inuse_space remember after.pb.gz)
    [ "$before" -gt 500000 ] && [ "$before" -lt 1600000 ] || bad "$1: before: $before bytes, not about 1,008,000"
    [ "$after" -gt 5000000 ] && [ "$after" -lt 7200000 ] || bad "$1: after: $after bytes, not about 6,048,000"
    "$root/bin/approf" diff before.pb.gz after.pb.gz >out 2>said || bad "$1: diff: $(cat said)"
    contains out 'remember' "$1: diff"
    rm -f before.pb.gz after.pb.gz ./*.plain.* ./*.linked.*
}
./plain >out || bad "without the library: exit status $?"
contains out '^before.pb.gz: not profiled$' "without the library"
contains out '^45000 characters$' "without the library"
[ -e before.pb.gz ] && bad "without the library: a profile"
APPROF_RATE=4096 LD_PRELOAD=$root/lib/libapprof.so ./plain >out || bad "preloaded: exit status $?"
contains out '^after.pb.gz: written$' "preloaded"
profiles "preloaded"
APPROF_RATE=4096 LD_LIBRARY_PATH=$root/lib ./linked >out || bad "linked: exit status $?"
contains out '^after.pb.gz: written$' "linked"
profiles "linked"
# The installed approf finds the installed library.
"$root/bin/approf" run -- ./plain >out 2>said || bad "approf run: $(cat said)"
contains out '^after.pb.gz: written$' "approf run"

make -C "$TOP" --no-print-directory -s uninstall BUILD="$BUILD" DESTDIR="$stage" PREFIX=/opt/approf >made 2>&1 || bad "make uninstall: $(cat made)"
[ -z "$(find "$stage" -type f)" ] || bad "make uninstall leaves $(find "$stage" -type f)"
