/* library: cflags=-fPIC,-O1 */
/* tls_part - thread-local storage that the loader makes when a thread first touches it. */
__thread char tls_part_room[20000];

char *tls_part(int i)
{
    tls_part_room[i]++;
    return tls_part_room;
}
