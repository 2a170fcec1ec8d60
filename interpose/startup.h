/* startup.h - what the constructor found out, for the parts that come later (fork, exit). */
#ifndef APPROF_STARTUP_H
#define APPROF_STARTUP_H

#include "tables.h"

/* Read-only after the constructor. */
struct startup {
    struct tables_config tables;
    char exe[HEAP_EXE_BYTES];     /* full path; basename() of it names the profile */
    char library_directory[4096]; /* where libapprof.so lies, or "" */
    char **environment;
};
extern struct startup startup;

const char *startup_exe_name(void);

#endif
