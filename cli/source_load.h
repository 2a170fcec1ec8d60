/* source_load.h - from the SOURCEs of a command line to one profile, ready for reports.
 *
 * A source is a pprof file (gzip or not), "-" for standard input, heap tables that a profiled
 * process keeps or left, a PID or a program's name, a directory of
 * approf record, or an http URL. Several are merged; a base is subtracted; lines are
 * looked up; what the profile calls uninteresting is pruned (pprof-spec 2).
 */
#ifndef APPROF_SOURCE_LOAD_H
#define APPROF_SOURCE_LOAD_H

#include "cli_options.h"
#include "profile_codec.h"

/* One source as it is, tidied (profile_edit.h), no symbols looked up. False with an error; *out has
 * nothing to free then. */
bool source_load_one(const char *source, const struct cli_options *options, struct profile *out,
                     struct profile_error *error);

/* All of it. False after messages on stderr. Sources that fail among others that do not are told
 * and left out, as pprof does. */
bool sources_load(const char *const *sources, int n, const struct cli_options *options,
                  struct profile *out);

/* Whether options ask for today's pprof or for that of Go 1.19. */
bool options_go119(const struct cli_options *options);

#endif
