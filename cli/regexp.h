/* regexp.h - the regular expressions of options, in RE2's syntax, on PCRE2.
 *
 * Unanchored, case-sensitive, UTF-8. RE2 knows no backreferences and no look-around and never takes
 * long; here such expressions are refused, matching is bounded, and a text on which the bound is
 * reached counts as not matching. Subjects are untrusted bytes, valid UTF-8 or not. A compiled
 * expression is used by one thread at a time.
 */
#ifndef APPROF_REGEXP_H
#define APPROF_REGEXP_H

#include <stdbool.h>
#include <stddef.h>

struct regexp;

/* NULL with a reason in error (of room bytes): "missing closing ): `a(b`". */
struct regexp *regexp_compile(const char *pattern, char *error, size_t room);
bool regexp_matches(const struct regexp *regexp, const char *text, size_t n);
/* Where a group of the first match is; false when there is none. Not for literal patterns. */
bool regexp_group(const struct regexp *regexp, const char *text, size_t n, unsigned group,
                  size_t *start, size_t *length);
void regexp_free(struct regexp *regexp); /* NULL is fine */

/* Compiles the value of an option; "" gives *out = NULL. False after printing
 * `approf: -name: error parsing regexp: ...`. */
bool regexp_option(const char *name, const char *pattern, struct regexp **out);

#endif
