/* select.h - recording a part of the run in full.
 *
 * Every MPI call is always recorded, so that each message has both sides in the trace. Outside of
 * the selection a rank records nothing else: no volumes, no kernels, no call sites. TIMELESS_SELECT
 * contains the selection (timeless-record(1)). A part is recorded in full if all conditions in it
 * hold.
 *
 * --since, --until and the signal change the state of all ranks together. The change happens at a
 * synchronising collective over all ranks, which all ranks count alike (doc/FORMAT.md, "Parts of a
 * run"). If a clock or a signal decides, the ranks agree at this collective, on a communicator of
 * the tracer. Threads that enter such collectives on different communicators at the same time may
 * do so in another order on each rank. The i-th collective is then that of the rank's own trace,
 * and the i-th agreement is at the i-th return. */
#ifndef TLT_SELECT_H
#define TLT_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "timeless.h"

/* Reads TIMELESS_SELECT. Collective over MPI_COMM_WORLD. To be called when tlt.kernels is set. */
void tlt_select_start(void);
/* Adds a communicator with as many ranks as the run has. */
void tlt_select_spanning(uint32_t comm);
/* To be called if tlt.selecting is set, before an event takes its volume. `begun`: the event is
 * already written, and this is its return. False: the event is left out. */
bool tlt_select_event(tl_event *event, bool begun);
/* The same, before the beginning of another thread's call is written. The event already has its
 * volume. */
void tlt_select_begun(tl_event *event);
bool tlt_select_is_full(void);
/* This rank stops recording; the other ranks continue. */
void tlt_select_leave(void);
/* To be called before the writer is closed and before tlt_comparable_write: writes for how long the
 * rank recorded in full. */
void tlt_select_write(tl_writer *writer);
bool tlt_select_excludes(uint16_t call);
/* The text on the selection for the header of the trace; "" without a selection. */
void tlt_select_text(char *text, size_t size);

#endif
