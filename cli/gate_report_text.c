/* gate_report_text.c - the verdict for people: at a terminal, and as markdown for a pull request.
 */
#include "gate.h"
#include "gate_page.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool gate_color;

const char *gate_status_name(enum gate_status status)
{
    static const char *const names[] = {"ok", "warn", "FAIL", "can't tell", "moved", "waived"};
    return names[status];
}

const char *gate_value(char *text, enum gate_type type, double value)
{
    if (gate_type_unit(type)[0] == 'b')
        return unit_label(text, UNIT_TEXT_ROOM, (int64_t)fmin(fmax(round(value), -9e18), 9e18),
                          "bytes", "auto");
    snprintf(text, UNIT_TEXT_ROOM,
             fabs(value - round(value)) < 0.005 || fabs(value) >= 1000 ? "%.0f" : "%.2f", value);
    return text;
}

const char *gate_subject(const struct gate *gate, const struct gate_finding *f)
{
    return f->site != KEY_NONE ? gate->sites[f->site].name
           : f->rule->pattern  ? f->rule->pattern
                               : "total";
}

const char *gate_file_of(const struct gate *gate, const struct gate_finding *f, int64_t *line)
{
    if (f->stack != KEY_NONE && gate->stacks[f->stack].file != KEY_NONE) {
        *line = gate->stacks[f->stack].line;
        return gate->names[gate->stacks[f->stack].file];
    }
    uint32_t site = f->site;
    if (site == KEY_NONE && f->stack != KEY_NONE)
        site = gate->stacks[f->stack].site;
    *line = site == KEY_NONE ? 0 : gate->sites[site].line;
    return site == KEY_NONE ? "" : gate->sites[site].file;
}

static const char *change(char text[32], const struct gate_finding *f)
{
    if (f->base > 0)
        snprintf(text, 32, "%+.1f%%", (f->now / f->base - 1) * 100);
    else
        snprintf(text, 32, "%s", f->now > 0 ? "new" : "none");
    return text;
}

static const char *color_of(enum gate_status status)
{
    if (!gate_color)
        return "";
    return status == GATE_FAIL                               ? "\033[1;31m"
           : status == GATE_UNDECIDED || status == GATE_WARN ? "\033[33m"
           : status == GATE_PASS                             ? "\033[32m"
                                                             : "\033[36m";
}

static void print_stack(const struct gate *gate, const struct gate_finding *f, FILE *out,
                        const char *indent)
{
    if (f->stack == KEY_NONE)
        return;
    const struct gate_stack *stack = &gate->stacks[f->stack];
    uint32_t shown = stack->n_names < 12 ? stack->n_names : 12;
    for (uint32_t i = 0; i < shown; i++)
        fprintf(out, "%s%s%s\n", indent, i ? "called by " : "",
                gate->names[gate->stack_names[stack->first_name + i]]);
    if (shown < stack->n_names)
        fprintf(out, "%s... %u more\n", indent, stack->n_names - shown);
}

static void print_figures(const struct gate_finding *f, FILE *out, const char *per)
{
    char a[UNIT_TEXT_ROOM], b[UNIT_TEXT_ROOM], c[UNIT_TEXT_ROOM], d[UNIT_TEXT_ROOM],
        e[UNIT_TEXT_ROOM], share[32];
    enum gate_type type = f->rule->type;
    fprintf(out, "%s %s%s, was %s (%s)", gate_type_names[type], gate_value(a, type, f->now), per,
            gate_value(b, type, f->base), change(share, f));
    if (f->exact)
        fprintf(out, ", exact");
    else
        fprintf(out, ", difference %s [%s, %s], %.0f and %.0f samples",
                gate_value(c, type, f->now - f->base), gate_value(d, type, f->low),
                gate_value(e, type, f->high), f->samples[GATE_BASE], f->samples[GATE_NEW]);
}

static void print_seen(const struct gate_finding *f, FILE *out)
{
    char text[UNIT_TEXT_ROOM];
    if (f->exact)
        return;
    if (!isfinite(f->detectable)) {
        fputs("no growth could have been seen", out);
        return;
    }
    fprintf(out, "the smallest that would have been seen is %s",
            gate_value(text, f->rule->type, f->detectable));
    if (f->base > 0)
        fprintf(out, " (%+.1f%%)", (f->detectable / f->base - 1) * 100);
}

static const char *conclusion(const struct gate_verdict *v)
{
    static const char *const words[] = {
        "within limits", "allocations have grown beyond their limits", "",
        "can't tell: these profiles could not have shown it",
        "limits are far too loose: lock the improvement in with --update"};
    return words[v->exit_status];
}

/* What a rule for each site has to say of those within limits: how many, and how blind it was. */
static void print_rule(const struct gate_rule *rule, FILE *out)
{
    char amount[UNIT_TEXT_ROOM];
    fprintf(out, "%u site%s within limits", rule->within, rule->within == 1 ? "" : "s");
    if (rule->below_floor)
        fprintf(out, ", %u below the floor not looked at", rule->below_floor);
    if (rule->blindest > 0 && !isfinite(rule->blindest))
        fputs("; at some, no growth could have been seen", out);
    else if (rule->blindest > 0 && rule->limit == GATE_GROWTH)
        fprintf(out, "; growth of %.1f%% would have been seen at each", rule->blindest * 100);
    else if (rule->blindest > 0)
        fprintf(out, "; %s more would have been seen at each",
                gate_value(amount, rule->type, rule->blindest));
}

/* Hundreds of sites of one kind are shown by the heaviest; failures are all shown. */
static bool is_hidden(const struct gate_verdict *v, uint32_t i)
{
    enum { SHOWN = 10 };
    return v->findings[i].status != GATE_FAIL && i >= SHOWN &&
           v->findings[i - SHOWN].status == v->findings[i].status && !v->findings[i].loose;
}

void gate_print_text(const struct gate *gate, const struct gate_verdict *v, FILE *out)
{
    const char *end = gate_color ? "\033[0m" : "", *per = gate->per_operation ? "/op" : "";
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *s = &gate->side[side];
        fprintf(out, "%s %s, %u profile%s, rate %.0f%s\n",
                side == GATE_BASE ? "base:" : "new: ", *s->label ? s->label : s->program,
                s->n_profiles, s->n_profiles == 1 ? "" : "s", fmax(1, s->rate),
                s->exact ? " (exact)" : "");
    }
    uint32_t hidden = 0, within = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct gate_finding *f = &v->findings[i];
        int64_t line;
        const char *file = gate_file_of(gate, f, &line);
        hidden += is_hidden(v, i);
        if (is_hidden(v, i))
            continue;
        fprintf(out, "\n%s%-10s%s %s  [%s]\n", color_of(f->status),
                f->loose ? "too loose" : gate_status_name(f->status), end, gate_subject(gate, f),
                f->rule->text);
        fputs("    ", out);
        print_figures(f, out, per);
        fputc('\n', out);
        if (!f->exact) {
            fputs("    ", out);
            print_seen(f, out);
            fputc('\n', out);
        }
        if (f->note)
            fprintf(out, "    %s\n", f->note);
        if (f->status == GATE_FAIL || f->status == GATE_WARN) {
            if (*file)
                fprintf(out, "    at %s:%lld\n", file, (long long)line);
            print_stack(gate, f, out, "    ");
        }
    }
    if (hidden)
        fprintf(out, "\n... and %u more like these (-o json has all)\n", hidden);
    for (uint32_t i = 0; i < v->n_rules; i++) {
        if (v->rules[i].scope != GATE_EACH_SITE)
            continue;
        fprintf(out, "\n%s%-10s%s each site  [%s]\n    ", color_of(GATE_PASS), "ok", end,
                v->rules[i].text);
        print_rule(&v->rules[i], out);
        fputc('\n', out);
        within += v->rules[i].within;
    }
    if (v->n_notes)
        fputc('\n', out);
    for (uint32_t i = 0; i < v->n_notes; i++)
        fprintf(out, "note: %s\n", v->notes[i]);
    fprintf(out,
            "\n%s%s%s: %u failed, %u can't tell, %u warned, %u moved, %u waived, %u rules and "
            "sites within limits\n",
            color_of(v->exit_status == 0   ? GATE_PASS
                     : v->exit_status == 1 ? GATE_FAIL
                                           : GATE_UNDECIDED),
            conclusion(v), end, v->failed, v->undecided, v->warned, v->moved, v->waived,
            within + v->n - v->failed - v->undecided - v->warned - v->moved - v->waived);
    if (v->n_tests)
        fprintf(out,
                "chance of any false alarm in this comparison: at most %.2g%% (%u figures with "
                "noise, %.2g each)\n",
                v->false_alarms * 100, v->n_tests, v->alpha);
    if (v->exit_status == 3)
        fputs("to see less: more profiles a side, a lower APPROF_RATE (1 is exact), or a floor "
              "below which nothing counts\n",
              out);
    if (v->more_command)
        fprintf(out, "to see more: %s\n", v->more_command);
    if (v->page)
        fprintf(out, "in a browser: %s\n", v->page);
}

/* Markdown's own characters in names of C++ and Rust. */
static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\`*_<>[]#&", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
    }
}

void gate_print_markdown(const struct gate *gate, const struct gate_verdict *v, FILE *out)
{
    char a[UNIT_TEXT_ROOM], b[UNIT_TEXT_ROOM], share[32];
    static const char *const marks[] = {"✅", "⚠️", "❌", "❓", "↔️", "🟡"};
    fprintf(out, "### %s Allocation gate: %s\n\n",
            marks[v->exit_status == 0   ? GATE_PASS
                  : v->exit_status == 1 ? GATE_FAIL
                                        : GATE_UNDECIDED],
            conclusion(v));
    fputs("| | where | rule | base | new | change |\n|---|---|---|---:|---:|---:|\n", out);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct gate_finding *f = &v->findings[i];
        int64_t line;
        const char *file = gate_file_of(gate, f, &line);
        fprintf(out, "| %s %s | ", marks[f->status],
                f->loose ? "too loose" : gate_status_name(f->status));
        print_escaped(out, gate_subject(gate, f));
        if (*file && f->status == GATE_FAIL) {
            fputs("<br>", out);
            print_escaped(out, file);
            fprintf(out, ":%lld", (long long)line);
        }
        fputs(" | ", out);
        print_escaped(out, f->rule->text);
        fprintf(out, " | %s | %s | %s |\n", gate_value(a, f->rule->type, f->base),
                gate_value(b, f->rule->type, f->now), change(share, f));
    }
    for (uint32_t i = 0; i < v->n; i++) {
        const struct gate_finding *f = &v->findings[i];
        if (f->status != GATE_FAIL && f->status != GATE_UNDECIDED)
            continue;
        fputs("\n<details><summary>", out);
        print_escaped(out, gate_subject(gate, f));
        fputs("</summary>\n\n", out);
        print_figures(f, out, gate->per_operation ? "/op" : "");
        fputs(".\n", out);
        if (!f->exact) {
            fputs("\n", out);
            print_seen(f, out);
            fputs(".\n", out);
        }
        if (f->stack != KEY_NONE) {
            fputs("\n```\n", out);
            print_stack(gate, f, out, "");
            fputs("```\n", out);
        }
        fputs("\n</details>\n", out);
    }
    for (uint32_t i = 0; i < v->n_rules; i++) {
        if (v->rules[i].scope != GATE_EACH_SITE)
            continue;
        fputs("\n", out);
        print_escaped(out, v->rules[i].text);
        fputs(": ", out);
        print_rule(&v->rules[i], out);
        fputs(".\n", out);
    }
    for (uint32_t i = 0; i < v->n_notes; i++) {
        fputs("\n> ", out);
        print_escaped(out, v->notes[i]);
        fputc('\n', out);
    }
    if (v->more_command)
        fprintf(out, "\n`%s`\n", v->more_command);
    if (v->page) {
        fputs("\n[Flame graph, source and differences](", out);
        gate_page_link(out, v->page);
        fputs(")\n", out);
    }
}
