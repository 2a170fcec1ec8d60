/* byte_buffer.c - a growing byte array, and the errors of the codec (see profile_codec.h). */
#include "profile_codec.h"

#include "text.h"

#include <stdarg.h>
#include <string.h>

bool byte_buffer_reserve(struct byte_buffer *buffer, size_t n)
{
    if (buffer->room - buffer->length >= n)
        return true;
    size_t need;
    if (__builtin_add_overflow(buffer->length, n, &need)) {
        buffer->arena->failed = true;
        return false;
    }
    size_t room = buffer->room ? buffer->room + buffer->room / 2 : 4096;
    if (room < need)
        room = need;
    uint8_t *grown = arena_grow(buffer->arena, buffer->bytes, buffer->room, room);
    if (!grown)
        return false;
    buffer->bytes = grown;
    buffer->room = room;
    return true;
}

bool byte_buffer_append(struct byte_buffer *buffer, const void *bytes, size_t n)
{
    if (!byte_buffer_reserve(buffer, n))
        return false;
    if (n)
        memcpy(buffer->bytes + buffer->length, bytes, n);
    buffer->length += n;
    return true;
}

bool profile_error_set(struct profile_error *error, enum profile_error_kind kind,
                       const char *format, ...)
{
    if (!error)
        return false;
    error->kind = kind;
    struct text text;
    TEXT_ON(&text, error->text);
    va_list args;
    va_start(args, format);
    text_vformat(&text, format, args);
    va_end(args);
    return false;
}
