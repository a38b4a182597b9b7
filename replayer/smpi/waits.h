/* waits.h - what waits.c needs to know of calls and of computation. */
#ifndef TLR_SMPI_WAITS_H
#define TLR_SMPI_WAITS_H

#include "actions.h"
#include "state.h"
#include "results/halves.h"
#include "results/state_of_event.h"

/* ---- needs.c ---- */

tl_needs smpi_needs_of(const tl_event *e, const tl_call_info *info);
/* Nonzero if this holds for every algorithm, independently of the network. */
int smpi_needs_certainly(const smpi_rank *r, const tl_event *e, const tl_call_info *info);

/* ---- clocks.c ---- */

/* To be called before the first event of the rank. */
void smpi_clocks_open(const smpi_rank *r);
/* Advances the clocks: a rank computed. */
void smpi_clock_computation(const smpi_rank *r, tlr_clocks *clocks, double took_s,
                            double reference_s);

#endif
