/* options.c - reads the APPROF_* variables; see options.h. */
#include "options.h"

#include <string.h>

#include "env_options.h"
#include "heap_tables.h"
#include "hook_state.h"
#include "line.h"

struct hook_options hook_options;

bool options_parse_bytes(const char *text, uint64_t *value)
{
    uint64_t n = 0;
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
            __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
            return false;
    unsigned shift = 0;
    switch (*text) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    }
    if (shift != 0)
        text++;
    if (*text != '\0' || n > UINT64_MAX >> shift)
        return false;
    *value = n << shift;
    return true;
}

bool options_parse_percent(const char *text, uint32_t *millionths)
{
    uint32_t n = 0, unit = 10000; /* of the last digit */
    bool digits = false, point = false;
    for (;; text++) {
        if (*text == '.' && !point) {
            point = true;
        } else if (*text >= '0' && *text <= '9' && n <= 100 * 10000) {
            if (point)
                unit /= 10; /* what is finer than a millionth doesn't count */
            n = point ? n + (uint32_t)(*text - '0') * unit
                      : n * 10 + (uint32_t)(*text - '0') * unit;
            digits = true;
        } else {
            break;
        }
    }
    if (*text == '%')
        text++;
    if (!digits || *text != '\0' || n == 0 || n > 100 * 10000)
        return false;
    *millionths = n;
    return true;
}

/* One character against [...]; *pattern is left after the bracket. An unclosed one is literal. */
static bool glob_set(const char **pattern, char c)
{
    const char *p = *pattern + 1;
    bool negated = *p == '!' || *p == '^', found = false;
    if (negated)
        p++;
    for (bool first = true; *p != ']' || first; first = false) {
        if (*p == '\0') {
            ++*pattern;
            return c == '[';
        }
        char low = *p++;
        if (*p == '-' && p[1] != ']' && p[1] != '\0') {
            found |= low <= c && c <= p[1];
            p += 2;
        } else {
            found |= low == c;
        }
    }
    *pattern = p + 1;
    return found != negated;
}

static bool glob_one(const char **pattern, char c)
{
    switch (**pattern) {
    case '?':
        ++*pattern;
        return true;
    case '[':
        return glob_set(pattern, c);
    case '\\':
        if ((*pattern)[1] != '\0')
            ++*pattern;
        __attribute__((fallthrough));
    default:
        return *(*pattern)++ == c;
    }
}

/* Only the latest star is ever tried again: no recursion, no exponential time. */
bool options_glob(const char *pattern, const char *name)
{
    const char *after_star = NULL, *retry = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = name;
            continue;
        }
        const char *next = pattern;
        if (*pattern != '\0' && glob_one(&next, *name)) {
            pattern = next;
            name++;
        } else if (after_star != NULL) {
            pattern = after_star;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static const char *find(char **environment, const char *name)
{
    size_t n = strlen(name);
    for (char **e = environment; e != NULL && *e != NULL; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
            return *e + n + 1;
    return NULL;
}

static void complain(enum env_option_index i, const char *what, const char *value)
{
    struct line text = {0}, hint = {0};
    line_text(&text, env_options[i].name);
    line_text(&text, ": ");
    line_text(&text, what);
    line_text(&text, ": '");
    line_text(&text, value);
    line_text(&text, "'");
    line_text(&hint, "the default is used: ");
    line_text(&hint, env_options[i].initial[0] != '\0' ? env_options[i].initial : "none");
    hook_complain(env_options[i].name, text.bytes, hint.bytes);
}

/* The value to use: what the environment says, if check accepts it, else the default. An empty
 * variable is an unset one. */
static const char *value_of(char **environment, enum env_option_index i)
{
    const char *value = find(environment, env_options[i].name);
    return value != NULL && *value != '\0' ? value : NULL;
}

static uint64_t number(char **environment, enum env_option_index i, uint64_t low, uint64_t high,
                       const char *what)
{
    uint64_t n;
    const char *value = value_of(environment, i);
    if (value != NULL) {
        if (options_parse_bytes(value, &n) && n >= low && n <= high)
            return n;
        complain(i, what, value);
    }
    options_parse_bytes(env_options[i].initial, &n);
    return n;
}

static bool copy_text(char **environment, enum env_option_index i, char *out, size_t room)
{
    const char *value = value_of(environment, i);
    if (value != NULL && strlen(value) >= room) {
        complain(i, "too long", value);
        value = NULL;
    }
    if (value == NULL)
        value = "";
    memcpy(out, value, strlen(value) + 1);
    return *value != '\0';
}

void options_read(char **environment)
{
    struct hook_options *o = &hook_options;
    o->verbose = number(environment, ENV_verbose, 0, 1, "neither 0 nor 1") != 0;
    o->rate = number(environment, ENV_rate, 0, OPTION_RATE_MAX, "not a number of bytes");
    o->overhead = 0;
    const char *ceiling = value_of(environment, ENV_overhead);
    if (ceiling != NULL && !options_parse_percent(ceiling, &o->overhead))
        complain(ENV_overhead, "not a share above 0% and up to 100%", ceiling);
    o->depth = (uint32_t)number(environment, ENV_depth, 1, HEAP_MAX_DEPTH,
                                "not a number of frames from 1 to 1024");
    o->memory = number(environment, ENV_memory, 1 << 20, UINT64_C(1) << 46,
                       "not a number of bytes from 1M");
    o->symbolize = number(environment, ENV_symbolize, 0, 1, "neither 0 nor 1") != 0;
    o->seed = number(environment, ENV_seed, 0, UINT64_MAX, "not a number");
    o->out_set = copy_text(environment, ENV_out, o->out, sizeof o->out);
    if (!o->out_set)
        strcpy(o->out, env_options[ENV_out].initial);
    copy_text(environment, ENV_tables, o->tables, sizeof o->tables);
    if (o->tables[0] != '\0' && o->tables[0] != '/' && strcmp(o->tables, "off") != 0) {
        complain(ENV_tables, "neither an absolute path nor 'off'", o->tables);
        o->tables[0] = '\0';
    }
    if (!copy_text(environment, ENV_only, o->only, sizeof o->only))
        strcpy(o->only, env_options[ENV_only].initial);
    if (!copy_text(environment, ENV_unwind, o->unwind, sizeof o->unwind))
        strcpy(o->unwind, env_options[ENV_unwind].initial);
    if (strcmp(o->unwind, "approf") != 0 && strcmp(o->unwind, "libunwind") != 0 &&
        strcmp(o->unwind, "approf+libunwind") != 0 && strcmp(o->unwind, "null") != 0) {
        complain(ENV_unwind, "not approf, approf+libunwind, libunwind or null", o->unwind);
        strcpy(o->unwind, env_options[ENV_unwind].initial);
    }
    copy_text(environment, ENV_helper, o->helper, sizeof o->helper);
    const char *run = find(environment, "APPROF_UNDER_RUN");
    uint64_t pid = 0;
    o->under_run = run != NULL && options_parse_bytes(run, &pid) && pid <= INT32_MAX ? (int)pid : 0;
}
