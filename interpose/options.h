/* options.h - the hook's variables (proto/env_options.h), read once in the constructor.
 *
 * Values are copied: programs overwrite their environment (setproctitle and the like). A bad value
 * is named on stderr, once, and the default used. No allocation.
 */
#ifndef APPROF_OPTIONS_H
#define APPROF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { OPTION_TEXT_SIZE = 4096 };
#define OPTION_RATE_MAX     (UINT64_C(1) << 40)
#define OPTION_RATE_DEFAULT 524288

struct hook_options {
    uint64_t rate;                 /* bytes */
    uint32_t overhead;             /* millionths of the processor time; 0: no ceiling */
    char out[OPTION_TEXT_SIZE];    /* pattern; absolute once startup has resolved it */
    bool out_set;                  /* APPROF_OUT was given */
    uint32_t depth;                /* frames */
    char tables[OPTION_TEXT_SIZE]; /* "" is the default place */
    char only[256];
    uint64_t memory; /* bytes */
    char unwind[24];
    bool symbolize;
    char helper[OPTION_TEXT_SIZE];
    uint64_t seed;
    bool verbose;
    int under_run; /* pid of the `approf run` that reads the tables once we are gone; or 0 */
};

extern struct hook_options hook_options;

void options_read(char **environment);

/* "4096", "512k", "64M", "1G": false if text is anything else or does not fit. */
bool options_parse_bytes(const char *text, uint64_t *value);

/* "1%", "0.25", "100%" in millionths, above 0 and at most a whole; false if it is anything else. */
bool options_parse_percent(const char *text, uint32_t *millionths);

/* Shell-like match of a whole name: * ? [a-z] [!a-z] \c. Bounded: at most pattern * name steps. */
bool options_glob(const char *pattern, const char *name);

#endif
