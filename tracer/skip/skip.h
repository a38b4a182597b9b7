/* skip.h - runs that do not compute (`timeless record --skip-kernels`).
 *
 * A trace needs the sizes of computations and messages, not their data. In such a run
 *
 *   - routines of BLAS and LAPACK return at once, after the wrappers of blas.c have read their
 *     sizes (kernels.c): tlt_next() gives the wrappers a routine that does nothing;
 *   - functions of the program that the user names return at once (functions.c): a jump replaces
 *     their first bytes;
 *   - large blocks that the program allocates consist of one small region, mapped many times
 *     (memory.c): the program's entries for malloc() and the like lead to functions here;
 *   - ranks that wait sleep (wait.c).
 *
 * TIMELESS_SKIP lists what to skip, in words separated by blanks. It is read once, when a routine
 * is first called or when MPI has started. So a recorded call takes the same way with and without
 * this option. */
#ifndef TLT_SKIP_H
#define TLT_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "hosts.h"

/* The value of the n-th word "KEY=VALUE" of TIMELESS_SKIP with this key, in `value`; false if there
 * are fewer, or if it is longer than `size`. */
bool tlt_skip_word(const char *key, int n, char *value, size_t size);

/* kernels.c: the replacement of the routine with this symbol (cblas_dgemm); NULL: the routine
 * itself runs. */
void *tlt_skipped_kernel(const char *symbol);

/* functions.c: replaces the functions of the program that the user named. */
void tlt_skip_functions(void);

/* memory.c: from now on, large blocks that the program allocates are folded. */
void tlt_fold_memory(void);

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
