/* counters.h - performance variables of the MPI library (MPI_T), for timeless-perform --measure. */
#ifndef PERFORM_COUNTERS_H
#define PERFORM_COUNTERS_H

#include <stdint.h>

enum { PERFORM_MAX_COUNTERS = 4, PERFORM_COUNTER_NAMES_BYTES = 256 };

/* "mpit:NAME,mpit:NAME". Returns the name that cannot be counted; NULL: all can. */
const char *perform_counters_open(const char *names);
/* The sums of their elements; returns how many counters there are. */
int perform_counters_read(int64_t values[PERFORM_MAX_COUNTERS]);

#endif
