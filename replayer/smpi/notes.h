/* notes.h - what a timeline records of a rank: states, and for whom a call waited. */
#ifndef TLR_SMPI_NOTES_H
#define TLR_SMPI_NOTES_H

#include "results/phases.h"
#include "results/state_of_event.h"
#include "state.h"

#include <stdbool.h>

/* ---- timeline.c: only while replay.options->timeline is there ---- */

/* The duration of the current event's computation: of its kernel, or of the burst before it. */
void smpi_note_piece(smpi_rank *r, bool is_kernel, uint32_t before, double reference_s);
/* The pending computation was simulated from one moment to the other. */
void smpi_note_computation(smpi_rank *r, double from_s, double reference_s);
/* The current call was simulated in this time, which belongs to that account. */
void smpi_note_call(smpi_rank *r, double from_s, const double *account);
void smpi_close_notes(smpi_rank *r);
/* World rank of a peer in that communicator, or -1. */
int32_t smpi_world_rank(const smpi_rank *r, uint32_t comm, int32_t peer);

/* ---- waits.c: likewise ---- */

/* The current call is about to be issued. */
void smpi_begin_waits(smpi_rank *r);
/* The current receive, whose source or tag is open, will take this message. */
void smpi_wait_for_match(smpi_rank *r, int32_t peer, int32_t tag);
/* The current call is over: stores in the state what it waited for. */
void smpi_end_waits(smpi_rank *r, struct tlr_state *state);
/* The rank computed for this time, which is so much at the reference speed. */
void smpi_wait_computed(smpi_rank *r, double took_s, double reference_s);
/* Reads the platform's smpi/or and smpi/os, before the replay begins. */
void smpi_waits_overheads(const char *receives, const char *sends);
void smpi_close_waits(smpi_rank *r);

/* ---- clocks.c ---- */

/* To be called before the first event of the rank. */
void smpi_clocks_open(const smpi_rank *r, tlr_clocks *clocks);
/* Advance the clocks and the place of the rank: it computed; a call ended, after its waiting. */
void smpi_clock_computation(const smpi_rank *r, const tlr_phase_place *at, tlr_clocks *clocks,
                            double took_s, double reference_s);
void smpi_clock_call(const smpi_rank *r, tlr_phase_place *at, tlr_clocks *clocks,
                     const tlr_state *state);

#endif
