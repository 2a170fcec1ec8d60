/* demangle.c - libiberty's demangler behind bounds, and what pprof makes of its answers.
 *
 * libiberty hands its output to a callback piece by piece; a hostile name of a few hundred bytes
 * can stand for gigabytes, so the callback leaves by longjmp when the buffer is full. That leaks
 * nothing: the demangler keeps its state on the stack.
 */
#include "demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* libiberty's own limit refuses C++ names over 1,024 bytes, which templates reach easily. Without
 * it the depth of its recursion follows the length: at this one it needs less than 4 MiB of stack
 * on the worst names that we found (tests/symbols). */
enum { LONGEST_NAME = 8192, LONGEST_SHORT = 1024, READABLE_ROOM = 64 * 1024 };

struct collector {
    char *out;
    size_t used, room;
    jmp_buf full;
};

static void collect(const char *text, size_t n, void *opaque)
{
    struct collector *collector = opaque;
    if (n >= collector->room - collector->used)
        longjmp(collector->full, 1);
    memcpy(collector->out + collector->used, text, n);
    collector->used += n;
}

static bool run_demangler(const char *text, bool rust, int flags, char *out, size_t room)
{
    struct collector collector = {.out = out, .room = room};
    if (setjmp(collector.full) != 0)
        return false;
    int done = rust ? rust_demangle_callback(text, flags, collect, &collector)
                    : cplus_demangle_v3_callback(text, flags, collect, &collector);
    if (!done)
        return false;
    out[collector.used] = 0;
    return collector.used > 0;
}

/* The index past the bracket that closes text[i], or 0 when there is none. Parentheses inside angle
 * brackets hold expressions, whose '>' close nothing; neither does an arrow. */
static size_t skip_bracketed(const char *text, size_t i)
{
    size_t round = 0, angle = 0, open_round[64];
    for (; text[i] != 0; i++) {
        char c = text[i];
        if (c == '(') {
            round++;
        } else if (c == ')') {
            if (round > 0)
                round--;
        } else if (c == '<' && (angle == 0 || open_round[angle - 1] == round)) {
            if (angle == sizeof open_round / sizeof open_round[0])
                return 0;
            open_round[angle++] = round;
        } else if (c == '>' && text[i - 1] != '-' && open_round[angle - 1] == round) {
            if (--angle == 0)
                return i + 1;
        }
    }
    return 0;
}

static bool is_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

/* The length of an operator's sign that starts with an angle bracket or holds one, at the end of
 * "operator", or 0. */
static size_t operator_sign(const char *text)
{
    static const char *const signs[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
                                        "<=",  ">=",  "->",  "<",   ">"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t n = strlen(signs[i]);
        if (strncmp(text, signs[i], n) == 0)
            return n;
    }
    return 0;
}

void demangle_cut_arguments(char *text)
{
    size_t from = 0, to = 0;
    while (text[from] != 0) {
        if (strncmp(text + from, "operator", 8) == 0 &&
            (from == 0 || !is_identifier(text[from - 1]))) {
            size_t n = 8 + operator_sign(text + from + 8);
            memmove(text + to, text + from, n);
            from += n;
            to += n;
            /* "operator< <int>": the space only kept the brackets apart. */
            if (n > 8 && text[from] == ' ' && text[from + 1] == '<')
                from++;
            continue;
        }
        if (text[from] == '<') {
            size_t end = skip_bracketed(text, from);
            if (end != 0) {
                from = end;
                continue;
            }
        }
        text[to++] = text[from++];
    }
    text[to] = 0;
}

bool demangle(const char *text, enum demangle_style style, char *out, size_t room)
{
    size_t length = strnlen(text, LONGEST_NAME + 1);
    if (style == DEMANGLE_NONE || length < 3 || length > LONGEST_NAME || room < 2)
        return false;
    int depth = length >= LONGEST_SHORT ? DMGL_NO_RECURSE_LIMIT : 0;
    /* Rust first: its older names are well-formed C++ names with a hash at the end. */
    if (text[0] == '_' && (text[1] == 'R' || text[1] == 'Z') &&
        run_demangler(text, true, DMGL_AUTO, out, room))
        return true;
    if (strncmp(text, "_Z", 2) != 0 && strncmp(text, "_GLOBAL_", 8) != 0)
        return false;
    int flags = DMGL_ANSI | depth | (style == DEMANGLE_FULL ? DMGL_PARAMS : 0);
    if (!run_demangler(text, false, flags, out, room))
        return false;
    if (style == DEMANGLE_DEFAULT)
        demangle_cut_arguments(out);
    return out[0] != 0;
}

/* Whether text looks like the readable name of a C++ function; pprof's rule, which keeps clear of
 * Java's "class.<init>" and Go's "foo.(*Bar[...]).Method". */
static bool looks_demangled(const char *text)
{
    if (strstr(text, ".<") != NULL || strstr(text, "]).") != NULL)
        return false;
    return strpbrk(text, "<>[]") != NULL || strstr(text, "::") != NULL;
}

/* Cuts all balanced open...close pairs; a stray close ends it, an open one that nothing closes
 * stays. */
static void cut_balanced(char *text, char open, char close)
{
    size_t to = 0, first = 0, depth = 0;
    for (size_t from = 0; text[from] != 0; from++) {
        char c = text[from];
        if (c == open && depth++ == 0)
            first = to;
        if (c == close) {
            if (depth == 0) {
                memmove(text + to, text + from, strlen(text + from) + 1);
                return;
            }
            if (--depth == 0) {
                to = first;
                continue;
            }
        }
        text[to++] = c;
    }
    text[to] = 0;
}

static string_id readable_name(struct profile *profile, string_id system_name,
                               enum demangle_style style, char *scratch)
{
    const char *text = profile_text(profile, system_name);
    if (demangle(text, style, scratch, READABLE_ROOM))
        return profile_intern_text(profile, scratch);
    uint32_t length = profile->strings[system_name].length;
    if (style == DEMANGLE_FULL || length >= READABLE_ROOM || strlen(text) != length ||
        !looks_demangled(text))
        return system_name;
    memcpy(scratch, text, length + 1);
    cut_balanced(scratch, '(', ')');
    if (style == DEMANGLE_DEFAULT)
        cut_balanced(scratch, '<', '>');
    return profile_intern_text(profile, scratch);
}

bool demangle_profile(struct profile *profile, enum demangle_style style, bool force)
{
    char *scratch = NULL;
    bool sound = true;
    for (uint32_t i = 0; i < profile->n_functions && sound; i++) {
        struct profile_function *function = &profile->functions[i];
        if (force && function->name != 0 && function->system_name != 0)
            function->name = function->system_name;
        if (style == DEMANGLE_NONE ||
            (function->name != 0 && function->name != function->system_name))
            continue;
        if (scratch == NULL && (scratch = malloc(READABLE_ROOM)) == NULL)
            return false;
        string_id name = readable_name(profile, function->system_name, style, scratch);
        sound = name != PROFILE_NONE;
        if (sound)
            function->name = name;
    }
    free(scratch);
    return sound;
}
