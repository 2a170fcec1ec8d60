/* gate_run.h - the new side of a comparison, made by running a command under the profiler. */
#ifndef APPROF_GATE_RUN_H
#define APPROF_GATE_RUN_H

#include "profile.h"

/* Runs `sh -c command` under `approf run` at this rate (as APPROF_RATE), and makes one profile of
 * all its processes, or of those of one program if that is not empty. The command's own output goes
 * to standard error. False after a message: it could not be run, ended with a status other than 0
 * (a benchmark that fails measures nothing), or left no profile; *status is then what the gate ends
 * with. */
bool gate_run_command(const char *command, const char *rate, const char *program,
                      struct profile *out, int *status);

/* What a program was built with: the compiler's note in the ELF file; "" if there is none. Returns
 * text. */
const char *gate_toolchain(const char *path, char *text, size_t room);

#endif
