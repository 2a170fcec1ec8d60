/* debug_search.h - where the file of a build may lie, and the little that tells files apart.
 *
 * Paths and build ids come from profiles: only regular files are opened, never a pipe or a device
 * that could block. Not thread-safe per search.
 */
#ifndef APPROF_DEBUG_SEARCH_H
#define APPROF_DEBUG_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum { DEBUG_BUILD_ID_BYTES = 64 };

struct debug_search {
    const char *directories; /* what is left of the list; the current one comes first */
    const char *path, *base, *build_id;
    unsigned step;
};

/* Goes through pprof's places: for each directory P of the colon-separated list, P/BUILDID/BASE,
 * P/BUILDID/(the first file), P/PATH/BUILDID, P/bu/ildid.debug, P/BASE, P/PATH, P/PATH.debug,
 * P/DIR/.debug/BASE.debug, P/usr/lib/debug/DIR/BASE.debug. */
void debug_search_start(struct debug_search *search, const char *directories, const char *path,
                        const char *build_id);
/* The next candidate, which need not exist; false at the end. */
bool debug_search_next(struct debug_search *search, char *candidate, size_t room);

/* /usr/lib/debug/.build-id/bu/ildid.debug; false if the id is not hexadecimal or too short. */
bool debug_build_id_path(const char *build_id, char *path, size_t room);

/* Descriptor of a regular file, or -1. With a root, path is resolved inside it. */
int debug_open_regular(const char *root, const char *path);

/* An ELF executable or shared library (position-independent executables are those). */
bool debug_is_program(int fd);
bool debug_has_dwarf(int fd);
/* Lower-case hexadecimal, of 2 * DEBUG_BUILD_ID_BYTES + 1 bytes. False if there is none. */
bool debug_read_build_id(int fd, char *text);
void debug_build_id_text(const unsigned char *bits, size_t n, char *text);

#endif
