/* skip.h - runs of which the results do not matter (`timeless record --skip-kernels`).
 *
 * A trace needs the sizes of what is computed and sent, not the numbers. In such a run
 *
 *   - routines of BLAS and LAPACK return at once, after the wrappers of blas.c have read their
 *     sizes (kernels.c): tlt_next() gives the wrappers a routine that does nothing;
 *   - so do functions of the program that the user names (functions.c): a jump replaces the first
 *     bytes of each;
 *   - large blocks that the program allocates consist of a small region, mapped many times
 *     (memory.c): the program's own slots for malloc() and the like lead to functions here;
 *   - ranks that wait sleep (wait.c).
 *
 * TIMELESS_SKIP lists what is skipped, in words separated by blanks. All is decided once, when a
 * routine is first called or MPI has started, so that nothing changes on the way of a recorded
 * call, with or without the option. */
#ifndef TLT_SKIP_H
#define TLT_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "hosts.h"

/* The value of the n-th word "KEY=VALUE" of TIMELESS_SKIP with this key, in `value`; false if there
 * are fewer, or if it is longer than `size`. */
bool tlt_skip_word(const char *key, int n, char *value, size_t size);

/* kernels.c: what takes the place of the routine with this symbol (cblas_dgemm); NULL: the routine
 * itself is to run. */
void *tlt_skipped_kernel(const char *symbol);

/* functions.c: replaces the functions of the program that the user named. */
void tlt_skip_functions(void);

/* memory.c: from here on, large blocks that the program allocates are folded. */
void tlt_fold_memory(void);

/* wait.c: what takes the place of sched_yield() if tlt_skip_waits. */
extern bool tlt_skip_waits;
int tlt_skip_wait(void);
/* wait.c: limits the sleeps by the number of ranks and cores of this host. */
void tlt_skip_seat(const tlt_hosts *hosts);

/* skip.c: begins, once MPI has started. */
void tlt_skip_start(void);
/* skip.c: what is skipped in this run, for people; "" if nothing is. */
void tlt_skip_text(char *text, size_t size);

#endif
