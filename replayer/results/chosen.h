/* chosen.h - ranks and a time whose states a timeline keeps, and sums over all others.
 *
 * For replays of very many ranks, whose states would fill a disk. Engines put the states of all
 * ranks all the same, so that the sums by call, the waits of each rank and the parts of the
 * critical path are those of the whole replay. */
#ifndef TLR_CHOSEN_H
#define TLR_CHOSEN_H

#include "critical_path.h"
#include "timeline.h"

/* The parts of the critical path up to some moment on a rank: what leads there. */
typedef struct tlr_walked {
    double parts_s[TLR_N_PARTS];
    uint64_t n_jumps;
} tlr_walked;

/* Of the states of one call that are not kept. */
typedef struct tlr_rest {
    uint64_t count;
    double time_s, wait_s[TLR_N_WAITS];
    int64_t bytes;
} tlr_rest;

struct tlr_chosen {
    char *text; /* as it was given */
    uint32_t n_ranks;
    uint8_t *is_rank; /* by rank */
    double from_s, to_s;
    tlr_rest *rest;                /* by code of the call; 0: computation */
    double (*wait_s)[TLR_N_WAITS]; /* by rank: in states that are not kept */
    double end_s;                  /* of the rank that ends last; what leads there */
    tlr_walked walked;
};

/* From "0-15,100" or "0-15,100@1s:2.5s", for a run of so many ranks. */
tl_status tlr_chosen_read(const char *text, uint32_t n_ranks, tlr_chosen **out, tl_error *err);
void tlr_chosen_free(tlr_chosen *chosen);
/* Whether the state is kept; otherwise it is added to the sums. */
int tlr_chosen_keeps(tlr_chosen *chosen, const tlr_state *state);
/* A rank has ended. */
void tlr_chosen_end(tlr_chosen *chosen, double end_s, const tlr_walked *walked);

#endif
