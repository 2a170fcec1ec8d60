/* symbol_table.c - a sorted array of function symbols. */
#include "symbol_table.h"

#include "sorted.h"

#include <stdlib.h>
#include <string.h>

/* How far back a lookup goes for a symbol that encloses those after it. */
enum { ENCLOSING_STEPS = 32 };

/* A function beats a label, a global name beats a local one, a name that says something beats one
 * of the toolchain's own ("_", "."). */
static uint8_t rank_symbol(const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);
    uint8_t rank = type == STT_NOTYPE ? 0 : 8;
    rank += symbol->st_size > 0 ? 4 : 0;
    rank += bind == STB_GLOBAL ? 2 : bind == STB_WEAK ? 1 : 0;
    return (uint8_t)(rank * 2 + (name[0] != '_' && name[0] != '.'));
}

static int by_address(const void *a, const void *b)
{
    const struct function_symbol *x = a, *y = b;
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

void symbol_table_load(struct symbol_table *table, Dwfl_Module *module)
{
    *table = (struct symbol_table){0};
    int n = dwfl_module_getsymtab(module);
    if (n <= 0) {
        return;
    }
    table->symbols = calloc((size_t)n, sizeof *table->symbols);
    if (table->symbols == NULL) {
        return;
    }
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf;
        const char *name =
            dwfl_module_getsym_info(module, i, &symbol, &address, &section, &elf, NULL);
        if (name == NULL || *name == 0 || section == SHN_UNDEF || section == SHN_ABS) {
            continue;
        }
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) {
            continue;
        }
        if (name[0] == '$' || strncmp(name, ".L", 2) == 0) {
            continue; /* mapping symbols and local labels */
        }
        table->symbols[table->n++] = (struct function_symbol){.start = address,
                                                              .size = symbol.st_size,
                                                              .name = name,
                                                              .section = section,
                                                              .rank = rank_symbol(&symbol, name)};
    }
    qsort(table->symbols, table->n, sizeof *table->symbols, by_address);
}

void symbol_table_free(struct symbol_table *table)
{
    free(table->symbols);
    *table = (struct symbol_table){0};
}

static const struct function_symbol *find(const struct symbol_table *table, uint64_t address)
{
    size_t behind = SORTED_FIRST_BEHIND(table->symbols, table->n, start, address);
    const struct function_symbol *unsized = NULL;
    for (size_t i = behind; i > 0 && behind - i < ENCLOSING_STEPS; i--) {
        const struct function_symbol *symbol = &table->symbols[i - 1];
        if (symbol->size > 0 && address - symbol->start < symbol->size) {
            return symbol;
        }
        if (symbol->size == 0 && i == behind) {
            unsized = symbol;
        }
    }
    return unsized;
}

const char *symbol_table_find(const struct symbol_table *table, uint64_t address, uint64_t *start)
{
    const struct function_symbol *symbol = find(table, address);
    if (symbol == NULL) {
        return NULL;
    }
    *start = symbol->start;
    return symbol->name;
}

const char *symbol_table_range(const struct symbol_table *table, uint64_t address, uint64_t *start,
                               uint64_t *end)
{
    const struct function_symbol *symbol = find(table, address);
    if (symbol == NULL) {
        return NULL;
    }
    *start = symbol->start;
    if (symbol->size > 0) {
        *end = symbol->start + symbol->size;
    } else {
        size_t next = SORTED_FIRST_BEHIND(table->symbols, table->n, start, address);
        *end = next < table->n ? table->symbols[next].start : address + 1;
    }
    return symbol->name;
}
