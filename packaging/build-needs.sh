#!/bin/sh
# Says what the build lacks on this machine, all of it at once, before a compiler stops at the first of it.
#   build-needs.sh SCRATCH-FILE     with CC (flags and all) and PROTOC in the environment
# Exit status 0 when all is there, or when the cause is none of these: then the compiler has the better words.
set -u

scratch=$1

# Header, what the link takes of it, Debian's package. The hook takes archives: it brings no library into a process.
needs="stdio.h -lm libc6-dev
protobuf-c/protobuf-c.h -l:libprotobuf-c.a libprotobuf-c-dev
zlib.h -l:libz.a zlib1g-dev
libunwind.h - libunwind-dev
elfutils/libdwfl.h -ldw libdw-dev
gelf.h -lelf libelf-dev
libiberty/demangle.h -l:libiberty.a libiberty-dev
pcre2.h -lpcre2-8 libpcre2-dev
microhttpd.h -lmicrohttpd libmicrohttpd-dev
editline/readline.h -ledit libedit-dev"

# builds HEADERS FLAGS...   a program with these headers compiles with the flags
builds() {
    headers=$1
    shift
    {
        echo '#define PCRE2_CODE_UNIT_WIDTH 8'
        echo '#include <stdio.h>'
        for header in $headers; do
            echo "#include <$header>"
        done
        echo 'int main(void) { return 0; }'
    } | $CC -D_GNU_SOURCE -w -o "$scratch" -x c - "$@" >/dev/null 2>&1
    built=$?
    rm -f "$scratch"
    return $built
}

lacks=""
packages=""
# lack WHAT PACKAGE
lack() {
    lacks="$lacks${lacks:+, }$1"
    packages="$packages $2"
}

command -v "$PROTOC" >/dev/null 2>&1 || lack "$PROTOC" protobuf-c-compiler
if ! command -v "${CC%% *}" >/dev/null 2>&1; then
    lack "${CC%% *}" gcc
elif ! builds "$(echo "$needs" | cut -d' ' -f1)" $(echo "$needs" | cut -d' ' -f2 | grep -vx -e -); then
    while read -r header library package; do
        if ! builds "$header" -fsyntax-only; then
            lack "$header" "$package"
        elif [ "$library" != - ] && ! builds "$header" "$library"; then
            lack "$library" "$package"
        fi
    done <<NEEDS
$needs
NEEDS
fi
[ -n "$lacks" ] || exit 0

echo "approf: make: the build lacks $lacks" >&2
echo "hint: on Debian and Ubuntu \`make build-packages\` installs$packages; elsewhere, what these hold" >&2
exit 2
