/* symbol_module.h - one binary, opened once, and what was asked of it so far.
 *
 * A module that could not be opened is kept too, so that each is complained about once. Answers
 * live as long as the module. Not thread-safe.
 */
#ifndef APPROF_SYMBOL_MODULE_H
#define APPROF_SYMBOL_MODULE_H

#include "arena.h"
#include "debug_file.h"
#include "dwarf_lines.h"

/* What is known of an address. */
struct code_answer {
    uint32_t n_frames; /* 0 when there is no debug information for it */
    const struct source_frame *frames;
    const char *symbol; /* from the symbol table, mangled, or NULL */
};

struct symbol_module {
    struct symbol_module *next;
    struct debug_file *file; /* NULL: fault says why not */
    enum debug_file_fault fault;
    char other_build[129]; /* build id of the file that is there instead */
    bool told;             /* the fault was reported */
    char *path, *build_id;
    struct dwarf_index *index;
    bool index_tried;
    struct arena arena;
    struct answer_slot *slots; /* hash table by virtual address */
    uint32_t n_slots, slots_size;
};

/* NULL when out of memory. */
struct symbol_module *symbol_module_open(const struct debug_file_request *request);
void symbol_module_close(struct symbol_module *module);

/* With lines false only the symbol is looked up. NULL when out of memory. The file must be open. */
const struct code_answer *symbol_module_find(struct symbol_module *module, uint64_t address,
                                             bool lines);

#endif
