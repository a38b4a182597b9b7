/* poll.h - polls that the replay decides (--polls adaptive). doc/FORMAT.md, "Polls", has the rule;
 * a *block* here is what it calls moved calls.
 *
 * poll.c replays the events of a rank. poll_window.c reads them ahead and finds blocks.
 * poll_learn.c reads the whole trace first, to learn what programs do while they poll.
 * poll_pieces.c joins pieces of work and cuts them. */
#ifndef SMPI_POLL_H
#define SMPI_POLL_H

#include "state.h"

#define SMPI_NO_BLOCK SIZE_MAX
/* Assumed limits of what is recognised; longer blocks are replayed as they were recorded. */
enum { SMPI_MAX_BLOCK = 16, SMPI_MAX_PERIOD = 4, SMPI_MAX_SWEEPS = 32 };

/* Marks of a call site. */
enum {
    SMPI_IS_PLACE = 1, /* the program has polled before it */
    SMPI_MAY_PASS = 2, /* or between a poll and the message for which it polled */
    SMPI_GOES_ON = 4   /* behind it the program has polled, and then made a call of MPI */
};

/* Work that the program does in pieces while it polls, and whose rest it does at once. A piece has
 * `period` kernels; one size of each of them is the size of the piece. */
typedef struct smpi_sweep {
    uint32_t piece_site, rest_site; /* of the first kernel: numbers in smpi_polls */
    uint32_t period;
    uint16_t call[SMPI_MAX_PERIOD];
    uint32_t dimension[SMPI_MAX_PERIOD];
    int64_t unit; /* the size of a piece */
} smpi_sweep;

/* What the ranks of a trace do while they poll. */
struct smpi_polls {
    uint32_t n_ranks;
    uint32_t **site_of; /* by rank and id of its call site: number from 1, the same on all ranks */
    uint32_t *n_ids;    /* by rank: length of that list */
    tl_site *sites;     /* by number */
    uint8_t *marks;
    size_t n_sites, room;
    smpi_sweep sweeps[SMPI_MAX_SWEEPS];
    size_t n_sweeps;
};

typedef struct smpi_waiting {
    tl_event event; /* with a list of its own, and the number of its call site in smpi_polls */
    uint64_t index; /* its number in the rank's trace */
    uint32_t site;
} smpi_waiting;

/* Events of a rank that have been read and not yet replayed. */
struct smpi_window {
    tl_status (*next)(void *arg, tl_event *event);
    void *arg;
    smpi_polls *polls;
    uint32_t rank;
    smpi_waiting *items; /* n of them from the first on */
    size_t first, n, room;
    tl_status status; /* of the last one read */
    uint64_t n_read;
    uint32_t n_polls; /* of kernels on nothing, and what ran before them: the next event has them */
    uint64_t volume;
    size_t block, block_n; /* the block for which the program polls now */
    size_t n_unasked;      /* events from the first on in front of which no block is looked for */
    uint32_t before;       /* call site of the event before the first one */
};

/* ---- poll_window.c ---- */

/* The i-th event that has not been replayed; NULL at the end of the trace. Valid until the next
 * call. */
smpi_waiting *smpi_peek(smpi_window *w, size_t i);
/* Removes n events from the window. */
void smpi_drop(smpi_window *w, size_t from, size_t n);
/* Inserts copies of the first n events in front of them. */
void smpi_repeat(smpi_window *w, size_t n);
/* If the first event is a polling place and no block is known, finds the block for which the
 * program polls there. */
void smpi_find_block(smpi_window *w);
/* Removes the first event. */
void smpi_advance(smpi_window *w);
tl_action smpi_action_at(smpi_window *w, size_t i);

/* ---- poll_learn.c ---- */

smpi_polls *smpi_polls_learn(tl_reader *trace, uint32_t n_ranks);
void smpi_polls_free(smpi_polls *p);
int smpi_polls_have(const smpi_polls *p, uint32_t site, unsigned mark);
const smpi_sweep *smpi_polls_sweep(const smpi_polls *p, uint32_t site);

/* ---- poll_pieces.c ---- */

/* The only size in which two calls of a kernel differ; -1 if they differ in none, in several, or
 * otherwise. */
int smpi_differing_dimension(const tl_event *a, const tl_event *b);
/* Joins the pieces at the beginning of the window. 0: there are none. */
int smpi_merge_pieces(smpi_window *w);
/* Cuts a piece from the work at the beginning of the window. Returns its number of kernels; 0: the
 * work is not known to be done in pieces. */
size_t smpi_cut_piece(smpi_window *w);

#endif
