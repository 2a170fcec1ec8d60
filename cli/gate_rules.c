/* gate_rules.c - limits, as people write them.
 *
 * On the command line: `--KIND LIMIT`, `--site RE LIMIT`. In a file, one to a line, with # comments
 * and without the dashes:
 *
 *     per 1000
 *     floor alloc_space=1MB
 *     max-growth alloc_space=5% inuse_space=10%
 *     max alloc_objects=12/op
 *     site '^parse_' alloc_space=0
 *     warn max-site-growth alloc_objects=2%
 *
 * A limit is TYPE=VALUE: bytes with a unit if any (kB, MB, GB of 1024), a number of objects, or a
 * percentage of growth.
 */
#include "gate.h"
#include "memory.h"
#include "message.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool parse_type(const char *text, size_t n, enum gate_type *type)
{
    for (int t = 0; t < GATE_TYPES; t++)
        if (strlen(gate_type_names[t]) == n && memcmp(gate_type_names[t], text, n) == 0) {
            *type = (enum gate_type)t;
            return true;
        }
    return false;
}

/* 12, 12.5MB, 5%: false if it is none of them. */
static bool parse_amount(const char *text, size_t n, double *value, bool *percent,
                         bool *per_operation)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1},         {"B", 1},       {"kB", 0x1p10},  {"KB", 0x1p10},
                 {"KiB", 0x1p10}, {"MB", 0x1p20}, {"MiB", 0x1p20}, {"GB", 0x1p30},
                 {"GiB", 0x1p30}, {"TB", 0x1p40}, {"TiB", 0x1p40}};
    char word[64], *end;
    if (n == 0 || n >= sizeof word || !(isdigit((unsigned char)*text) || *text == '.'))
        return false;
    memcpy(word, text, n);
    word[n] = 0;
    *percent = *per_operation = false;
    if (n > 3 && strcmp(word + n - 3, "/op") == 0) {
        *per_operation = true;
        word[n - 3] = 0;
    }
    *value = strtod(word, &end);
    if (!isfinite(*value) || strpbrk(word, "xXpP"))
        return false;
    if (strcmp(end, "%") == 0) {
        *percent = true;
        *value /= 100;
        return !*per_operation;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].unit) == 0) {
            *value *= units[i].factor;
            return true;
        }
    return false;
}

static bool bad_limit(const char *origin, const char *limit, const char *why)
{
    message_error("%s: '%s' %s", origin, limit, why);
    message_hint("a limit is TYPE=VALUE, for example alloc_space=5%% or alloc_objects=1000/op; "
                 "types are alloc_objects, alloc_space, "
                 "inuse_objects, inuse_space and peak");
    return false;
}

bool gate_rule_add(struct gate_rules *rules, const char *kind, const char *pattern,
                   const char *limit, const char *origin, bool soft)
{
    struct gate_rule rule = {.soft = soft};
    const char *equals = strchr(limit, '=');
    bool percent, growing = strcmp(kind, "max-growth") == 0 || strcmp(kind, "max-site-growth") == 0;
    if (!equals || !parse_type(limit, (size_t)(equals - limit), &rule.type))
        return bad_limit(origin, limit, "names no sample type");
    const char *amount = equals + 1;
    bool by = *amount == '+';
    amount += by;
    if (!parse_amount(amount, strlen(amount), &rule.value, &percent, &rule.per_operation))
        return bad_limit(origin, limit, "has no amount that can be understood");
    if (strcmp(kind, "floor") == 0) {
        if (percent || rule.per_operation)
            return bad_limit(origin, limit, "is not an amount of bytes or objects");
        rules->floor[rule.type] = rule.value;
        return true;
    }
    rule.scope = pattern ? GATE_PATTERN
                 : strcmp(kind, "max-site") == 0 || strcmp(kind, "max-site-growth") == 0
                     ? GATE_EACH_SITE
                     : GATE_TOTAL;
    rule.limit = percent ? GATE_GROWTH : growing || by ? GATE_GROWTH_BY : GATE_MAX;
    if (percent && !growing && !pattern)
        return bad_limit(origin, limit, "is a growth: say max-growth or max-site-growth");
    if (rule.type == GATE_PEAK && rule.scope != GATE_TOTAL)
        return bad_limit(origin, limit, "can't be: a peak is of the whole process");
    rule.text = pattern ? memory_print("%ssite '%s' %s", soft ? "warn " : "", pattern, limit)
                        : memory_print("%s%s %s", soft ? "warn " : "", kind, limit);
    rule.origin = memory_text(origin, strlen(origin));
    if (pattern) {
        char error[256];
        rule.pattern = memory_text(pattern, strlen(pattern));
        rule.regexp = regexp_compile(pattern, error, sizeof error);
        if (!rule.regexp) {
            message_error("%s: error parsing regexp: %s", origin, error);
            message_hint("a name with characters like ( is matched as '\\('");
            free(rule.text);
            free(rule.origin);
            free(rule.pattern);
            return false;
        }
    }
    MEMORY_ROOM(rules->rules, rules->n, rules->room);
    rules->rules[rules->n++] = rule;
    return true;
}

/* The next word of a line: plain, or in single or double quotes. NULL at the end. */
static char *next_word(char **at)
{
    char *start = *at + strspn(*at, " \t\r\n");
    if (!*start || *start == '#')
        return NULL;
    char quote = *start == '\'' || *start == '"' ? *start : 0, *end;
    if (quote) {
        end = strchr(++start, quote);
        if (!end)
            end = start + strcspn(start, "\n");
    } else {
        end = start + strcspn(start, " \t\r\n");
    }
    *at = *end ? end + 1 : end;
    *end = 0;
    return start;
}

static bool read_line(struct gate_rules *rules, char *line, const char *origin)
{
    static const char *const kinds[] = {"max",  "max-growth", "max-site", "max-site-growth",
                                        "site", "floor"};
    char *kind = next_word(&line), *pattern = NULL, *limit;
    if (!kind)
        return true;
    bool soft = strcmp(kind, "warn") == 0;
    if (soft)
        kind = next_word(&line);
    bool known = false;
    for (size_t i = 0; kind && i < sizeof kinds / sizeof kinds[0]; i++)
        known = known || strcmp(kind, kinds[i]) == 0;
    if (kind && !soft && strcmp(kind, "per") == 0) {
        char *end = NULL, *number = next_word(&line);
        rules->operations = number ? strtod(number, &end) : 0;
        if (number && *end == 0 && rules->operations > 0 && isfinite(rules->operations))
            return true;
        message_error("%s: 'per' wants a number of operations", origin);
        message_hint("per 1000");
        return false;
    }
    if (!known) {
        message_error("%s: '%s' is no kind of rule", origin, kind ? kind : "warn");
        message_hint("rules are max, max-growth, max-site, max-site-growth, site, floor and per, "
                     "with warn in front or not");
        return false;
    }
    if (strcmp(kind, "site") == 0 && !(pattern = next_word(&line))) {
        message_error("%s: 'site' wants a pattern and a limit", origin);
        message_hint("site '^parse_' alloc_space=0");
        return false;
    }
    bool any = false;
    while ((limit = next_word(&line))) {
        any = true;
        if (!gate_rule_add(rules, kind, pattern, limit, origin, soft))
            return false;
    }
    if (!any) {
        message_error("%s: '%s' has no limit", origin, kind);
        message_hint("%s alloc_space=%s", kind, strstr(kind, "growth") ? "5%" : "1MB");
    }
    return any;
}

bool gate_rules_read(struct gate_rules *rules, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        message_error("%s: the rules can't be read", path);
        message_hint("-rules names a file with one limit a line; docs/GATE.md has an example");
        return false;
    }
    char line[4096];
    const char *slash = strrchr(path, '/');
    bool fine = true;
    for (int number = 1; fine && fgets(line, sizeof line, file); number++) {
        char *origin = memory_print("%s:%d", slash ? slash + 1 : path, number);
        if (!strchr(line, '\n') && !feof(file)) {
            message_error("%s: the line is too long", origin);
            fine = false;
        } else {
            fine = read_line(rules, line, origin);
        }
        free(origin);
    }
    fclose(file);
    return fine;
}

void gate_rules_default(struct gate_rules *rules)
{
    gate_rule_add(rules, "max-growth", NULL, "alloc_space=5%", "default", false);
}

void gate_rules_free(struct gate_rules *rules)
{
    for (uint32_t i = 0; i < rules->n; i++) {
        regexp_free(rules->rules[i].regexp);
        free(rules->rules[i].pattern);
        free(rules->rules[i].text);
        free(rules->rules[i].origin);
    }
    free(rules->rules);
    *rules = (struct gate_rules){0};
}
