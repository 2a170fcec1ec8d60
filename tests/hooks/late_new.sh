#!/bin/bash
# time: 180
# quick
# needs: g++ gcc
# A C program loads C++ plugins. Whose operator new a plugin gets is decided by who it is: the C++ library's, its own, or that of
# a library that it alone needs, in any order, loaded again and again; and never by asking the loader, whose locks
# another thread may hold and wait for us. (pitfalls: unwinder or dl_iterate_phdr against the loader's lock)
. "$(dirname "$0")/../lib.sh"

cat >check.cc <<'CC'
#include <new>
#ifdef OWN
#include <cstddef>
// An allocator that no other one's free can be handed.
static char room[1 << 20];
static unsigned used, freed;
static bool ours(void *p) { return p >= room && p < room + sizeof room; }
void *operator new(std::size_t n)
{
    return room + (__atomic_fetch_add(&used, (unsigned)(n + 15) & ~15u, __ATOMIC_RELAXED) & (sizeof room / 2 - 1));
}
void operator delete(void *p) noexcept { if (!ours(p)) __builtin_trap(); __atomic_fetch_add(&freed, 1, __ATOMIC_RELAXED); }
void operator delete(void *p, std::size_t) noexcept { operator delete(p); }
extern "C" int own_check(void *p) { return ours(p) ? 0 : 1; }
#elif defined NEEDS
extern "C" int own_check(void *);
#endif
#ifndef PROVIDER
extern "C" int plugin_check()
{
    int wrong = 0;
    for (int i = 0; i < 50; i++) {
        int *volatile p = new int(i);
        wrong += *p != i;
#if defined OWN || defined NEEDS
        wrong += own_check(p);
#else
        char *volatile bytes = new char[200000];
        bytes[199999] = 1;
        delete[] bytes;
        delete new (std::nothrow) int;
#endif
        delete p;
    }
    return wrong;
}
#endif
CC
flags=(-O0 -fPIC -shared -Wno-attributes)
alone=("${flags[@]}" -nostdlib -lc) # or the C++ library's own references would be bound to the first plugin's operators
g++ "${flags[@]}" check.cc -o common.so || fail "common.so"
g++ -DOWN check.cc "${alone[@]}" -o own.so || fail "own.so"
mkdir lib
g++ -DOWN -DPROVIDER check.cc "${alone[@]}" -Wl,-soname,libprivate.so.1 -o lib/libprivate.so.1.0 || fail "libprivate"
ln -s libprivate.so.1.0 lib/libprivate.so.1
g++ -DNEEDS check.cc "${alone[@]}" -Wl,--no-as-needed lib/libprivate.so.1.0 -Wl,-rpath,"$PWD/lib" -o needs.so || fail "needs.so"

echo 'void late_host_hold(void); __attribute__((constructor)) static void hold(void) { late_host_hold(); }' >holder.c
gcc "${flags[@]}" holder.c -o holder.so || fail "holder.so"

host=$test_programs/hooks/late_host
for order in "common own needs" "own needs common" "needs common own"; do
    plugins=()
    for name in $order; do
        plugins+=("$PWD/$name.so")
    done
    "$host" "$PWD/holder.so" "${plugins[@]}" >plain || fail "$order: without the preload: $(cat plain)"
    for rate in 1 524288; do
        APPROF_RATE=$rate APPROF_SYMBOLIZE=0 APPROF_OUT="$TEST_TMP/p.pb.gz" LD_PRELOAD=$APPROF_LIB \
            timeout 60 "$host" "$PWD/holder.so" "${plugins[@]}" >hooked 2>err || bad "$order, rate $rate: exit status $?"
        same plain hooked "$order, rate $rate"
        [ -s err ] && bad "$order, rate $rate: $(cat err)"
    done
done

# Nor can it come back unseen.
nm -D --undefined-only "$APPROF_LIB" | sed 's/.* U //; s/@.*//' | grep -xE 'dl_iterate_phdr|dlvsym|dladdr1|dlinfo' &&
    bad "libapprof.so uses the loader's functions above"
exit 0
