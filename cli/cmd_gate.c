/* cmd_gate.c - approf gate: fails the build when allocations have grown beyond their limits. */
#include "commands.h"
#include "gate.h"
#include "gate_page.h"
#include "gate_run.h"
#include "memory.h"
#include "output_file.h"
#include "profile_codec.h"
#include "source_load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RUNS = 100 };
static const char own_rules[] = "approf.gate";
static const char kept_profile[] = "approf-gate.pb.gz";

struct session {
    struct invocation *invocation;
    const struct cli_options *options;
    struct gate gate;
    struct gate_rules rules;
    struct gate_verdict verdict;
    struct gate_waivers *waivers;
    const char *bases[GATE_MAX_PROFILES];
    uint32_t n_bases;
    const char *baseline;
    double operations;
    struct profile runs[MOST_RUNS];
    uint32_t n_runs;
};

/* The values of an option that may be given several times, in order. */
static const struct option_given *next_given(const struct cli_options *options, size_t *at)
{
    return *at < options->n_given ? &options->given[(*at)++] : NULL;
}

static const char *rule_kind(enum option_id id)
{
    switch (id) {
    case OPTION_gate_growth:
    case OPTION_gate_max:
    case OPTION_gate_site_growth:
    case OPTION_gate_site_max:
    case OPTION_gate_site:
    case OPTION_gate_floor:
        return option_table[id].name;
    default:
        return NULL;
    }
}

/* LIMIT or LIMIT:warn. */
static bool add_rule(struct session *s, const char *kind, const struct option_given *given)
{
    const char *limit = given->second ? given->second : given->value;
    const char *colon = strrchr(limit, ':');
    bool soft = colon && strcmp(colon, ":warn") == 0;
    char *bare = memory_text(limit, soft ? (size_t)(colon - limit) : strlen(limit));
    char *origin = memory_print("--%s", kind);
    bool fine =
        gate_rule_add(&s->rules, kind, given->second ? given->value : NULL, bare, origin, soft);
    free(bare);
    free(origin);
    return fine;
}

static bool read_rules(struct session *s)
{
    const struct option_given *given;
    for (size_t at = 0; (given = next_given(s->options, &at));) {
        const char *kind = rule_kind(given->id);
        if (kind && !add_rule(s, kind, given))
            return false;
        if (given->id == OPTION_gate_rules && !gate_rules_read(&s->rules, given->value))
            return false;
    }
    bool has_own = !*s->options->gate_rules && access(own_rules, F_OK) == 0;
    if (s->rules.n > 0 && has_own)
        gate_note(&s->verdict, "%s was not read, as limits were given", own_rules);
    if (s->rules.n == 0 && has_own) {
        gate_note(&s->verdict, "limits are those of %s", own_rules);
        if (!gate_rules_read(&s->rules, own_rules))
            return false;
    }
    if (s->rules.n == 0) {
        gate_note(&s->verdict, "no limits were given: alloc_space may grow by 5%%");
        gate_rules_default(&s->rules);
    }
    return true;
}

static bool read_operations(struct session *s)
{
    const char *path = s->options->gate_per_file;
    s->operations =
        s->options->is_set[OPTION_gate_per] ? s->options->gate_per : s->rules.operations;
    if (*path) {
        FILE *file = fopen(path, "re");
        if (!file || fscanf(file, "%lf", &s->operations) != 1) {
            s->operations = -1;
        }
        if (file)
            fclose(file);
    }
    bool wanted = s->options->is_set[OPTION_gate_per] || *path;
    if (wanted && !(s->operations > 0 && isfinite(s->operations))) {
        message_error("%s: not a number of operations", *path ? path : "--per");
        message_hint("--per 1000 when a run does a thing a thousand times");
        return false;
    }
    for (uint32_t i = 0; i < s->rules.n; i++)
        if (s->rules.rules[i].per_operation && !(s->operations > 0)) {
            message_error("%s: a limit per operation, but the number of operations is not known",
                          s->rules.rules[i].origin);
            message_hint("add --per N or --per-file FILE");
            return false;
        }
    return true;
}

static bool check_formats(const struct session *s)
{
    const struct option_given *given;
    for (size_t at = 0; (given = next_given(s->options, &at));) {
        if (given->id != OPTION_output)
            continue;
        size_t n = strcspn(given->value, ":");
        bool known = false;
        for (uint32_t f = 0; f < n_gate_formats; f++)
            known = known || (strlen(gate_formats[f].name) == n &&
                              memcmp(gate_formats[f].name, given->value, n) == 0);
        if (!known) {
            message_error("-o: '%s' is no format of the gate", given->value);
            message_hint("-o FORMAT or -o FORMAT:FILE, with text, markdown, json, junit, github or "
                         "benchmark");
            return false;
        }
    }
    return true;
}

/* One profile of a side, with lines. Base sources that are missing are no usage error: there is
 * nothing to judge by. */
static int add_source(struct session *s, enum gate_side_name side, uint32_t number,
                      const char *source)
{
    struct profile profile;
    if (side == GATE_BASE && strcmp(source, "-") != 0 && access(source, F_OK) != 0 &&
        errno == ENOENT && strspn(source, "0123456789") != strlen(source)) {
        message_error("%s: the base is missing", source);
        message_hint("without it nothing can be judged; keep the profile of a good build");
        return STATUS_NO_VERDICT;
    }
    if (!sources_load(&source, 1, s->options, &profile))
        return STATUS_BAD_USAGE;
    bool fine = gate_add_profile(&s->gate, side, number, &profile, source);
    profile_free(&profile);
    return fine ? STATUS_FINE : STATUS_BAD_USAGE;
}

static int make_runs(struct session *s)
{
    const char *rate = *s->options->rate ? s->options->rate : "1";
    if (s->options->gate_runs < 1 || s->options->gate_runs > MOST_RUNS) {
        message_error("gate: --runs is 1 to %d", MOST_RUNS);
        message_hint("one run at --rate 1 is exact for a program that does the same each time");
        return STATUS_BAD_USAGE;
    }
    for (int64_t i = 0; i < s->options->gate_runs; i++) {
        int status;
        if (!gate_run_command(s->options->gate_run, rate, s->options->gate_program, &s->runs[i],
                              &status)) {
            return status;
        }
        s->n_runs++;
    }
    return STATUS_FINE;
}

static void name_toolchain(struct session *s)
{
    char text[256];
    if (s->n_runs == 0 || s->runs[0].n_mappings == 0)
        return;
    struct gate_side *side = &s->gate.side[GATE_NEW];
    gate_toolchain(profile_text(&s->runs[0], s->runs[0].mappings[0].filename), text, sizeof text);
    free(side->toolchain);
    side->toolchain = memory_text(text, strlen(text));
}

static void set_label(struct gate_side *side, const char *label)
{
    free(side->label);
    side->label = memory_text(label, strlen(label));
}

static int load(struct session *s)
{
    struct invocation *inv = s->invocation;
    uint32_t n_new = *s->options->gate_run ? (uint32_t)s->options->gate_runs
                                           : (uint32_t)inv->n_arguments,
             n_base = 0;
    if (s->baseline && !s->options->gate_update) {
        if (access(s->baseline, F_OK) != 0) {
            message_error("%s: the baseline is missing", s->baseline);
            message_hint("make it with --update, look at it, and commit it");
            return STATUS_NO_VERDICT;
        }
        if (!gate_baseline_is(s->baseline)) {
            message_error("%s: not a baseline", s->baseline);
            message_hint("a profile is given with -base");
            return STATUS_BAD_USAGE;
        }
        n_base = gate_baseline_runs(s->baseline);
        if (n_base == 0)
            return STATUS_BAD_USAGE;
    } else if (!s->options->gate_update) {
        n_base = s->n_bases;
    }
    gate_init(&s->gate, strcmp(s->options->gate_by, "line") == 0, s->operations);
    gate_expect(&s->gate, n_base, n_new);
    int status = STATUS_FINE;
    if (n_base && s->baseline) {
        status = gate_baseline_read(&s->gate, s->baseline) ? STATUS_FINE : STATUS_BAD_USAGE;
        set_label(&s->gate.side[GATE_BASE], s->baseline);
    }
    for (uint32_t i = 0; status == STATUS_FINE && !s->baseline && i < n_base; i++) {
        status = add_source(s, GATE_BASE, i, s->bases[i]);
        set_label(&s->gate.side[GATE_BASE], s->bases[0]);
    }
    if (status == STATUS_FINE && *s->options->gate_run)
        status = make_runs(s);
    for (uint32_t i = 0; status == STATUS_FINE && i < n_new; i++) {
        if (*s->options->gate_run)
            status = gate_add_profile(&s->gate, GATE_NEW, i, &s->runs[i], s->options->gate_run)
                         ? STATUS_FINE
                         : STATUS_NO_VERDICT;
        else
            status = add_source(s, GATE_NEW, i, inv->arguments[i]);
        set_label(&s->gate.side[GATE_NEW],
                  *s->options->gate_run ? s->options->gate_run : inv->arguments[0]);
    }
    if (status == STATUS_FINE) {
        name_toolchain(s);
        gate_finish(&s->gate);
    }
    return status;
}

/* What can't be judged, however the figures are. */
static int check_sides(struct session *s)
{
    const struct gate_side *base = &s->gate.side[GATE_BASE], *now = &s->gate.side[GATE_NEW];
    for (int side = 0; side < GATE_SIDES; side++) {
        if (s->gate.side[side].samples > 0 || (side == GATE_BASE && s->options->gate_update))
            continue;
        message_error("gate: the %s side has no samples", side == GATE_BASE ? "base" : "new");
        message_hint("an empty profile would pass everything: was the program run under the "
                     "profiler, and did it do its work?");
        return STATUS_NO_VERDICT;
    }
    for (uint32_t i = 0; !s->options->gate_update && i < s->rules.n; i++) {
        const struct gate_rule *rule = &s->rules.rules[i];
        bool in_base = base->lacks[rule->type] && rule->limit != GATE_MAX;
        if (!in_base && !now->lacks[rule->type])
            continue;
        message_error("%s: the %s side has no %s", rule->origin,
                      now->lacks[rule->type] ? "new" : "base", gate_type_names[rule->type]);
        message_hint("a limit on what was not measured would pass always: take it away, or use "
                     "profiles that have it");
        return STATUS_NO_VERDICT;
    }
    if (*base->program && *now->program && strcmp(base->program, now->program) != 0 &&
        !s->options->gate_other_program) {
        message_error("gate: the base is of another program: %s, not %s", base->program,
                      now->program);
        message_hint("--allow-other-program compares them all the same");
        return STATUS_NO_VERDICT;
    }
    if (*base->toolchain && *now->toolchain && strcmp(base->toolchain, now->toolchain) != 0)
        gate_note(&s->verdict, "built with %s, the baseline with %s", now->toolchain,
                  base->toolchain);
    return STATUS_FINE;
}

static void set_more(struct session *s)
{
    if (s->n_runs && s->verdict.exit_status == STATUS_FINE && !*s->options->gate_report) {
        return; /* no profile is kept */
    }
    const char *now = s->invocation->n_arguments ? s->invocation->arguments[0] : kept_profile;
    const struct gate_verdict *v = &s->verdict;
    const char *view =
        v->n ? gate_type_names[v->findings[0].rule->type] : gate_type_names[GATE_ALLOC_SPACE];
    if (v->n && v->findings[0].rule->type == GATE_PEAK)
        view = gate_type_names[GATE_INUSE_SPACE];
    if (s->n_bases)
        s->verdict.more_command =
            memory_print("approf diff -sample_index=%s %s %s", view, s->bases[0], now);
    else
        s->verdict.more_command = memory_print("approf top -sample_index=%s %s", view, now);
}

/* A run that fails, or that a page is made of, leaves its profile, to be looked at. */
static void keep_profile(struct session *s)
{
    struct profile_error error;
    if (s->n_runs && (s->verdict.exit_status != STATUS_FINE || *s->options->gate_report) &&
        !profile_write_file(&s->runs[0], kept_profile, true, NULL, 0, &error))
        message_error("%s", error.text);
}

static bool print_one(struct session *s, const struct gate_format *format, const char *path)
{
    if (!path || strcmp(path, "-") == 0) {
        format->print(&s->gate, &s->verdict, stdout);
        return fflush(stdout) == 0;
    }
    struct output_file file;
    bool fine = output_open(&file, path);
    if (fine) {
        format->print(&s->gate, &s->verdict, file.stream);
        fine = output_close(&file, true);
    }
    if (!fine) {
        message_error("%s: %s", path, message_errno(errno));
        message_hint("the report could not be written");
    }
    return fine;
}

static bool print_reports(struct session *s)
{
    bool any = false, fine = true, on_stdout = false;
    const struct option_given *given;
    const char *color = s->options->color, *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    gate_color = strcmp(color, "always") == 0 ||
                 (strcmp(color, "auto") == 0 && isatty(STDOUT_FILENO) && !(none && *none) &&
                  !(terminal && strcmp(terminal, "dumb") == 0));
    for (size_t at = 0; (given = next_given(s->options, &at));) {
        if (given->id != OPTION_output)
            continue;
        size_t n = strcspn(given->value, ":");
        const char *path = given->value[n] ? given->value + n + 1 : NULL;
        bool color_now = gate_color;
        gate_color = gate_color && !path;
        for (uint32_t f = 0; f < n_gate_formats; f++)
            if (strlen(gate_formats[f].name) == n &&
                memcmp(gate_formats[f].name, given->value, n) == 0)
                fine = print_one(s, &gate_formats[f], path) && fine;
        gate_color = color_now;
        on_stdout = on_stdout || !path || strcmp(path, "-") == 0;
        any = true;
    }
    if (!any || !on_stdout)
        gate_print_text(&s->gate, &s->verdict, stdout);
    return fine;
}

static bool make_page(struct session *s)
{
    const struct cli_options *options = s->options;
    const char *kept = kept_profile;
    if (!*options->gate_report)
        return true;
    s->verdict.page = *options->gate_report_url ? options->gate_report_url : options->gate_report;
    return gate_page_write(options->gate_report, s->n_runs ? &kept : s->invocation->arguments,
                           s->n_runs ? 1 : s->invocation->n_arguments,
                           s->n_bases ? s->bases[0] : NULL, options);
}

static int update(struct session *s)
{
    if (!gate_baseline_write(&s->gate, s->baseline))
        return STATUS_BAD_USAGE;
    printf("%s: written, %u site%s; look at it (git diff %s), then commit it\n", s->baseline,
           s->gate.n_sites, s->gate.n_sites == 1 ? "" : "s", s->baseline);
    return STATUS_FINE;
}

static int judge(struct session *s)
{
    struct gate_judge_options how = {.false_alarms = s->options->gate_false_alarms / 100,
                                     .two_sided = s->options->gate_two_sided,
                                     .allow_undecided = s->options->gate_allow_undecided,
                                     .waivers = s->waivers};
    if (!gate_judge(&s->gate, &s->rules, &how, &s->verdict))
        return STATUS_BAD_USAGE;
    set_more(s);
    keep_profile(s);
    if (!make_page(s) || !print_reports(s))
        return STATUS_BAD_USAGE;
    return s->verdict.exit_status;
}

static int check_usage(struct session *s)
{
    const struct option_given *given;
    bool has_run = *s->options->gate_run != 0;
    for (size_t at = 0; (given = next_given(s->options, &at));) {
        if (given->id != OPTION_base)
            continue;
        if (s->n_bases == GATE_MAX_PROFILES) {
            message_error("gate: more than %d bases", GATE_MAX_PROFILES);
            message_hint("merge some of them first: approf proto");
            return STATUS_BAD_USAGE;
        }
        s->bases[s->n_bases++] = given->value;
    }
    s->baseline = *s->options->gate_baseline ? s->options->gate_baseline : NULL;
    if (s->n_bases == 1 && !s->baseline && gate_baseline_is(s->bases[0])) {
        s->baseline = s->bases[0];
        s->n_bases = 0;
    }
    if (s->baseline && s->n_bases) {
        message_error("gate: both -base and --baseline");
        message_hint("-base takes profiles, --baseline a text file; one of them is the base");
        return STATUS_BAD_USAGE;
    }
    if (s->options->gate_update && !s->baseline) {
        message_error("gate: --update without --baseline");
        message_hint("--baseline FILE names what is to be written");
        return STATUS_BAD_USAGE;
    }
    if (!s->baseline && !s->n_bases) {
        message_error("gate: what is the base?");
        message_hint(
            "approf gate -base OLD.pb.gz NEW.pb.gz, or approf gate --run 'CMD' --baseline FILE");
        return STATUS_BAD_USAGE;
    }
    if (has_run == (s->invocation->n_arguments > 0)) {
        message_error("gate: %s",
                      has_run ? "both --run and profiles" : "nothing to judge was given");
        message_hint("name the new profiles, or a command with --run");
        return STATUS_BAD_USAGE;
    }
    if (*s->options->gate_program && !has_run) {
        message_error("gate: --program without --run");
        message_hint("it chooses among the processes of a command; a profile is of one already");
        return STATUS_BAD_USAGE;
    }
    if (s->invocation->n_arguments > GATE_MAX_PROFILES) {
        message_error("gate: more than %d profiles", GATE_MAX_PROFILES);
        message_hint("merge some of them first: approf proto");
        return STATUS_BAD_USAGE;
    }
    if (!(s->options->gate_false_alarms > 0 && s->options->gate_false_alarms < 100)) {
        message_error("--false-alarms: %g is no percentage of a chance",
                      s->options->gate_false_alarms);
        message_hint("--false-alarms 1 is one comparison of a hundred");
        return STATUS_BAD_USAGE;
    }
    return STATUS_FINE;
}

static int gate_session(struct session *s)
{
    int status = check_usage(s);
    if (status != STATUS_FINE)
        return status;
    if (!check_formats(s) || !read_rules(s) || !read_operations(s))
        return STATUS_BAD_USAGE;
    if (*s->options->gate_waivers && !(s->waivers = gate_waivers_read(s->options->gate_waivers)))
        return STATUS_BAD_USAGE;
    status = load(s);
    if (status == STATUS_FINE)
        status = check_sides(s);
    if (status != STATUS_FINE)
        return status;
    return s->options->gate_update ? update(s) : judge(s);
}

int cmd_gate(struct invocation *invocation)
{
    struct session *s = memory_array(1, sizeof *s);
    s->invocation = invocation;
    /* Bases are loaded one by one, not subtracted. */
    struct cli_options options = invocation->options;
    options.base = options.diff_base = "";
    s->options = &options;
    int status = gate_session(s);
    for (uint32_t i = 0; i < s->n_runs; i++)
        profile_free(&s->runs[i]);
    gate_verdict_free(&s->verdict);
    gate_rules_free(&s->rules);
    gate_waivers_free(s->waivers);
    gate_free(&s->gate);
    free(s);
    return status;
}
