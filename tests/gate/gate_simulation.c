/* test: link=cli time=600 libs=-lm variant=none */
/* gate_simulation.c - how often the gate is wrong, by simulation: false alarms when nothing
 * changed, growth found when there is growth that its statistics promise to find, and "can't tell"
 * where they do not.
 *
 * The truth is a real profile: python3 under the preload at RATE=1, every allocation counted, its
 * sites copied until there are 500. A simulated run draws from it what sampling at a rate would
 * have drawn: binomial numbers of samples of each stack and size, weighted as approf weights them.
 * Seeded: the same numbers every time for the same truth.
 */
#include "gate.h"
#include "message.h"
#include "profile_codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SITES = 500, BIG_SIZE = 64 };
#define BIG_BYTES 0x1p30

struct truth {
    double size, count;
    uint32_t site;
};
static struct truth truths[20000];
static uint32_t n_truths;
static int failures;

#define CHECK(condition, ...)                          \
    do {                                               \
        printf("%s: ", (condition) ? "ok" : "FAILED"); \
        printf(__VA_ARGS__);                           \
        putchar('\n');                                 \
        failures += !(condition);                      \
    } while (0)

static uint64_t state;
static double uniform(void) /* splitmix64; never 0 */
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* Successes of n tries: by the gaps between them while they are few, else by the normal
 * distribution, whose error is far below what is tested from a thousand on. */
static double binomial(double n, double p)
{
    if (p >= 1)
        return n;
    if (n * p > 1000 && n * (1 - p) > 1000) {
        double z = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
        return fmin(n, fmax(0, round(n * p + z * sqrt(n * p * (1 - p)))));
    }
    double at = 0, found = 0, scale = log1p(-p);
    for (;;) {
        at += ceil(log(uniform()) / scale);
        if (at > n)
            return found;
        found++;
    }
}

/* One simulated run at a rate; the big site has grown by this share. */
static void simulate(struct profile *p, double rate, double growth)
{
    char name[64];
    if (!profile_init(p, 0))
        exit(1);
    profile_add_sample_type(p, "alloc_objects", "count");
    profile_add_sample_type(p, "alloc_space", "bytes");
    profile_add_sample_type(p, "inuse_objects", "count");
    profile_add_sample_type(p, "inuse_space", "bytes");
    p->period_type.type = profile_intern_text(p, "space");
    p->period_type.unit = profile_intern_text(p, "bytes");
    p->period = (int64_t)rate;
    for (uint32_t s = 0; s <= SITES; s++) {
        snprintf(name, sizeof name, s == SITES ? "main" : "site_%u", s);
        struct profile_function function = {.id = s + 1, .name = profile_intern_text(p, name)};
        struct profile_line line = {.function = profile_add_function(p, &function), .line = s + 1};
        struct profile_location location = {
            .id = s + 1, .address = 0x1000 + s, .mapping = PROFILE_NONE};
        profile_add_location(p, &location, &line, 1);
    }
    for (uint32_t i = 0; i < n_truths; i++) {
        const struct truth *t = &truths[i];
        double count = t->site == 0 ? round(t->count * (1 + growth)) : t->count;
        double chance = rate > 1 ? -expm1(-t->size / rate) : 1;
        double n = rate > 1 ? binomial(count, chance) : count;
        int64_t values[4] = {(int64_t)round(n / chance), (int64_t)round(n * t->size / chance), 0,
                             0};
        uint32_t stack[2] = {t->site, SITES};
        if (n > 0)
            profile_add_sample(p, stack, 2, values, NULL, 0);
    }
}

static const char *growth_limit = "5%";

/* The gate's exit status for so many profiles a side. */
static int compare(uint32_t profiles, double rate, double growth, double floor_bytes,
                   bool *right_site)
{
    struct gate gate;
    struct gate_rules rules = {0};
    struct gate_verdict verdict = {0};
    struct gate_judge_options options = {.false_alarms = 0.01};
    gate_init(&gate, false, 0);
    gate_expect(&gate, profiles, profiles);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < profiles; i++) {
            struct profile p;
            simulate(&p, rate, side == GATE_NEW ? growth : 0);
            if (!gate_add_profile(&gate, side, i, &p, "simulated"))
                exit(1);
            profile_free(&p);
        }
    gate_finish(&gate);
    char floor_text[64], limit_text[64];
    snprintf(floor_text, sizeof floor_text, "alloc_space=%.0f", floor_bytes);
    snprintf(limit_text, sizeof limit_text, "alloc_space=%s", growth_limit);
    gate_rule_add(&rules, "max-site-growth", NULL, limit_text, "test", false);
    gate_rule_add(&rules, "max-site-growth", NULL, "alloc_objects=5%", "test", false);
    gate_rule_add(&rules, "max-growth", NULL, "alloc_space=5%", "test", false);
    gate_rule_add(&rules, "floor", NULL, floor_text, "test", false);
    snprintf(floor_text, sizeof floor_text, "alloc_objects=%.0f", floor_bytes / BIG_SIZE);
    gate_rule_add(&rules, "floor", NULL, floor_text, "test", false);
    if (!gate_judge(&gate, &rules, &options, &verdict))
        exit(1);
    *right_site = false;
    for (uint32_t i = 0; i < verdict.n; i++)
        if (getenv("GATE_SIMULATION_SHOW") && verdict.findings[i].status == GATE_FAIL)
            gate_print_text(&gate, &verdict, stdout);
    for (uint32_t i = 0; i < verdict.n; i++)
        *right_site =
            *right_site ||
            (verdict.findings[i].status == GATE_FAIL && verdict.findings[i].site != KEY_NONE &&
             strcmp(gate.sites[verdict.findings[i].site].name, "site_0") == 0);
    int status = verdict.exit_status;
    gate_verdict_free(&verdict);
    gate_rules_free(&rules);
    gate_free(&gate);
    return status;
}

/* A real program's allocations, all of them. */
static void read_truth(void)
{
    char command[4096];
    snprintf(command, sizeof command,
             "APPROF_RATE=1 APPROF_SYMBOLIZE=0 APPROF_OUT=truth.pb.gz LD_PRELOAD='%s' "
             "/usr/bin/python3 -S -c 'import json; "
             "json.loads(json.dumps({str(i): [i, str(i)] for i in range(2000)}))'",
             getenv("APPROF_LIB"));
    int status = system(command);
    struct arena arena;
    struct profile_error error;
    arena_init(&arena, 0);
    struct byte_buffer bytes = {.arena = &arena};
    struct profile p;
    if (status != 0 || !file_read("truth.pb.gz", 1u << 30, &bytes, &error) ||
        !profile_decode(bytes.bytes, bytes.length, &p, &error)) {
        printf("the real program left no profile (status %d)\n", status);
        exit(1);
    }
    truths[n_truths++] = (struct truth){.size = BIG_SIZE, .count = BIG_BYTES / BIG_SIZE, .site = 0};
    uint32_t room = sizeof truths / sizeof truths[0];
    for (uint32_t round = 0; n_truths < room && round < SITES; round++)
        for (uint32_t i = 0; i < p.n_samples && n_truths < room; i++) {
            int64_t *v = p.values + (size_t)i * 4;
            /* Repeated as a service would, by another factor at each copy of a site. */
            uint32_t site =
                1 + (round * 31 + p.sample_locations[p.samples[i].first_location]) % (SITES - 1);
            if (v[0] > 0 && v[1] > 0)
                truths[n_truths++] = (struct truth){(double)v[1] / (double)v[0],
                                                    (double)v[0] * (1 + round % 7), site};
        }
    double all = 0;
    for (uint32_t i = 0; i < n_truths; i++)
        all += truths[i].size * truths[i].count;
    printf(
        "truth: %u stacks and sizes on %d sites, %.2f GB, of it 1 GiB of %d-byte objects on one\n",
        n_truths, SITES, all / 1e9, BIG_SIZE);
    profile_free(&p);
    arena_free(&arena);
}

static void count(int runs, uint32_t profiles, double rate, double growth, double floor_bytes,
                  int statuses[5], int *found)
{
    *found = 0;
    memset(statuses, 0, 5 * sizeof *statuses);
    for (int i = 0; i < runs; i++) {
        bool right;
        statuses[compare(profiles, rate, growth, floor_bytes, &right)]++;
        *found += right;
    }
}

int main(void)
{
    int statuses[5], found;
    state = 20260101;
    read_truth();

    /* Sites of a few hundred kB have one sample or none: the hard case for false alarms, and no
     * floor to hide behind. */
    count(500, 1, 524288, 0, 0, statuses, &found);
    int alarms = statuses[1];
    count(400, 1, 32768, 0, 0, statuses, &found);
    alarms += statuses[1];
    count(100, 4, 65536, 0, 0, statuses, &found);
    alarms += statuses[1];
    CHECK(alarms <= 10, "1000 comparisons of equal programs: %d false alarms, 10 allowed", alarms);

    count(200, 1, 32768, 0.10, 0x1p28, statuses, &found);
    CHECK(found >= 190,
          "10%% on a site of 1 GiB, limit 5%%, one profile a side at 32768: found in %d of 200",
          found);
    count(100, 16, 524288, 0.10, 0x1p28, statuses, &found);
    CHECK(found >= 95, "the same with 16 profiles a side at 524288: found in %d of 100", found);

    count(200, 1, 524288, 0.10, 0x1p28, statuses, &found);
    CHECK(found <= 40, "one profile a side at 524288 can't: found in %d of 200", found);
    CHECK(statuses[3] == 200 - statuses[1] && statuses[0] == 0,
          "... and says so: %d undecided, %d pass, %d fail", statuses[3], statuses[0], statuses[1]);

    count(20, 1, 32768, 0.0, 0x1p28, statuses, &found);
    CHECK(statuses[0] >= 19, "no growth and a floor: %d of 20 pass, %d can't tell", statuses[0],
          statuses[3]);

    bool right;
    int status = compare(1, 1, 0.06, 0, &right);
    CHECK(status == 1 && right, "exact: 6%% beyond a limit of 5%% always fails");
    status = compare(1, 1, 0.0499, 0, &right);
    CHECK(status == 0, "exact: 4.99%% is within it");

    growth_limit = "0.5%";
    status = compare(1, 1, 0.01, 0, &right);
    CHECK(status == 1 && right, "exact: growth of 1%% fails a limit of 0.5%%");
    growth_limit = "0%";
    status = compare(1, 1, 0, 0, &right);
    CHECK(status == 0, "exact: no growth passes a limit of none");
    return failures != 0;
}
