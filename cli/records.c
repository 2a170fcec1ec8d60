/* records.c - see records.h. */
#include "records.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_length(const unsigned char *text)
{
    size_t n = text[0] < 0x80                       ? 1
               : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
               : text[0] >= 0xe0 && text[0] <= 0xef ? 3
               : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                    : 0;
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xed && text[1] > 0x9f;
    bool beyond = text[0] == 0xf4 && text[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : n;
}

void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t n = utf8_length(at);
        if (n == 0) {
            fputs("\\ufffd", out);
            n = 1;
        } else if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f || *at == '<') {
            /* '<' too: the text may be put into a page's script. */
            fprintf(out, "\\u%04x", *at);
        } else {
            fwrite(at, 1, n, out);
        }
        at += n;
    }
    fputc('"', out);
}

static void csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') {
            fputc('"', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

void records_open(struct records *records, enum record_format format, FILE *out)
{
    *records = (struct records){.out = out, .format = format};
    if (format == RECORDS_JSON) {
        fputc('{', out);
    }
}

static bool begin_fact(struct records *r, const char *name)
{
    if (r->format != RECORDS_JSON) {
        return false;
    }
    fputs(r->any_fact ? ",\n " : "\n ", r->out);
    r->any_fact = true;
    json_text(r->out, name);
    fputs(": ", r->out);
    return true;
}

void records_fact_text(struct records *r, const char *name, const char *value)
{
    if (begin_fact(r, name)) {
        json_text(r->out, value);
    }
}

void records_fact_int(struct records *r, const char *name, int64_t value)
{
    if (begin_fact(r, name)) {
        fprintf(r->out, "%" PRId64, value);
    }
}

static void begin_rows(struct records *r)
{
    if (!r->in_rows && begin_fact(r, "rows")) {
        fputc('[', r->out);
    }
    r->in_rows = true;
}

void records_begin(struct records *r)
{
    begin_rows(r);
    if (r->format == RECORDS_JSON) {
        fputs(r->any_row ? ",\n  {" : "\n  {", r->out);
    } else if (!r->named) {
        /* The names are known only once the first record has been seen. */
        r->names_out = open_memstream(&r->names, &r->names_length);
        r->row_out = open_memstream(&r->first_row, &r->first_row_length);
    }
    r->any_row = true;
    r->any_field = false;
}

/* Where the value goes. */
static FILE *begin_field(struct records *r, const char *name)
{
    FILE *out = r->row_out ? r->row_out : r->out;
    if (r->format == RECORDS_JSON) {
        fputs(r->any_field ? ", " : "", out);
        json_text(out, name);
        fputs(": ", out);
    } else {
        fputs(r->any_field ? "," : "", out);
        if (r->names_out) {
            fputs(r->any_field ? "," : "", r->names_out);
            csv_text(r->names_out, name);
        }
    }
    r->any_field = true;
    return out;
}

void records_text(struct records *r, const char *name, const char *value)
{
    FILE *out = begin_field(r, name);
    if (r->format == RECORDS_JSON) {
        json_text(out, value);
    } else {
        csv_text(out, value);
    }
}

void records_int(struct records *r, const char *name, int64_t value)
{
    fprintf(begin_field(r, name), "%" PRId64, value);
}

void records_real(struct records *r, const char *name, double value)
{
    FILE *out = begin_field(r, name);
    if (isfinite(value)) {
        fprintf(out, "%.6g", value);
    } else {
        fputs(r->format == RECORDS_JSON ? "null" : "", out);
    }
}

void records_end(struct records *r)
{
    if (r->format == RECORDS_JSON) {
        fputc('}', r->out);
        return;
    }
    if (r->names_out && r->row_out) {
        fclose(r->names_out);
        fclose(r->row_out);
        fprintf(r->out, "%s\r\n%s", r->names, r->first_row);
        free(r->names);
        free(r->first_row);
        r->names_out = r->row_out = NULL;
        r->named = true;
    }
    fputs("\r\n", r->out);
}

void records_close(struct records *r)
{
    begin_rows(r);
    if (r->format == RECORDS_JSON) {
        fputs(r->any_row ? "\n ]\n}\n" : "]\n}\n", r->out);
    }
}
