/* inside.h - timeless-perform --inside: in which functions the time of the calls goes, by samples
 * of the stack. */
#ifndef PERFORM_INSIDE_H
#define PERFORM_INSIDE_H

#include <stddef.h>

/* Begins to sample this thread `hertz` times a second. Returns NULL, or why it cannot. */
const char *perform_inside_open(unsigned hertz);
/* Samples are taken between these two calls. */
void perform_inside_begin(void);
void perform_inside_end(void);
/* Those since the last call belong to a row of this rank. */
void perform_inside_keep(size_t row);
/* Ends the samples. A line for each, in the order of the rows: "ROW COUNT OUTER|...|INNER", the
 * functions below timeless-perform. The caller's (free); NULL without memory. */
char *perform_inside_close(void);

#endif
