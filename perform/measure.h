/* measure.h - timeless-perform --measure: the time of each repetition on a global clock, and what
 * happened meanwhile. */
#ifndef PERFORM_MEASURE_H
#define PERFORM_MEASURE_H

#include "performer.h"

/* All ranks call these functions together. A trace marks its repetitions by MPI_Pcontrol, whose
 * level is the number of bytes: the repetition is what follows, up to the next mark. A level
 * below 0 only ends one. */
/* start: "window", "barrier", "loop:100" (each call 100 times) or "calls". counters: see
 * counters.h; NULL: none. inside_hz: of samples of the stack; 0: none. */
void perform_measure_open(performer *p, const char *start, const char *counters,
                          unsigned inside_hz);
/* At a mark. */
void perform_measure_mark(performer *p, int64_t bytes);
/* Directly before and after a call. The first call of the repetition waits for the other ranks. */
void perform_measure_before(performer *p);
void perform_measure_after(performer *p);
/* After that: whether the same call is to be made once more, as the next repetition of a loop. */
bool perform_measure_again(performer *p);
/* After the last event: rank 0 prints the rows. Returns 0 if they could not be printed. */
int perform_measure_close(performer *p);

#endif
