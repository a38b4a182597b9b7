/* counters.h - what a rank counts beside its volumes (--counters): PAPI's events of the thread that
 * called MPI_Init, and performance variables of the MPI library (MPI_T). */
#ifndef TLT_COUNTERS_H
#define TLT_COUNTERS_H

#include "timeless.h"

/* Takes the list in TIMELESS_COUNTERS.  Comes before a volume source is chosen.  NULL, or what is
 * wrong with it. */
const char *tlt_counters_read_list(void);
/* Begins to count those of PAPI, unless the volume source has.  NULL, or why not. */
const char *tlt_counters_start_papi(void);
/* After MPI has started: begins to count.  What cannot be counted is said. */
void tlt_counters_start(void);
/* What was counted so far is the tracer's own. */
void tlt_counters_mark(void);
/* Before MPI ends: writes what has been counted. */
void tlt_counters_write(tl_writer *writer);

#endif
