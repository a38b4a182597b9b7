/* calibrate.h - measure a machine for a platform's compute model.
 *
 * Status, errors and ownership follow the conventions of timeless.h.
 */
#ifndef TLP_CALIBRATE_H
#define TLP_CALIBRATE_H

#include <stdio.h>

#include <timeless.h>

/* The yardstick of every shipped platform: one core of the machine on which its model was measured
 * counts as a host of this speed, in flop/s. */
#define TLP_REFERENCE_FLOPS 1.0e9

/* The kernels that are measured, TLP_KERNEL(name): those of HPL, in both precisions. */
#define TLP_KERNELS                                                                                \
    TLP_KERNEL(dgemm)                                                                              \
    TLP_KERNEL(dtrsm)                                                                              \
    TLP_KERNEL(dgemv)                                                                              \
    TLP_KERNEL(dger)                                                                               \
    TLP_KERNEL(dtrsv)                                                                              \
    TLP_KERNEL(daxpy)                                                                              \
    TLP_KERNEL(dscal)                                                                              \
    TLP_KERNEL(dswap)                                                                              \
    TLP_KERNEL(dcopy)                                                                              \
    TLP_KERNEL(idamax)                                                                             \
    TLP_KERNEL(sgemm)                                                                              \
    TLP_KERNEL(strsm)                                                                              \
    TLP_KERNEL(sgemv)                                                                              \
    TLP_KERNEL(sger)                                                                               \
    TLP_KERNEL(strsv)                                                                              \
    TLP_KERNEL(saxpy)                                                                              \
    TLP_KERNEL(sscal)                                                                              \
    TLP_KERNEL(sswap)                                                                              \
    TLP_KERNEL(scopy)                                                                              \
    TLP_KERNEL(isamax)

/* ---- the plan: platforms/plan.c ---- */

/* One call of a kernel to be timed. */
typedef struct tlp_call {
    uint16_t kernel; /* TL_KERNEL_dgemm, ... */
    uint16_t right;  /* trsm: the triangular matrix stands on the right */
    int32_t sizes[3];
} tlp_call;

/* Sizes of the buffers that calls work on: leading dimension of every matrix, and the largest order
 * of a triangular matrix and inner size of a product. */
enum { TLP_LEADING = 2056, TLP_MAX_SIZE = 2048, TLP_MAX_INNER = 512 };

/* A new array of calls in random order, the same for the same seed and round.  Products: the
 * product of the sizes is spread evenly (stratified uniform, Cornebize, thesis draft,
 * section 8.2.2), the inner size is one of the n_nb block sizes, as in his section 8.4.3 and in
 * HPL's updates; a third are narrow, as in HPL's panels. */
tl_status tlp_plan_round(unsigned long seed, unsigned round, const int *nb, size_t n_nb,
                         tlp_call **out, size_t *n, tl_error *err);

/* ---- BLAS: platforms/blas.c ---- */

typedef struct tlp_blas tlp_blas;

/* Loads the BLAS that programs get (libblas.so.3) for one thread a process, and operands of random
 * content. */
tl_status tlp_blas_open(unsigned long seed, tlp_blas **out, tl_error *err);
void tlp_blas_close(tlp_blas *blas);
/* Fills the operands with their first content again: repeated solves must not overflow. */
void tlp_blas_refresh(tlp_blas *blas);
/* Calls the kernel on operands that begin `offset` elements into the buffers (modulo what fits). */
void tlp_blas_run(tlp_blas *blas, const tlp_call *call, size_t offset);

/* ---- measuring: platforms/measure.c ---- */

typedef struct tlp_sample {
    tlp_call call;
    uint16_t core;    /* which of the processes that measured */
    uint32_t repeats; /* calls in a row of which `seconds` is the mean */
    double work;      /* tl_kernel_work */
    double seconds;   /* CPU time of one call */
} tlp_sample;

typedef struct tlp_measure_options {
    unsigned cores;     /* processes that measure at the same time; 0: one per core */
    double max_seconds; /* a round begins only before this; at least one round is measured */
    unsigned long seed;
    const int *nb; /* block sizes */
    size_t n_nb;
} tlp_measure_options;

/* Cores that this process may use. */
unsigned tlp_n_cores(void);

/* Measures on `cores` cores at once, one process pinned to each.  Seconds are CPU time, so that
 * other load on the machine is not counted. */
tl_status tlp_measure(const tlp_measure_options *options, tlp_sample **out, size_t *n,
                      tl_error *err);

/* Seconds per count of a perf_event counter, over a loop of copies, index arithmetic and branches,
 * which stand for what programs do outside of kernels.  TL_ERR_UNSUPPORTED without such a counter.
 */
tl_status tlp_measure_counter(uint32_t perf_type, uint64_t perf_config, double *seconds_per_count,
                              tl_error *err);
/* The same for retired instructions. */
tl_status tlp_measure_instructions(double *seconds_per_instruction, tl_error *err);

/* ---- fitting: platforms/fit.c ---- */

/* seconds = intercept_s + per_work_s * work, both at least 0. */
typedef struct tlp_fit {
    double intercept_s;
    double per_work_s;
    size_t n;
    double r_squared;    /* share of the variance of seconds that the line explains */
    double median_error; /* median of |measured / predicted - 1| */
} tlp_fit;

/* Least squares with weights 1 / predicted, halfway between absolute and relative errors: the sum
 * of the predicted times is that of the measured ones, and small calls are not ignored.  Outliers
 * count less (Huber).  seconds are above 0.  TL_ERR_USAGE for fewer than two different works. */
tl_status tlp_fit_line(const double *work, const double *seconds, size_t n, tlp_fit *out);

/* ---- results: platforms/model_file.c, platforms/folder.c ---- */

typedef struct tlp_result {
    tlp_sample *samples;
    size_t n_samples;
    unsigned cores;
    unsigned long seed;
    double instruction_s; /* negative: no counter */
    tlp_fit fits[TL_KERNEL_isamax - TL_KERNEL_dgemm + 1];
} tlp_result;

/* Measures and fits everything. */
tl_status tlp_calibrate(const tlp_measure_options *options, tlp_result **out, tl_error *err);
void tlp_result_free(tlp_result *result);
/* The fit of a kernel of TLP_KERNELS; NULL for other calls. */
const tlp_fit *tlp_result_fit(const tlp_result *result, unsigned kernel);
/* model.conf, see timeless-model(5). */
tl_status tlp_write_model(const tlp_result *result, FILE *out, tl_error *err);
/* CSV: kernel,d0,d1,d2,work,core,repeats,seconds */
tl_status tlp_write_raw(const tlp_result *result, FILE *out, tl_error *err);
/* A platform folder for this machine, first what needs no measurement: the files of the shipped
 * platforms/local with this number of cores.  Makes the folder. */
tl_status tlp_begin_folder(const char *shipped, const char *folder, tl_error *err);
/* Then the model and where it comes from. */
tl_status tlp_finish_folder(const tlp_result *result, const char *folder, tl_error *err);

/* ---- history: platforms/history.c ---- */

typedef struct tlp_quantity {
    const char *name; /* with its unit: "dgemm s per flop"; no comma */
    double value;
} tlp_quantity;

/* Adds what was calibrated ("kernels", "network", ...) to FOLDER/history.csv: the few quantities by
 * which 'timeless compare --history' tells that the machine has changed. */
tl_status tlp_add_to_history(const char *folder, const char *what, const tlp_quantity *quantities,
                             size_t n, tl_error *err);

#endif
