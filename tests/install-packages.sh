#!/bin/sh
# Installs the Debian (or Ubuntu) packages that a purpose needs, and does nothing when all are there.
#   tests/install-packages.sh build|demo|stories|check|bench...
# On a system without dpkg it says what to install, and leaves it at that. A package that a release has under
# another name is written as name|name; one that it does not have at all is named and left out: what needs it
# says so later.
set -eu

build="gcc g++ make libc6-dev protobuf-c-compiler libprotobuf-c-dev zlib1g-dev libunwind-dev libdw-dev libelf-dev
libiberty-dev libpcre2-dev libmicrohttpd-dev libedit-dev pkg-config"
demo="redis-tools"
stories="redis-tools redis-server wrk curl python3"
# What runs the tests and judges them; programs that are run under the preload; allocators beneath it.
check="python3 chromium binutils procps util-linux golang-go clang valgrind tmux redis-server redis-tools wrk curl \
python3-redis sqlite3 git postgresql libjemalloc2 libtcmalloc-minimal4|libtcmalloc-minimal4t64 \
libmimalloc2.0|libmimalloc3 zsh fish less llvm musl-tools nginx-light libc6-dbg rustc nodejs \
openjdk-17-jre-headless|default-jre-headless libpython3.11-testsuite|libpython3.12-testsuite|libpython3.13-testsuite \
libcap2-bin libxml2-utils python3-yaml strace"

# More programs and suites that nobody here wrote; tests leave out those that are missing.
soak="libglib2.0-tests python3-greenlet python3-objgraph ripgrep ffmpeg imagemagick ruby php-cli tcl lua5.4 zstd xz-utils openssl"

# A machine to boot a kernel in.
vm="qemu-system-x86"

# The profilers and allocators that are compared, and programs to run under them.
bench="python3 valgrind heaptrack libjemalloc2 libgoogle-perftools4|libgoogle-perftools4t64 golang-go redis-server redis-tools \
sqlite3 nginx-light|nginx wrk"

wanted=""
for purpose in "$@"; do
    case $purpose in
    build) wanted="$wanted $build" ;;
    demo) wanted="$wanted $build $demo" ;;
    stories) wanted="$wanted $build $stories" ;;
    check) wanted="$wanted $build $demo $check" ;;
    soak) wanted="$wanted $soak" ;;
    vm) wanted="$wanted $vm" ;;
    bench) wanted="$wanted $bench" ;;
    *)
        echo "approf: install-packages.sh: unknown purpose '$purpose'" >&2
        echo "hint: one of build, demo, stories, check, soak, vm, bench" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "approf: not a Debian or Ubuntu system: nothing is installed" >&2
    echo "hint: install what these Debian packages hold: $(echo $wanted)" >&2
    exit 0
fi

# installed NAME|NAME...
installed() {
    for name in $(echo "$1" | tr '|' ' '); do
        case $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true) in
        installed) return 0 ;;
        esac
    done
    return 1
}

missing=""
for package in $wanted; do
    installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1; then
        as_root=sudo
    else
        echo "approf: packages are missing, and there is no root to install them:$missing" >&2
        echo "hint: as root: apt-get install$missing" >&2
        exit 2
    fi
fi

$as_root apt-get -o DPkg::Lock::Timeout=300 update -q >&2 ||
    echo "approf: package lists could not be updated: going on with the ones that are here" >&2

names=""
for package in $missing; do
    chosen=""
    for name in $(echo "$package" | tr '|' ' '); do
        if apt-cache policy "$name" 2>/dev/null | grep -q 'Candidate: [^(]'; then
            chosen=$name
            break
        fi
    done
    if [ -n "$chosen" ]; then
        names="$names $chosen"
    else
        echo "approf: this release has no package $package: going on without" >&2
    fi
done
[ -n "$names" ] || exit 0
echo "installing:$names" >&2
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q \
    --no-install-recommends $names >&2 || {
    echo "approf: packages could not be installed:$names" >&2
    echo "hint: see what apt-get says above; without network, install them beforehand" >&2
    exit 2
}
