/* source_text.h - source files that profiles name: finding, reading, lines.
 *
 * A name is trimmed (paths.h), then opened as it is when absolute, otherwise looked up in each
 * directory of the source path and in all of its parents (pprof-spec 7.8). Files are kept until
 * source_text_close. Names are untrusted: only regular files are read, of at most 64 MiB.
 */
#ifndef APPROF_SOURCE_TEXT_H
#define APPROF_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct source_text {
    char *name;  /* as the profile has it */
    char *error; /* why it can't be shown, or NULL */
    char *bytes;
    char **lines; /* lines[0] is line 1; NUL-terminated, without line ends */
    uint32_t n_lines;
    time_t modified;
};

struct source_texts {
    char *source_path, *trim_path;
    /* Whether a file may be shown, by its real path; NULL: all may. Set after opening. */
    bool (*may_show)(const char *real_path, void *ctx);
    void *ctx;
    struct source_text **files;
    size_t n, room;
};

/* source_path "" is the current directory. */
void source_texts_open(struct source_texts *texts, const char *source_path, const char *trim_path);
/* Never NULL; look at error. */
const struct source_text *source_text_find(struct source_texts *texts, const char *name);
void source_texts_close(struct source_texts *texts);

#endif
