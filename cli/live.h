/* live.h - the state of approf live, and how it is drawn (live_watch.c has the loop and the keys).
 */
#ifndef APPROF_LIVE_H
#define APPROF_LIVE_H

#include "live_sites.h"
#include "source_text.h"

struct live {
    char name[256];     /* of the program */
    uint32_t pid;       /* 0: there is no process yet */
    size_t n_processes; /* of a run, that live; 0: it is not of a run */
    int64_t start_realtime_ns;
    enum live_view view;
    enum live_order order;
    size_t selected, top; /* rows of the table: chosen, and first on the screen */
    bool frozen, ended, help, source;
    char message[600]; /* about the last key */
    struct live_sites *sites;
    struct source_texts texts;
    /* What the header says, of the last look. */
    uint64_t total_bytes, live_bytes, peak_bytes, rate;
};

/* Draws all of it. Brings selected and top into range. */
void live_draw(struct live *live);

#endif
