/* library: cflags=-fPIC,-O1,-ftls-model=initial-exec */
/* static_tls_part - wants nearly all of the static thread-local storage that glibc keeps for
 * libraries that come late. */
__thread char static_tls_room[1200] __attribute__((aligned(8)));

int static_tls_part(int i)
{
    return ++static_tls_room[i];
}
