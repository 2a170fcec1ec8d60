/* records.h - tables for programs: the same records as CSV or JSON.
 *
 * JSON is one object: facts about the report, then "rows", an array of objects. CSV is RFC 4180: a
 * line of names, then the rows; facts are left out. Every record must have the same fields in the
 * same order. Text that is no UTF-8 is replaced in JSON, bytes are kept in CSV.
 */
#ifndef APPROF_RECORDS_H
#define APPROF_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum record_format { RECORDS_NONE, RECORDS_JSON, RECORDS_CSV };

struct records {
    FILE *out;
    enum record_format format;
    bool in_rows, in_record, any_fact, any_row, any_field, named;
    char *names; /* CSV: the first line, while the first record is written */
    size_t names_length;
    char *first_row;
    size_t first_row_length;
    FILE *names_out, *row_out;
};

void records_open(struct records *records, enum record_format format, FILE *out);
/* Before the first record. */
void records_fact_text(struct records *records, const char *name, const char *value);
void records_fact_int(struct records *records, const char *name, int64_t value);

void records_begin(struct records *records);
void records_text(struct records *records, const char *name, const char *value);
void records_int(struct records *records, const char *name, int64_t value);
void records_real(struct records *records, const char *name, double value); /* NaN: null, "" */
void records_end(struct records *records);
void records_close(struct records *records);

/* Length of the UTF-8 character at text, 0 if it is none; NUL-terminated text is not read past its
 * end. */
size_t utf8_length(const unsigned char *text);

/* A JSON string with its quotes. */
void json_text(FILE *out, const char *text);

#endif
