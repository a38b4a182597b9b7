/* select.h - recording a part of the run in full.
 *
 * Every call of MPI is recorded always, so that what one rank sends another receives in the trace,
 * too.  Outside of the selection a rank records nothing else: no volumes, no kernels, no call
 * sites. TIMELESS_SELECT says what is selected (timeless-record(1)); all that it names must hold.
 *
 * What changes for all ranks together, --from, --until and the signal, changes at a synchronising
 * collective over all ranks, which they count alike (doc/FORMAT.md, "Parts of a run"); where a
 * clock or a signal decides, they agree there on a communicator of their own.  Threads that enter
 * such collectives on different communicators at once may do so in another order on each rank: the
 * i-th is then that of the rank's own trace, and the i-th agreement is at the i-th return.
 */
#ifndef TLT_SELECT_H
#define TLT_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "timeless.h"

/* Reads TIMELESS_SELECT.  Collective over MPI_COMM_WORLD, when tlt.kernels is set. */
void tlt_select_start(void);
/* A communicator of as many ranks as the run has. */
void tlt_select_spanning(uint32_t comm);
/* Where tlt.selecting is set, before an event takes its volume.  `begun`: it is written already,
 * and this is its return.  False: it is left out. */
bool tlt_select_event(tl_event *event, bool begun);
/* The same before the beginning of another thread's call is written, which has its volume. */
void tlt_select_begun(tl_event *event);
bool tlt_select_is_full(void);
/* This rank stops recording while others go on. */
void tlt_select_leave(void);
bool tlt_select_excludes(uint16_t call);
/* What the header of the trace says of the selection; "" without one. */
void tlt_select_text(char *text, size_t size);

#endif
