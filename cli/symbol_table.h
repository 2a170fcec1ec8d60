/* symbol_table.h - function symbols of an ELF module, by address.
 *
 * Sources are .symtab of the binary or of its debug file, .dynsym, and the small table that some
 * distributions put into .gnu_debugdata. Names live as long as the module. Not thread-safe.
 */
#ifndef APPROF_SYMBOL_TABLE_H
#define APPROF_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_symbol {
    uint64_t start, size;
    const char *name;
    uint32_t section;
    uint8_t rank; /* of several at one address the highest wins */
};

struct symbol_table {
    struct function_symbol *symbols; /* by start, then rank */
    size_t n;
};

/* An empty table on failure. */
void symbol_table_load(struct symbol_table *table, Dwfl_Module *module);
void symbol_table_free(struct symbol_table *table);

/* The symbol that covers address, or NULL. A symbol without a size (assembly) reaches to the next
 * one. */
const char *symbol_table_find(const struct symbol_table *table, uint64_t address, uint64_t *start);
/* The same, with where the symbol ends; one without a size at the next one. */
const char *symbol_table_range(const struct symbol_table *table, uint64_t address, uint64_t *start,
                               uint64_t *end);

#endif
