/* short_name.h - function names without packages and namespaces, for drawings: pprof-spec 7.11. */
#ifndef APPROF_SHORT_NAME_H
#define APPROF_SHORT_NAME_H

#include <stdbool.h>

struct short_names;

/* go119: the rules of that version of pprof. NULL when out of memory. */
struct short_names *short_names_open(bool go119);
/* `github.com/a/b.F` is `b.F`, `java.util.List.add` is `List.add`, `ns::Type::f` is `Type::f`.
 * free() it. */
char *short_name(struct short_names *names, const char *name);
void short_names_close(struct short_names *names);

#endif
