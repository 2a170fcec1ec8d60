/* gate_judge.c - every rule against every figure that it speaks of.
 *
 * The chance of any false alarm in the whole comparison is shared out: a fifth of what is stated
 * (so that an estimate of the unit that is off by some percent can't use it up), over the tests on
 * figures that have noise (sites below the floor are not tested). Half of it goes to all tests
 * alike, half by the weight of both sides together, so that a heavy site need not wait for the sake
 * of five hundred light ones. That is a weighted Bonferroni correction, and sound because
 * gate_stats's tests are conditional on that very sum. A figure without noise, exact on both sides,
 * is simply compared.
 *
 * A test that finds nothing may have been blind: detectable is the smallest figure that it would
 * have found. If that is above the floor, and above twice the allowed growth (or twice an absolute
 * limit), the finding is undecided. A limit of zero has room for nothing, so there only the floor
 * counts.
 */
#include "gate.h"
#include "memory.h"
#include "message.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LOOSE_GROWTH 0.10 /* --two-sided: this much below the base */
#define LOOSE_MAX    0.5  /* ... or below this share of an absolute limit */

void gate_note(struct gate_verdict *verdict, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    MEMORY_ROOM(verdict->notes, verdict->n_notes, verdict->notes_room);
    verdict->notes[verdict->n_notes++] = memory_text(text, strlen(text));
}

void gate_verdict_free(struct gate_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->n; i++)
        free(verdict->findings[i].moved_to);
    for (uint32_t i = 0; i < verdict->n_notes; i++)
        free(verdict->notes[i]);
    free(verdict->notes);
    free(verdict->findings);
    free(verdict->more_command);
    *verdict = (struct gate_verdict){0};
}

struct test {
    struct gate_rule *rule;
    uint32_t site; /* KEY_NONE: total or pattern */
    struct gate_figure base, now;
    bool noisy;
    double alpha; /* its share of the chance of a false alarm */
};

struct judging {
    struct gate *gate;
    struct gate_rules *rules;
    const struct gate_judge_options *options;
    struct gate_verdict *verdict;
    struct test *tests;
    uint32_t n_tests;
    size_t tests_room;
    uint32_t *matching; /* room for all sites */
};

static double mean(const struct gate_figure *figure)
{
    return figure->n > 0 ? figure->k1 / figure->n : 0;
}

static bool is_noisy(const struct gate_figure *figure)
{
    return figure->k2 > 0 || (figure->n > 1 && figure->squares > 1e-18 * figure->k1 * figure->k1);
}

static void add_test(struct judging *j, struct gate_rule *rule, uint32_t site,
                     const uint32_t *sites, uint32_t n)
{
    struct test test = {.rule = rule,
                        .site = site,
                        .base = gate_figure_of(j->gate, GATE_BASE, sites, n, rule->type),
                        .now = gate_figure_of(j->gate, GATE_NEW, sites, n, rule->type)};
    double floor = j->rules->floor[rule->type] / j->gate->operations;
    if (rule->scope == GATE_EACH_SITE) {
        bool below = mean(&test.base) < floor && mean(&test.now) < floor;
        rule->tested += !below;
        rule->below_floor += below;
        if (below)
            return;
    }
    /* Where nothing was seen on either side there is noise if there may be anything unseen. */
    bool sampled = !j->gate->side[GATE_NEW].exact || !j->gate->side[GATE_BASE].exact;
    bool nothing = !(test.base.k1 > 0) && !(test.now.k1 > 0);
    test.noisy = is_noisy(&test.base) || is_noisy(&test.now) || (sampled && nothing);
    MEMORY_ROOM(j->tests, j->n_tests, j->tests_room);
    j->tests[j->n_tests++] = test;
}

static uint32_t match(struct judging *j, struct gate_rule *rule)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < j->gate->n_sites; s++)
        if (regexp_matches(rule->regexp, j->gate->sites[s].name, strlen(j->gate->sites[s].name)))
            j->matching[n++] = s;
    rule->matched = n;
    return n;
}

static bool collect_tests(struct judging *j)
{
    for (uint32_t r = 0; r < j->rules->n; r++) {
        struct gate_rule *rule = &j->rules->rules[r];
        if (rule->scope == GATE_TOTAL) {
            add_test(j, rule, KEY_NONE, NULL, 0);
        } else if (rule->scope == GATE_EACH_SITE) {
            for (uint32_t s = 0; s < j->gate->n_sites; s++)
                add_test(j, rule, s, &s, 1);
        } else {
            uint32_t n = match(j, rule);
            if (n == 0) {
                message_error("%s: the pattern '%s' matches no site in either profile",
                              rule->origin, rule->pattern);
                message_hint("a rule that can't fail protects nothing: mend the pattern, or take "
                             "the rule away");
                return false;
            }
            bool any = false;
            for (uint32_t i = 0; i < n; i++)
                any = any || j->gate->sites[j->matching[i]].on[GATE_NEW];
            if (!any)
                gate_note(j->verdict, "%s: '%s' matches nothing any more in the new profile",
                          rule->origin, rule->pattern);
            add_test(j, rule, KEY_NONE, j->matching, n);
        }
    }
    return true;
}

/* An absolute limit in the units of the figures, which are per operation if operations are known.
 */
static double absolute(const struct judging *j, const struct gate_rule *rule)
{
    return rule->per_operation ? rule->value : rule->value / j->gate->operations;
}

/* Limits on growth by an amount are relative ones for the base at hand; an empty base makes them
 * absolute. */
static void evaluate(const struct judging *j, const struct test *t, double unit,
                     struct gate_finding *f)
{
    const struct gate_rule *rule = t->rule;
    double alpha = t->alpha, base = mean(&t->base);
    double floor = j->rules->floor[rule->type] / j->gate->operations, allowed;
    if (rule->limit == GATE_MAX || (rule->limit == GATE_GROWTH_BY && !(base > 0))) {
        double most = absolute(j, rule);
        f->chance = gate_excess_chance(&t->now, unit, most);
        /* Three samples' worth is seen at all in 95 of 100 runs. */
        f->detectable = fmax(gate_excess_detectable(&t->now, unit, most, alpha),
                             most + 3 * unit / fmax(1, t->now.n));
        allowed = most;
        if (unit <= 0)
            f->detectable = most;
        base = most;
    } else {
        double limit = rule->limit == GATE_GROWTH ? rule->value : absolute(j, rule) / base;
        f->chance = gate_growth_chance(&t->base, &t->now, unit, limit);
        double growth = gate_growth_detectable(&t->base, &t->now, unit, limit, alpha);
        /* From nothing, what would have been found is what makes the chance small with y = 0. */
        f->detectable =
            base > 0 ? base * (1 + growth)
                     : unit * log(alpha) /
                           log(t->now.n * (1 + limit) / (t->base.n + t->now.n * (1 + limit))) /
                           fmax(1, t->now.n);
        if (unit <= 0)
            f->detectable = base * (1 + limit);
        allowed = base * limit;
    }
    f->status = f->chance < alpha ? (rule->soft ? GATE_WARN : GATE_FAIL) : GATE_PASS;
    double seen_by = fmax(base + (rule->limit == GATE_MAX ? 1 : 2) * allowed, floor);
    if (f->status == GATE_PASS && unit > 0 && !rule->soft &&
        !(f->detectable <= seen_by * (1 + 1e-9)))
        f->status = GATE_UNDECIDED;
}

static bool is_loose(const struct judging *j, const struct test *t, double unit)
{
    const struct gate_rule *rule = t->rule;
    double alpha = t->alpha;
    if (rule->limit == GATE_MAX) {
        double line = absolute(j, rule) * LOOSE_MAX;
        if (!(mean(&t->now) < line))
            return false;
        return unit <= 0 || 1 - gate_gamma(t->now.k1 / unit + 1, line * t->now.n / unit) < alpha;
    }
    double base = mean(&t->base);
    double floor = j->rules->floor[rule->type] / j->gate->operations;
    double limit = rule->limit == GATE_GROWTH ? rule->value
                   : base > 0                 ? absolute(j, rule) / base
                                              : 0;
    if (base - mean(&t->now) < floor)
        return false;
    return gate_shrink_chance(&t->base, &t->now, unit, -fmin(0.99, fmax(LOOSE_GROWTH, 2 * limit))) <
           alpha;
}

/* The stack of the finding's site (of any site for totals) that grew most. */
static uint32_t stack_of(const struct gate *gate, const struct gate_finding *f)
{
    uint32_t best = KEY_NONE;
    double most = 0;
    enum gate_type type = f->rule->type == GATE_PEAK ? GATE_INUSE_SPACE : f->rule->type;
    for (uint32_t i = 0; i < gate->n_stacks; i++) {
        const struct gate_stack *stack = &gate->stacks[i];
        const char *name = gate->sites[stack->site].name;
        if (f->site != KEY_NONE
                ? stack->site != f->site
                : f->rule->regexp && !regexp_matches(f->rule->regexp, name, strlen(name)))
            continue;
        double grown = stack->values[GATE_NEW][type] / fmax(1, gate->side[GATE_NEW].n_profiles) -
                       stack->values[GATE_BASE][type] / fmax(1, gate->side[GATE_BASE].n_profiles);
        if (best == KEY_NONE || grown > most) {
            best = i;
            most = grown;
        }
    }
    return best;
}

/* A site that grew as part of a group that did not: the code moved. */
static void excuse_moved(struct judging *j, const struct test *t, struct gate_finding *f,
                         bool by_caller)
{
    if (t->site == KEY_NONE || t->rule->limit == GATE_MAX || f->status == GATE_MOVED)
        return;
    uint32_t n = gate_moved_group(j->gate, t->site, by_caller, j->matching);
    if (n < 2)
        return;
    struct test whole = *t;
    whole.base = gate_figure_of(j->gate, GATE_BASE, j->matching, n, t->rule->type);
    whole.now = gate_figure_of(j->gate, GATE_NEW, j->matching, n, t->rule->type);
    struct gate_finding group = *f;
    double unit =
        gate_unit(&whole.base, &whole.now, gate_nothing(j->gate, t->rule->type), t->alpha);
    evaluate(j, &whole, unit, &group);
    if (group.status != GATE_PASS)
        return;
    f->status = GATE_MOVED;
    uint32_t from = KEY_NONE;
    double lost = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (j->matching[i] == t->site)
            continue;
        struct gate_figure before =
            gate_figure_of(j->gate, GATE_BASE, &j->matching[i], 1, t->rule->type);
        struct gate_figure after =
            gate_figure_of(j->gate, GATE_NEW, &j->matching[i], 1, t->rule->type);
        if (from == KEY_NONE || mean(&before) - mean(&after) > lost) {
            from = j->matching[i];
            lost = mean(&before) - mean(&after);
        }
    }
    f->moved_to = memory_print("moved from %s", j->gate->sites[from].name);
    f->note = f->moved_to;
}

static void count(struct gate_verdict *verdict, const struct gate_finding *f)
{
    verdict->failed += f->status == GATE_FAIL;
    verdict->warned += f->status == GATE_WARN;
    verdict->undecided += f->status == GATE_UNDECIDED;
    verdict->moved += f->status == GATE_MOVED;
    verdict->waived += f->status == GATE_WAIVED;
    verdict->loose += f->loose;
}

static double samples_of(const struct judging *j, const struct gate_rule *rule, int side)
{
    double sum = 0;
    for (uint32_t s = 0; s < j->gate->n_sites; s++) {
        const struct gate_site *site = &j->gate->sites[s];
        if (regexp_matches(rule->regexp, site->name, strlen(site->name)))
            sum += site->samples[side];
    }
    return sum;
}

static void judge_test(struct judging *j, const struct test *t)
{
    struct gate_finding f = {.rule = t->rule,
                             .site = t->site,
                             .stack = KEY_NONE,
                             .base = mean(&t->base),
                             .now = mean(&t->now)};
    double unit =
        t->noisy ? gate_unit(&t->base, &t->now, gate_nothing(j->gate, t->rule->type), t->alpha) : 0;
    f.exact = !(unit > 0);
    evaluate(j, t, unit, &f);
    gate_difference_interval(&t->base, &t->now, unit, 0.05, &f.low, &f.high);
    for (int side = 0; side < GATE_SIDES; side++)
        f.samples[side] = t->site != KEY_NONE ? j->gate->sites[t->site].samples[side]
                          : t->rule->pattern  ? samples_of(j, t->rule, side)
                                              : j->gate->side[side].samples;
    if (f.status == GATE_FAIL || f.status == GATE_WARN) {
        excuse_moved(j, t, &f, false);
        excuse_moved(j, t, &f, true);
        const char *name = t->site == KEY_NONE ? t->rule->pattern ? t->rule->pattern : "total"
                                               : j->gate->sites[t->site].name;
        const char *reason = f.status == GATE_MOVED ? NULL : gate_waived(j->options->waivers, name);
        if (reason) {
            f.status = GATE_WAIVED;
            f.note = reason;
        }
    }
    if (f.status == GATE_PASS && j->options->two_sided && t->rule->scope != GATE_EACH_SITE)
        f.loose = is_loose(j, t, unit);
    /* Thousands of sites that pass are no findings; totals and patterns always are. */
    if (f.status == GATE_PASS && t->rule->scope == GATE_EACH_SITE) {
        double unseen = f.exact                         ? 0
                        : t->rule->limit == GATE_GROWTH ? f.detectable / f.base - 1
                                                        : f.detectable - f.base;
        t->rule->within++;
        if (unseen > t->rule->blindest)
            t->rule->blindest = unseen;
        return;
    }
    f.stack = stack_of(j->gate, &f);
    count(j->verdict, &f);
    MEMORY_ROOM(j->verdict->findings, j->verdict->n, j->verdict->room);
    j->verdict->findings[j->verdict->n++] = f;
}

static void share_out(struct judging *j)
{
    struct gate_verdict *v = j->verdict;
    double whole = 0, budget = j->options->false_alarms / 5;
    for (uint32_t i = 0; i < j->n_tests; i++)
        v->n_tests += j->tests[i].noisy;
    double totals[GATE_TYPES];
    for (int type = 0; type < GATE_TYPES; type++)
        totals[type] = gate_figure_of(j->gate, GATE_BASE, NULL, 0, type).k1 +
                       gate_figure_of(j->gate, GATE_NEW, NULL, 0, type).k1;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < j->n_tests; i++) {
            struct test *t = &j->tests[i];
            double all = totals[t->rule->type];
            double share =
                t->noisy && all > 0 ? fmin(1, fmax(0, (t->base.k1 + t->now.k1) / all)) : 0;
            if (pass == 0)
                whole += share;
            else
                t->alpha = budget * (0.5 / fmax(1, v->n_tests) +
                                     (whole > 0 ? 0.5 * share / whole : 0.5 / fmax(1, v->n_tests)));
        }
    v->alpha = budget * 0.5 / fmax(1, v->n_tests);
}

static int rank(const struct gate_finding *f)
{
    static const int ranks[] = {[GATE_FAIL] = 0,   [GATE_UNDECIDED] = 1, [GATE_WARN] = 2,
                                [GATE_WAIVED] = 3, [GATE_MOVED] = 4,     [GATE_PASS] = 5};
    return ranks[f->status];
}

static int by_weight(const void *a, const void *b)
{
    const struct gate_finding *x = a, *y = b;
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    double dx = x->now - x->base, dy = y->now - y->base;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return dx > dy ? -1 : dx < dy ? 1 : (x->site > y->site) - (x->site < y->site);
}

bool gate_judge(struct gate *gate, struct gate_rules *rules,
                const struct gate_judge_options *options, struct gate_verdict *verdict)
{
    struct judging j = {.gate = gate,
                        .rules = rules,
                        .options = options,
                        .verdict = verdict,
                        .matching = memory_array(gate->n_sites + 1, sizeof(uint32_t))};
    verdict->false_alarms = options->false_alarms;
    verdict->two_sided = options->two_sided;
    verdict->rules = rules->rules;
    verdict->n_rules = rules->n;
    bool fine = collect_tests(&j);
    share_out(&j);
    for (uint32_t i = 0; fine && i < j.n_tests; i++)
        judge_test(&j, &j.tests[i]);
    free(j.tests);
    free(j.matching);
    if (!fine)
        return false;
    if (verdict->n)
        qsort(verdict->findings, verdict->n, sizeof *verdict->findings, by_weight);
    gate_waivers_report(options->waivers, verdict);
    verdict->exit_status = verdict->failed                                   ? STATUS_REGRESSION
                           : verdict->undecided && !options->allow_undecided ? STATUS_NO_VERDICT
                           : verdict->loose                                  ? STATUS_TOO_LOOSE
                                                                             : STATUS_FINE;
    return true;
}
