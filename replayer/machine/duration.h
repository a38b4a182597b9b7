/* duration.h - durations and sizes as users write them. */
#ifndef TLR_DURATION_H
#define TLR_DURATION_H

#include <stdint.h>

/* The picoseconds of a duration with its unit ("2.5us"; s, ms, us, ns, ps; 0 needs none), NAN if
 * the text is not a duration.  *end is the first character after the duration. */
double tlr_parse_ps(const char *text, const char **end);

/* "65536" or "64K": K, M and G are powers of 1024. 0 if it is no number. */
int tlr_parse_bytes(const char *text, const char **end, uint64_t *out);

#endif
