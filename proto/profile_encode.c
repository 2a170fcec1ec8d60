/* profile_encode.c - from a profile to bytes (see profile_codec.h).
 *
 * One top-level entry at a time goes through protobuf-c, straight into the output: the message as a
 * whole never exists as a tree of objects. Packing allocates nothing. Samples alone are written
 * here: they are nearly all of a profile, and this is several times faster.
 */
#include "profile_codec.h"

#include "profile.pb-c.h"

#include <string.h>

/* Storage for one location's lines, grown to the largest. */
struct scratch {
    struct arena arena;
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

/* Bytes of a varint: one for each 7 bits. */
static size_t varint_size(uint64_t value)
{
    return (size_t)(70 - __builtin_clzll(value | 1)) / 7;
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

/* ---- samples ---- */

enum { ONE_BYTE_TAG = 1 }; /* all field numbers of Sample and Label are below 16 */

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    return at + varint_bytes(value, at);
}

static uint8_t *put_scalar(uint8_t *at, unsigned number, uint64_t value)
{
    if (!value)
        return at;
    *at++ = (uint8_t)(number << 3 | TYPE_VARINT);
    return put_varint(at, value);
}

static size_t scalar_size(uint64_t value)
{
    return value ? ONE_BYTE_TAG + varint_size(value) : 0;
}

static size_t label_size(const struct profile_label *label)
{
    return scalar_size(label->key) + scalar_size(label->str) + scalar_size((uint64_t)label->num) +
           scalar_size(label->num_unit);
}

static size_t delimited_size(size_t size)
{
    return ONE_BYTE_TAG + varint_size(size) + size;
}

static uint8_t *put_delimiter(uint8_t *at, unsigned number, size_t size)
{
    *at++ = (uint8_t)(number << 3 | TYPE_BYTES);
    return put_varint(at, size);
}

static bool append_sample(struct byte_buffer *out, const struct profile *p, uint32_t index)
{
    const struct profile_sample *sample = &p->samples[index];
    const uint32_t *locations = p->sample_locations + sample->first_location;
    const int64_t *values = p->values + (size_t)index * p->n_sample_types;
    const struct profile_label *labels = p->labels + sample->first_label;
    size_t ids_size = 0, values_size = 0, size = 0;
    for (uint32_t i = 0; i < sample->n_locations; i++)
        ids_size += varint_size((uint64_t)locations[i] + 1);
    for (uint32_t i = 0; i < p->n_sample_types; i++)
        values_size += varint_size((uint64_t)values[i]);
    for (uint32_t i = 0; i < sample->n_labels; i++)
        size += delimited_size(label_size(&labels[i]));
    size +=
        (ids_size ? delimited_size(ids_size) : 0) + (values_size ? delimited_size(values_size) : 0);

    if (!byte_buffer_reserve(out, delimited_size(size)))
        return false;
    uint8_t *at = put_delimiter(out->bytes + out->length, 2, size);
    if (ids_size) {
        at = put_delimiter(at, 1, ids_size);
        for (uint32_t i = 0; i < sample->n_locations; i++)
            at = put_varint(at, (uint64_t)locations[i] + 1);
    }
    if (values_size) {
        at = put_delimiter(at, 2, values_size);
        for (uint32_t i = 0; i < p->n_sample_types; i++)
            at = put_varint(at, (uint64_t)values[i]);
    }
    for (uint32_t i = 0; i < sample->n_labels; i++) {
        at = put_delimiter(at, 3, label_size(&labels[i]));
        at = put_scalar(at, 1, labels[i].key);
        at = put_scalar(at, 2, labels[i].str);
        at = put_scalar(at, 3, (uint64_t)labels[i].num);
        at = put_scalar(at, 4, labels[i].num_unit);
    }
    out->length = (size_t)(at - out->bytes);
    return true;
}

/* ---- everything else ---- */

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
    uint32_t lines = 0;
    for (uint32_t i = 0; i < p->n_locations; i++)
        lines = p->locations[i].n_lines > lines ? p->locations[i].n_lines : lines;
    arena_init(&scratch->arena, 0);
    scratch->lines = arena_array(&scratch->arena, lines, sizeof *scratch->lines);
    scratch->line_pointers = arena_array(&scratch->arena, lines, sizeof *scratch->line_pointers);
    return scratch->lines && scratch->line_pointers;
}

static bool append_entries(struct byte_buffer *out, const struct profile *p,
                           struct scratch *scratch)
{
    bool good = true;
    for (uint32_t i = 0; good && i < p->n_sample_types; i++)
        good = append_value_type(out, 1, &p->sample_types[i]);
    for (uint32_t i = 0; good && i < p->n_samples; i++)
        good = append_sample(out, p, i);
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
