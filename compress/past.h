/* past.h - what the events of one rank before a place mean for the events behind it: requests,
 * messages and collectives, epochs, sections and regions, clock, thread.
 *
 * The cut follows all events of a rank with it. The index of a packed trace (index.h) contains its
 * state at several places. A cut then begins at one of them. */
#ifndef TL_PAST_H
#define TL_PAST_H

#include "balance.h"
#include "core/bytes.h"
#include "core/map.h"
#include "requests.h"

#include <stdbool.h>

/* The regions of one level of MPI_Pcontrol that have begun. */
typedef struct tl_level {
    int32_t level;
    uint64_t n;
} tl_level;

typedef struct tl_past {
    tl_reader *r;
    uint32_t rank;
    tl_balance *balance;
    tl_requests requests;
    tl_event match;    /* of the blocking receive that follows; call 0: none */
    int64_t n_open;    /* epochs and split file operations under way */
    int account;       /* TL_BEFORE or TL_WITHIN */
    int32_t thread;    /* of the last event */
    uint64_t clock_ns; /* of the last event that has one */
    uint64_t n_sections;
    int32_t level;  /* of the last MPI_Pcontrol */
    bool in_region; /* there was one */
    tl_level *levels;
    size_t n_levels, levels_capacity;
    tl_map level_places; /* level -> position + 1 in levels */
    tl_error *err;
} tl_past;

/* Follows an event. `before`: it lies before the part (p->account says the same). */
tl_status tl_past_follow(tl_past *p, const tl_event *e);
void tl_past_free(tl_past *p);

/* The state as bytes. `number`: of the next event. There must be no pending match. */
tl_status tl_past_save(const tl_past *p, uint64_t number, tl_buffer *out);
/* Reads the state into *p, which is new and has r, rank, balance and err. CORRUPT: it contradicts
 * the trace. */
tl_status tl_past_load(tl_past *p, tl_input *in);

/* Whether the event opens a section of the run (doc/FORMAT.md, "Parts of a run"). */
bool tl_opens_section(const tl_reader *r, uint32_t rank, const tl_event *e);

#endif
