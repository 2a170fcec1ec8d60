/* profile_codec.h - a profile as bytes: pprof's protobuf message, gzipped or not.
 *
 * Everything that is decoded is untrusted: sizes are bounded (PROFILE_MAX_BYTES,
 * PROFILE_MAX_RATIO; memory by 32 times the decoded message), ids are resolved and validated by
 * pprof's own rules, and the first violation is reported in pprof's words. No function here prints
 * or exits; none uses malloc, stdio or locks.
 */
#ifndef APPROF_PROFILE_CODEC_H
#define APPROF_PROFILE_CODEC_H

#include "profile.h"

enum profile_error_kind {
    PROFILE_ERROR_IO = 1,       /* the system's words for errno */
    PROFILE_ERROR_MEMORY,       /* "out of memory" */
    PROFILE_ERROR_TOO_LARGE,    /* over a limit of ours */
    PROFILE_ERROR_GZIP,         /* "decompressing profile: ..." */
    PROFILE_ERROR_EMPTY,        /* "empty input file" */
    PROFILE_ERROR_UNRECOGNIZED, /* "unrecognized profile format": legacy formats may still be tried
                                 */
    PROFILE_ERROR_CONCATENATED, /* "concatenated profiles detected" */
    PROFILE_ERROR_MALFORMED,    /* "malformed profile: ..." */
    PROFILE_ERROR_TABLES,       /* heap tables that can't be read at all */
};

struct profile_error {
    char text[256]; /* "malformed profile: sample has nil location" and the like; lower case, no
                       full stop; without the name of the source */
    enum profile_error_kind kind;
};

/* Sets *error (which may be NULL); text is formatted as text.h's text_format does. Returns false,
 * so that a function can end with it. */
bool profile_error_set(struct profile_error *error, enum profile_error_kind kind,
                       const char *format, ...) __attribute__((format(printf, 3, 4)));

enum {
    /* A decoded message may be this many bytes at most; gzipped input may also expand at most
     * PROFILE_MAX_RATIO times beyond the first 64 MiB. */
    PROFILE_MAX_RATIO = 200,
    PROFILE_MAX_BYTES = INT32_MAX,
};
/* The limit of the decoded size for n bytes of gzip. */
size_t profile_inflate_limit(size_t n);

/* A growing byte array in an arena. */
struct byte_buffer {
    struct arena *arena;
    uint8_t *bytes;
    size_t length, room;
};
bool byte_buffer_append(struct byte_buffer *buffer, const void *bytes, size_t n);
/* Makes room for n more bytes (room - length >= n afterwards). */
bool byte_buffer_reserve(struct byte_buffer *buffer, size_t n);

bool gzip_is(const void *bytes, size_t n);
/* All members, concatenated. Fails when the result would exceed limit bytes (a gzip bomb), or on
 * corrupt or cut off input. */
bool gzip_inflate(const void *bytes, size_t n, size_t limit, struct byte_buffer *out,
                  struct profile_error *error);
/* One member; level 1..9. */
bool gzip_deflate(const void *bytes, size_t n, int level, struct byte_buffer *out);

/* Decodes gzip or plain protobuf into *out (which it initialises; on failure there is nothing to
 * free). Legacy text formats are not its business: error->kind PROFILE_ERROR_UNRECOGNIZED says that
 * they may be tried. Equal strings get equal ids. */
bool profile_decode(const void *bytes, size_t n, struct profile *out, struct profile_error *error);

/* The message, uncompressed, fields in pprof's order. Ids are written as index + 1. Unreferenced
 * entries are kept. */
bool profile_encode(const struct profile *profile, struct byte_buffer *out);

/* Reads a whole file ("-" is standard input) of at most limit bytes. The error says what went wrong
 * ("no such file or directory"), not with which file. */
bool file_read(const char *path, size_t limit, struct byte_buffer *out,
               struct profile_error *error);

/* Encodes, gzips and writes a profile: a temporary name in the same directory (O_EXCL, O_NOFOLLOW,
 * mode 0600), then a rename; never follows a link, never leaves a half-written file. With replace
 * false an existing file is kept and path gets ".2", ".3", ...; final_path (of final_room bytes,
 * may be NULL) receives the name that was used. Uses no malloc, no stdio: safe in the exit path of
 * a profiled process; SIGXFSZ is held off. The error names the file: "out.pb.gz: permission
 * denied".
 */
bool profile_write_file(const struct profile *profile, const char *path, bool replace,
                        char *final_path, size_t final_room, struct profile_error *error);

#endif
