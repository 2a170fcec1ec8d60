/* regexp.c - PCRE2 behind RE2's manners. */
#include "regexp.h"

#include "memory.h"
#include "message.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct regexp {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    /* A pattern without special characters is searched for directly: most are names. */
    char *literal;
    size_t literal_length;
};

/* What RE2 refuses and PCRE2 would take. */
static const char *foreign_syntax(const char *pattern)
{
    bool in_class = false;
    for (const char *c = pattern; *c; c++) {
        if (*c == '\\' && c[1]) {
            c++;
            if (*c == 'Q') {
                const char *end = strstr(c, "\\E");
                if (!end) {
                    return NULL;
                }
                c = end + 1;
                continue;
            }
            if (!in_class && *c >= '1' && *c <= '9') {
                return "invalid escape sequence";
            }
            if (strchr("RKXGghHkNuUlLZeE", *c)) {
                return "invalid escape sequence";
            }
        } else if (in_class) {
            in_class = *c != ']';
        } else if (*c == '[') {
            in_class = true;
            c += c[1] == '^';
            c += c[1] == ']';
        } else if (*c == '(' && c[1] == '*') {
            return "missing argument to repetition operator";
        } else if (*c == '(' && c[1] == '?' &&
                   (strchr("=!>|#(&R+0123456789'C", c[2]) ||
                    (c[2] == '<' && (c[3] == '=' || c[3] == '!')))) {
            return "invalid or unsupported Perl syntax";
        } else if ((*c == '*' || *c == '+' || *c == '?' || *c == '}') && c[1] == '+') {
            return "invalid nested repetition operator";
        }
    }
    return NULL;
}

struct regexp *regexp_compile(const char *pattern, char *error, size_t room)
{
    const char *foreign = foreign_syntax(pattern);
    if (foreign) {
        snprintf(error, room, "%s: `%s`", foreign, pattern);
        return NULL;
    }
    struct regexp *regexp = memory_array(1, sizeof *regexp);
    if (!strpbrk(pattern, "\\^$.[]|()?*+{}")) {
        regexp->literal_length = strlen(pattern);
        regexp->literal = memory_text(pattern, regexp->literal_length);
        return regexp;
    }
    int code;
    PCRE2_SIZE offset;
    uint32_t flags =
        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
    regexp->code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, flags, &code, &offset, NULL);
    if (!regexp->code) {
        PCRE2_UCHAR text[160];
        pcre2_get_error_message(code, text, sizeof text);
        snprintf(error, room, "%s: `%s`", (const char *)text, pattern);
        regexp_free(regexp);
        return NULL;
    }
    pcre2_jit_compile(regexp->code, PCRE2_JIT_COMPLETE);
    regexp->match = pcre2_match_data_create_from_pattern(regexp->code, NULL);
    regexp->context = pcre2_match_context_create(NULL);
    if (!regexp->match || !regexp->context) {
        regexp_free(regexp);
        snprintf(error, room, "out of memory");
        return NULL;
    }
    /* Nested repetitions would take exponential time. */
    pcre2_set_match_limit(regexp->context, 1000000);
    pcre2_set_depth_limit(regexp->context, 10000);
    pcre2_set_heap_limit(regexp->context, 20000);
    return regexp;
}

bool regexp_matches(const struct regexp *regexp, const char *text, size_t n)
{
    if (regexp->literal) {
        return memmem(text, n, regexp->literal, regexp->literal_length) != NULL;
    }
    int found =
        pcre2_match(regexp->code, (PCRE2_SPTR)text, n, 0, 0, regexp->match, regexp->context);
    return found >= 0;
}

bool regexp_group(const struct regexp *regexp, const char *text, size_t n, unsigned group,
                  size_t *start, size_t *length)
{
    int found =
        pcre2_match(regexp->code, (PCRE2_SPTR)text, n, 0, 0, regexp->match, regexp->context);
    if (found <= (int)group) {
        return false;
    }
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(regexp->match);
    *start = ends[2 * group];
    *length = ends[2 * group + 1] - *start;
    return *start != PCRE2_UNSET;
}

void regexp_free(struct regexp *regexp)
{
    if (regexp) {
        pcre2_code_free(regexp->code);
        pcre2_match_data_free(regexp->match);
        pcre2_match_context_free(regexp->context);
        free(regexp->literal);
        free(regexp);
    }
}

bool regexp_option(const char *name, const char *pattern, struct regexp **out)
{
    char error[512];
    *out = NULL;
    if (!*pattern) {
        return true;
    }
    *out = regexp_compile(pattern, error, sizeof error);
    if (!*out) {
        message_error("-%s: error parsing regexp: %s", name, error);
        message_hint("expressions are RE2's; \\ makes a special character ordinary: 'f\\(x\\)'");
    }
    return *out != NULL;
}
