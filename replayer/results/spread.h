/* spread.h - memory for the results of replays with several seeds (tlr_spread of replayer.h). */
#ifndef TLR_SPREAD_H
#define TLR_SPREAD_H

#include "replayer.h"

/* Room for n_seeds replays of a trace with n_marks marks; NULL without memory. */
tlr_spread *tlr_spread_make(size_t n_seeds, size_t n_marks);
void tlr_spread_free(tlr_spread *spread);

#endif
