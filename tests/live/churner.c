/* target: cflags=-O1,-pthread */
/* A program that allocates all the time: churner [THREADS [STEPS [PAUSE]]], with PAUSE ms (1)
 * between bursts of 20,000 steps. keep_some() keeps one block of 4000 bytes in eight, drop_all()
 * keeps none. What each thread has asked for so far, and what it keeps, it writes down before it
 * asks, in the file that $CHURNER_LOG names (a shared mapping, which outlives SIGKILL). Says "ready
 * PID" when all threads run; after STEPS steps, or on SIGTERM, it ends. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_THREADS = 16, MOST_GROWING = 2000000 /* steps: 500 MB a thread */ };

struct note {
    _Atomic uint64_t asked, kept;
    char padding[48];
};

static struct note own_notes[MOST_THREADS], *notes = own_notes;
static _Atomic int running, stopped;
static long steps, pause_ms = 1;
static void *_Atomic kept[MOST_THREADS];

static __attribute__((noinline)) void keep_some(struct note *note, int thread, long step)
{
    atomic_fetch_add(&note->asked, 4000);
    if (step % 8 == 0)
        atomic_fetch_add(&note->kept, 4000);
    void **p = malloc(4000);
    if (p == NULL)
        abort();
    if (step % 8 != 0) {
        free(p);
        return;
    }
    *p = kept[thread];
    kept[thread] = p;
}

static __attribute__((noinline)) void drop_all(struct note *note, long step)
{
    size_t size = (size_t)(step * 7919 % 3000 + 1);
    atomic_fetch_add(&note->asked, size);
    void *volatile p = malloc(size);
    free(p);
}

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument;
    atomic_fetch_add(&running, 1);
    for (long step = 0; !stopped && (steps == 0 || step < steps); step++) {
        keep_some(&notes[thread], thread, step);
        drop_all(&notes[thread], step);
        /* The kept ones must not fill the machine: half goes now and then, and once there are many,
         * as many as came. */
        if (steps == 0 && step % 20000 == 19999) {
            long going = step < MOST_GROWING ? 1250 : 2500;
            for (long i = 0; i < going && kept[thread] != NULL; i++) {
                void **p = kept[thread];
                kept[thread] = *p;
                free(p);
            }
            usleep((useconds_t)(pause_ms * 1000));
        }
    }
    return NULL;
}

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    steps = argc > 2 ? atol(argv[2]) : 0;
    pause_ms = argc > 3 ? atol(argv[3]) : 1;
    const char *log = getenv("CHURNER_LOG");
    pthread_t ids[MOST_THREADS];
    if (threads < 1 || threads > MOST_THREADS || pause_ms < 0 || pause_ms > 60000)
        return 2;
    if (log != NULL) {
        int fd = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || ftruncate(fd, sizeof own_notes) != 0)
            return 2;
        notes = mmap(NULL, sizeof own_notes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        if (notes == MAP_FAILED)
            return 2;
    }
    signal(SIGTERM, stop);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, (void *)(intptr_t)i) != 0)
            return 2;
    while (running < threads)
        usleep(1000);
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
