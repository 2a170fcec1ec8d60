/* helper.h - `approf symbolize` on the file that was just written, as the target's last act. */
#ifndef APPROF_HELPER_H
#define APPROF_HELPER_H

/* Starts the command without our preload and variables, without a SIGCHLD to the target, with
 * nothing but /dev/null open, and waits at most 10 s. Does nothing when there is no such command.
 */
void helper_symbolize(const char *path);

#endif
