/* target: link=proto */
/* elf_probe.c - names addresses for elf_kinds.sh: elf_probe FILE [BUILD-ID] < lines of elf_sample.
 *
 * Prints "EXPECTED FOUND" for each, "-" when there is no name.
 */
#include "proto_test.h"

#include "elf_names.h"

int main(int argc, char **argv)
{
    struct profile p;
    char name[64];
    unsigned long address, start, limit, offset;
    if (argc < 2 || !profile_init(&p, 0))
        return 2;
    while (scanf("%63s %lx %lx %lx %lx", name, &address, &start, &limit, &offset) == 5) {
        struct profile_mapping m = {.id = p.n_mappings + 1,
                                    .start = start,
                                    .limit = limit,
                                    .offset = offset,
                                    .filename = profile_intern_text(&p, argv[1]),
                                    .build_id = profile_intern_text(&p, argc > 2 ? argv[2] : "")};
        struct profile_location l = {
            .id = p.n_mappings + 1, .address = address, .mapping = profile_add_mapping(&p, &m)};
        profile_add_location(&p, &l, NULL, 0);
        profile_add_comment(&p, name);
    }
    uint32_t named = elf_names_apply(&p);
    for (uint32_t i = 0; i < p.n_locations; i++) {
        const struct profile_location *l = &p.locations[i];
        printf("%s %s\n", profile_text(&p, p.comments[i]),
               l->n_lines ? profile_text(&p, p.functions[p.lines[l->first_line].function].name)
                          : "-");
        named -= l->n_lines;
        if (p.mappings[l->mapping].has_functions != (l->n_lines == 1))
            printf("has_functions is wrong\n");
    }
    if (named || profile_out_of_range(&p))
        printf("the count is wrong\n");
    profile_free(&p);
    return 0;
}
