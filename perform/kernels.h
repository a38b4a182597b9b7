/* kernels.h - the BLAS and LAPACK routines of a trace, called with the recorded sizes.
 *
 * The trace has the sizes of a kernel, not its operands. A performance has operands of its own,
 * with random content, because the time of a product depends on its data. Every number stays
 * finite, however often a kernel is called. Leading dimensions are those of compact columns, plus
 * eight. */
#ifndef PERFORM_KERNELS_H
#define PERFORM_KERNELS_H

#include <timeless.h>

enum { PERFORM_FLOAT, PERFORM_DOUBLE, PERFORM_N_PRECISIONS };

/* How many floating-point numbers the operands of a kernel have: those that it reads, those that it
 * also writes, and triangular matrices. */
typedef struct perform_operands {
    int64_t random, written, small;
} perform_operands;

/* The largest operands of all kernels. */
typedef struct perform_kernel_needs {
    perform_operands of[PERFORM_N_PRECISIONS];
    int64_t n_pivots;
} perform_kernel_needs;

typedef struct perform_kernels perform_kernels;

/* Bytes of the operands of a kernel; negative: this machine has no routine for it. */
int64_t perform_kernel_bytes(const tl_event *kernel);

/* Whether this machine has a routine for the kernel; its operands are added to the needs. */
int perform_need_kernel(perform_kernel_needs *needs, const tl_event *kernel);
tl_status perform_kernels_open(const perform_kernel_needs *needs, uint64_t seed,
                               perform_kernels **out, tl_error *err);
/* Calls a kernel whose needs were added. Zero: there is no routine for it. */
int perform_kernels_call(perform_kernels *k, const tl_event *kernel);
/* The greatest absolute value in all operands, infinity if one is not a number; for tests. */
double perform_kernels_greatest(const perform_kernels *k);
void perform_kernels_close(perform_kernels *k);

#endif
