/* memory.c - allocation that ends the program when there is no memory. */
#include "memory.h"

#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_end(void *memory)
{
    if (!memory) {
        message_error("out of memory");
        exit(STATUS_BAD_USAGE);
    }
    return memory;
}

void *memory_array(size_t count, size_t size)
{
    return or_end(calloc(count ? count : 1, size));
}

void *memory_resize(void *old, size_t count, size_t size)
{
    return or_end(reallocarray(old, count ? count : 1, size));
}

char *memory_text(const char *bytes, size_t n)
{
    char *copy = or_end(malloc(n + 1));
    memcpy(copy, bytes, n);
    copy[n] = 0;
    return copy;
}

char *memory_print(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    return or_end(n < 0 ? NULL : text);
}
