/* behaviour.h - what the small programs of matrix.sh share: checks that say on stdout what failed,
 * and the counts that a profile is compared with. */
#ifndef BEHAVIOUR_H
#define BEHAVIOUR_H

#include <stdio.h>
#include <stdlib.h>

static int behaviour_faults;

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            __atomic_fetch_add(&behaviour_faults, 1, __ATOMIC_RELAXED);    \
        }                                                                  \
    } while (0)

/* What main returns. */
static inline int behaviour_end(void)
{
    puts(behaviour_faults == 0 ? "all is well" : "it is not");
    return behaviour_faults != 0;
}

/* One line of $COUNTS: what the function `site`, whose name begins with site_, allocated, and what
 * of it is still there. */
static inline void behaviour_count(const char *site, long objects, long bytes, long in_use_objects,
                                   long in_use_bytes)
{
    const char *path = getenv("COUNTS");
    FILE *out = path != NULL ? fopen(path, "a") : NULL;
    if (out == NULL)
        return;
    fprintf(out, "%s %ld %ld %ld %ld\n", site, objects, bytes, in_use_objects, in_use_bytes);
    fclose(out);
}

/* A function whose allocations are counted by its name: it stays what it is. */
#define SITE __attribute__((noipa)) static

/* Keeps the call before it from becoming a jump, so that the caller stays on the stack. */
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

#endif
