/* call_times.h - how long calls took in the recorded run, beside their predicted times. */
#ifndef TLR_CALL_TIMES_H
#define TLR_CALL_TIMES_H

#include "details.h"

#include <jansson.h>

/* The calls of one kind, or of one call site, in all ranks; those that differ most from their
 * prediction come first. Of a row, the time and what was measured are known. */
typedef struct tlr_call_times {
    tlr_sums sites; /* "MPI_Recv exchange (halo.c:66)" */
    tlr_sums calls; /* "MPI_Recv" */
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
