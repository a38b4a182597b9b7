/* phases.h - the computation of each rank between synchronisations, in balance.
 *
 * A phase of a rank ends in a collective of all ranks, where all wait for one rank, one for all, or
 * all for all; and where the rank has given something to other ranks and needs something of them:
 * in an exchange (a receive or wait after a send, a sendrecv, another collective).  Ranks that make
 * the same number of exchanges between two collectives of all ranks share these phases. If they do
 * not, as ranks at a border have fewer neighbours, exchanges with nearly no computation between
 * them end one phase; if the numbers then still differ, all that lies between these collectives is
 * one phase.  In balance, every rank computes for the mean of all ranks in each phase. */
#ifndef TLR_PHASES_H
#define TLR_PHASES_H

#include "halves.h"

#include <stdbool.h>

typedef struct tlr_phase {
    double s; /* computed seconds; after tlr_phases_balance a factor for them, or, if negative,
                 the seconds that a rank without computation gets */
    bool is_synced; /* ends in a collective of all ranks */
} tlr_phase;

/* The phases of ranks that do the same. */
typedef struct tlr_phases {
    uint32_t n_ranks;
    size_t n, room;
    tlr_phase *of;
    unsigned given; /* what the ranks gave in the last one */
} tlr_phases;

/* Where a rank is in its phases. */
typedef struct tlr_phase_place {
    size_t phase;
    unsigned given;
} tlr_phase_place;

/* Add computation; a call, on a communicator of all ranks or not. 0 without memory. */
int tlr_phases_compute(tlr_phases *phases, double computed_s);
int tlr_phases_call(tlr_phases *phases, uint16_t call, bool has_all);
/* Turns seconds into factors. *n_phases is the number of phases with computation. 0 without memory.
 */
int tlr_phases_balance(tlr_phases *rows, size_t n_rows, size_t *n_phases);
void tlr_phases_free(tlr_phases *rows, size_t n_rows);

/* Advance the clock of balance: at the start of a rank, by computation, after a call. */
void tlr_phases_start(const tlr_phases *phases, tlr_clocks *clocks);
void tlr_phases_computed(const tlr_phases *phases, const tlr_phase_place *at, double took_s,
                         tlr_clocks *clocks);
void tlr_phases_called(const tlr_phases *phases, tlr_phase_place *at, uint16_t call, bool has_all,
                       tlr_clocks *clocks);

#endif
