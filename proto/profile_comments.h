/* profile_comments.h - what a profile of ours says in its comments, for programs.
 *
 * Comments that begin with "# " are ours; pprof shows others in its header, not these. One of them,
 * in every profile that approf's hook or tables reader makes, is for programs:
 *
 *   # approf: version=0.1.0 rate=524288 samples=812 threads=4 total_bytes=431000123 exact=1 ...
 *
 * key=value words, one space between them, values decimal unless noted; keys may come in any order,
 * unknown ones are to be ignored, missing ones are 0. The keys are the members of struct
 * profile_facts. Each other "# " comment is a sentence for people.
 *
 * No allocation; the text is untrusted.
 */
#ifndef APPROF_PROFILE_COMMENTS_H
#define APPROF_PROFILE_COMMENTS_H

#include "profile.h"

/* name, meaning. Summed over the comments of a merged profile, but for those marked. */
#define PROFILE_FACT_LIST(X)                                                                     \
    X(rate)             /* bytes between samples, on average; largest of all */                  \
    X(samples)          /* allocations that were sampled */                                      \
    X(threads)          /* thread slots ever made: total_bytes is short by less than threads *   \
                           rate when it is not exact */                                          \
    X(total_bytes)      /* bytes requested since start */                                        \
    X(exact)            /* 1 when total_bytes is exact, 0 when a lower bound; smallest of all */ \
    X(live_bytes)       /* estimate of bytes live when the profile was taken */                  \
    X(peak_bytes)       /* largest estimate of live bytes; largest of all */                     \
    X(peak_ns)          /* when that was, since start; of the largest peak */                    \
    X(lost_stacks)      /* samples counted under [stacks dropped] */                             \
    X(lost_live)        /* samples not followed until freed */                                   \
    X(lost_samples)     /* samples not counted at all */                                         \
    X(lost_reentrant)   /* allocations from signal handlers inside the hook, unsampled */        \
    X(frees_unseen)     /* frees that bypassed the hook */                                       \
    X(truncated_stacks) /* samples whose stack ends early */                                     \
    X(resident_bytes)   /* private memory in RAM, from all sources; 0 when not known */          \
    X(damaged)          /* 1 when parts of the tables were unreadable; largest of all */         \
    X(pid)              /* of the first comment */

struct profile_facts {
    uint32_t n_comments; /* "# approf:" comments found; 0: the profile is not ours */
#define X(name) uint64_t name;
    PROFILE_FACT_LIST(X)
#undef X
    char version[24]; /* of the first comment */
};

#define PROFILE_FACTS_PREFIX "# approf:"

/* Returns n_comments != 0. */
bool profile_facts_read(const struct profile *profile, struct profile_facts *facts);

/* Adds the comment. False when out of memory. */
bool profile_facts_add(struct profile *profile, const struct profile_facts *facts);

#endif
