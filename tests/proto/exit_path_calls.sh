#!/bin/bash
# exit_path_calls.sh - what libproto.a calls of the C library: nothing that allocates, locks, buffers or reads
# the locale, since it runs in another program's exit path.
# quick
# needs: nm
# variant: none
. "$(dirname "$0")/../lib.sh"

# Everything from outside that our own objects use (what protoc-c made is left out: it is protobuf-c's).
nm -u --quiet "$BUILD"/proto/*.o | awk '/\.o:$/ { mine = !/pb-c/ } mine && $1 == "U" { print $2 }' | sort -u >used
nm --defined-only --quiet "$BUILD"/proto/*.o | awk 'NF == 3 { print $3 }' | sort -u >own
comm -23 used own >outside

cat >allowed <<'END'
__errno_location
clock_gettime close fstat getpid link mmap madvise mremap munmap open pread pthread_sigmask read rename renameat2
sigaddset sigemptyset sigismember sigpending sigtimedwait stat unlink write
memchr memcmp memcpy memmove memset strchr strcmp strcspn strlen strnlen strrchr strstr strerrordesc_np
deflate deflateInit2_ inflate inflateInit2_ inflateReset
_GLOBAL_OFFSET_TABLE_
END
tr ' ' '\n' <allowed | sort -u >names
grep -vE '^(protobuf_c_|approf__pb__)' outside | comm -23 - names >unknown

# Estimates are the command's business; nothing in the exit path refers to them.
nm -u --quiet "$BUILD/proto/estimate.o" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u >estimate
comm -23 unknown estimate >rest
[ -s rest ] && fail "libproto.a calls $(tr '\n' ' ' <rest)"
[ "$(wc -l <outside)" -gt 20 ] || fail "too little was found: $(cat outside)"
exit 0
