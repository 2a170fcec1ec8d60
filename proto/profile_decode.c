/* profile_decode.c - from bytes to a profile (see profile_codec.h).
 *
 * Our own decoder, not protobuf-c's: pprof's rules about wire types, repeated fields and ids differ
 * from a general unpacker's, and the message's tree of small objects would take several times the
 * memory of the flat arrays. tests/proto compares the two.
 *
 * Passes over the same bytes: profile_scan checks them and counts; then come strings, mappings and
 * functions, then locations, then samples, each resolving ids against what is known by then.
 * pprof resolves everything first and then validates in a fixed order, and a file may have several
 * faults: hence each kind keeps its own first fault, and they are reported in pprof's order.
 */
#include "profile_codec.h"

#include "id_table.h"
#include "profile_scan.h"

#include <string.h>

struct decoder {
    struct profile *profile;
    struct profile_scan scan;
    struct wire message;
    struct arena scratch;
    string_id *strings; /* by index in the file */
    struct id_table mappings, functions, locations;
    bool bad_string; /* an index outside the string table was met */
    struct profile_error type_fault, sample_fault, mapping_fault, function_fault, location_fault;
};

/* Remembers only the first fault of a kind. */
#define FAULT(fault, ...)                                         \
    do {                                                          \
        if (!(fault)->kind)                                       \
            profile_error_set((fault), PROFILE_ERROR_MALFORMED,   \
                              "malformed profile: " __VA_ARGS__); \
    } while (0)

static string_id string_at(struct decoder *d, uint64_t index)
{
    if (index < d->scan.counts[COUNT_STRING])
        return d->strings[index];
    d->bad_string = true;
    return 0;
}

/* The next field with that number of the whole message. */
static bool next_of(struct wire *wire, uint64_t number, struct wire_field *field)
{
    while (wire->at < wire->end)
        if (wire_next(wire, field) && field->number == number)
            return true;
    return false;
}

/* The next field of a message that was scanned. */
static bool next_field(struct wire *wire, struct wire_field *field)
{
    return wire->at < wire->end && wire_next(wire, field);
}

static struct profile_value_type value_type(struct decoder *d, struct wire wire)
{
    uint64_t type = 0, unit = 0;
    struct wire_field field;
    while (next_field(&wire, &field)) {
        if (field.number == 1)
            type = field.value;
        else if (field.number == 2)
            unit = field.value;
    }
    return (struct profile_value_type){.type = string_at(d, type), .unit = string_at(d, unit)};
}

static bool decode_strings(struct decoder *d)
{
    struct profile *p = d->profile;
    uint32_t n = d->scan.counts[COUNT_STRING], i = 0;
    d->strings = arena_array(&d->scratch, n, sizeof *d->strings);
    if (!d->strings)
        return false;
    struct wire wire = d->message;
    struct wire_field field;
    while (next_of(&wire, FIELD_STRING, &field)) {
        string_id id = profile_intern(p, (const char *)field.bytes.at,
                                      (size_t)(field.bytes.end - field.bytes.at));
        if (id == PROFILE_NONE)
            return false;
        d->strings[i++] = id;
    }
    return true;
}

static void decode_comments(struct decoder *d, const struct wire_field *field)
{
    struct profile *p = d->profile;
    uint64_t value;
    struct wire list = field->bytes;
    if (field->type == WIRE_VARINT)
        p->comments[p->n_comments++] = string_at(d, field->value);
    else
        while (list.at < list.end && wire_varint(&list, &value))
            p->comments[p->n_comments++] = string_at(d, value);
}

static void decode_header(struct decoder *d)
{
    struct profile *p = d->profile;
    struct wire wire = d->message;
    struct wire_field field;
    uint64_t drop = 0, keep = 0, default_type = 0, doc_url = 0;
    while (next_field(&wire, &field)) {
        switch (field.number) {
        case FIELD_SAMPLE_TYPE:
            p->sample_types[p->n_sample_types++] = value_type(d, field.bytes);
            break;
        case FIELD_DROP_FRAMES:
            drop = field.value;
            break;
        case FIELD_KEEP_FRAMES:
            keep = field.value;
            break;
        case FIELD_TIME_NANOS:
            p->time_nanos = (int64_t)field.value;
            break;
        case FIELD_DURATION_NANOS:
            p->duration_nanos = (int64_t)field.value;
            break;
        case FIELD_PERIOD_TYPE:
            p->period_type = value_type(d, field.bytes);
            break;
        case FIELD_PERIOD:
            p->period = (int64_t)field.value;
            break;
        case FIELD_COMMENT:
            decode_comments(d, &field);
            break;
        case FIELD_DEFAULT_SAMPLE_TYPE:
            default_type = field.value;
            break;
        case FIELD_DOC_URL:
            doc_url = field.value;
            break;
        default:
            break;
        }
    }
    p->drop_frames = string_at(d, drop);
    p->keep_frames = string_at(d, keep);
    p->default_sample_type = string_at(d, default_type);
    p->doc_url = string_at(d, doc_url);
}

static bool decode_mappings(struct decoder *d)
{
    struct profile *p = d->profile;
    if (!id_table_init(&d->mappings, &d->scratch, d->scan.counts[COUNT_MAPPING] + 1))
        return false;
    struct wire wire = d->message;
    struct wire_field message;
    while (next_of(&wire, FIELD_MAPPING, &message)) {
        uint64_t v[11] = {0};
        struct wire_field field;
        while (next_field(&message.bytes, &field))
            if (field.number < 11)
                v[field.number] = field.value;
        uint32_t index = p->n_mappings++;
        p->mappings[index] = (struct profile_mapping){.id = v[1],
                                                      .start = v[2],
                                                      .limit = v[3],
                                                      .offset = v[4],
                                                      .filename = string_at(d, v[5]),
                                                      .build_id = string_at(d, v[6]),
                                                      .has_functions = v[7] != 0,
                                                      .has_filenames = v[8] != 0,
                                                      .has_line_numbers = v[9] != 0,
                                                      .has_inline_frames = v[10] != 0};
        int added = id_table_add(&d->mappings, v[1], index);
        if (added < 0)
            return false;
        if (v[1] == 0)
            FAULT(&d->mapping_fault, "found mapping with reserved ID=0");
        else if (added == 0)
            FAULT(&d->mapping_fault, "multiple mappings with same id: %lu", v[1]);
    }
    return true;
}

static bool decode_functions(struct decoder *d)
{
    struct profile *p = d->profile;
    if (!id_table_init(&d->functions, &d->scratch, d->scan.counts[COUNT_FUNCTION] + 1))
        return false;
    struct wire wire = d->message;
    struct wire_field message;
    while (next_of(&wire, FIELD_FUNCTION, &message)) {
        uint64_t v[6] = {0};
        struct wire_field field;
        while (next_field(&message.bytes, &field))
            if (field.number < 6)
                v[field.number] = field.value;
        uint32_t index = p->n_functions++;
        p->functions[index] = (struct profile_function){.id = v[1],
                                                        .name = string_at(d, v[2]),
                                                        .system_name = string_at(d, v[3]),
                                                        .filename = string_at(d, v[4]),
                                                        .start_line = (int64_t)v[5]};
        int added = id_table_add(&d->functions, v[1], index);
        if (added < 0)
            return false;
        if (v[1] == 0)
            FAULT(&d->function_fault, "found function with reserved ID=0");
        else if (added == 0)
            FAULT(&d->function_fault, "multiple functions with same id: %lu", v[1]);
    }
    return true;
}

/* Returns whether all lines of the location at wire have a function. */
static bool decode_lines(struct decoder *d, struct wire wire)
{
    struct profile *p = d->profile;
    bool good = true;
    struct wire_field message;
    while (next_of(&wire, 4, &message)) {
        uint64_t v[4] = {0};
        struct wire_field field;
        while (next_field(&message.bytes, &field))
            if (field.number < 4)
                v[field.number] = field.value;
        uint32_t function = id_table_find(&d->functions, v[1]);
        good = good && function != UINT32_MAX;
        p->lines[p->n_lines++] = (struct profile_line){
            .function = function, .line = (int64_t)v[2], .column = (int64_t)v[3]};
    }
    return good;
}

static bool decode_locations(struct decoder *d)
{
    struct profile *p = d->profile;
    if (!id_table_init(&d->locations, &d->scratch, d->scan.counts[COUNT_LOCATION] + 1))
        return false;
    struct wire wire = d->message;
    struct wire_field message;
    while (next_of(&wire, FIELD_LOCATION, &message)) {
        uint64_t v[6] = {0};
        struct wire_field field;
        struct wire at = message.bytes;
        while (next_field(&at, &field))
            if (field.number < 6 && field.number != 4)
                v[field.number] = field.value;
        uint32_t index = p->n_locations++, first_line = p->n_lines;
        bool lines_good = decode_lines(d, message.bytes);
        p->locations[index] = (struct profile_location){
            .id = v[1],
            .address = v[3],
            .mapping = v[2] ? id_table_find(&d->mappings, v[2]) : UINT32_MAX,
            .first_line = first_line,
            .n_lines = p->n_lines - first_line,
            .is_folded = v[5] != 0};
        int added = id_table_add(&d->locations, v[1], index);
        if (added < 0)
            return false;
        if (v[1] == 0)
            FAULT(&d->location_fault, "found location with reserved id=0");
        else if (added == 0)
            FAULT(&d->location_fault, "multiple locations with same id: %lu", v[1]);
        else if (!lines_good)
            FAULT(&d->location_fault, "location id: %lu has a line with nil function", v[1]);
    }
    return true;
}

static void decode_label(struct decoder *d, struct wire wire)
{
    struct profile *p = d->profile;
    uint64_t v[5] = {0};
    struct wire_field field;
    while (next_field(&wire, &field))
        if (field.number < 5)
            v[field.number] = field.value;
    struct profile_label label = {.key = string_at(d, v[1])};
    if (v[2])
        label.str = string_at(d, v[2]);
    else {
        label.num = (int64_t)v[3];
        label.num_unit = string_at(d, v[4]);
    }
    /* One that says nothing, be it by the index of a second empty string, is dropped as in pprof.
     */
    if (label.str || label.num || label.num_unit)
        p->labels[p->n_labels++] = label;
}

/* One value or location of a sample. */
struct sample_sink {
    uint32_t *location;
    int64_t *value, *values_end;
    uint64_t n_values;
    bool nil_location;
};

static inline void add_location(struct decoder *d, struct sample_sink *sink, uint64_t id)
{
    uint32_t index = id_table_find(&d->locations, id);
    sink->nil_location |= index == UINT32_MAX;
    *sink->location++ = index;
}

static inline void add_value(struct sample_sink *sink, uint64_t value)
{
    if (sink->value < sink->values_end)
        *sink->value++ = (int64_t)value;
    sink->n_values++;
}

static void decode_sample(struct decoder *d, struct wire wire)
{
    struct profile *p = d->profile;
    uint32_t index = p->n_samples++;
    uint32_t first_label = p->n_labels;
    uint32_t *first_location = p->sample_locations + p->n_sample_locations;
    int64_t *values = p->values + (size_t)index * p->n_sample_types;
    struct sample_sink sink = {
        .location = first_location, .value = values, .values_end = values + p->n_sample_types};
    struct wire_field field;
    uint64_t value;
    while (next_field(&wire, &field)) {
        struct wire list = field.bytes;
        if (field.number == 1 && field.type == WIRE_VARINT)
            add_location(d, &sink, field.value);
        else if (field.number == 1)
            while (list.at < list.end && wire_varint(&list, &value))
                add_location(d, &sink, value);
        else if (field.number == 2 && field.type == WIRE_VARINT)
            add_value(&sink, field.value);
        else if (field.number == 2)
            while (list.at < list.end && wire_varint(&list, &value))
                add_value(&sink, value);
        else if (field.number == 3)
            decode_label(d, list);
    }
    uint32_t n_locations = (uint32_t)(sink.location - first_location);
    p->samples[index] = (struct profile_sample){.first_location = p->n_sample_locations,
                                                .n_locations = n_locations,
                                                .first_label = first_label,
                                                .n_labels = p->n_labels - first_label};
    p->n_sample_locations += n_locations;
    if (sink.n_values != p->n_sample_types)
        FAULT(&d->sample_fault, "mismatch: sample has %lu values vs. %u types", sink.n_values,
              p->n_sample_types);
    else if (sink.nil_location)
        FAULT(&d->sample_fault, "sample has nil location");
}

/* Each sample has n_sample_types values or is faulty: without a fault there are as many values as
 * were counted. A file that promises more is refused before memory is asked for. */
static bool values_match(struct decoder *d)
{
    return (uint64_t)d->scan.counts[COUNT_SAMPLE] * d->scan.counts[COUNT_SAMPLE_TYPE] ==
           d->scan.counts[COUNT_VALUE];
}

/* The arrays but for values[], in their exact size. */
static bool allocate(struct decoder *d)
{
    struct profile *p = d->profile;
    const uint32_t *n = d->scan.counts;
#define EXACT(name, count) \
    (p->name = arena_array(&p->arena, p->room.name = n[count], sizeof *p->name))
    return EXACT(sample_types, COUNT_SAMPLE_TYPE) && EXACT(comments, COUNT_COMMENT) &&
           EXACT(samples, COUNT_SAMPLE) && EXACT(sample_locations, COUNT_LOCATION_ID) &&
           EXACT(labels, COUNT_LABEL) && EXACT(mappings, COUNT_MAPPING) &&
           EXACT(locations, COUNT_LOCATION) && EXACT(lines, COUNT_LINE) &&
           EXACT(functions, COUNT_FUNCTION);
#undef EXACT
}

static bool decode_samples(struct decoder *d)
{
    struct profile *p = d->profile;
    size_t row = p->n_sample_types * sizeof *p->values;
    int64_t *one_row = NULL;
    /* When the numbers of values can't be right, one row is enough to find the sample that is to be
     * named. */
    bool matching = values_match(d);
    p->values = matching ? arena_array(&p->arena, d->scan.counts[COUNT_SAMPLE], row)
                         : (one_row = arena_alloc(&d->scratch, row));
    if (!p->values)
        return false;
    struct wire wire = d->message;
    struct wire_field message;
    while (next_of(&wire, FIELD_SAMPLE, &message)) {
        if (!matching) /* decode_sample finds its row behind n_samples others */
            p->n_samples = 0;
        decode_sample(d, message.bytes);
    }
    if (one_row)
        p->values = NULL;
    return true;
}

static bool report_faults(struct decoder *d, struct profile_error *error)
{
    if (d->bad_string)
        return profile_error_set(error, PROFILE_ERROR_UNRECOGNIZED, "unrecognized profile format");
    if (!d->scan.counts[COUNT_SAMPLE_TYPE] && d->scan.counts[COUNT_SAMPLE])
        FAULT(&d->type_fault, "missing sample type information");
    const struct profile_error *faults[] = {&d->type_fault, &d->sample_fault, &d->mapping_fault,
                                            &d->function_fault, &d->location_fault};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (faults[i]->kind) {
            if (error)
                *error = *faults[i];
            return false;
        }
    return true;
}

static bool decode_message(struct decoder *d, struct profile_error *error)
{
    if (!profile_scan(d->message.at, (size_t)(d->message.end - d->message.at), &d->scan, error))
        return false;
    bool memory = allocate(d) && decode_strings(d);
    if (memory) {
        decode_header(d);
        memory =
            decode_mappings(d) && decode_functions(d) && decode_locations(d) && decode_samples(d);
    }
    if (!memory)
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    return report_faults(d, error);
}

bool profile_decode(const void *bytes, size_t n, struct profile *out, struct profile_error *error)
{
    struct decoder d = {.profile = out};
    arena_init(&d.scratch, 0);
    bool good = true;
    if (!profile_init(out, 0))
        return profile_error_set(error, PROFILE_ERROR_MEMORY, "out of memory");
    struct byte_buffer raw = {.arena = &d.scratch};
    if (gzip_is(bytes, n)) {
        good = gzip_inflate(bytes, n, profile_inflate_limit(n), &raw, error);
        bytes = raw.bytes;
        n = raw.length;
    }
    if (good && n == 0)
        good = profile_error_set(error, PROFILE_ERROR_EMPTY, "empty input file");
    if (good && n > PROFILE_MAX_BYTES)
        good = profile_error_set(error, PROFILE_ERROR_TOO_LARGE, "more than %d bytes",
                                 PROFILE_MAX_BYTES);
    if (good) {
        d.message = (struct wire){.at = bytes, .end = (const uint8_t *)bytes + n};
        good = decode_message(&d, error);
    }
    arena_free(&d.scratch);
    if (!good)
        profile_free(out);
    return good;
}
