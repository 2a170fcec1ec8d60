/* test: link=cli time=300 variant=san */
/* gate_fuzz.c - baselines, rules and waivers with bytes changed, cut out, doubled and swapped: read
 * or refused, never a crash (the instrumented build says so), never a figure that is no number.
 * Seeded. */
#include "gate.h"
#include "message.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Messages are many and go nowhere; a sanitizer's report is the one that matters. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "log_path=stdout";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "log_path=stdout:print_stacktrace=1";
}

enum { ROUNDS = 3000, ROOM = 8192 };

static const char baseline[] =
    "# approf baseline 1\nprogram shop\ntoolchain GCC: 12\nrate 4096\nruns 2\n"
    "samples 120\nsites 3\nper 10\n# alloc_objects alloc_space ...\n"
    "total 1200~4.5 480000 3 96 5120\n1000~4.5 400000~4096 3 96 parse\tmain\n"
    "100 40000~4096 0 0 f(int, a<b>)\tparse\tmain\n100 40000 0 0 parse a.c:3\n";
static const char rules[] =
    "# limits\nper 10\nfloor alloc_space=1kB\nmax-growth alloc_space=5% inuse_space=+10\n"
    "site '^parse' alloc_space=0\nwarn max-site-growth alloc_objects=2%\nmax peak=64MB\n"
    "max-site alloc_objects=12.5/op\n";
static const char waivers[] =
    "# excused\n^parse 2999-12-31 a reason\n'f\\(int, a<b>\\)' 2999-01-01 another\n"
    "total 2020-02-29 long gone\n";
static const char *const words[] = {"~",     "-",          "\t",          "nan",       "inf",
                                    "1e308", "0x",         "'",           "%",         "/op",
                                    "\n",    "total ",     "sites 99999", "runs 256",  "per 1e-300",
                                    "=",     "4294967296", "(((((",       "2026-02-30"};

static uint64_t state = 7;
static uint32_t below(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % n);
}

static size_t mutate(const char *seed, size_t n, char out[ROOM])
{
    memcpy(out, seed, n);
    for (uint32_t times = 1 + below(4); times > 0; times--) {
        size_t at = below((uint32_t)n + 1), length = below(20);
        const char *word = words[below(sizeof words / sizeof words[0])];
        switch (below(5)) {
        case 0: /* another byte */
            if (at < n)
                out[at] = (char)below(256);
            break;
        case 1: /* cut out */
            length = length < n - at ? length : n - at;
            memmove(out + at, out + at + length, n - at - length);
            n -= length;
            break;
        case 2: /* put in */
            length = strlen(word);
            if (n + length < ROOM) {
                memmove(out + at + length, out + at, n - at);
                memcpy(out + at, word, length);
                n += length;
            }
            break;
        case 3: /* doubled */
            if (n * 2 < ROOM && below(4) == 0) {
                memcpy(out + n, out, n);
                n *= 2;
            }
            break;
        default: /* cut off */
            if (below(3) == 0)
                n = at;
        }
    }
    return n;
}

static void write_mutant(const char *seed, size_t n)
{
    static char text[ROOM];
    n = mutate(seed, n, text);
    int fd = open("mutant", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, n) != (ssize_t)n)
        exit(1);
    close(fd);
}

static int accepted[3], wrong;

static void judge(struct gate *gate, const char *limit)
{
    struct gate_rules limits = {0};
    struct gate_verdict verdict = {0};
    struct gate_judge_options options = {.false_alarms = 0.01, .two_sided = true};
    FILE *nowhere = fopen("/dev/null", "we");
    gate_rule_add(&limits, "max-growth", NULL, limit, "test", false);
    gate_rule_add(&limits, "max-site-growth", NULL, limit, "test", false);
    if (gate_judge(gate, &limits, &options, &verdict))
        for (uint32_t i = 0; i < n_gate_formats; i++)
            gate_formats[i].print(gate, &verdict, nowhere);
    for (uint32_t i = 0; i < verdict.n; i++)
        wrong += !isfinite(verdict.findings[i].base) || isnan(verdict.findings[i].chance);
    fclose(nowhere);
    gate_verdict_free(&verdict);
    gate_rules_free(&limits);
}

static void try_baseline(void)
{
    struct gate gate;
    write_mutant(baseline, sizeof baseline - 1);
    uint32_t runs = gate_baseline_is("mutant") ? gate_baseline_runs("mutant") : 0;
    if (!runs)
        return;
    gate_init(&gate, below(2), below(2) ? 10 : 0);
    gate_expect(&gate, runs, 1);
    if (gate_baseline_read(&gate, "mutant")) {
        accepted[0]++;
        gate_finish(&gate);
        judge(&gate, below(2) ? "alloc_space=5%" : "alloc_objects=+3");
    }
    gate_free(&gate);
}

int main(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    for (int i = 0; i < ROUNDS; i++) {
        try_baseline();

        struct gate_rules limits = {0};
        write_mutant(rules, sizeof rules - 1);
        accepted[1] += gate_rules_read(&limits, "mutant");
        for (uint32_t r = 0; r < limits.n; r++)
            wrong += !isfinite(limits.rules[r].value) || limits.rules[r].value < 0;
        gate_rules_free(&limits);

        write_mutant(waivers, sizeof waivers - 1);
        struct gate_waivers *excused = gate_waivers_read("mutant");
        accepted[2] += excused != NULL;
        struct gate_verdict verdict = {0};
        gate_waived(excused, "parse_line");
        gate_waivers_report(excused, &verdict);
        gate_verdict_free(&verdict);
        gate_waivers_free(excused);
    }
    printf(
        "of %d each: %d baselines, %d rules, %d waivers were taken; %d figures were no numbers\n",
        ROUNDS, accepted[0], accepted[1], accepted[2], wrong);
    /* Both ways must have been tried. */
    for (int i = 0; i < 3; i++)
        wrong += accepted[i] == 0 || accepted[i] == ROUNDS;
    return wrong != 0;
}
