#!/bin/sh
# Installs the Debian packages that a purpose needs, and nothing when all are there.
#   tests/install-packages.sh build|demo|check...
# On a system without apt-get it says what to install and goes on if the tools are there already.
set -eu

build="gcc g++ make libc6-dev protobuf-c-compiler libprotobuf-c-dev zlib1g-dev libunwind-dev libdw-dev libelf-dev \
libiberty-dev libpcre2-dev libmicrohttpd-dev libedit-dev pkg-config"
demo="redis-tools"
check="redis-server redis-tools golang-go binutils python3 sqlite3 git libjemalloc2 libtcmalloc-minimal4 \
libmimalloc2.0 valgrind clang"

wanted=""
for purpose in "$@"; do
    case $purpose in
    build) wanted="$wanted $build" ;;
    demo) wanted="$wanted $build $demo" ;;
    check) wanted="$wanted $build $demo $check" ;;
    *) echo "install-packages.sh: unknown purpose '$purpose' (build, demo, check)" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "approf: not a Debian or Ubuntu system, nothing is installed" >&2
    echo "hint: install what these Debian packages hold:$wanted" >&2
    exit 0
fi

missing=""
for package in $wanted; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) in
    installed) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1; then
        as_root=sudo
    else
        echo "approf: packages are missing and there is no root to install them:$missing" >&2
        echo "hint: run as root: apt-get install$missing" >&2
        exit 2
    fi
fi
echo "installing:$missing" >&2
$as_root apt-get -o DPkg::Lock::Timeout=300 update -q >&2 || true
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q \
    --no-install-recommends $missing >&2
