/* test: link=walker cflags=-O2,-pthread time=60 quick variant=san,ubsan */
/* rule_table.c - the table of cached rules: what is found is what was stored for that very address,
 * with far more addresses than room and with threads that write the same entries at once; and what
 * a CFI rule says survives being packed into 64 bits. */
#include "unwind_rules.h"
#include "walker_stubs.h"
#include <pthread.h>
#include <stdlib.h>

enum { ADDRESSES = 100000, FEW = 24, THREADS = 3, ROUNDS = 20000000 };

static atomic_uint failures, hits;

static void check(bool good, const char *what)
{
    if (!good && atomic_fetch_add(&failures, 1) < 10)
        printf("FAILED: %s\n", what);
}

/* What belongs to an address: any fixed function of it. The addresses crowd into eight sets, and of
 * the first few there are three to each set's two ways, so that entries are replaced all the time.
 */
static uint64_t address(uint64_t n)
{
    return UINT64_C(0x7f0000000000) + n % 8 * 16 + n / 8 * 0x1000000;
}
static uint64_t rule_of(uint64_t pc)
{
    return (pc * UINT64_C(0x2545f4914f6cdd1d)) | RULE_VALID;
}
static uint64_t frame_of(uint64_t pc)
{
    return HEAP_FRAME((pc >> 4) % 60000 + 1, pc);
}

static void *store_and_find(void *argument)
{
    uint64_t state = (uint64_t)(uintptr_t)argument * 2 + 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t pc = address(state % (i % 8 == 0 ? ADDRESSES : FEW)), frame, rule;
        if (rule_find(pc, &frame, &rule)) {
            check(rule == rule_of(pc) && frame == frame_of(pc), "another address's rule");
            atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
        } else {
            rule_insert(frame_of(pc), rule_of(pc));
        }
    }
    return NULL;
}

static void packing(void)
{
    struct cfi_rule r = {.base = CFI_BASE_FP, .offset = 1 << 20, .fp = CFI_FP_AT_CFA};
    r.fp_offset = -16;
    uint64_t p = rule_pack(&r);
    check((p & RULE_BASE_FP) && (p & RULE_FP_SAVED) && !(p & RULE_SPECIAL), "flags");
    check(rule_cfa_offset(p) == 1 << 20 && rule_fp_offset(p) == -16, "offsets");
    r = (struct cfi_rule){.offset = -24, .fp = CFI_FP_AT_SP, .fp_offset = 262136};
    p = rule_pack(&r);
    check(!(p & RULE_BASE_FP) && (p & RULE_FP_AT_SP) && rule_cfa_offset(p) == -24 &&
              rule_fp_offset(p) == 262136,
          "negative offset, largest offset");
    r = (struct cfi_rule){.base = CFI_BASE_FP, .deref = true, .offset = -40, .add = 8};
    p = rule_pack(&r);
    check((p & RULE_DEREF) && rule_load_offset(p) == -40 && rule_load_addend(p) == 8, "load");
    r = (struct cfi_rule){.base = CFI_BASE_OTHER, .reg = 10, .offset = -8};
    p = rule_pack(&r);
    check((p & RULE_BASE_OTHER) && rule_register(p) == 10 && rule_load_offset(p) == -8, "register");
    r = (struct cfi_rule){.offset = INT64_C(1) << 31};
    check(rule_pack(&r) & RULE_REFUSED, "an offset that does not fit");
    r = (struct cfi_rule){.offset = 8, .fp = CFI_FP_AT_CFA, .fp_offset = 262144};
    check(rule_pack(&r) & RULE_REFUSED, "a saved register that is too far away");
    r = (struct cfi_rule){.offset = 8, .fp = CFI_FP_AT_CFA, .fp_offset = -4};
    check(rule_pack(&r) & RULE_REFUSED, "a saved register between words");
}

int main(void)
{
    pthread_t threads[THREADS];
    packing();
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, store_and_find, (void *)(i + 1));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(hits > 1000, "hardly anything is found again");
    printf("%u hits of %u look-ups, %u failures\n", hits, THREADS * ROUNDS, failures);
    return failures != 0;
}
