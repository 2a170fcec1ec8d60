/* filter.c - filters of frames and stacks; filters of labels are in tag_filter.c. */
#include "filter.h"

#include "memory.h"
#include "message.h"
#include "profile_edit.h"
#include "prune.h"
#include "tag_filter.h"

#include <stdlib.h>
#include <string.h>

/* Names and files are matched once a function, not once a frame. */
static bool *match_functions(const struct profile *p, const struct regexp *regexp)
{
    bool *matches = memory_array(p->n_functions, sizeof *matches);
    for (uint32_t f = 0; regexp && f < p->n_functions; f++) {
        const struct profile_string *name = &p->strings[p->functions[f].name];
        const struct profile_string *file = &p->strings[p->functions[f].filename];
        matches[f] = regexp_matches(regexp, name->bytes, name->length) ||
                     regexp_matches(regexp, file->bytes, file->length);
    }
    return matches;
}

static bool *match_mappings(const struct profile *p, const struct regexp *regexp)
{
    bool *matches = memory_array(p->n_mappings, sizeof *matches);
    for (uint32_t m = 0; regexp && m < p->n_mappings; m++) {
        const struct profile_string *file = &p->strings[p->mappings[m].filename];
        matches[m] = regexp_matches(regexp, file->bytes, file->length);
    }
    return matches;
}

/* One expression, and what it matches in this profile. */
struct frame_filter {
    struct regexp *regexp; /* NULL: not asked for */
    bool *functions, *mappings;
    bool matched;
};

static void frame_filter_match(struct frame_filter *filter, const struct profile *p)
{
    filter->functions = match_functions(p, filter->regexp);
    filter->mappings = match_mappings(p, filter->regexp);
}

static void frame_filter_free(struct frame_filter *filter)
{
    regexp_free(filter->regexp);
    free(filter->functions);
    free(filter->mappings);
}

static bool mapping_matches(const struct frame_filter *filter,
                            const struct profile_location *location)
{
    return location->mapping != PROFILE_NONE && filter->mappings[location->mapping];
}

static bool location_matches(const struct frame_filter *filter, const struct profile *p,
                             const struct profile_location *location)
{
    if (mapping_matches(filter, location)) {
        return true;
    }
    for (uint32_t i = 0; i < location->n_lines; i++) {
        if (filter->functions[p->lines[location->first_line + i].function]) {
            return true;
        }
    }
    return false;
}

/* Keeps the lines that match (or do not, with keep false); returns how many stay. */
static uint32_t keep_lines(struct profile *p, struct profile_location *location,
                           const struct frame_filter *filter, bool keep)
{
    if (mapping_matches(filter, location)) {
        location->n_lines = keep ? location->n_lines : 0;
        return location->n_lines;
    }
    struct profile_line *lines = p->lines + location->first_line;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < location->n_lines; i++) {
        if (filter->functions[lines[i].function] == keep) {
            lines[kept++] = lines[i];
        }
    }
    return location->n_lines = kept;
}

static void keep_sample(struct profile *p, uint32_t *kept, uint32_t sample)
{
    if (*kept != sample) {
        p->samples[*kept] = p->samples[sample];
        memcpy(&p->values[(size_t)*kept * p->n_sample_types],
               &p->values[(size_t)sample * p->n_sample_types],
               p->n_sample_types * sizeof *p->values);
    }
    (*kept)++;
}

struct frame_filters {
    struct frame_filter focus, ignore, hide, show;
};

static void filter_by_name(struct profile *p, struct frame_filters *f)
{
    enum { FOCUSED = 1, IGNORED = 2, HIDDEN = 4 };
    uint8_t *marks = memory_array(p->n_locations, 1);
    for (uint32_t l = 0; l < p->n_locations; l++) {
        struct profile_location *location = &p->locations[l];
        if (f->ignore.regexp && location_matches(&f->ignore, p, location)) {
            f->ignore.matched = true;
            marks[l] |= IGNORED;
        } else if (!f->focus.regexp || location_matches(&f->focus, p, location)) {
            f->focus.matched = true;
            marks[l] |= FOCUSED;
        }
        if (f->hide.regexp && location_matches(&f->hide, p, location)) {
            f->hide.matched = true;
            if (keep_lines(p, location, &f->hide, false) == 0) {
                marks[l] |= HIDDEN;
            }
        }
        if (f->show.regexp) {
            if (keep_lines(p, location, &f->show, true) == 0) {
                marks[l] |= HIDDEN;
            } else {
                f->show.matched = true;
            }
        }
    }
    uint32_t kept = 0;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        struct profile_sample *sample = &p->samples[s];
        uint32_t *locations = p->sample_locations + sample->first_location;
        unsigned seen = 0;
        uint32_t n = 0;
        for (uint32_t i = 0; i < sample->n_locations; i++) {
            seen |= marks[locations[i]];
        }
        if (!(seen & FOCUSED) || (seen & IGNORED)) {
            continue;
        }
        if (seen & HIDDEN) {
            for (uint32_t i = 0; i < sample->n_locations; i++) {
                if (!(marks[locations[i]] & HIDDEN)) {
                    locations[n++] = locations[i];
                }
            }
            if (n == 0) {
                continue;
            }
            sample->n_locations = n;
        }
        keep_sample(p, &kept, s);
    }
    p->n_samples = kept;
    free(marks);
}

static void show_from(struct profile *p, struct frame_filter *filter)
{
    bool *matches = memory_array(p->n_locations, sizeof *matches);
    for (uint32_t l = 0; l < p->n_locations; l++) {
        struct profile_location *location = &p->locations[l];
        matches[l] = mapping_matches(filter, location);
        for (uint32_t i = location->n_lines; !matches[l] && i-- > 0;) {
            if (filter->functions[p->lines[location->first_line + i].function]) {
                location->n_lines = i + 1;
                matches[l] = true;
            }
        }
        filter->matched |= matches[l];
    }
    uint32_t kept = 0;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        struct profile_sample *sample = &p->samples[s];
        for (uint32_t i = sample->n_locations; i-- > 0;) {
            if (matches[p->sample_locations[sample->first_location + i]]) {
                sample->n_locations = i + 1;
                keep_sample(p, &kept, s);
                break;
            }
        }
    }
    p->n_samples = kept;
    free(matches);
}

static void filter_by_tags(struct profile *p, const struct tag_filter *focus,
                           const struct tag_filter *ignore, bool *focus_matched,
                           bool *ignore_matched)
{
    uint32_t kept = 0;
    for (uint32_t s = 0; s < p->n_samples; s++) {
        bool focused = !focus || tag_filter_matches(focus, p, &p->samples[s]);
        bool ignored = ignore && tag_filter_matches(ignore, p, &p->samples[s]);
        *focus_matched |= focused;
        *ignore_matched |= ignored;
        if (focused && !ignored) {
            keep_sample(p, &kept, s);
        }
    }
    p->n_samples = kept;
}

/* Removes labels by key. With keep_base not those that tell a base's samples from the others: the
 * reports of differences need them. */
static void filter_labels(struct profile *p, const struct regexp *show, const struct regexp *hide,
                          bool keep_base, bool *show_matched, bool *hide_matched)
{
    enum { UNKNOWN, KEEP, REMOVE };
    uint8_t *verdicts = memory_array(p->n_strings, 1);
    string_id base = keep_base ? profile_find_text(p, "pprof::base") : PROFILE_NONE;
    if (base != PROFILE_NONE) {
        verdicts[base] = KEEP;
    }
    for (uint32_t s = 0; s < p->n_samples; s++) {
        struct profile_sample *sample = &p->samples[s];
        struct profile_label *labels = p->labels + sample->first_label;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < sample->n_labels; i++) {
            uint8_t *verdict = &verdicts[labels[i].key];
            if (*verdict == UNKNOWN) {
                const struct profile_string *key = &p->strings[labels[i].key];
                bool shown = !show || regexp_matches(show, key->bytes, key->length);
                bool hidden = hide && regexp_matches(hide, key->bytes, key->length);
                *verdict = (uint8_t)(shown && !hidden ? KEEP : REMOVE);
                *show_matched |= shown;
                *hide_matched |= hidden;
            }
            if (*verdict == KEEP) {
                labels[kept++] = labels[i];
            }
        }
        sample->n_labels = kept;
    }
    free(verdicts);
}

static void tell_unmatched(bool matched, bool asked, const char *name)
{
    if (asked && !matched) {
        message_note("%s expression matched no samples", name);
    }
}

bool filter_apply(struct profile *profile, const struct label_units *units,
                  const struct cli_options *options, bool go119)
{
    struct frame_filters frames = {0};
    struct frame_filter from = {0};
    struct regexp *tag_show = NULL, *tag_hide = NULL, *prune_regexp = NULL;
    struct tag_filter *tag_focus = NULL, *tag_ignore = NULL;
    bool fine = regexp_option("focus", options->focus, &frames.focus.regexp) &&
                regexp_option("ignore", options->ignore, &frames.ignore.regexp) &&
                regexp_option("hide", options->hide, &frames.hide.regexp) &&
                regexp_option("show", options->show, &frames.show.regexp) &&
                regexp_option("show_from", options->show_from, &from.regexp) &&
                tag_filter_parse("tagfocus", options->tagfocus, units, &tag_focus) &&
                tag_filter_parse("tagignore", options->tagignore, units, &tag_ignore) &&
                regexp_option("tagshow", options->tagshow, &tag_show) &&
                regexp_option("taghide", options->taghide, &tag_hide) &&
                regexp_option("prune_from", options->prune_from, &prune_regexp);
    bool by_name =
        frames.focus.regexp || frames.ignore.regexp || frames.hide.regexp || frames.show.regexp;
    if (fine) {
        /* Without any of the four this drops stacks that are empty, as pprof of Go 1.19 did. */
        if (by_name || go119) {
            frame_filter_match(&frames.focus, profile);
            frame_filter_match(&frames.ignore, profile);
            frame_filter_match(&frames.hide, profile);
            frame_filter_match(&frames.show, profile);
            filter_by_name(profile, &frames);
        }
        tell_unmatched(frames.focus.matched, frames.focus.regexp, "Focus");
        tell_unmatched(frames.ignore.matched, frames.ignore.regexp, "Ignore");
        tell_unmatched(frames.hide.matched, frames.hide.regexp, "Hide");
        tell_unmatched(frames.show.matched, frames.show.regexp, "Show");
        if (from.regexp) {
            frame_filter_match(&from, profile);
            show_from(profile, &from);
            tell_unmatched(from.matched, true, "ShowFrom");
        }
        bool focused = false, ignored = false, shown = false, hidden = false;
        if (tag_focus || tag_ignore) {
            filter_by_tags(profile, tag_focus, tag_ignore, &focused, &ignored);
        }
        tell_unmatched(focused, tag_focus, "TagFocus");
        tell_unmatched(ignored, tag_ignore, "TagIgnore");
        if (tag_show || tag_hide) {
            filter_labels(profile, tag_show, tag_hide, !go119, &shown, &hidden);
        }
        tell_unmatched(shown, tag_show, "TagShow");
        tell_unmatched(hidden, tag_hide, "TagHide");
        if (prune_regexp) {
            prune_from(profile, prune_regexp);
        }
    }
    frame_filter_free(&frames.focus);
    frame_filter_free(&frames.ignore);
    frame_filter_free(&frames.hide);
    frame_filter_free(&frames.show);
    frame_filter_free(&from);
    tag_filter_free(tag_focus);
    tag_filter_free(tag_ignore);
    regexp_free(tag_show);
    regexp_free(tag_hide);
    regexp_free(prune_regexp);
    return fine;
}
