/* index.h - the index of a rank in a packed trace (doc/FORMAT.md, "Index"): how often each call
 * occurs, and the state of the rank at several places. */
#ifndef TL_INDEX_H
#define TL_INDEX_H

#include "core/map.h"
#include "past.h"
#include "timeless_convert.h"

#include <stdbool.h>

/* A place in the events of a rank. */
typedef struct tl_index_place {
    uint64_t number; /* of the event behind it */
    uint64_t n_sections;
    bool in_region; /* there was an MPI_Pcontrol, the last one with this level */
    int32_t level;
    const uint8_t *levels; /* their number, then level and regions of each */
    const uint8_t *state;  /* of tl_past_load */
    size_t size;
} tl_index_place;

typedef struct tl_index {
    tl_buffer raw; /* what `places` and `counts` point into */
    tl_input counts, users;
    uint64_t n_calls, n_users;
    uint64_t clock_ns; /* of the last event that has one */
    uint64_t n_sections;
    tl_index_place *places; /* in order */
    size_t n_places;
} tl_index;

/* The index of a rank; without places and counts if the trace has none, or one that this version
 * does not understand, or that contradicts itself or the number of events. SYSTEM, MEMORY, CORRUPT:
 * it cannot be read. */
tl_status tl_index_open(const tl_reader *r, uint32_t rank, tl_index *out);
void tl_index_close(tl_index *index);
/* The last place at or before an event; NULL if there is none. */
const tl_index_place *tl_index_before(const tl_index *index, uint64_t event);
/* How many regions of a level begin before a place. */
uint64_t tl_place_regions(const tl_index_place *place, int32_t level);

/* Makes the index of a rank while its events pass by. */
typedef struct tl_indexer {
    tl_past past;
    tl_balance balance;
    uint64_t calls[TL_CALL_LIMIT];
    tl_map users; /* number of events by kernel of the program */
    tl_buffer places;
    uint64_t n_places, number;
    uint64_t next;         /* event at which a place is due */
    uint64_t place_events; /* at least so many events between two places */
    bool bytes_are_free;   /* in tests of small traces */
} tl_indexer;

tl_status tl_indexer_begin(tl_indexer *x, tl_reader *r, uint32_t rank, uint64_t place_events,
                           tl_error *err);
tl_status tl_indexer_add(tl_indexer *x, const tl_event *e);
/* The payload of the chunk in a file with this seed. */
tl_status tl_indexer_end(tl_indexer *x, uint64_t seed, tl_buffer *out);
void tl_indexer_free(tl_indexer *x);

/* tl_pack, with an index for a trace of this many events or more; `spacing`: at least so many
 * events between two places. Tests make both small. */
tl_status tl_pack_indexed(tl_reader *r, const tl_pack_options *options, uint64_t many_events,
                          uint64_t spacing, const char *out_path, tl_error *err);

#endif
