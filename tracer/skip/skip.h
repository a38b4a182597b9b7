/* skip.h - runs that do not compute (`timeless record --skip-kernels`).
 *
 * A trace needs the sizes of computations and messages, not their data. In such a run
 *
 *   - routines of BLAS and LAPACK return at once, after the wrappers of blas.c have read their
 *     sizes (kernels.c): tlt_next() gives the wrappers a routine that does nothing;
 *   - ranks that wait sleep (wait.c).
 *
 * TIMELESS_SKIP lists the routines to skip: "kernels=LIST". It is read when a routine is first
 * called or when MPI has started. So a recorded call takes the same way with and without this
 * option. */
#ifndef TLT_SKIP_H
#define TLT_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "hosts.h"

/* The routines to skip, as "blas3,dscal"; NULL if there are none. */
const char *tlt_skip_list(void);

/* kernels.c: the replacement of the routine with this symbol (cblas_dgemm); NULL: the routine
 * itself runs. */
void *tlt_skipped_kernel(const char *symbol);

/* wait.c: replaces sched_yield() if tlt_skip_waits. */
extern bool tlt_skip_waits;
int tlt_skip_wait(void);
/* wait.c: limits the sleeps by the number of ranks and cores of this host. */
void tlt_skip_seat(const tlt_hosts *hosts);

/* skip.c: begins to skip. Call it when MPI has started. */
void tlt_skip_start(void);
/* skip.c: a text that names what this run skips; "": nothing. */
void tlt_skip_text(char *text, size_t size);

#endif
