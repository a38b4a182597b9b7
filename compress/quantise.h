/* quantise.h - volumes to a stated precision, their sum kept. */
#ifndef TL_QUANTISE_H
#define TL_QUANTISE_H

#include "map.h"
#include "timeless.h"

/* One rank's volumes on their way. */
typedef struct tl_quantiser {
    double precision;
    uint64_t carry; /* what was left out so far */
    tl_map last;    /* written volume by call and site */
} tl_quantiser;

/* Replaces the volume of the next event by one that differs by `precision` of it at most, and takes
 * less room; what is rounded away is carried to the events that follow, so that sums stay within
 * the precision of the largest burst.  The last event takes all that is left.  False: memory is
 * out. */
bool tl_quantise(tl_quantiser *q, tl_event *event, bool is_last);
void tl_quantiser_free(tl_quantiser *q);

#endif
