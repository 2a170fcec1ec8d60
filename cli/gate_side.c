/* gate_side.c - from profiles to what the gate compares: sites with their figures, profile by
 * profile. */
#include "frames.h"
#include "gate.h"
#include "memory.h"
#include "message.h"
#include "profile_comments.h"
#include "profile_edit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const gate_type_names[GATE_TYPES] = {"alloc_objects", "alloc_space", "inuse_objects",
                                                 "inuse_space", "peak"};

void gate_init(struct gate *gate, bool by_line, double operations)
{
    *gate = (struct gate){.by_line = by_line,
                          .operations = operations > 0 ? operations : 1,
                          .per_operation = operations > 0};
    char *here = getcwd(NULL, 0);
    gate->directory = memory_print("%s/", here ? here : "");
    free(here);
    for (int side = 0; side < GATE_SIDES; side++) {
        gate->side[side].exact = true;
        gate->side[side].operations = gate->operations;
        gate->side[side].program = memory_text("", 0);
        gate->side[side].toolchain = memory_text("", 0);
        gate->side[side].label = memory_text("", 0);
    }
}

void gate_free(struct gate *gate)
{
    for (uint32_t i = 0; i < gate->n_sites; i++) {
        free(gate->sites[i].name);
        free((char *)gate->sites[i].file);
        free(gate->sites[i].cells);
    }
    for (uint32_t i = 0; i < gate->n_names; i++)
        free(gate->names[i]);
    for (int side = 0; side < GATE_SIDES; side++) {
        free(gate->side[side].sources);
        free(gate->side[side].program);
        free(gate->side[side].toolchain);
        free(gate->side[side].label);
    }
    free(gate->directory);
    free(gate->sites);
    free(gate->names);
    free(gate->name_on);
    free(gate->stacks);
    free(gate->stack_names);
    key_table_free(&gate->site_index);
    key_table_free(&gate->name_index);
    key_table_free(&gate->stack_index);
    *gate = (struct gate){0};
}

void gate_expect(struct gate *gate, uint32_t base_profiles, uint32_t new_profiles)
{
    uint32_t counts[GATE_SIDES] = {base_profiles, new_profiles};
    for (int side = 0; side < GATE_SIDES; side++) {
        gate->side[side].n_profiles = counts[side];
        gate->side[side].sources = memory_array(counts[side] + 1, sizeof(char *));
    }
    gate->n_profiles = base_profiles + new_profiles;
}

/* Names are lines and fields of baselines: without control characters, and not empty. free() it. */
static char *clean_name(const char *name)
{
    char *clean = *name ? memory_text(name, strlen(name)) : memory_text("[unknown]", 9);
    for (char *c = clean; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = ' ';
    return clean;
}

uint32_t gate_name_id(struct gate *gate, const char *given)
{
    char *name = clean_name(given);
    uint64_t hash = hash_bytes(hash_seed(), name, strlen(name));
    struct key_cursor at = key_table_at(&gate->name_index, hash);
    uint32_t id;
    while ((id = key_table_next(&gate->name_index, &at)) != KEY_NONE)
        if (strcmp(gate->names[id], name) == 0) {
            free(name);
            return id;
        }
    MEMORY_ROOM(gate->names, gate->n_names, gate->names_room);
    MEMORY_ROOM(gate->name_on, gate->n_names, gate->name_on_room);
    gate->name_on[gate->n_names][GATE_BASE] = gate->name_on[gate->n_names][GATE_NEW] = false;
    gate->names[gate->n_names] = name;
    key_table_add(&gate->name_index, hash, gate->n_names);
    return gate->n_names++;
}

uint32_t gate_site_id(struct gate *gate, const char *given)
{
    char *name = clean_name(given);
    uint64_t hash = hash_bytes(hash_seed(), name, strlen(name));
    struct key_cursor at = key_table_at(&gate->site_index, hash);
    uint32_t id;
    while ((id = key_table_next(&gate->site_index, &at)) != KEY_NONE)
        if (strcmp(gate->sites[id].name, name) == 0) {
            free(name);
            return id;
        }
    MEMORY_ROOM(gate->sites, gate->n_sites, gate->sites_room);
    gate->sites[gate->n_sites] = (struct gate_site){
        .name = name,
        .own = KEY_NONE,
        .file = memory_text("", 0),
        .cells = memory_array((size_t)gate->n_profiles * GATE_SITE_TYPES, sizeof(struct gate_cell)),
        .anchor = KEY_NONE};
    key_table_add(&gate->site_index, hash, gate->n_sites);
    return gate->n_sites++;
}

struct gate_cell *gate_cell(struct gate *gate, uint32_t site, enum gate_side_name side,
                            uint32_t profile, enum gate_type type)
{
    size_t at = profile + (side == GATE_NEW ? gate->side[GATE_BASE].n_profiles : 0);
    return &gate->sites[site].cells[at * GATE_SITE_TYPES + type];
}

/* Which value of a sample is which type; false if the profile has none of them. */
static bool find_types(const struct profile *p, uint32_t index[GATE_SITE_TYPES])
{
    static const char *const others[GATE_SITE_TYPES] = {"", "", "objects", "space"};
    bool any = false;
    for (int t = 0; t < GATE_SITE_TYPES; t++) {
        index[t] = PROFILE_NONE;
        for (uint32_t i = 0; i < p->n_sample_types; i++) {
            const char *type = profile_text(p, p->sample_types[i].type);
            if (strcmp(type, gate_type_names[t]) == 0 ||
                (*others[t] && strcmp(type, others[t]) == 0)) {
                index[t] = i;
                any = true;
                break;
            }
        }
    }
    return any;
}

/* The cumulants of a value made of samples of this size: gate_stats.h. */
static struct gate_cell cell_of(double value, double size, double rate, bool objects)
{
    struct gate_cell cell = {.k1 = value};
    if (rate <= 1 || value == 0)
        return cell;
    double p = -expm1(-fmax(size, 1) / rate), q = 1 - p;
    double unit = (objects ? 1 : size) / p;
    cell.k2 = fabs(value) * unit * q;
    cell.k3 = cell.k2 * unit * fmax(q, fabs(1 - 2 * q));
    return cell;
}

static void add_cell(struct gate_cell *to, const struct gate_cell *from)
{
    to->k1 += from->k1;
    to->k2 += from->k2;
    to->k3 += from->k3;
}

/* The mean size of a sample's objects: of its own figures, or else its label. */
static double size_of(const struct profile *p, const struct profile_sample *sample,
                      const int64_t *values, const uint32_t index[GATE_SITE_TYPES])
{
    for (int t = 0; t < GATE_SITE_TYPES; t += 2)
        if (index[t] != PROFILE_NONE && index[t + 1] != PROFILE_NONE && values[index[t]] != 0 &&
            values[index[t + 1]] != 0)
            return fabs((double)values[index[t + 1]] / (double)values[index[t]]);
    for (uint32_t i = 0; i < sample->n_labels; i++) {
        const struct profile_label *label = &p->labels[sample->first_label + i];
        if (label->str == 0 && strcmp(profile_text(p, label->key), "bytes") == 0 && label->num > 0)
            return (double)label->num;
    }
    return 1;
}

static bool is_inherited(const struct profile *p, const struct profile_sample *sample)
{
    for (uint32_t i = 0; i < sample->n_labels; i++)
        if (strcmp(profile_text(p, p->labels[sample->first_label + i].key), "inherited") == 0)
            return true;
    return false;
}

static const char *from_here(const struct gate *gate, const char *file)
{
    size_t n = strlen(gate->directory);
    return n > 1 && strncmp(file, gate->directory, n) == 0 && file[n] ? file + n : file;
}

/* Where most of the site's weight is, for file and line. */
static void note_line(struct gate *gate, struct gate_site *site, const struct profile *p,
                      const struct frame_info *info, double weight)
{
    const char *file = profile_text(p, info->file);
    if (!*file || weight <= site->line_weight)
        return;
    file = from_here(gate, file);
    free((char *)site->file);
    site->file = memory_text(file, strlen(file));
    site->line = info->line;
    site->line_weight = weight;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct adding {
    struct gate *gate;
    struct profile *profile;
    struct frame_table functions, lines; /* same locations; frames correspond one to one */
    enum gate_side_name side;
    uint32_t number;
    uint32_t index[GATE_SITE_TYPES];
    double rate;
    uint32_t *name_ids; /* by info of functions: gate name + 1 */
};

static uint32_t name_of(struct adding *a, uint32_t frame)
{
    uint32_t info = FRAME_INFO(frame);
    if (!a->name_ids[info])
        a->name_ids[info] = gate_name_id(a->gate, frame_name(&a->functions, info)) + 1;
    uint32_t id = a->name_ids[info] - 1;
    a->gate->name_on[id][a->side] = true;
    return id;
}

/* Stacks meet by their inner frames; a baseline has no more. */
static uint64_t stack_hash(uint32_t site, const uint32_t *names, uint32_t n)
{
    uint64_t hash = key_hash(hash_seed(), site);
    for (uint32_t i = 0; i < n && i <= GATE_CALLERS; i++)
        hash = key_hash(hash, names[i]);
    return hash;
}

uint32_t gate_add_stack(struct gate *gate, uint32_t site, const uint32_t *names, uint32_t n)
{
    size_t first = gate->n_stack_names;
    for (uint32_t i = 0; i < n; i++) {
        MEMORY_ROOM(gate->stack_names, gate->n_stack_names, gate->stack_names_room);
        gate->stack_names[gate->n_stack_names++] = names[i];
    }
    MEMORY_ROOM(gate->stacks, gate->n_stacks, gate->stacks_room);
    gate->stacks[gate->n_stacks] = (struct gate_stack){.site = site,
                                                       .file = KEY_NONE,
                                                       .first_name = (uint32_t)first,
                                                       .n_names = n,
                                                       .cut = n > GATE_CALLERS};
    key_table_add(&gate->stack_index, stack_hash(site, names, n), gate->n_stacks);
    return gate->n_stacks++;
}

static uint32_t stack_id(struct adding *a, const struct profile_sample *sample, uint32_t site)
{
    struct gate *gate = a->gate;
    const struct profile *p = a->profile;
    size_t first = gate->n_stack_names;
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        uint32_t l = p->sample_locations[sample->first_location + i];
        for (uint32_t f = a->functions.first[l + 1]; f-- > a->functions.first[l];) {
            MEMORY_ROOM(gate->stack_names, gate->n_stack_names, gate->stack_names_room);
            uint32_t name = name_of(a, a->functions.frames[f]);
            gate->stack_names[gate->n_stack_names++] = name;
        }
    }
    uint32_t n = (uint32_t)(gate->n_stack_names - first), id;
    uint64_t hash = stack_hash(site, gate->stack_names + first, n);
    struct key_cursor at = key_table_at(&gate->stack_index, hash);
    while ((id = key_table_next(&gate->stack_index, &at)) != KEY_NONE) {
        const struct gate_stack *other = &gate->stacks[id];
        if (other->site == site && (other->n_names == n || (other->cut && other->n_names < n)) &&
            memcmp(gate->stack_names + other->first_name, gate->stack_names + first,
                   other->n_names * sizeof(uint32_t)) == 0) {
            gate->n_stack_names = first;
            return id;
        }
    }
    MEMORY_ROOM(gate->stacks, gate->n_stacks, gate->stacks_room);
    gate->stacks[gate->n_stacks] = (struct gate_stack){
        .site = site, .file = KEY_NONE, .first_name = (uint32_t)first, .n_names = n};
    key_table_add(&gate->stack_index, hash, gate->n_stacks);
    return gate->n_stacks++;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* What a change of the program can't have a line in: the C library's strdup, a container's header.
 */
static bool is_systems(const struct profile *p, uint32_t location, const char *file)
{
    uint32_t m = p->locations[location].mapping;
    const char *module = m == PROFILE_NONE ? "" : profile_text(p, p->mappings[m].filename);
    return starts_with(module, "/lib") || starts_with(module, "/usr/lib") ||
           starts_with(file, "/usr/include/") || starts_with(file, "/usr/lib/");
}

/* The innermost line that is not the system's; false if there is none. */
static bool find_own_line(struct adding *a, const struct profile_sample *sample, const char **file,
                          int64_t *line)
{
    const struct profile *p = a->profile;
    for (uint32_t i = 0; i < sample->n_locations; i++) {
        uint32_t l = p->sample_locations[sample->first_location + i];
        for (uint32_t f = a->lines.first[l + 1]; f-- > a->lines.first[l];) {
            const struct frame_info *info = &a->lines.infos[FRAME_INFO(a->lines.frames[f])];
            *file = profile_text(p, info->file);
            *line = info->line;
            if (**file && *line > 0 && !is_systems(p, l, *file))
                return true;
        }
    }
    return false;
}

static void add_sample(struct adding *a, uint32_t s)
{
    struct gate *gate = a->gate;
    const struct profile *p = a->profile;
    const struct profile_sample *sample = &p->samples[s];
    const int64_t *values = p->values + (size_t)s * p->n_sample_types;
    double size = size_of(p, sample, values, a->index);
    bool inherited = is_inherited(p, sample);
    struct gate_cell cells[GATE_SITE_TYPES];
    double weight = 0;
    for (int t = 0; t < GATE_SITE_TYPES; t++) {
        double value = a->index[t] == PROFILE_NONE || inherited ? 0 : (double)values[a->index[t]];
        cells[t] = cell_of(value, size, a->rate, t % 2 == 0);
        add_cell(&gate->side[a->side].total[a->number][t], &cells[t]);
        if (t % 2 != 0)
            weight += fabs(value);
    }
    if (weight == 0)
        return;
    double samples = cells[GATE_ALLOC_OBJECTS].k1 > 0 ? cells[GATE_ALLOC_OBJECTS].k1
                                                      : cells[GATE_INUSE_OBJECTS].k1;
    samples *= a->rate > 1 ? -expm1(-fmax(size, 1) / a->rate) : 1;
    gate->side[a->side].samples += samples;
    if (sample->n_locations == 0)
        return;

    uint32_t l = p->sample_locations[sample->first_location];
    uint32_t leaf = a->functions.first[l + 1] - 1;
    const struct frame_info *info = &a->lines.infos[FRAME_INFO(a->lines.frames[leaf])];
    const char *name = frame_name(&a->functions, FRAME_INFO(a->functions.frames[leaf]));
    const char *file = profile_text(p, info->file);
    char *with_line = gate->by_line && *file && info->line > 0
                          ? memory_print("%s %s:%lld", name, base_name(file), (long long)info->line)
                          : NULL;
    uint32_t site = gate_site_id(gate, with_line ? with_line : name);
    free(with_line);
    gate->sites[site].own = name_of(a, a->functions.frames[leaf]);
    for (int t = 0; t < GATE_SITE_TYPES; t++)
        add_cell(gate_cell(gate, site, a->side, a->number, t), &cells[t]);
    gate->sites[site].on[a->side] = true;
    gate->sites[site].samples[a->side] += samples;
    note_line(gate, &gate->sites[site], p, info, weight * (a->side == GATE_NEW ? 2 : 1));
    uint32_t id = stack_id(a, sample, site); /* may move the stacks */
    struct gate_stack *stack = &gate->stacks[id];
    if (find_own_line(a, sample, &file, &stack->line)) /* the new side comes last */
        stack->file = gate_name_id(gate, from_here(gate, file));
    for (int t = 0; t < GATE_SITE_TYPES; t++)
        stack->values[a->side][t] += cells[t].k1;
}

/* Totals that our own files carry beside the samples. */
static void add_facts(struct adding *a)
{
    struct gate_side *side = &a->gate->side[a->side];
    struct gate_cell *total = side->total[a->number];
    struct profile_facts facts;
    for (int t = 0; t < GATE_SITE_TYPES; t++)
        side->lacks[t] = side->lacks[t] || a->index[t] == PROFILE_NONE;
    if (!profile_facts_read(a->profile, &facts)) {
        side->lacks[GATE_PEAK] = true;
        return;
    }
    side->lacks[GATE_PEAK] = side->lacks[GATE_PEAK] || facts.peak_bytes == 0;
    if (facts.exact && facts.total_bytes && a->index[GATE_ALLOC_SPACE] != PROFILE_NONE) {
        total[GATE_ALLOC_SPACE] = (struct gate_cell){.k1 = (double)facts.total_bytes};
        side->exact_total[a->number] = true;
    }
    /* The peak is an estimate as live bytes are; what it was made of is not kept, so: small
     * objects, whose unit is the rate. */
    total[GATE_PEAK] = (struct gate_cell){.k1 = (double)facts.peak_bytes};
    if (a->rate > 1) {
        total[GATE_PEAK].k2 = total[GATE_PEAK].k1 * a->rate;
        total[GATE_PEAK].k3 = total[GATE_PEAK].k2 * a->rate;
    }
}

bool gate_add_profile(struct gate *gate, enum gate_side_name side_name, uint32_t number,
                      struct profile *profile, const char *source)
{
    struct gate_side *side = &gate->side[side_name];
    struct adding a = {.gate = gate, .profile = profile, .side = side_name, .number = number};
    side->sources[number] = source;
    if (!find_types(profile, a.index)) {
        message_error("%s: not a heap profile", source);
        message_hint("the gate compares alloc_space, alloc_objects, inuse_space and inuse_objects");
        return false;
    }
    struct frame_options by_function = {.granularity = GRANULARITY_FUNCTIONS},
                         by_line = {.granularity = GRANULARITY_LINES};
    if (!frames_build(profile, &by_function, &a.functions) ||
        !frames_build(profile, &by_line, &a.lines)) {
        message_error("%s: too many lines", source);
        return false;
    }
    a.rate = strcmp(profile_text(profile, profile->period_type.type), "space") == 0
                 ? (double)profile->period
                 : 1;
    side->rate = fmax(side->rate, a.rate);
    side->exact = side->exact && a.rate <= 1;
    if (!*side->program && profile->n_mappings > 0) {
        free(side->program);
        const char *program = base_name(profile_text(profile, profile->mappings[0].filename));
        side->program = memory_text(program, strlen(program));
    }
    a.name_ids = memory_array(a.functions.n_infos + 1, sizeof *a.name_ids);
    for (uint32_t s = 0; s < profile->n_samples; s++)
        add_sample(&a, s);
    add_facts(&a);
    free(a.name_ids);
    frames_free(&a.functions);
    frames_free(&a.lines);
    return true;
}

/* The anchor of a site: the first caller on its heaviest stack that is a frame on both sides, so
 * that a caller that was renamed too is passed over. */
void gate_finish(struct gate *gate)
{
    for (uint32_t i = 0; i < gate->n_stacks; i++) {
        const struct gate_stack *stack = &gate->stacks[i];
        struct gate_site *site = &gate->sites[stack->site];
        double weight = 0;
        for (int side = 0; side < GATE_SIDES; side++)
            weight += stack->values[side][GATE_ALLOC_SPACE] + stack->values[side][GATE_INUSE_SPACE];
        if (weight <= site->anchor_weight)
            continue;
        for (uint32_t n = 1; n < stack->n_names; n++) {
            uint32_t name = gate->stack_names[stack->first_name + n];
            if (gate->name_on[name][GATE_BASE] && gate->name_on[name][GATE_NEW]) {
                site->anchor = name;
                site->anchor_weight = weight;
                break;
            }
        }
    }
}

struct gate_figure gate_figure_of(const struct gate *gate, enum gate_side_name side,
                                  const uint32_t *sites, uint32_t n, enum gate_type type)
{
    struct gate_figure figure = {0};
    double ops = gate->side[side].operations;
    uint32_t first = side == GATE_NEW ? gate->side[GATE_BASE].n_profiles : 0;
    for (uint32_t i = 0; i < gate->side[side].n_profiles; i++) {
        struct gate_cell sum = {0};
        if (n == 0)
            sum = gate->side[side].total[i][type];
        for (uint32_t s = 0; s < n && type < GATE_SITE_TYPES; s++)
            add_cell(&sum,
                     &gate->sites[sites[s]].cells[(size_t)(first + i) * GATE_SITE_TYPES + type]);
        gate_figure_add(&figure, sum.k1 / ops, sum.k2 / ops / ops, sum.k3 / ops / ops / ops);
    }
    return figure;
}

double gate_nothing(const struct gate *gate, enum gate_type type)
{
    double rate = fmax(gate->side[GATE_BASE].exact ? 0 : gate->side[GATE_BASE].rate,
                       gate->side[GATE_NEW].exact ? 0 : gate->side[GATE_NEW].rate);
    /* An object of 64 bytes stands for rate / 64 objects. */
    return (gate_type_unit(type)[0] == 'b' ? rate : rate / 64) / gate->operations;
}
