/* quantise.h - rounds volumes and clocks to a given precision and keeps their sums. */
#ifndef TL_QUANTISE_H
#define TL_QUANTISE_H

#include "core/map.h"
#include "timeless.h"

#include <stdbool.h>

/* The state of one rank. */
typedef struct tl_quantiser {
    double precision;
    uint64_t carry; /* what was left out so far */
    tl_map last;    /* written volume, and interval of clocks, by call and site */
    bool has_clock;
    uint64_t clock_ns, written_ns; /* the clock before, exact and as it was written */
} tl_quantiser;

/* Replaces the volume of the next event by one that differs from it by `precision` at most and
 * takes less room. The difference is carried to the following events, so that sums are exact within
 * the precision of the largest burst. The last event takes the rest.
 * The clock of the event becomes earlier by at most `precision` of the time since the clock before,
 * so that errors do not add up; the first clock and that of the last event are exact.
 * False without memory. */
bool tl_quantise(tl_quantiser *q, tl_event *event, bool is_last);
void tl_quantiser_free(tl_quantiser *q);

#endif
