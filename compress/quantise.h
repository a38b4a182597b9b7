/* quantise.h - rounds volumes to a given precision and keeps their sum. */
#ifndef TL_QUANTISE_H
#define TL_QUANTISE_H

#include "map.h"
#include "timeless.h"

/* The state of one rank. */
typedef struct tl_quantiser {
    double precision;
    uint64_t carry; /* what was left out so far */
    tl_map last;    /* written volume by call and site */
} tl_quantiser;

/* Replaces the volume of the next event by one that differs from it by `precision` at most and
 * takes less room. The difference is carried to the following events, so that sums are exact within
 * the precision of the largest burst. The last event takes the rest. False without memory. */
bool tl_quantise(tl_quantiser *q, tl_event *event, bool is_last);
void tl_quantiser_free(tl_quantiser *q);

#endif
