/* disassembly.h - machine code as text, by objdump where it is installed.
 *
 * Code comes in ranges of a file's virtual addresses, in rising order; ranges that lie close
 * together go through one run of objdump. Files are untrusted, and so is what objdump says of them:
 * only lines that look like instructions inside a range are taken.
 */
#ifndef APPROF_DISASSEMBLY_H
#define APPROF_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_instruction {
    uint64_t address;
    char *text;
};

struct address_range {
    uint64_t start, end;
};

struct disassembly_request {
    const char *path; /* of the file */
    const struct address_range *ranges;
    size_t n_ranges;
    const char *tools; /* -tools */
    bool intel_syntax;
};

struct disassembly {
    struct machine_instruction *instructions; /* by address */
    size_t n, room;
};

enum disassembly_fault {
    DISASSEMBLY_FINE,
    DISASSEMBLY_NO_TOOL,
    DISASSEMBLY_FAILED, /* error says why; what came until then is there */
};

enum disassembly_fault disassembly_read(const struct disassembly_request *request,
                                        struct disassembly *out, char *error, size_t room);
void disassembly_free(struct disassembly *disassembly);

/* Index of the first instruction at or behind address; n if there is none. */
size_t disassembly_find(const struct disassembly *disassembly, uint64_t address);

#endif
