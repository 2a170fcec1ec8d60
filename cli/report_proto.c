/* report_proto.c - reports that are profiles themselves, and comments: pprof-spec 7.14. */
#include "report.h"

#include "key_table.h"
#include "profile_codec.h"
#include "report_rows.h"

#include <errno.h>

static int write_profile(struct report *report, const struct profile *profile)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct byte_buffer plain = {.arena = &arena}, packed = {.arena = &arena};
    int status = STATUS_FINE;
    if (!profile_encode(profile, &plain) || !gzip_deflate(plain.bytes, plain.length, 6, &packed)) {
        status = message_error("out of memory");
    } else if (fwrite(packed.bytes, 1, packed.length, report->out) != packed.length) {
        status =
            message_error("%s: cannot be written: %s", report->format->name, message_errno(errno));
    }
    arena_free(&arena);
    return status;
}

int report_proto(struct report *report)
{
    struct profile *p = report->profile;
    size_t n = (size_t)p->n_samples * p->n_sample_types;
    for (size_t v = 0; v < n; v++) {
        p->values[v] = report_divided(report, p->values[v]);
    }
    if (report->options.noinlines) {
        for (uint32_t l = 0; l < p->n_locations; l++) {
            struct profile_location *location = &p->locations[l];
            if (location->n_lines > 1) {
                location->first_line += location->n_lines - 1;
                location->n_lines = 1;
            }
        }
    }
    return write_profile(report, p);
}

static int64_t scaled(const struct report *report, int64_t value)
{
    const char *unit;
    double figure = unit_scale(value, report->unit, report->output_unit, &unit);
    return figure >= -0x1p63 && figure < 0x1p63 ? (int64_t)figure : INT64_MIN;
}

static string_id carry(const struct profile *from, string_id id, struct profile *to)
{
    return profile_intern(to, from->strings[id].bytes, from->strings[id].length);
}

int report_topproto(struct report *report)
{
    struct report_rows rows;
    struct profile out;
    const struct profile *p = report->profile;
    if (!report_rows_open(report, GRAPH_NO_EDGES, &rows)) {
        return STATUS_BAD_USAGE;
    }
    if (!profile_init(&out, 0)) {
        report_rows_close(&rows);
        return message_error("out of memory");
    }
    profile_add_sample_type(&out, "cum", report->output_unit);
    profile_add_sample_type(&out, "flat", report->output_unit);
    out.time_nanos = p->time_nanos;
    out.duration_nanos = p->duration_nanos;
    out.period = p->period;
    out.period_type.type = carry(p, p->period_type.type, &out);
    out.period_type.unit = carry(p, p->period_type.unit, &out);
    struct key_table functions = {0};
    for (uint32_t i = 0; i < rows.graph.n_order; i++) {
        const struct graph_node *node = &rows.graph.nodes[rows.graph.order[i]];
        const struct frame_info *info = &rows.frames.infos[node->info];
        struct profile_function function = {.id = out.n_functions + 1,
                                            .name = carry(p, info->name, &out),
                                            .filename = carry(p, info->file, &out),
                                            .start_line = info->start_line};
        uint64_t hash = key_hash(key_hash(hash_seed(), function.name), function.filename);
        struct key_cursor at = key_table_at(&functions, hash);
        uint32_t id;
        while ((id = key_table_next(&functions, &at)) != KEY_NONE) {
            const struct profile_function *other = &out.functions[id];
            if (other->name == function.name && other->filename == function.filename &&
                other->start_line == function.start_line) {
                break;
            }
        }
        if (id == KEY_NONE) {
            id = profile_add_function(&out, &function);
            key_table_add(&functions, hash, id);
        }
        struct profile_line line = {.function = id, .line = info->line};
        struct profile_location location = {
            .id = i + 1, .address = info->address, .mapping = PROFILE_NONE};
        uint32_t l = profile_add_location(&out, &location, &line, 1);
        int64_t values[2] = {scaled(report, graph_cum(node)), scaled(report, graph_flat(node))};
        profile_add_sample(&out, &l, 1, values, NULL, 0);
    }
    int status = out.arena.failed ? message_error("out of memory") : write_profile(report, &out);
    key_table_free(&functions);
    profile_free(&out);
    report_rows_close(&rows);
    return status;
}

int report_comments(struct report *report)
{
    const struct profile *p = report->profile;
    for (uint32_t c = 0; c < p->n_comments; c++) {
        fprintf(report->out, "%s\n", profile_text(p, p->comments[c]));
    }
    return STATUS_FINE;
}
