/* dot_text.c - see dot_text.h. */
#include "dot_text.h"

#include "memory.h"
#include "paths.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned component(double value)
{
    double scaled = value * 255;
    return scaled >= 0 && scaled < 256 ? (unsigned)scaled : 0;
}

void dot_color(char text[8], double share, bool background)
{
    /* How far colours move from grey, so that small shares of either sign are told apart. */
    const double shift = 0.7;
    double saturation = background ? 0.1 : 1.0, value = background ? 0.93 : 0.7;
    share = share > 1 ? 1 : share < -1 ? -1 : share;
    if (fabs(share) < 0.2) {
        saturation *= fabs(share) / 0.2;
    }
    if (share > 0) {
        share = pow(share, 1 - shift);
    } else if (share < 0) {
        share = -pow(-share, 1 - shift);
    }
    double red = value, green = value, blue = value * (1 - saturation);
    if (share < 0) {
        red = value * (1 + saturation * share);
    } else {
        green = value * (1 - saturation * share);
    }
    snprintf(text, 8, "#%02x%02x%02x", component(red), component(green), component(blue));
}

static char *replace(const char *text, const char *what, const char *by)
{
    size_t n = strlen(text), what_length = strlen(what), by_length = strlen(by), count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += what_length) {
        count++;
    }
    char *out = memory_array(n + count * by_length + 1, 1), *end = out;
    for (const char *at = text, *next; *at; at = next) {
        next = strstr(at, what);
        size_t length = next ? (size_t)(next - at) : strlen(at);
        memcpy(end, at, length);
        end += length;
        if (!next) {
            break;
        }
        memcpy(end, by, by_length);
        end += by_length;
        next += what_length;
    }
    return out;
}

static char *replace_owned(char *text, const char *what, const char *by)
{
    char *out = replace(text, what, by);
    free(text);
    return out;
}

char *dot_escape(const char *text)
{
    char *out = replace(text, "\\", "\\\\");
    out = replace_owned(out, "\"", "\\\"");
    return replace_owned(out, "\n", "\\l");
}

char *dot_node_name(const struct frame_table *frames, uint32_t id, struct short_names *names)
{
    const struct frame_info *info = &frames->infos[id];
    const struct profile *p = frames->profile;
    char address[24] = "", place[48] = "";
    char *brief = short_name(names, profile_text(p, info->name));
    char *name = dot_escape(brief);
    free(brief);
    name = replace_owned(name, "::", "\\n");
    /* Go's type parameters. */
    name = replace_owned(name, "[...]", "[\xe2\x80\xa6]");
    name = replace_owned(name, ".", "\\n");
    if (info->address) {
        snprintf(address, sizeof address, "%016" PRIx64 "\\n", info->address);
    }
    const char *file = info->file ? path_base(profile_text(p, info->file)) : "";
    char *out;
    const char *gap = *name ? "\\n" : "";
    if (info->line) {
        if (info->column) {
            snprintf(place, sizeof place, ":%" PRId64 ":%" PRId64, info->line, info->column);
        } else {
            snprintf(place, sizeof place, ":%" PRId64, info->line);
        }
        out = memory_print("%s%s%s%s%s\\n", address, name, gap, file, place);
    } else if (*file) {
        out = memory_print("%s%s%s%s\\n", address, name, gap, file);
    } else if (*name) {
        out = memory_print("%s%s\\n", address, name);
    } else if (info->object) {
        out = memory_print("%s[%s]\\n", address, path_base(profile_text(p, info->object)));
    } else {
        out = memory_print("%s<unknown>\\n", address);
    }
    free(name);
    return out;
}
