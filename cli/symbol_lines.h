/* symbol_lines.h - writes answers of symbol_module.h into a profile.
 *
 * Functions are shared between locations; those that no location uses any more because of what was
 * set here are taken out when it is closed. Sets the flags of mappings. Not thread-safe.
 */
#ifndef APPROF_SYMBOL_LINES_H
#define APPROF_SYMBOL_LINES_H

#include "symbol_module.h"
#include "symbolize.h"

struct symbol_lines;

/* NULL when out of memory. */
struct symbol_lines *symbol_lines_open(struct profile *profile, enum demangle_style style);

/* only_lines: the location has names already; leave it alone unless the answer has lines. False
 * when out of memory. */
bool symbol_lines_set(struct symbol_lines *lines, uint32_t location,
                      const struct code_answer *answer, bool only_lines,
                      struct symbolize_result *result);
/* A readable name and nothing else. */
bool symbol_lines_set_name(struct symbol_lines *lines, uint32_t location, const char *name,
                           struct symbolize_result *result);

bool symbol_lines_close(struct symbol_lines *lines);

#endif
