#!/bin/bash
# time: 300
# quick
# A machine that lacks libraries, or the compiler: `make` names all that is missing and how to get it, once, and
# starts nothing else.
. "$(dirname "$0")/../lib.sh"

# build ARGS…   into a folder of its own
build() {
    make -C "$TOP" -j4 BUILD="$TEST_TMP/build" "$@" >out 2>said
    status=$?
}
# refused LACKS PACKAGES TEXT…
refused() {
    equal "$status" 2 "$3: exit status"
    equal "$(grep '^approf:' said)" "approf: make: the build lacks $1" "$3"
    equal "$(grep '^hint:' said)" "hint: on Debian and Ubuntu \`make build-packages\` installs $2; elsewhere, what these hold" "$3"
    lacks said 'unfinished jobs|No such file|error:' "$3: make goes on"
    lacks out 'profile.proto|\.o ' "$3: make goes on"
}

# Headers that stop every compiler that includes them stand for ones that are not there.
mkdir headers
echo '#error not here' | tee headers/libunwind.h headers/pcre2.h >/dev/null
CPATH=$PWD/headers build
refused "libunwind.h, pcre2.h" "libunwind-dev libpcre2-dev" "headers"

# A library without its header's fault: the hook takes zlib's archive, which a system may have left out.
cat >cc-without <<'S'
#!/bin/sh
case " $* " in *" -l:libz.a "* | *" -ledit "*) exit 1 ;; esac
exec cc "$@"
S
chmod +x cc-without
build CC="$PWD/cc-without" PROTOC=no-such-protoc
refused "no-such-protoc, -l:libz.a, -ledit" "protobuf-c-compiler zlib1g-dev libedit-dev" "libraries and protoc-c"

build CC="$PWD/no-such-compiler -pipe" lib
refused "$PWD/no-such-compiler" gcc "the compiler"

# All is there: nothing is said, and it is not looked for again.
build "$TEST_TMP/build/proto/arena.o"
equal "$status" 0 "all is there: $(cat said)"
lacks said . "all is there"
build "$TEST_TMP/build/proto/hash.o"
equal "$status" 0 "another object: $(cat said)"
lacks out build-needs "looked for again"

# What is named is what `make build-packages` installs.
sed -n '/^build="/,/"$/p' "$TOP/tests/install-packages.sh" | tr -s '" ' '\n\n' >installed
sed -n '/^needs="/,/"$/{ s/"//g; s/.* //p; }' "$TOP/packaging/build-needs.sh" >named
[ "$(wc -l <named)" -ge 10 ] || bad "packages not found in build-needs.sh"
while read -r package; do
    grep -qxF "$package" installed || bad "$package is named, but not among those of install-packages.sh build"
done <named
