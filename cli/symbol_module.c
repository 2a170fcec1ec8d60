/* symbol_module.c - answers for addresses, remembered. */
#include "symbol_module.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>

struct answer_slot {
    uint64_t address;
    const struct code_answer *answer; /* NULL: free */
};

struct symbol_module *symbol_module_open(const struct debug_file_request *request)
{
    struct symbol_module *module = calloc(1, sizeof *module);
    if (module == NULL) {
        return NULL;
    }
    arena_init(&module->arena, 0);
    module->path = strdup(request->path);
    module->build_id = strdup(request->build_id);
    if (module->path == NULL || module->build_id == NULL) {
        symbol_module_close(module);
        return NULL;
    }
    module->file =
        debug_file_open(request, &module->fault, module->other_build, sizeof module->other_build);
    return module;
}

void symbol_module_close(struct symbol_module *module)
{
    if (module != NULL) {
        dwarf_index_close(module->index);
        debug_file_close(module->file);
        arena_free(&module->arena);
        free(module->path);
        free(module->build_id);
        free(module);
    }
}

static bool grow_slots(struct symbol_module *module)
{
    uint32_t size = module->slots_size != 0 ? 2 * module->slots_size : 256;
    struct answer_slot *slots = arena_array(&module->arena, size, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < module->slots_size; i++) {
        if (module->slots[i].answer != NULL) {
            uint32_t at = (uint32_t)hash_u64(hash_seed(), module->slots[i].address) & (size - 1);
            while (slots[at].answer != NULL) {
                at = (at + 1) & (size - 1);
            }
            slots[at] = module->slots[i];
        }
    }
    module->slots = slots;
    module->slots_size = size;
    return true;
}

static const struct code_answer *look_up(struct symbol_module *module, uint64_t address, bool lines)
{
    struct code_answer *answer = arena_alloc(&module->arena, sizeof *answer);
    if (answer == NULL) {
        return NULL;
    }
    *answer = (struct code_answer){0};
    if (lines && !module->index_tried) {
        module->index_tried = true;
        uint64_t bias;
        Dwarf *dwarf = debug_file_dwarf(module->file, &bias);
        if (dwarf != NULL) {
            module->index = dwarf_index_open(dwarf, bias);
        }
    }
    if (lines && module->index != NULL) {
        struct source_frame frames[SOURCE_FRAMES];
        unsigned n = dwarf_index_find(module->index, address, frames);
        struct source_frame *copy = arena_array(&module->arena, n, sizeof *copy);
        if (copy == NULL) {
            return NULL;
        }
        memcpy(copy, frames, n * sizeof *copy);
        answer->frames = copy;
        answer->n_frames = n;
    }
    /* The symbol is needed where DWARF has no function, or a C++ one without its mangled name. */
    const struct source_function *outer =
        answer->n_frames > 0 ? answer->frames[answer->n_frames - 1].function : NULL;
    if (outer == NULL || (outer->linkage_name == NULL && outer->has_scopes)) {
        uint64_t start;
        answer->symbol = debug_file_symbol(module->file, address, &start);
    }
    return answer;
}

const struct code_answer *symbol_module_find(struct symbol_module *module, uint64_t address,
                                             bool lines)
{
    if (2 * module->n_slots >= module->slots_size && !grow_slots(module)) {
        return NULL;
    }
    uint32_t mask = module->slots_size - 1;
    uint32_t at = (uint32_t)hash_u64(hash_seed(), address) & mask;
    for (; module->slots[at].answer != NULL; at = (at + 1) & mask) {
        if (module->slots[at].address == address) {
            return module->slots[at].answer;
        }
    }
    const struct code_answer *answer = look_up(module, address, lines);
    if (answer != NULL) {
        module->slots[at] = (struct answer_slot){.address = address, .answer = answer};
        module->n_slots++;
    }
    return answer;
}
