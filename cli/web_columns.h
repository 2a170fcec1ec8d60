/* web_columns.h - arrays of numbers for the web page: each one a run of variable-length numbers
 * (seven bits a byte, low ones first), one behind the other (format: docs/WEB.md).
 *
 * Names are kept, not copied. Not thread-safe.
 */
#ifndef APPROF_WEB_COLUMNS_H
#define APPROF_WEB_COLUMNS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct web_column {
    const char *name;
    size_t start, count; /* bytes before it; numbers in it */
};

struct web_columns {
    uint8_t *bytes;
    size_t length, room;
    struct web_column *columns;
    uint32_t n, columns_room;
};

/* Numbers that are added from now on are of this column. */
void web_column_begin(struct web_columns *columns, const char *name);
void web_column_add(struct web_columns *columns, uint64_t value);
/* Bit 0 is the sign: 0, -1, 1, -2, ... become 0, 1, 2, 3. A column has numbers of one kind only. */
void web_column_add_signed(struct web_columns *columns, int64_t value);

/* As JSON, [["NAME", numbers, bytes], ...] in the order of the bytes. */
void web_columns_index(const struct web_columns *columns, FILE *out);
void web_columns_free(struct web_columns *columns);

#endif
