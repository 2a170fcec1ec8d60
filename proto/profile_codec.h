/* profile_codec.h - a profile as bytes: pprof's protobuf message, gzipped or not.
 *
 * Everything that is decoded is untrusted: sizes are bounded (see profile_limits), ids are resolved
 * and validated by pprof's own rules, and the first violation is reported in pprof's words. No
 * function here prints or exits.
 */
#ifndef APPROF_PROFILE_CODEC_H
#define APPROF_PROFILE_CODEC_H

#include "profile.h"

struct profile_error {
    char text[256]; /* "malformed profile: sample has nil location" and the like; lower case, no
                       full stop */
};

/* A growing byte array in an arena. */
struct byte_buffer {
    struct arena *arena;
    uint8_t *bytes;
    size_t length, room;
};
bool byte_buffer_append(struct byte_buffer *buffer, const void *bytes, size_t n);

bool gzip_is(const void *bytes, size_t n);
/* All members, concatenated. Fails when the result would exceed limit bytes (a gzip bomb), or on
 * corrupt or cut off input. */
bool gzip_inflate(const void *bytes, size_t n, size_t limit, struct byte_buffer *out,
                  struct profile_error *error);
/* One member; level 1..9. */
bool gzip_deflate(const void *bytes, size_t n, int level, struct byte_buffer *out);

/* Decodes gzip or plain protobuf into *out (which it initialises; on failure there is nothing to
 * free). Legacy text formats are not its business. */
bool profile_decode(const void *bytes, size_t n, struct profile *out, struct profile_error *error);

/* The message, uncompressed, fields in pprof's order. Ids are written as index + 1. Unreferenced
 * entries are kept. */
bool profile_encode(const struct profile *profile, struct byte_buffer *out);

/* Reads a whole file ("-" is standard input) of at most limit bytes. */
bool file_read(const char *path, size_t limit, struct byte_buffer *out,
               struct profile_error *error);

/* Encodes, gzips and writes a profile: a temporary name in the same directory (O_EXCL, O_NOFOLLOW,
 * mode 0600), then a rename; never follows a link, never leaves a half-written file. With replace
 * false an existing file is kept and path gets ".2", ".3", ...; final_path (of final_room bytes,
 * may be NULL) receives the name that was used. Uses no malloc, no stdio: safe in the exit path of
 * a profiled process. */
bool profile_write_file(const struct profile *profile, const char *path, bool replace,
                        char *final_path, size_t final_room, struct profile_error *error);

#endif
