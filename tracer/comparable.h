/* comparable.h - whether the rank's clock can be compared with a prediction, which gives every rank
 * a core of its own. */
#ifndef TLT_COMPARABLE_H
#define TLT_COMPARABLE_H

#include <timeless.h>

/* The end of MPI_Init, on the thread that called it. */
void tlt_comparable_start(void);
/* A reason why the clock is not comparable, for people: "3 threads on 2 cores".  Any thread may say
 * so; what has been said before stays. */
void tlt_not_comparable(const char *reason);
/* Before the writer is closed: what was said, and whether the rank was kept waiting for a core. */
void tlt_comparable_write(tl_writer *writer);

#endif
