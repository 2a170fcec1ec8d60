/* slots.c - allocation of thread slots; see slots.h. */
#include "slots.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "fork.h"
#include "hook_state.h"
#include "hooks.h"
#include "raw_sys.h"
#include "sampler.h"
#include "spin.h"

enum {
    CONTROL_MAGIC = 0x0a9910f5,
    BUCKETS = 1024,
    CHUNK_SLOTS = 256,
    MAX_CHUNKS = 4096,
    CAPTURES = 16,
    RATE_OFF = 0xffff,
};

enum child_state { CHILD_NEW = 0, CHILD_STARTING, CHILD_READY };

/* All in wiped pages. The captures come last, so that only those in use become resident. */
struct control {
    uint32_t magic;                     /* 0 in a forked child */
    uint32_t child;                     /* enum child_state; atomic */
    uint32_t n_slots;                   /* atomic */
    uint32_t dumped;                    /* atomic */
    struct thread_slot *heads[BUCKETS]; /* atomic; chains only grow */
    uint32_t captures_gave_up;          /* atomic; someone waited in vain, nobody got one since */
    /* atomic; slot index + 1, or 0. A cache line each: threads that have one each don't meet. */
    struct {
        uint32_t is __attribute__((aligned(64)));
    } capture_owner[CAPTURES];
    struct unwind_stack captures[CAPTURES];
};

struct thread_slot boot_slot;
_Thread_local struct thread_slot *hook_slot = &boot_slot;

static struct control *control;
static struct walk_memory *memories; /* CAPTURES of them, in wiped pages; or NULL: do without */
static struct thread_slot *chunks[MAX_CHUNKS]; /* atomic; mapped once, used again by a child */
static uint64_t base_seed, seeds_drawn;
static uint32_t current_rate; /* index in header.rates, or RATE_OFF; release, after the rate */
static bool repeatable, wipe_works;
static int own_pid; /* only looked at when wiping does not work */

static void *map_wiped(size_t size)
{
    void *p = raw_map_private(size);
    if (p != NULL && raw_madvise(p, size, MADV_WIPEONFORK) != 0)
        wipe_works = false;
    return p;
}

/* False where the process may have no more addresses than it needs. */
static bool addresses_abound(void)
{
    struct rlimit limit = {.rlim_cur = 0};
    return raw_syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) == 0 &&
           limit.rlim_cur == RLIM_INFINITY;
}

bool slots_init(uint64_t seed)
{
    wipe_works = true;
    own_pid = raw_getpid();
    control = map_wiped(sizeof *control);
    chunks[0] = map_wiped(CHUNK_SLOTS * sizeof(struct thread_slot));
    if (control == NULL || chunks[0] == NULL)
        return false;
    if (addresses_abound())
        memories = map_wiped(CAPTURES * sizeof *memories);
    repeatable = seed != 0;
    if (repeatable)
        base_seed = seed;
    else if (raw_syscall(SYS_getrandom, (long)&base_seed, sizeof base_seed, GRND_NONBLOCK, 0, 0,
                         0) != sizeof base_seed) {
        const void *random = (const void *)getauxval(AT_RANDOM);
        if (random != NULL)
            __builtin_memcpy(&base_seed, random, sizeof base_seed);
    }
    control->magic = CONTROL_MAGIC;
    control->child = CHILD_READY;
    return true;
}

bool slots_forked(void)
{
    if (wipe_works)
        return control->magic != CONTROL_MAGIC;
    return !hook_quiet() && raw_getpid() != own_pid;
}

bool slots_child_begin(void)
{
    if (!wipe_works && control->magic == CONTROL_MAGIC) {
        /* One thread is all that a fork leaves; nobody else can be here. */
        __builtin_memset(control, 0, sizeof *control);
        if (memories != NULL)
            __builtin_memset(memories, 0, CAPTURES * sizeof *memories);
        for (int i = 0; i < MAX_CHUNKS && chunks[i] != NULL; i++)
            __builtin_memset(chunks[i], 0, CHUNK_SLOTS * sizeof(struct thread_slot));
    }
    uint32_t expected = CHILD_NEW;
    if (!__atomic_compare_exchange_n(&control->child, &expected, CHILD_STARTING, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    /* The parent and its children must not draw the same gaps. */
    if (!repeatable)
        base_seed ^= (uint64_t)raw_getpid() * UINT64_C(0x9e3779b97f4a7c15) + sampler_clock();
    own_pid = raw_getpid();
    return true;
}

void slots_child_done(void)
{
    __atomic_store_n(&control->child, CHILD_READY, __ATOMIC_RELEASE);
    __atomic_store_n(&control->magic, CONTROL_MAGIC, __ATOMIC_RELEASE);
}

bool slots_claim_dump(void)
{
    return control != NULL && !__atomic_exchange_n(&control->dumped, 1, __ATOMIC_ACQ_REL);
}

static struct thread_slot *slot_at(uint32_t index)
{
    struct thread_slot *chunk = __atomic_load_n(&chunks[index / CHUNK_SLOTS], __ATOMIC_ACQUIRE);
    return chunk != NULL ? &chunk[index % CHUNK_SLOTS] : NULL;
}

static struct thread_slot *new_slot(void)
{
    uint32_t index = __atomic_load_n(&control->n_slots, __ATOMIC_RELAXED);
    for (;;) {
        uint32_t k = index / CHUNK_SLOTS;
        if (k >= MAX_CHUNKS)
            return NULL;
        if (__atomic_load_n(&chunks[k], __ATOMIC_ACQUIRE) == NULL) {
            if (hook_quiet())
                return NULL;
            size_t size = CHUNK_SLOTS * sizeof(struct thread_slot);
            struct thread_slot *chunk = map_wiped(size), *nothing = NULL;
            if (chunk == NULL)
                return NULL;
            if (!__atomic_compare_exchange_n(&chunks[k], &nothing, chunk, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_RELAXED))
                raw_munmap(chunk, size);
        }
        if (__atomic_compare_exchange_n(&control->n_slots, &index, index + 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            break;
    }
    struct thread_slot *slot = slot_at(index);
    slot->index = index;
    slot->capture = index % CAPTURES;
    uint64_t n = __atomic_add_fetch(&seeds_drawn, 1, __ATOMIC_RELAXED);
    sampler_seed(slot->random, base_seed + n * UINT64_C(0xd1342543de82ef95));
    struct heap_header *header = tables_header();
    __atomic_fetch_add(&header->threads, 1, __ATOMIC_RELAXED);
    return slot;
}

static struct thread_slot **bucket_of(uintptr_t owner)
{
    return &control->heads[owner * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

struct thread_slot *slots_acquire(void)
{
    if (slots_forked() && !fork_child_start())
        return NULL;
    uintptr_t owner = (uintptr_t)&hook_slot;
    struct thread_slot **head = bucket_of(owner);
    struct thread_slot *slot = __atomic_load_n(head, __ATOMIC_ACQUIRE);
    while (slot != NULL && slot->owner != owner)
        slot = slot->next;
    if (slot == NULL) {
        slot = new_slot();
        if (slot == NULL)
            return NULL;
        slot->owner = owner;
        struct thread_slot *first = __atomic_load_n(head, __ATOMIC_RELAXED);
        do
            slot->next = first;
        while (!__atomic_compare_exchange_n(head, &first, slot, false, __ATOMIC_RELEASE,
                                            __ATOMIC_RELAXED));
    } else {
        slot->total += slot->gap - slot->remaining;
        slot->gap = slot->remaining = 0;
        slot->stack_low = slot->stack_high = 0;
    }
    slot->depth = 0;
    slot->error = &errno;
    slots_draw(slot);
    slot_put_back(slot);
    __atomic_store_n(&slot->magic, SLOT_MAGIC, __ATOMIC_RELEASE);
    hook_slot = slot;
    return slot;
}

void slots_draw(struct thread_slot *slot)
{
    struct heap_header *header = tables_header();
    uint32_t index = __atomic_load_n(&current_rate, __ATOMIC_ACQUIRE);
    slot->rate_index = index;
    slot->rate = index != RATE_OFF ? header->rates[index] : 0;
    slot->held = sampler_draw(slot->random, slot->rate);
    slots_report(slot, header);
    /* Somebody's exit has named a total, and here is more. */
    if (__builtin_expect(__atomic_load_n(&header->state, __ATOMIC_RELAXED) == HEAP_EXITED, 0))
        __atomic_store_n(&header->state, HEAP_LEFT, __ATOMIC_RELAXED);
}

bool slots_set_rate(uint64_t rate)
{
    struct heap_header *header = tables_header();
    uint32_t index = RATE_OFF;
    if (rate != 0) {
        uint32_t n = __atomic_load_n(&header->n_rates, __ATOMIC_ACQUIRE);
        for (index = 0; index < n && header->rates[index] != rate; index++)
            ;
        if (index == n)
            index = tables_set_rate(rate);
        if (header->rates[index] != rate)
            return false;
        __atomic_store_n(&header->rate, rate, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&current_rate, index, __ATOMIC_RELEASE);
    return true;
}

bool slots_rate_is(uint32_t index)
{
    return __atomic_load_n(&current_rate, __ATOMIC_RELAXED) == index;
}

static inline bool capture_claim(uint32_t *owner, uint32_t self)
{
    uint32_t nobody = 0;
    if (spin_single()) {
        __atomic_store_n(owner, self, __ATOMIC_RELAXED);
        return true;
    }
    return __atomic_compare_exchange_n(owner, &nobody, self, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static inline struct unwind_stack *take(struct thread_slot *slot, uint32_t i)
{
    uint32_t owner = __atomic_load_n(&control->capture_owner[i].is, __ATOMIC_RELAXED);
    if ((owner != 0 || !capture_claim(&control->capture_owner[i].is, slot->index + 1)) &&
        owner != slot->index + 1) /* left behind by a handler's longjmp */
        return NULL;
    slot->capture = i;
    slot->memory = memories != NULL ? &memories[i] : NULL;
    return &control->captures[i];
}

static struct unwind_stack *take_any(struct thread_slot *slot)
{
    for (uint32_t k = 0; k < CAPTURES; k++) {
        struct unwind_stack *capture = take(slot, (slot->index + k) % CAPTURES);
        if (capture != NULL)
            return capture;
    }
    return NULL;
}

static __attribute__((noinline)) struct unwind_stack *wait_for_one(struct thread_slot *slot)
{
    /* More threads than that can be in the middle of a sample, off the processor: bounded waiting,
     * as for a lock (spin.h), and short once somebody has waited in vain. */
    for (unsigned turn = 0;; turn++) {
        struct unwind_stack *capture = take_any(slot);
        if (capture != NULL) {
            if (__builtin_expect(__atomic_load_n(&control->captures_gave_up, __ATOMIC_RELAXED), 0))
                __atomic_store_n(&control->captures_gave_up, 0, __ATOMIC_RELAXED);
            return capture;
        }
        if (turn == SPIN_SHORT && __atomic_load_n(&control->captures_gave_up, __ATOMIC_RELAXED))
            return NULL;
        if (!spin_step(turn)) {
            __atomic_store_n(&control->captures_gave_up, 1, __ATOMIC_RELAXED);
            return NULL;
        }
    }
}

struct unwind_stack *slots_capture_take(struct thread_slot *slot)
{
    struct unwind_stack *capture = take(slot, slot->capture);
    return __builtin_expect(capture != NULL, 1) ? capture : wait_for_one(slot);
}

void slots_capture_give(struct thread_slot *slot)
{
    __atomic_store_n(&control->capture_owner[slot->capture].is, 0, __ATOMIC_RELEASE);
}

uint64_t slots_total(void)
{
    uint64_t total = 0;
    uint32_t n = __atomic_load_n(&control->n_slots, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        const struct thread_slot *slot = slot_at(i);
        total += __atomic_load_n(&slot->total, __ATOMIC_RELAXED) +
                 __atomic_load_n(&slot->gap, __ATOMIC_RELAXED) -
                 __atomic_load_n(&slot->remaining, __ATOMIC_RELAXED);
    }
    return total;
}

/* A thread that has taken its countdown away, to put it back later, is marked. */
bool slots_rest(uint64_t *total)
{
    uint32_t n = __atomic_load_n(&control->n_slots, __ATOMIC_ACQUIRE);
    *total = slots_total();
    for (uint32_t i = 0; i < n; i++)
        if (__atomic_load_n(&slot_at(i)->depth, __ATOMIC_ACQUIRE) != 0)
            return false;
    return true;
}

bool slots_rested(uint64_t total)
{
    uint64_t now;
    return slots_rest(&now) && now == total;
}
