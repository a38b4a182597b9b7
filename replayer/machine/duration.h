/* duration.h - durations as users write them. */
#ifndef TLR_DURATION_H
#define TLR_DURATION_H

/* The picoseconds of a duration with its unit ("2.5us"; s, ms, us, ns, ps; 0 needs none), NAN if
 * the text is not a duration.  *end is the first character after the duration. */
double tlr_parse_ps(const char *text, const char **end);

#endif
