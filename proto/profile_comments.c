/* profile_comments.c - facts in comments (see profile_comments.h). */
#include "profile_comments.h"

#include "text.h"

#include <string.h>

/* Longest comment that is looked at: every key with the longest number, twice over. */
enum { FACTS_ROOM = 1536 };

static void take_word(struct profile_facts *facts, const char *word, size_t n)
{
    const char *equals = memchr(word, '=', n), *end = word + n;
    if (!equals)
        return;
    size_t key = (size_t)(equals - word);
    const char *value = equals + 1;
    if (key == 7 && memcmp(word, "version", 7) == 0) {
        struct text text;
        TEXT_ON(&text, facts->version);
        text_append(&text, value, (size_t)(end - value));
        return;
    }
    uint64_t number;
    if (!text_parse_u64(&value, end, &number) || value != end)
        return;
#define X(name)                                                   \
    if (key == sizeof #name - 1 && memcmp(word, #name, key) == 0) \
        facts->name = number;
    PROFILE_FACT_LIST(X)
#undef X
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void combine(struct profile_facts *all, const struct profile_facts *one)
{
    if (!all->n_comments) {
        *all = *one;
        all->n_comments = 1;
        return;
    }
    struct profile_facts was = *all;
#define X(name) all->name = sum(was.name, one->name);
    PROFILE_FACT_LIST(X)
#undef X
    all->rate = was.rate > one->rate ? was.rate : one->rate;
    all->exact = was.exact && one->exact;
    all->damaged = was.damaged || one->damaged;
    all->pid = was.pid;
    if (was.peak_bytes >= one->peak_bytes) {
        all->peak_bytes = was.peak_bytes;
        all->peak_ns = was.peak_ns;
    } else {
        all->peak_bytes = one->peak_bytes;
        all->peak_ns = one->peak_ns;
    }
    all->n_comments++;
}

bool profile_facts_read(const struct profile *profile, struct profile_facts *facts)
{
    const size_t prefix = sizeof PROFILE_FACTS_PREFIX - 1;
    *facts = (struct profile_facts){0};
    for (uint32_t i = 0; i < profile->n_comments; i++) {
        const struct profile_string *comment = &profile->strings[profile->comments[i]];
        if (comment->length < prefix || comment->length > FACTS_ROOM ||
            memcmp(comment->bytes, PROFILE_FACTS_PREFIX, prefix) != 0)
            continue;
        struct profile_facts one = {0};
        const char *at = comment->bytes + prefix, *end = comment->bytes + comment->length;
        while (at < end) {
            const char *space = memchr(at, ' ', (size_t)(end - at));
            const char *stop = space ? space : end;
            take_word(&one, at, (size_t)(stop - at));
            at = stop + (space != NULL);
        }
        combine(facts, &one);
    }
    return facts->n_comments != 0;
}

bool profile_facts_add(struct profile *profile, const struct profile_facts *facts)
{
    char *bytes = arena_alloc(&profile->arena, FACTS_ROOM);
    if (!bytes)
        return false;
    struct text text;
    text_init(&text, bytes, FACTS_ROOM);
    text_format(&text, "%s version=%s", PROFILE_FACTS_PREFIX, facts->version);
#define X(name) text_format(&text, " %s=%lu", #name, facts->name);
    PROFILE_FACT_LIST(X)
#undef X
    return profile_add_comment(profile, text.bytes) != PROFILE_NONE;
}
