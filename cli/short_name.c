/* short_name.c - see short_name.h. */
#include "short_name.h"

#include "memory.h"
#include "regexp.h"

#include <stdlib.h>
#include <string.h>

enum { N_LANGUAGES = 3 };

struct short_names {
    struct regexp *version;                /* Go's /v2 in a module path */
    struct regexp *languages[N_LANGUAGES]; /* group 1 is what stays */
};

struct short_names *short_names_open(bool go119)
{
    static const char version[] = "^(.*?)/v(?:[2-9]|[1-9][0-9]+)([./].*)$";
    const char *patterns[N_LANGUAGES] = {
        go119 ? "^(?:[\\w\\-\\.]+\\/)+(.+)" : "^(?:[\\w\\-\\.]+\\/)+([^.]+\\..+)",
        "^(?:[a-z]\\w*\\.)*([A-Z][\\w\\$]*\\.(?:<init>|[a-z][\\w\\$]*(?:\\$\\d+)?))(?:(?:\\()|$)",
        "^(?:[_a-zA-Z]\\w*::)+(_*[A-Z]\\w*::~?[_a-zA-Z]\\w*(?:<.*>)?)",
    };
    char error[256];
    struct short_names *names = memory_array(1, sizeof *names);
    names->version = regexp_compile(version, error, sizeof error);
    bool fine = names->version;
    for (size_t i = 0; i < N_LANGUAGES; i++) {
        names->languages[i] = regexp_compile(patterns[i], error, sizeof error);
        fine &= names->languages[i] != NULL;
    }
    if (!fine) {
        short_names_close(names);
        return NULL;
    }
    return names;
}

char *short_name(struct short_names *names, const char *name)
{
    static const char anonymous[] = "(anonymous namespace)::";
    size_t start, length, rest, rest_length;
    if (strncmp(name, anonymous, sizeof anonymous - 1) == 0) {
        name += sizeof anonymous - 1;
    }
    char *text = memory_text(name, strlen(name));
    if (regexp_group(names->version, text, strlen(text), 1, &start, &length) &&
        regexp_group(names->version, text, strlen(text), 2, &rest, &rest_length)) {
        memmove(text + length, text + rest, rest_length + 1);
    }
    for (size_t i = 0; i < N_LANGUAGES; i++) {
        if (regexp_group(names->languages[i], text, strlen(text), 1, &start, &length)) {
            memmove(text, text + start, length);
            text[length] = 0;
            break;
        }
    }
    return text;
}

void short_names_close(struct short_names *names)
{
    if (names) {
        regexp_free(names->version);
        for (size_t i = 0; i < N_LANGUAGES; i++) {
            regexp_free(names->languages[i]);
        }
        free(names);
    }
}
