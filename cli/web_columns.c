/* web_columns.c - see web_columns.h. */
#include "web_columns.h"

#include "memory.h"

#include <stdlib.h>

enum { MOST_BYTES = 10 }; /* of a number */

void web_column_begin(struct web_columns *columns, const char *name)
{
    MEMORY_ROOM(columns->columns, columns->n, columns->columns_room);
    columns->columns[columns->n++] = (struct web_column){.name = name, .start = columns->length};
}

void web_column_add(struct web_columns *columns, uint64_t value)
{
    if (columns->length + MOST_BYTES > columns->room) {
        columns->room = columns->room ? columns->room * 2 : 1 << 16;
        columns->bytes = memory_resize(columns->bytes, columns->room, 1);
    }
    for (; value > 0x7f; value >>= 7) {
        columns->bytes[columns->length++] = (uint8_t)(value | 0x80);
    }
    columns->bytes[columns->length++] = (uint8_t)value;
    columns->columns[columns->n - 1].count++;
}

void web_column_add_signed(struct web_columns *columns, int64_t value)
{
    web_column_add(columns, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void web_columns_index(const struct web_columns *columns, FILE *out)
{
    for (uint32_t c = 0; c < columns->n; c++) {
        const struct web_column *column = &columns->columns[c];
        size_t end = c + 1 < columns->n ? columns->columns[c + 1].start : columns->length;
        fprintf(out, "%s[\"%s\",%zu,%zu]", c ? "," : "[", column->name, column->count,
                end - column->start);
    }
    fputs(columns->n ? "]" : "[]", out);
}

void web_columns_free(struct web_columns *columns)
{
    free(columns->bytes);
    free(columns->columns);
    *columns = (struct web_columns){0};
}
