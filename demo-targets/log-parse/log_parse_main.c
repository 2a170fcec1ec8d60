// log-parse: reads pipe-delimited log lines, writes the fourth field of each three times.
//   log-parse [--lines N]    lines made up with a fixed seed (6,000,000)
//   log-parse FILE           lines of a file, "-" for stdin
// The result goes to stdout; how much there was and how long it took to stderr.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common/log_lines.h"
#include "output.h"
#include "parse_line.h"

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int usage(FILE *to, int status)
{
    fprintf(to, "usage: log-parse [--lines N | FILE]    FILE may be - for stdin\n");
    return status;
}

static struct log_lines *open_lines(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file) {
        fprintf(stderr, "log-parse: %s: %s\n", path, strerror(errno));
        return NULL;
    }
    return log_lines_read(file);
}

static int parse_all(struct log_lines *lines)
{
    unsigned long parsed = 0, skipped = 0;
    const char *line;
    size_t len;
    int more;
    double start = seconds_of(CLOCK_MONOTONIC), start_cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

    while ((more = log_lines_next(lines, &line, &len)) > 0) {
        if (parse_line(line, len))
            parsed++;
        else
            skipped++;
    }
    int failed = output_end() < 0 || more < 0;
    fprintf(stderr, "log-parse: %lu lines in %.3f s, %.3f s of the processor, %llu bytes written",
            parsed, seconds_of(CLOCK_MONOTONIC) - start,
            seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start_cpu, output_bytes());
    if (skipped)
        fprintf(stderr, ", %lu lines with fewer than %d fields left out", skipped, FIELDS);
    fputc('\n', stderr);
    return failed;
}

int main(int argc, char **argv)
{
    long count = 6000000;
    struct log_lines *lines;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout, 0);
    if (argc == 3 && strcmp(argv[1], "--lines") == 0) {
        char *end;
        errno = 0;
        count = strtol(argv[2], &end, 10);
        if (errno || end == argv[2] || *end || count < 0) {
            fprintf(stderr, "log-parse: --lines %s: not a whole number from 0\n", argv[2]);
            return 2;
        }
    } else if (argc > 2 || (argc == 2 && argv[1][0] == '-' && argv[1][1])) {
        return usage(stderr, 2);
    }
    lines = argc == 2 ? open_lines(argv[1]) : log_lines_generate(count);
    if (!lines)
        return 1;
    int failed = parse_all(lines);
    log_lines_close(lines);
    return failed;
}
