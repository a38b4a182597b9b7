/* schedules.h - what changes a trace before an engine sees it: schedules (doc/SCHEDULE.md) as
 * algorithms of collectives; a text of SimGrid without its computation.
 *
 * --coll alltoall=FILE replaces the collective in the trace by the sends and receives of the
 * schedule, in a temporary file, before an engine sees it. */
#ifndef TLR_SCHEDULES_H
#define TLR_SCHEDULES_H

#include "replayer.h"

typedef struct tlr_schedules {
    tlr_job *jobs; /* with the traces that engines replay; NULL: those of the caller */
    size_t n_jobs;
    const char **cfg;     /* the options that are no schedules */
    const char **choices; /* "alltoall:FILE" */
    size_t n_choices;
    char *text; /* for predictions */
} tlr_schedules;

/* The collective with a choice of algorithms whose name is the first `length` bytes; NULL: none. */
const char *tlr_collective_name(const char *text, size_t length);

/* Changes `options` and the jobs if the options have schedules, or if computation takes no time
 * (smpi/simulate-computation:no). What a reduction combines then still takes its time in a text of
 * SimGrid, as under smpirun. The caller ends it in any case. */
tl_status tlr_schedules_begin(tlr_schedules *s, const tlr_job *jobs, size_t n_jobs,
                              int without_compute, tlr_options *options, tl_error *err);
/* Predictions (NULL: there are none) and error then name the traces of the caller. */
tl_status tlr_schedules_end(tlr_schedules *s, const tlr_job *jobs, tlr_prediction **predictions,
                            tl_status status, tl_error *err);

#endif
