/* listing_code.h - the machine code behind the lines of a listing.
 *
 * Instructions of the symbols in which the listed functions have weight, each under all lines that
 * it belongs to: those of the function, and where that is inlined those of its callers too. What
 * comes from is asked of the debug information of the binaries (code_view.h).
 */
#ifndef APPROF_LISTING_CODE_H
#define APPROF_LISTING_CODE_H

#include "code_view.h"
#include "listing.h"

/* An instruction with its weight. */
struct code_row {
    const struct machine_instruction *instruction;
    struct code_weight weight;
    const struct code_answer *answer; /* its frames */
};

/* A row under a line of a routine. */
struct line_code {
    uint32_t routine;
    int64_t line;
    uint32_t row;
    uint32_t depth; /* of the row's frames the one at this line; those below are inlined there */
};

struct listing_code {
    struct code_view view;
    struct disassembly *code; /* of each module */
    uint32_t n_code;
    struct code_row *rows;
    uint32_t n_rows;
    struct line_code *lines; /* by routine, line, address */
    uint32_t n_lines;
    char *absent; /* why there is none, or NULL */
};

/* False after a message. There may be no code at all: absent says why. */
bool listing_code_open(const struct listing *listing, struct listing_code *code);
void listing_code_close(struct listing_code *code);

/* The code of a line: lines[result .. result + *n). */
uint32_t listing_code_find(const struct listing_code *code, uint32_t routine, int64_t line,
                           uint32_t *n);

#endif
