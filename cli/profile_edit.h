/* profile_edit.h - changes to a whole profile that several stages need.
 *
 * All work in place unless said; indices stay in range, unreferenced entries stay.
 */
#ifndef APPROF_PROFILE_EDIT_H
#define APPROF_PROFILE_EDIT_H

#include "profile.h"

/* Makes equal strings have equal ids, and puts each sample's labels in pprof's order: string labels
 * by key, then numeric ones by key; the values of one key keep their order. Everything behind the
 * loader relies on it. */
void profile_tidy(struct profile *profile);

/* A copy that may be edited while the original is kept. String bytes are shared: the original must
 * outlive it. False when out of memory. */
bool profile_clone(const struct profile *from, struct profile *to);

/* Replaces the values of a string label in every sample. */
void profile_set_label(struct profile *profile, const char *key, const char *value);
void profile_remove_label(struct profile *profile, const char *key);

/* Forgets column numbers, which pprof of Go 1.19 did not know. */
void profile_drop_columns(struct profile *profile);

/* PROFILE_NONE when no string is this one. */
string_id profile_find_text(const struct profile *profile, const char *text);

#endif
