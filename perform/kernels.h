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

/* ---- calls of routines, for kernel_calls.c and platforms/calibrate/blas.c ---- */

/* A pointer, three and so on; the length of a character argument. */
#define P1 const void *
#define P2 P1, P1
#define P3 P2, P1
#define P4 P3, P1
#define P5 P4, P1
#define P6 P5, P1
#define P7 P6, P1
#define P8 P7, P1
#define P9 P8, P1
#define P10 P9, P1
#define P11 P10, P1
#define P12 P11, P1
#define P13 P12, P1
#define L1 size_t
#define L2 L1, L1
#define L3 L2, L1
#define L4 L3, L1
/* The Fortran interfaces are the same for all precisions, because every argument is an address. The
 * last arguments are the lengths of the character arguments. */
#define PERFORM_ROUTINE(routine, type, ...) ((type(*)(__VA_ARGS__))(routine))

/* ---- between kernels.c and kernel_calls.c ---- */

/* The columns TYPE and KIND of kernels.def. */
typedef enum perform_kernel_type {
    PERFORM_TYPE_W, /* no routine of a library */
    PERFORM_TYPE_S,
    PERFORM_TYPE_D,
    PERFORM_TYPE_C,
    PERFORM_TYPE_Z,
    PERFORM_TYPE_L
} perform_kernel_type;

typedef enum perform_kernel_kind {
    PERFORM_KIND_USER,
    PERFORM_KIND_UNKNOWN,
    PERFORM_KIND_TRANSFORM,
    PERFORM_KIND_ROTG,
    PERFORM_KIND_ROTMG,
    PERFORM_KIND_ROT,
    PERFORM_KIND_ROTM,
    PERFORM_KIND_SWAP,
    PERFORM_KIND_COPY,
    PERFORM_KIND_SCAL,
    PERFORM_KIND_SCAL_REAL,
    PERFORM_KIND_AXPY,
    PERFORM_KIND_DOT,
    PERFORM_KIND_SDSDOT,
    PERFORM_KIND_DOTX,
    PERFORM_KIND_NORM,
    PERFORM_KIND_IAMAX,
    PERFORM_KIND_GEMV,
    PERFORM_KIND_GBMV,
    PERFORM_KIND_SYMV,
    PERFORM_KIND_SBMV,
    PERFORM_KIND_SPMV,
    PERFORM_KIND_TRMV,
    PERFORM_KIND_TBMV,
    PERFORM_KIND_TPMV,
    PERFORM_KIND_GER,
    PERFORM_KIND_SYR,
    PERFORM_KIND_SPR,
    PERFORM_KIND_SYR2,
    PERFORM_KIND_SPR2,
    PERFORM_KIND_GEMM,
    PERFORM_KIND_SYMM,
    PERFORM_KIND_SYRK,
    PERFORM_KIND_HERK,
    PERFORM_KIND_SYR2K,
    PERFORM_KIND_HER2K,
    PERFORM_KIND_TRMM,
    PERFORM_KIND_GETRF,
    PERFORM_KIND_GETRS,
    PERFORM_KIND_POTRF
} perform_kernel_kind;

/* A call, in the column-major form of Fortran. */
typedef struct perform_kernel_call {
    void *routine;
    perform_kernel_kind kind;
    perform_kernel_type type;  /* of the result and of real scalars */
    int d[4];                  /* the recorded sizes */
    const void *random[2];     /* operands that the routine only reads */
    void *written[2];          /* those that it also writes */
    void *small;               /* a triangular matrix, all of whose elements are small */
    int *pivots;               /* written */
    const int *identity;       /* pivots that exchange nothing */
    const void *one, *minus;   /* scalars of the operands' precision */
    const void *cosine, *sine; /* of a rotation ... */
    const void *rotation;      /* ... and as xROTM takes it */
} perform_kernel_call;

/* The leading dimension of a matrix with this number of rows. */
static inline int perform_leading(int64_t rows)
{
    return (int)rows + 8;
}

void perform_kernel_run(const perform_kernel_call *c);

#endif
