/* comparable.h - whether the rank's clock can be compared with a prediction, which gives every rank
 * a core of its own. */
#ifndef TLT_COMPARABLE_H
#define TLT_COMPARABLE_H

#include <timeless.h>

/* To be called at the end of MPI_Init, by the thread that called it. */
void tlt_comparable_start(void);
/* Adds a reason why the clock is not comparable, for people: "3 threads on 2 cores". Any thread may
 * call it. Earlier reasons are kept. */
void tlt_not_comparable(const char *reason);
/* To be called before the writer is closed: writes the reasons, and whether the rank had to wait
 * for a core. */
void tlt_comparable_write(tl_writer *writer);

#endif
