/* record_store.c - see record_store.h. */
#include "record_store.h"

#include "memory.h"
#include "merge.h"
#include "message.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char ending[] = ".pb.gz";
static const char time_form[] = "%Y%m%dT%H%M%SZ";

enum {
    STAMP_LENGTH = 16,
    MOST_FILES = 1000000,
    MOST_PROCESSES = 4096, /* that are added up */
    N_VALUES = 4,          /* as heap_snapshot_to_profile has them */
    N_ALLOCATED = 2,
};

struct record {
    char *name;
    size_t process; /* length of the part that names the process */
    int64_t started, taken;
};

struct records_list {
    struct record *records;
    size_t n, room;
};

static bool stamp(char out[STAMP_LENGTH + 1], int64_t seconds)
{
    time_t time = seconds;
    struct tm moment;
    return gmtime_r(&time, &moment) != NULL &&
           strftime(out, STAMP_LENGTH + 1, time_form, &moment) == STAMP_LENGTH;
}

bool record_name(const char *directory, const char *program, uint32_t pid, int64_t started,
                 int64_t taken, char *path, size_t room)
{
    char begin[STAMP_LENGTH + 1], now[STAMP_LENGTH + 1];
    return stamp(begin, started) && stamp(now, taken) &&
           (size_t)snprintf(path, room, "%s/%s.%u.%s.%s%s", directory, program, pid, begin, now,
                            ending) < room;
}

/* Reads ".20260131T235959Z" that ends at *end, and moves *end to its start. */
static bool read_stamp(const char *name, size_t *end, int64_t *seconds)
{
    char text[STAMP_LENGTH + 1];
    struct tm moment = {0};
    if (*end < STAMP_LENGTH + 1 || name[*end - STAMP_LENGTH - 1] != '.') {
        return false;
    }
    memcpy(text, name + *end - STAMP_LENGTH, STAMP_LENGTH);
    text[STAMP_LENGTH] = 0;
    const char *rest = strptime(text, time_form, &moment);
    if (rest == NULL || *rest != 0) {
        return false;
    }
    *seconds = timegm(&moment);
    *end -= STAMP_LENGTH + 1;
    return true;
}

static bool parse(const char *name, struct record *record)
{
    size_t end = strlen(name);
    if (end < sizeof ending || strcmp(name + end - (sizeof ending - 1), ending) != 0) {
        return false;
    }
    end -= sizeof ending - 1;
    if (!read_stamp(name, &end, &record->taken)) {
        return false;
    }
    record->process = end;
    if (!read_stamp(name, &end, &record->started)) {
        return false;
    }
    size_t digits = 0;
    while (digits < end && name[end - digits - 1] >= '0' && name[end - digits - 1] <= '9') {
        digits++;
    }
    return digits > 0 && digits + 1 < end && name[end - digits - 1] == '.';
}

static bool same_process(const struct record *a, const struct record *b)
{
    return a->process == b->process && strncmp(a->name, b->name, a->process) == 0;
}

/* By process, then by time. */
static int compare(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    size_t n = x->process < y->process ? x->process : y->process;
    int order = strncmp(x->name, y->name, n);
    if (order != 0 || x->process != y->process) {
        return order != 0 ? order : x->process < y->process ? -1 : 1;
    }
    return x->taken < y->taken ? -1 : x->taken > y->taken;
}

static bool list_records(const char *directory, struct records_list *list)
{
    DIR *stream = opendir(directory);
    struct dirent *entry;
    *list = (struct records_list){0};
    if (stream == NULL) {
        return false;
    }
    while ((entry = readdir(stream)) != NULL && list->n < MOST_FILES) {
        struct record record;
        if (parse(entry->d_name, &record)) {
            record.name = memory_print("%s", entry->d_name);
            MEMORY_ROOM(list->records, list->n, list->room);
            list->records[list->n++] = record;
        }
    }
    closedir(stream);
    if (list->n > 0) {
        qsort(list->records, list->n, sizeof *list->records, compare);
    }
    return true;
}

static void free_records(struct records_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->records[i].name);
    }
    free(list->records);
}

unsigned record_remove_before(const char *directory, int64_t taken)
{
    struct records_list list;
    unsigned removed = 0;
    if (!list_records(directory, &list)) {
        return 0;
    }
    for (size_t i = 0; i < list.n; i++) {
        if (list.records[i].taken < taken) {
            char *path = memory_print("%s/%s", directory, list.records[i].name);
            removed += unlink(path) == 0;
            free(path);
        }
    }
    free_records(&list);
    return removed;
}

bool record_is(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* ---- reading ---- */

/* Profiles that are added up. */
struct sum {
    struct profile *profiles;
    size_t n, room;
};

static void free_sum(struct sum *sum)
{
    for (size_t i = 0; i < sum->n; i++) {
        profile_free(&sum->profiles[i]);
    }
    free(sum->profiles);
    *sum = (struct sum){0};
}

static bool is_heap_profile(const struct profile *profile)
{
    static const char *const types[N_VALUES] = {"alloc_objects", "alloc_space", "inuse_objects",
                                                "inuse_space"};
    if (profile->n_sample_types != N_VALUES) {
        return false;
    }
    for (int i = 0; i < N_VALUES; i++) {
        if (strcmp(profile_text(profile, profile->sample_types[i].type), types[i]) != 0) {
            return false;
        }
    }
    return true;
}

static bool add(struct sum *sum, const char *directory, const struct record *record,
                bool take_off_allocated, struct profile_error *error)
{
    struct arena arena;
    struct profile profile;
    char *path = memory_print("%s/%s", directory, record->name);
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena};
    bool fine = file_read(path, PROFILE_MAX_BYTES, &bytes, error) &&
                profile_decode(bytes.bytes, bytes.length, &profile, error);
    arena_free(&arena);
    free(path);
    if (!fine) {
        /* Removed since the directory was read: as if it had never been. */
        return error->kind == PROFILE_ERROR_IO &&
               strcmp(error->text, "no such file or directory") == 0;
    }
    if (!is_heap_profile(&profile)) {
        profile_free(&profile);
        return profile_error_set(error, PROFILE_ERROR_MALFORMED, "%s: no heap profile",
                                 record->name);
    }
    if (take_off_allocated) {
        for (uint32_t s = 0; s < profile.n_samples; s++) {
            int64_t *values = &profile.values[(size_t)s * N_VALUES];
            for (int v = 0; v < N_VALUES; v++) {
                values[v] = v < N_ALLOCATED ? (int64_t)(0 - (uint64_t)values[v]) : 0;
            }
        }
    }
    MEMORY_ROOM(sum->profiles, sum->n, sum->room);
    sum->profiles[sum->n++] = profile;
    return true;
}

static bool merge(struct sum *sum, struct profile *out, struct profile_error *error)
{
    struct profile **pointers = memory_array(sum->n, sizeof *pointers);
    for (size_t i = 0; i < sum->n; i++) {
        pointers[i] = &sum->profiles[i];
    }
    bool fine = merge_profiles(pointers, sum->n, 0, out, error);
    free(pointers);
    free_sum(sum);
    /* Estimates are rounded one by one: a last digit may have come off too much. */
    for (size_t v = 0; fine && v < (size_t)out->n_samples * N_VALUES; v++) {
        if (out->values[v] < 0) {
            out->values[v] = 0;
        }
    }
    return fine;
}

/* One process's records lie in [first, last). Chooses those that show it at the two moments; NULL:
 * it was not there. */
static void choose(const struct record *first, const struct record *last, int64_t from, int64_t to,
                   const struct record **before, const struct record **after)
{
    *before = *after = NULL;
    for (const struct record *record = first; record < last; record++) {
        if (record->taken <= from) {
            *before = record;
        } else if (record->taken <= to) {
            *after = record;
            if (*before == NULL && first->started < from) {
                *before = record; /* what came before was not recorded */
            }
        }
    }
}

bool record_read(const char *directory, int64_t from, int64_t to, struct profile *base,
                 struct profile *out, struct profile_error *error)
{
    struct records_list list;
    struct sum old = {0}, now = {0};
    int64_t first_taken = INT64_MAX, last_taken = INT64_MIN;
    size_t n_processes = 0;
    if (!list_records(directory, &list)) {
        return profile_error_set(error, PROFILE_ERROR_IO, "%s", message_errno(errno));
    }
    bool fine = true;
    for (size_t i = 0, end; i < list.n && fine; i = end) {
        const struct record *before, *after;
        for (end = i + 1; end < list.n && same_process(&list.records[i], &list.records[end]);) {
            end++;
        }
        choose(&list.records[i], &list.records[end], from, to, &before, &after);
        if (after == NULL) {
            continue;
        }
        if (++n_processes > MOST_PROCESSES) {
            fine =
                profile_error_set(error, PROFILE_ERROR_TOO_LARGE,
                                  "more than %d processes between the two moments", MOST_PROCESSES);
            break;
        }
        int64_t begin = before != NULL ? before->taken : after->started;
        first_taken = begin < first_taken ? begin : first_taken;
        last_taken = after->taken > last_taken ? after->taken : last_taken;
        fine = add(&now, directory, after, false, error) &&
               (before == NULL ||
                add(base != NULL ? &old : &now, directory, before, base == NULL, error));
    }
    if (fine && now.n == 0) {
        fine = profile_error_set(error, PROFILE_ERROR_IO,
                                 list.n == 0 ? "nothing in it was written by approf record"
                                             : "nothing was recorded between the two moments");
    }
    if (fine && base != NULL && old.n == 0) {
        fine = profile_error_set(error, PROFILE_ERROR_IO,
                                 "nothing was recorded at the first "
                                 "moment");
    }
    free_records(&list);
    if (!fine) {
        free_sum(&old);
        free_sum(&now);
        return false;
    }
    if (base != NULL && !merge(&old, base, error)) {
        free_sum(&now);
        return false;
    }
    if (!merge(&now, out, error)) {
        if (base != NULL) {
            profile_free(base);
        }
        return false;
    }
    out->time_nanos = last_taken * 1000000000;
    out->duration_nanos = (last_taken - first_taken) * 1000000000;
    return true;
}

static int compare_moments(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

size_t record_moments(const char *directory, int64_t from, int64_t to, size_t most,
                      int64_t **moments)
{
    struct records_list list;
    size_t n = 0, each_once = 0;
    *moments = NULL;
    if (!list_records(directory, &list)) {
        return 0;
    }
    *moments = memory_array(list.n + 1, sizeof **moments);
    for (size_t i = 0; i < list.n; i++) {
        if (list.records[i].taken > from && list.records[i].taken <= to) {
            (*moments)[n++] = list.records[i].taken;
        }
    }
    free_records(&list);
    qsort(*moments, n, sizeof **moments, compare_moments);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || (*moments)[i] != (*moments)[i - 1]) {
            (*moments)[each_once++] = (*moments)[i];
        }
    }
    if (each_once <= most) {
        return each_once;
    }
    for (size_t i = 0; i < most; i++) {
        (*moments)[i] = (*moments)[i * (each_once - 1) / (most - 1)];
    }
    return most;
}
