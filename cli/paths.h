/* paths.h - file names as text: cleaning, trimming, base names. Nothing touches the file system. */
#ifndef APPROF_PATHS_H
#define APPROF_PATHS_H

#include <stddef.h>

/* Without `.`, `..` and double slashes where that can be told from the text; "." when nothing is
 * left. free() it. */
char *path_clean(const char *path);

/* The last element; "." for "". Points into path; trailing slashes are not handled, file names of
 * profiles have none. */
const char *path_base(const char *path);

/* What reports show of a source file's name (pprof-spec 5.1): what follows the base name of a
 * directory in source_path, else without the first prefix of trim_path that fits. Points into
 * path. */
const char *path_trim(const char *path, const char *trim_path, const char *source_path);

#endif
