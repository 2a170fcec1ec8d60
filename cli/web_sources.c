/* web_sources.c - see web_sources.h. */
#include "web_sources.h"

#include "memory.h"
#include "records.h"
#include "source_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MARGIN = 8,      /* lines around a named one */
    MOST_LEAD = 120, /* lines from a function's start to the first named one */
    MOST_LINE = 400, /* bytes of a line */
    MOST_TEXT = 4 << 20,
};

static bool is_below(const char *path, const char *folder, size_t n)
{
    while (n > 1 && folder[n - 1] == '/') {
        n--;
    }
    return n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/';
}

static bool has_source_name(const char *path)
{
    static const char *const endings[] = {
        "c", "h",   "cc",  "cpp", "cxx", "c++",  "C",   "hh",    "hpp", "hxx", "h++",
        "H", "inc", "inl", "ipp", "tcc", "tpp",  "m",   "mm",    "rs",  "go",  "s",
        "S", "asm", "zig", "d",   "f90", "f",    "pas", "adb",   "ads", "nim", "v",
        "y", "l",   "re",  "py",  "pyx", "java", "cu",  "swift",
    };
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dot + 1, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* ctx: the source path, absolute. */
static bool may_show(const char *path, void *ctx)
{
    static const char *const headers[] = {"/usr/include", "/usr/local/include"};
    static const char *const sources[] = {"/usr/src", "/usr/lib/gcc"};
    for (size_t i = 0; i < 2; i++) {
        /* The C++ library's headers have no ending. */
        if (is_below(path, headers[i], strlen(headers[i])) ||
            (is_below(path, sources[i], strlen(sources[i])) && has_source_name(path))) {
            return true;
        }
    }
    if (!has_source_name(path) || strstr(path, "/.")) {
        return false;
    }
    for (const char *at = ctx; *at;) {
        size_t n = strcspn(at, ":");
        char *folder = memory_text(at, n);
        char *real = realpath(folder, NULL);
        bool below = real && is_below(path, real, strlen(real));
        free(real);
        free(folder);
        if (below) {
            return true;
        }
        at += n + (at[n] == ':');
    }
    return false;
}

struct span {
    string_id file;
    int64_t first, last;
};

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    int order = (a->file > b->file) - (a->file < b->file);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* From each function's start, where that is known and near, to behind its last named line. */
static size_t find_spans(const struct profile *p, const struct frame_table *lines,
                         struct span **spans)
{
    size_t n = 0;
    *spans = memory_array((size_t)lines->n_infos + p->n_lines, sizeof **spans);
    for (uint32_t i = 0; i < lines->n_infos; i++) {
        const struct frame_info *info = &lines->infos[i];
        if (info->file && info->line > 0 && info->line < INT32_MAX) {
            (*spans)[n++] = (struct span){info->file, info->line > MARGIN ? info->line - MARGIN : 1,
                                          info->line + MARGIN};
        }
    }
    for (uint32_t l = 0; l < p->n_locations; l++) {
        const struct profile_location *location = &p->locations[l];
        for (uint32_t i = 0; i < location->n_lines; i++) {
            const struct profile_line *line = &p->lines[location->first_line + i];
            int64_t start = p->functions[line->function].start_line;
            uint32_t f = lines->first[l] + location->n_lines - 1 - i;
            if (start > 0 && line->line >= start && line->line - start < MOST_LEAD &&
                f < lines->first[l + 1] && n < (size_t)lines->n_infos + p->n_lines) {
                string_id file = lines->infos[FRAME_INFO(lines->frames[f])].file;
                if (file) {
                    (*spans)[n++] = (struct span){file, start, line->line};
                }
            }
        }
    }
    qsort(*spans, n, sizeof **spans, compare_spans);
    return n;
}

static size_t write_part(FILE *out, const struct source_text *text, int64_t first, int64_t last)
{
    char *joined = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&joined, &length);
    for (int64_t line = first; memory && line <= last && line <= text->n_lines; line++) {
        fprintf(memory, "%s%.*s", line > first ? "\n" : "", MOST_LINE, text->lines[line - 1]);
    }
    if (memory) {
        fclose(memory);
        json_text(out, joined);
    } else {
        fputs("\"\"", out);
    }
    free(joined);
    return length;
}

void web_sources_write(FILE *out, const struct profile *p, const struct frame_table *lines,
                       const uint32_t *file_numbers, const char *source_path, const char *trim_path)
{
    struct source_texts texts;
    struct span *spans;
    size_t n = find_spans(p, lines, &spans), written = 0;
    source_texts_open(&texts, source_path, trim_path);
    char *here = getcwd(NULL, 0);
    char *allowed = memory_print("%s:%s", here ? here : "", source_path);
    texts.may_show = may_show;
    texts.ctx = allowed;
    fputc('[', out);
    for (size_t i = 0; i < n;) {
        string_id file = spans[i].file;
        const struct source_text *text = source_text_find(&texts, profile_text(p, file));
        fprintf(out, "%s{\"file\":%u,", i ? ",\n" : "", file_numbers[file]);
        if (text->error || written > MOST_TEXT) {
            fputs("\"error\":", out);
            json_text(out, text->error ? text->error : "left out: the page has enough source text");
            while (i < n && spans[i].file == file) {
                i++;
            }
        } else {
            fputs("\"parts\":[", out);
            for (bool any = false; i < n && spans[i].file == file; any = true) {
                int64_t first = spans[i].first, last = spans[i].last;
                for (; i < n && spans[i].file == file && spans[i].first <= last + 3; i++) {
                    last = spans[i].last > last ? spans[i].last : last;
                }
                fprintf(out, "%s%ld,", any ? "," : "", first);
                written += write_part(out, text, first, last);
            }
            fputc(']', out);
        }
        fputc('}', out);
    }
    fputc(']', out);
    source_texts_close(&texts);
    free(allowed);
    free(here);
    free(spans);
}
