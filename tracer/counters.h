/* counters.h - counters that a rank records in addition to its volumes (--counters): PAPI's events
 * of the thread that called MPI_Init, and performance variables of the MPI library (MPI_T). */
#ifndef TLT_COUNTERS_H
#define TLT_COUNTERS_H

#include "timeless.h"

/* Reads the list in TIMELESS_COUNTERS. To be called before a volume source is chosen. Returns NULL,
 * or what is wrong with the list. */
const char *tlt_counters_read_list(void);
/* Starts PAPI's counters, unless the volume source has started them. Returns NULL, or the reason
 * why it cannot. */
const char *tlt_counters_start_papi(void);
/* To be called after MPI has started: starts the counters, and reports those that cannot be
 * counted. */
void tlt_counters_start(void);
/* The counts up to now are the tracer's own, and are subtracted. */
void tlt_counters_mark(void);
/* To be called before MPI ends: writes the counts. */
void tlt_counters_write(tl_writer *writer);

#endif
