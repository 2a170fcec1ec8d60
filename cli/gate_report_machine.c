/* gate_report_machine.c - the verdict for machines: JSON (docs/GATE.md has the schema), JUnit XML,
 * GitHub annotations, and github-action-benchmark's "customSmallerIsBetter" JSON. */
#include "gate.h"
#include "records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

const struct gate_format gate_formats[] = {
    {"text", gate_print_text, "for a terminal"},
    {"markdown", gate_print_markdown, "for a pull request or a job summary"},
    {"json", gate_print_json, "everything, for programs"},
    {"junit", gate_print_junit, "JUnit XML, for CI servers"},
    {"github", gate_print_github, "GitHub annotations"},
    {"benchmark", gate_print_benchmark, "github-action-benchmark, smaller is better"},
};
const uint32_t n_gate_formats = sizeof gate_formats / sizeof gate_formats[0];

static const char *const status_words[] = {"ok", "warn", "fail", "undecided", "moved", "waived"};
static const char *const scope_words[] = {"total", "each site", "pattern"};

static void real(FILE *out, const char *name, double value, const char *end)
{
    if (isfinite(value))
        fprintf(out, "\"%s\": %.17g%s", name, value, end);
    else
        fprintf(out, "\"%s\": null%s", name, end);
}

static void text(FILE *out, const char *name, const char *value, const char *end)
{
    fprintf(out, "\"%s\": ", name);
    json_text(out, value);
    fputs(end, out);
}

static void print_side(const struct gate_side *side, const char *name, FILE *out)
{
    fprintf(out, "  \"%s\": {", name);
    text(out, "program", side->program, ", ");
    text(out, "label", side->label, ", ");
    text(out, "toolchain", side->toolchain, ", ");
    fprintf(out, "\"profiles\": %u, ", side->n_profiles);
    real(out, "rate", fmax(1, side->rate), ", ");
    real(out, "samples", round(side->samples), ", ");
    fprintf(out, "\"exact\": %s},\n", side->exact ? "true" : "false");
}

static void print_rule(const struct gate_rule *rule, FILE *out)
{
    fputs("    {", out);
    text(out, "rule", rule->text, ", ");
    text(out, "origin", rule->origin, ", ");
    text(out, "scope", scope_words[rule->scope], ", ");
    text(out, "type", gate_type_names[rule->type], ", ");
    fprintf(out, "\"soft\": %s", rule->soft ? "true" : "false");
    if (rule->scope == GATE_EACH_SITE) {
        fprintf(out, ", \"tested\": %u, \"below_floor\": %u, \"within\": %u, ", rule->tested,
                rule->below_floor, rule->within);
        real(out, "least_visible_growth", rule->blindest, "");
    } else if (rule->scope == GATE_PATTERN) {
        fprintf(out, ", \"matched\": %u", rule->matched);
    }
    fputs("}", out);
}

static void print_finding(const struct gate *gate, const struct gate_finding *f, FILE *out)
{
    int64_t line;
    const char *file = gate_file_of(gate, f, &line);
    fputs("    {", out);
    text(out, "status", status_words[f->status], ", ");
    fprintf(out, "\"too_loose\": %s, ", f->loose ? "true" : "false");
    text(out, "scope", scope_words[f->rule->scope], ", ");
    text(out, "subject", gate_subject(gate, f), ", ");
    text(out, "rule", f->rule->text, ", ");
    text(out, "origin", f->rule->origin, ", ");
    text(out, "type", gate_type_names[f->rule->type], ", ");
    text(out, "unit", gate_type_unit(f->rule->type), ", ");
    fprintf(out, "\"soft\": %s, \"exact\": %s, ", f->rule->soft ? "true" : "false",
            f->exact ? "true" : "false");
    real(out, "base", f->base, ", ");
    real(out, "new", f->now, ", ");
    real(out, "difference", f->now - f->base, ", ");
    real(out, "difference_low", f->low, ", ");
    real(out, "difference_high", f->high, ", ");
    real(out, "chance", f->chance, ", ");
    real(out, "detectable", f->detectable, ", ");
    real(out, "base_samples", round(f->samples[GATE_BASE]), ", ");
    real(out, "new_samples", round(f->samples[GATE_NEW]), ", ");
    text(out, "file", file, ", ");
    fprintf(out, "\"line\": %lld, ", (long long)line);
    text(out, "note", f->note ? f->note : "", ", \"stack\": [");
    if (f->stack != KEY_NONE) {
        const struct gate_stack *stack = &gate->stacks[f->stack];
        for (uint32_t i = 0; i < stack->n_names; i++) {
            if (i)
                fputs(", ", out);
            json_text(out, gate->names[gate->stack_names[stack->first_name + i]]);
        }
    }
    fputs("]}", out);
}

void gate_print_json(const struct gate *gate, const struct gate_verdict *v, FILE *out)
{
    fprintf(out, "{\n  \"schema\": \"approf-gate\", \"schema_version\": %d, \"exit_status\": %d,\n",
            SCHEMA_VERSION, v->exit_status);
    fprintf(out,
            "  \"failed\": %u, \"undecided\": %u, \"warned\": %u, \"moved\": %u, \"waived\": %u, "
            "\"too_loose\": %u,\n",
            v->failed, v->undecided, v->warned, v->moved, v->waived, v->loose);
    fputs("  ", out);
    real(out, "false_alarms", v->false_alarms, ", ");
    real(out, "chance_per_test", v->alpha, ", ");
    fprintf(out, "\"noisy_tests\": %u,\n  ", v->n_tests);
    real(out, "operations", gate->per_operation ? gate->operations : NAN, ",\n");
    print_side(&gate->side[GATE_BASE], "base", out);
    print_side(&gate->side[GATE_NEW], "new", out);
    fputs("  \"notes\": [", out);
    for (uint32_t i = 0; i < v->n_notes; i++) {
        if (i)
            fputs(", ", out);
        json_text(out, v->notes[i]);
    }
    fputs("],\n  ", out);
    text(out, "more", v->more_command ? v->more_command : "", ",\n  \"rules\": [\n");
    for (uint32_t i = 0; i < v->n_rules; i++) {
        print_rule(&v->rules[i], out);
        fputs(i + 1 < v->n_rules ? ",\n" : "\n", out);
    }
    fputs("  ],\n  \"findings\": [\n", out);
    for (uint32_t i = 0; i < v->n; i++) {
        print_finding(gate, &v->findings[i], out);
        fputs(i + 1 < v->n ? ",\n" : "\n", out);
    }
    fputs("  ]\n}\n", out);
}

/* XML 1.0 has no way to say most control characters, nor what is not UTF-8. */
static void xml(FILE *out, const char *value)
{
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        size_t n = utf8_length((const unsigned char *)value);
        if (n > 1) {
            bool noncharacter = n == 3 && c == 0xef && (unsigned char)value[1] == 0xbf &&
                                (unsigned char)value[2] >= 0xbe;
            fprintf(out, "%.*s", noncharacter ? 1 : (int)n, noncharacter ? "?" : value);
            value += n - 1;
            continue;
        }
        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c < 0x20 || c >= 0x7f)
            fputc('?', out);
        else
            fputc(c, out);
    }
}

static void finding_sentence(const struct gate_finding *f, char *buffer, size_t room)
{
    char a[512], b[512];
    snprintf(buffer, room, "%s is %s, was %s (%s)", gate_type_names[f->rule->type],
             gate_value(a, f->rule->type, f->now), gate_value(b, f->rule->type, f->base),
             f->rule->text);
}

void gate_print_junit(const struct gate *gate, const struct gate_verdict *v, FILE *out)
{
    uint32_t skipped = v->waived + v->moved + v->warned, errors = v->undecided, each = 0;
    for (uint32_t i = 0; i < v->n_rules; i++)
        each += v->rules[i].scope == GATE_EACH_SITE;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"approf "
            "gate\" tests=\"%u\" failures=\"%u\" "
            "errors=\"%u\" skipped=\"%u\" time=\"0\">\n",
            v->n + each, v->failed + v->loose, errors, skipped);
    /* What is within the limits of a rule for each site is one case. */
    for (uint32_t i = 0; i < v->n_rules; i++) {
        if (v->rules[i].scope != GATE_EACH_SITE)
            continue;
        fputs("<testcase classname=\"", out);
        xml(out, v->rules[i].text);
        fprintf(out, "\" name=\"%u sites within limits\" time=\"0\"/>\n", v->rules[i].within);
    }
    for (uint32_t i = 0; i < v->n; i++) {
        const struct gate_finding *f = &v->findings[i];
        char sentence[2048];
        finding_sentence(f, sentence, sizeof sentence);
        fputs("<testcase classname=\"", out);
        xml(out, f->rule->text);
        fputs("\" name=\"", out);
        xml(out, gate_subject(gate, f));
        fputs("\" time=\"0\">", out);
        if (f->status == GATE_FAIL || f->status == GATE_UNDECIDED || f->loose) {
            const char *element = f->status == GATE_UNDECIDED ? "error" : "failure";
            int64_t line;
            const char *file = gate_file_of(gate, f, &line);
            fprintf(out, "<%s type=\"%s\" message=\"", element,
                    f->status == GATE_FAIL        ? "regression"
                    : f->status == GATE_UNDECIDED ? "undecided"
                                                  : "limit too loose");
            xml(out, sentence);
            fputs("\">", out);
            if (*file) {
                xml(out, file);
                fprintf(out, ":%lld\n", (long long)line);
            }
            for (uint32_t n = 0; f->stack != KEY_NONE && n < gate->stacks[f->stack].n_names; n++) {
                xml(out, gate->names[gate->stack_names[gate->stacks[f->stack].first_name + n]]);
                fputc('\n', out);
            }
            fprintf(out, "</%s>", element);
        } else if (f->status != GATE_PASS) {
            fputs("<skipped message=\"", out);
            xml(out, f->note ? f->note : sentence);
            fputs("\"/>", out);
        }
        fputs("</testcase>\n", out);
    }
    fputs("</testsuite>\n</testsuites>\n", out);
}

/* GitHub's own escapes of workflow commands: in data, and more of them in properties. */
static void annotation(FILE *out, const char *value, bool property)
{
    for (; *value; value++) {
        if (*value == '%')
            fputs("%25", out);
        else if (*value == '\r')
            fputs("%0D", out);
        else if (*value == '\n')
            fputs("%0A", out);
        else if (property && *value == ':')
            fputs("%3A", out);
        else if (property && *value == ',')
            fputs("%2C", out);
        else
            fputc(*value, out);
    }
}

void gate_print_github(const struct gate *gate, const struct gate_verdict *v, FILE *out)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const struct gate_finding *f = &v->findings[i];
        if (f->status == GATE_PASS && !f->loose)
            continue;
        int64_t line;
        char sentence[2048];
        const char *file = gate_file_of(gate, f, &line);
        finding_sentence(f, sentence, sizeof sentence);
        fputs(f->status == GATE_FAIL                                  ? "::error "
              : f->status == GATE_UNDECIDED || f->status == GATE_WARN ? "::warning "
                                                                      : "::notice ",
              out);
        if (*file) {
            fputs("file=", out);
            annotation(out, file, true);
            fprintf(out, ",line=%lld,", (long long)line);
        }
        fprintf(out, "title=allocation gate%s::", f->loose ? "%3A limit too loose" : "");
        annotation(out, gate_subject(gate, f), false);
        fputs(": ", out);
        annotation(out, sentence, false);
        if (f->note) {
            fputs("; ", out);
            annotation(out, f->note, false);
        }
        fputc('\n', out);
    }
}

void gate_print_benchmark(const struct gate *gate, const struct gate_verdict *v, FILE *out)
{
    (void)v;
    fputs("[\n", out);
    for (int t = 0; t < GATE_TYPES; t++) {
        struct gate_figure figure = gate_figure_of(gate, GATE_NEW, NULL, 0, (enum gate_type)t);
        fprintf(out, "  {\"name\": \"%s\", \"unit\": \"%s%s\", ", gate_type_names[t],
                gate_type_unit((enum gate_type)t), gate->per_operation ? "/op" : "");
        real(out, "value", figure.n > 0 ? figure.k1 / figure.n : 0, "");
        fprintf(out, "}%s\n", t + 1 < GATE_TYPES ? "," : "");
    }
    fputs("]\n", out);
}
