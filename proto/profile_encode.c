/* profile_encode.c - from a profile to bytes (see profile_codec.h).
 *
 * One top-level entry at a time goes through protobuf-c, straight into the output: the message as a
 * whole never exists as a tree of objects. Packing allocates nothing.
 */
#include "profile_codec.h"

#include "profile.pb-c.h"

#include <string.h>

/* Storage for one entry's repeated fields, grown to the largest. */
struct scratch {
    struct arena arena;
    uint64_t *ids;
    Approf__Pb__Label *labels;
    Approf__Pb__Label **label_pointers;
    Approf__Pb__Line *lines;
    Approf__Pb__Line **line_pointers;
};

static size_t varint_bytes(uint64_t value, uint8_t bytes[10])
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    return n;
}

static bool append_varint(struct byte_buffer *out, uint64_t value)
{
    uint8_t bytes[10];
    return byte_buffer_append(out, bytes, varint_bytes(value, bytes));
}

enum { TYPE_VARINT = 0, TYPE_BYTES = 2 };

static bool append_tag(struct byte_buffer *out, unsigned number, unsigned type)
{
    return append_varint(out, number << 3 | type);
}

/* A scalar of the message Profile; zero is left out, as proto3 does. */
static bool append_scalar(struct byte_buffer *out, unsigned number, int64_t value)
{
    return !value || (append_tag(out, number, TYPE_VARINT) && append_varint(out, (uint64_t)value));
}

static bool append_message(struct byte_buffer *out, unsigned number,
                           const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    if (!append_tag(out, number, TYPE_BYTES) || !append_varint(out, size) ||
        !byte_buffer_reserve(out, size))
        return false;
    out->length += protobuf_c_message_pack(message, out->bytes + out->length);
    return true;
}

static bool append_value_type(struct byte_buffer *out, unsigned number,
                              const struct profile_value_type *type)
{
    Approf__Pb__ValueType message = APPROF__PB__VALUE_TYPE__INIT;
    message.type = type->type;
    message.unit = type->unit;
    return append_message(out, number, &message.base);
}

static bool append_sample(struct byte_buffer *out, const struct profile *p, uint32_t index,
                          struct scratch *scratch)
{
    const struct profile_sample *sample = &p->samples[index];
    Approf__Pb__Sample message = APPROF__PB__SAMPLE__INIT;
    for (uint32_t i = 0; i < sample->n_locations; i++)
        scratch->ids[i] = (uint64_t)p->sample_locations[sample->first_location + i] + 1;
    message.location_id = scratch->ids;
    message.n_location_id = sample->n_locations;
    message.value = p->values + (size_t)index * p->n_sample_types;
    message.n_value = p->n_sample_types;
    for (uint32_t i = 0; i < sample->n_labels; i++) {
        const struct profile_label *label = &p->labels[sample->first_label + i];
        Approf__Pb__Label *m = scratch->label_pointers[i] = &scratch->labels[i];
        approf__pb__label__init(m);
        m->key = label->key;
        m->str = label->str;
        m->num = label->num;
        m->num_unit = label->num_unit;
    }
    message.label = scratch->label_pointers;
    message.n_label = sample->n_labels;
    return append_message(out, 2, &message.base);
}

static bool append_mapping(struct byte_buffer *out, const struct profile *p, uint32_t index)
{
    const struct profile_mapping *mapping = &p->mappings[index];
    Approf__Pb__Mapping message = APPROF__PB__MAPPING__INIT;
    message.id = (uint64_t)index + 1;
    message.memory_start = mapping->start;
    message.memory_limit = mapping->limit;
    message.file_offset = mapping->offset;
    message.filename = mapping->filename;
    message.build_id = mapping->build_id;
    message.has_functions = mapping->has_functions;
    message.has_filenames = mapping->has_filenames;
    message.has_line_numbers = mapping->has_line_numbers;
    message.has_inline_frames = mapping->has_inline_frames;
    return append_message(out, 3, &message.base);
}

static bool append_location(struct byte_buffer *out, const struct profile *p, uint32_t index,
                            struct scratch *scratch)
{
    const struct profile_location *location = &p->locations[index];
    Approf__Pb__Location message = APPROF__PB__LOCATION__INIT;
    message.id = (uint64_t)index + 1;
    message.mapping_id = location->mapping == PROFILE_NONE ? 0 : (uint64_t)location->mapping + 1;
    message.address = location->address;
    message.is_folded = location->is_folded;
    for (uint32_t i = 0; i < location->n_lines; i++) {
        const struct profile_line *line = &p->lines[location->first_line + i];
        Approf__Pb__Line *m = scratch->line_pointers[i] = &scratch->lines[i];
        approf__pb__line__init(m);
        m->function_id = (uint64_t)line->function + 1;
        m->line = line->line;
        m->column = line->column;
    }
    message.line = scratch->line_pointers;
    message.n_line = location->n_lines;
    return append_message(out, 4, &message.base);
}

static bool append_function(struct byte_buffer *out, const struct profile *p, uint32_t index)
{
    const struct profile_function *function = &p->functions[index];
    Approf__Pb__Function message = APPROF__PB__FUNCTION__INIT;
    message.id = (uint64_t)index + 1;
    message.name = function->name;
    message.system_name = function->system_name;
    message.filename = function->filename;
    message.start_line = function->start_line;
    return append_message(out, 5, &message.base);
}

static bool append_comments(struct byte_buffer *out, const struct profile *p)
{
    if (!p->n_comments)
        return true;
    uint8_t bytes[10];
    size_t size = 0;
    for (uint32_t i = 0; i < p->n_comments; i++)
        size += varint_bytes(p->comments[i], bytes);
    bool good = append_tag(out, 13, TYPE_BYTES) && append_varint(out, size);
    for (uint32_t i = 0; good && i < p->n_comments; i++)
        good = append_varint(out, p->comments[i]);
    return good;
}

static bool scratch_init(struct scratch *scratch, const struct profile *p)
{
    uint32_t ids = 0, labels = 0, lines = 0;
    for (uint32_t i = 0; i < p->n_samples; i++) {
        ids = p->samples[i].n_locations > ids ? p->samples[i].n_locations : ids;
        labels = p->samples[i].n_labels > labels ? p->samples[i].n_labels : labels;
    }
    for (uint32_t i = 0; i < p->n_locations; i++)
        lines = p->locations[i].n_lines > lines ? p->locations[i].n_lines : lines;
    arena_init(&scratch->arena, 0);
#define ARRAY(name, n) (scratch->name = arena_array(&scratch->arena, n, sizeof *scratch->name))
    return ARRAY(ids, ids) && ARRAY(labels, labels) && ARRAY(label_pointers, labels) &&
           ARRAY(lines, lines) && ARRAY(line_pointers, lines);
#undef ARRAY
}

static bool append_entries(struct byte_buffer *out, const struct profile *p,
                           struct scratch *scratch)
{
    bool good = true;
    for (uint32_t i = 0; good && i < p->n_sample_types; i++)
        good = append_value_type(out, 1, &p->sample_types[i]);
    for (uint32_t i = 0; good && i < p->n_samples; i++)
        good = append_sample(out, p, i, scratch);
    for (uint32_t i = 0; good && i < p->n_mappings; i++)
        good = append_mapping(out, p, i);
    for (uint32_t i = 0; good && i < p->n_locations; i++)
        good = append_location(out, p, i, scratch);
    for (uint32_t i = 0; good && i < p->n_functions; i++)
        good = append_function(out, p, i);
    for (uint32_t i = 0; good && i < p->n_strings; i++)
        good = append_tag(out, 6, TYPE_BYTES) && append_varint(out, p->strings[i].length) &&
               byte_buffer_append(out, p->strings[i].bytes, p->strings[i].length);
    return good;
}

bool profile_encode(const struct profile *profile, struct byte_buffer *out)
{
    const struct profile *p = profile;
    struct scratch scratch;
    bool good = scratch_init(&scratch, p) && append_entries(out, p, &scratch);
    arena_free(&scratch.arena);
    good = good && append_scalar(out, 7, p->drop_frames) && append_scalar(out, 8, p->keep_frames) &&
           append_scalar(out, 9, p->time_nanos) && append_scalar(out, 10, p->duration_nanos);
    if (good && (p->period_type.type || p->period_type.unit))
        good = append_value_type(out, 11, &p->period_type);
    return good && append_scalar(out, 12, p->period) && append_comments(out, p) &&
           append_scalar(out, 14, p->default_sample_type) && append_scalar(out, 15, p->doc_url);
}
