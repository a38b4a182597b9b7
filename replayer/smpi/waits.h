/* waits.h - what waits.c needs to know of calls and of computation. */
#ifndef TLR_SMPI_WAITS_H
#define TLR_SMPI_WAITS_H

#include "actions.h"
#include "state.h"
#include "results/phases.h"
#include "results/state_of_event.h"

#include <stdbool.h>

/* ---- needs.c ---- */

tl_needs smpi_needs_of(const tl_event *e, const tl_call_info *info);
/* Nonzero if this holds for every algorithm, independently of the network. */
bool smpi_needs_certainly(const smpi_rank *r, const tl_event *e, const tl_call_info *info);

/* ---- clocks.c ---- */

/* To be called before the first event of the rank. */
void smpi_clocks_open(const smpi_rank *r, tlr_clocks *clocks);
/* Advance the clocks and the place of the rank: it computed; a call ended, after its waiting. */
void smpi_clock_computation(const smpi_rank *r, const tlr_phase_place *at, tlr_clocks *clocks,
                            double took_s, double reference_s);
void smpi_clock_call(const smpi_rank *r, tlr_phase_place *at, tlr_clocks *clocks,
                     const tlr_state *state);

#endif
