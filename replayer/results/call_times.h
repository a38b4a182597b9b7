/* call_times.h - how long calls took in the recorded run, beside their predicted times. */
#ifndef TLR_CALL_TIMES_H
#define TLR_CALL_TIMES_H

#include "details.h"

#include <jansson.h>

/* The calls of one kind, or of one call site, in all ranks. */
typedef struct tlr_call_time {
    char *name;
    uint64_t n; /* measured calls */
    double measured_s, predicted_s;
    double longest_s; /* the longest measured call, and its rank */
    uint32_t longest_rank;
} tlr_call_time;

/* Those that differ most from their prediction come first. */
typedef struct tlr_call_times {
    size_t n_sites, n_calls;
    tlr_call_time *sites; /* "MPI_Recv exchange (halo.c:66)" */
    tlr_call_time *calls; /* "MPI_Recv" */
} tlr_call_times;

/* Takes them from the details. *out stays NULL if the trace has no durations. */
tl_status tlr_call_times_of(const tlr_details *details, tlr_call_times **out, tl_error *err);
void tlr_call_times_free(tlr_call_times *times);
/* The member "call_times" of the JSON of a prediction. tlr_call_times_read: NULL without it, and
 * without memory. */
json_t *tlr_call_times_json(const tlr_call_times *times);
tlr_call_times *tlr_call_times_read(const json_t *prediction);
/* Prints the first rows as tables; NULL: nothing. clock: why the durations are not comparable, or
 * "". */
void tlr_call_times_print(const tlr_call_times *times, const char *clock, FILE *out);

#endif
