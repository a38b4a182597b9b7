/* calibrate.h - measure a machine for a platform's compute model.
 *
 * Status, errors and ownership follow the conventions of timeless.h.
 */
#ifndef TLP_CALIBRATE_H
#define TLP_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>

#include <timeless.h>

#include "archive.h"
#include "machine.h"
#include "raw.h"
#include "repetitions.h"

/* The reference speed of every shipped platform, in flop/s: one core of the machine on which the
 * model was measured counts as a host of this speed. */
#define TLP_REFERENCE_FLOPS 1.0e9

/* The kernels that are measured, tlp_is_measured, have codes in this range: those of HPL, first in
 * double precision. */
enum { TLP_FIRST_KERNEL = TL_KERNEL_dgemm, TLP_LAST_KERNEL = TL_KERNEL_isamax };

/* ---- calls ---- */

enum { TLP_CALL_SIZES = 5 };

/* One call of a kernel to be timed. */
typedef struct tlp_call {
    uint16_t kernel;    /* TL_KERNEL_dgemm, ... */
    uint8_t right;      /* trsm: the triangular matrix stands on the right */
    uint8_t transposed; /* gemm: the second factor; trsm: the triangular matrix, on the left */
    uint8_t is_other;   /* none of those, or larger than the buffers: perform/kernels.h calls it */
    uint8_t n_sizes;    /* then */
    int32_t sizes[TLP_CALL_SIZES];
} tlp_call;

/* Sizes of the buffers of the calls: the leading dimension of every matrix, and the largest order
 * of a triangular matrix and inner size of a product. */
enum { TLP_LEADING = 4104, TLP_MAX_SIZE = 4096, TLP_MAX_INNER = 512 };

/* ---- what a trace needs: platforms/calibrate/needs.c ---- */

enum { TLP_N_BOUNDS = 4 }; /* of m, n, k, work */
/* By kernel, beginning with TL_KERNEL_dgemm. */
enum { TLP_FIT_ROOM = TL_KERNEL_user - TL_KERNEL_dgemm };

/* The calls of a kernel: a sample of them, and the bounds of all. */
typedef struct tlp_needed_kernel {
    uint64_t n_all;
    size_t n;
    tlp_call *calls; /* n */
    double min[TLP_N_BOUNDS], max[TLP_N_BOUNDS];
} tlp_needed_kernel;

/* A kernel of the program, and the time of all its calls by the recording. */
typedef struct tlp_own_kernel {
    char *name;
    double seconds, n, work;
} tlp_own_kernel;

/* The calls of a trace. n_others: those that cannot be measured, because of their kernel or sizes;
 * other: the name of such a kernel. */
typedef struct tlp_needs {
    struct perform_kernel_needs *operands; /* of the calls that are not in blas.c */
    tlp_needed_kernel kernels[TLP_FIT_ROOM];
    size_t n_own;
    tlp_own_kernel *own; /* those that have a time */
    uint64_t n_others;
    const char *other;
} tlp_needs;

/* The call as an event of a trace, with these sizes; its tl_kernel_work. */
tl_event tlp_call_event(const tlp_call *call, int64_t sizes[TLP_CALL_SIZES]);
double tlp_call_work(const tlp_call *call);
/* The number of calls that can be measured. */
uint64_t tlp_n_needed(const tlp_needs *needs);
/* Of a trace, or of a list: a file of lines "KERNEL,D0[,D1[,D2]]", for a whole calibration.
 * TL_ERR_INPUT: no call of the trace can be measured, and no kernel of the program has a time. */
tl_status tlp_needs_read(const char *path, bool is_list, unsigned long seed, tlp_needs **out,
                         tl_error *err);
void tlp_needs_free(tlp_needs *needs);

/* ---- measuring: platforms/calibrate/measure.c ---- */

/* 0: the system does not tell. watts: of all packages since the last call. */
typedef struct tlp_state {
    double clock_Hz, celsius, watts;
} tlp_state;

typedef struct tlp_sample {
    tlp_call call;
    uint16_t core;    /* which of the processes of the host that measured */
    uint16_t host;    /* index of tlp_result.hosts, or 0 */
    uint16_t unit;    /* index of tlp_result.units */
    uint32_t repeats; /* calls in a row of which `seconds` is the mean */
    double work;      /* tl_kernel_work */
    double seconds;   /* of one call: CPU time, or with several threads by the clock */
    double at_s;      /* when it ended, since 1970; 0: unknown */
    tlp_state state;  /* of the core and machine then */
} tlp_sample;

enum { TLP_MAX_THREADS = 4096, TLP_OPERANDS_BYTES = 16 };
/* What the numbers in the operands are; the time of a kernel, and its power, depend on it: "random"
 * (the first one), "constant", "sequential", NULL. */
extern const char *const tlp_operands[];

typedef struct tlp_measure_options {
    unsigned cores;       /* that measure at the same time; 0: all */
    unsigned threads;     /* of the BLAS in each process, with a core for each; at least 1 */
    double max_seconds;   /* a round begins only before this; at least one round is measured */
    double warm_s;        /* of it, at least so long the machine works before the first sample */
    const char *operands; /* of tlp_operands; all other kernels have random ones */
    unsigned long seed;
    const int *nb; /* block sizes */
    size_t n_nb;
    const tlp_needs *needs; /* NULL: all kernels. Otherwise max_seconds ends a round, too. */
} tlp_measure_options;

/* plan.c: a new array of calls in random order, which depends on the seed, the measuring process
 * and the round only. Products: the product of the sizes is spread evenly (stratified uniform,
 * Cornebize, thesis draft, section 8.2.2), and the inner size is one of the n_nb block sizes, as in
 * his section 8.4.3 and in HPL's updates. A third of the products are narrow, as in HPL's panels. A
 * few are the same in every round. With n_nb 0, all three sizes of a product are free. With needs:
 * calls of these only. */
tl_status tlp_plan_round(const tlp_measure_options *options, unsigned core, unsigned round,
                         tlp_call **out, size_t *n, tl_error *err);
/* The number of cores that this process may use. */
unsigned tlp_n_cores(void);
/* Pins this process to n of the cores that it may use, from the given one on; does nothing if there
 * is none. */
void tlp_pin(unsigned first, unsigned n);

/* Processes that measure: one for each group of cores. */
unsigned tlp_n_groups(const tlp_measure_options *options);
/* Measures on `cores` cores at the same time, with one process pinned to each, or to each group of
 * `threads` cores. Seconds are CPU time, so that other load on the machine does not count; with
 * several threads they are those of the clock, because threads wait for each other. */
tl_status tlp_measure(const tlp_measure_options *options, tlp_sample **out, size_t *n,
                      tl_error *err);

/* Seconds per count of a perf_event counter, over a loop of copies, index arithmetic and branches,
 * which represents the code between kernels. TL_ERR_UNSUPPORTED without such a counter. */
tl_status tlp_measure_counter(uint32_t perf_type, uint64_t perf_config, double *seconds_per_count,
                              tl_error *err);

/* ---- BLAS: platforms/calibrate/blas.c ---- */

typedef struct tlp_blas tlp_blas;

/* Loads the BLAS that programs get (libblas.so.3), with the threads of the options, and makes
 * operands. */
tl_status tlp_blas_open(const tlp_measure_options *options, tlp_blas **out, tl_error *err);
void tlp_blas_close(tlp_blas *blas);
/* Restores the first content of the operands, so that repeated solves do not overflow. */
void tlp_blas_refresh(tlp_blas *blas);
/* Calls the kernel on operands that begin `offset` elements into the buffers (modulo the largest
 * possible offset). */
void tlp_blas_run(tlp_blas *blas, const tlp_call *call, size_t offset);

/* ---- fitting: platforms/calibrate/fit.c ---- */

typedef enum tlp_term {
#define TL_TERM(name, expression) TLP_TERM_##name,
#include <terms.def>
    TLP_N_TERMS
} tlp_term;

/* A call for a fit: the variables of which its seconds are a linear function, and the seconds,
 * above 0. */
typedef struct tlp_point {
    double terms[TLP_N_TERMS], seconds;
} tlp_point;
typedef struct tlp_points {
    size_t n;
    tlp_point *at;
} tlp_points;

/* Sets of terms: bit 1 << TLP_TERM_work, ... */
#define TLP_M0_TERMS (1U << TLP_TERM_one)
#define TLP_M1_TERMS (TLP_M0_TERMS | 1U << TLP_TERM_work)
#define TLP_M2_TERMS ((1U << TLP_N_TERMS) - 1)

tlp_point tlp_point_of(const tlp_sample *sample);

/* Least squares with weights 1 / predicted, halfway between absolute and relative errors: the sum
 * of the predicted times is that of the measured ones, and small calls are not ignored. Outliers
 * count less (Huber), and no coefficient is negative. TL_ERR_USAGE without points. */
tl_status tlp_fit_terms(const tlp_points *points, unsigned terms, double out[TLP_N_TERMS]);
/* The value of a polynomial for a call, at least 0. */
double tlp_sum_terms(const double coefficients[TLP_N_TERMS], const double terms[TLP_N_TERMS]);

/* ---- models: platforms/calibrate/fit_model.c; noise: platforms/calibrate/fit_noise.c ---- */

/* Cornebize, thesis draft, section 4.1: M-0, M-1, M-2, M'. */
typedef enum tlp_form {
    TLP_M0,
    TLP_M1,
    TLP_M2,
    TLP_PIECES,
    TLP_N_FORMS,
    TLP_BEST_FORM = TLP_N_FORMS /* in cross-validation */
} tlp_form;
/* N-0, N-1, N-2, N'. */
typedef enum tlp_noise {
    TLP_N0,
    TLP_N1,
    TLP_N2,
    TLP_MIXTURE,
    TLP_N_NOISES,
    TLP_BEST_NOISE = TLP_N_NOISES /* by the Bayesian information criterion */
} tlp_noise;

enum { TLP_MAX_PIECES = 6, TLP_MAX_NOISE_MODES = 4 };

typedef struct tlp_noise_mode {
    double weight, mean, sd; /* of residuals divided by the piece's standard deviation */
} tlp_noise_mode;

typedef struct tlp_piece {
    double min[TLP_N_BOUNDS], max[TLP_N_BOUNDS]; /* of m, n, k, work; 0, INFINITY: none */
    char side;                                   /* 'l', 'r', 0: either */
    double mean_s[TLP_N_TERMS];
    tlp_noise noise;
    bool is_skewed; /* half-normal */
    double sd_s[TLP_N_TERMS];
    size_t n_modes;
    tlp_noise_mode modes[TLP_MAX_NOISE_MODES];
} tlp_piece;

typedef struct tlp_fit {
    size_t n;
    tlp_form form; /* that was chosen */
    size_t n_pieces;
    tlp_piece pieces[TLP_MAX_PIECES];
    double slope_s;      /* per unit of work, of M-1 */
    double median_error; /* median of |measured / predicted - 1| */
    /* From cross-validation: the mean of |predicted / measured - 1|, its standard error, and the
     * relative error of the predicted sum of all times. */
    double error[TLP_N_FORMS], error_se[TLP_N_FORMS], sum_error[TLP_N_FORMS];
} tlp_fit;

/* TL_ERR_USAGE for fewer than two calls, and for calls of the same work unless `form` is TLP_M0.
 */
tl_status tlp_fit_kernel(const tlp_sample *samples, size_t n, tlp_form form, tlp_noise noise,
                         tlp_fit *out);
/* The piece of a call: the first one whose conditions it meets, or the last one. */
const tlp_piece *tlp_find_piece(const tlp_fit *fit, const double terms[TLP_N_TERMS]);
const char *tlp_form_name(tlp_form form);    /* "M-0", ... */
const char *tlp_noise_name(tlp_noise noise); /* "N-0", ... */

/* Fits the noise of a piece to the residuals of its calls. */
tl_status tlp_fit_noise(const tlp_points *points, tlp_noise noise, tlp_piece *piece);

/* ---- results: platforms/calibrate/model_file.c, platforms/calibrate/folder.c ---- */

/* A host of a campaign on several hosts. */
typedef struct tlp_kernel_host {
    char name[256], sockets[2048]; /* of all its cores, measured or not: "0,0,1,1" */
    char alias[256];               /* its name in the platform; "": the same */
    char processor[128];
    double instruction_s; /* not above 0: no counter */
} tlp_kernel_host;

/* Cores that have a fit of their own: those of a socket of a host, or one core. */
typedef struct tlp_unit {
    uint16_t host; /* as in tlp_sample */
    int part;      /* the socket or core */
    bool is_last;  /* of its host */
    bool is_out;   /* unlike the others, so that it is no part of the fits of all */
    /* Median of log(seconds / seconds on all units that are not out), by kernel. */
    double shift[TLP_FIT_ROOM];
    tlp_fit fits[TLP_FIT_ROOM];
} tlp_unit;

typedef struct tlp_result {
    tlp_sample *samples; /* host by host */
    size_t n_samples, room;
    unsigned cores;   /* groups of cores of a host that measured at the same time */
    unsigned threads; /* cores in a group, and threads of each call */
    unsigned long seed;
    double instruction_s; /* negative: no counter; of hosts: see tlp_find_variability */
    char processor[128], moment[TLP_MOMENT_BYTES]; /* of the measurement; moment "": unknown */
    double warm_s;                                 /* of the options; 0 and "": unknown */
    char operands[TLP_OPERANDS_BYTES];             /* ... too */
    tlp_fit fits[TLP_FIT_ROOM];
    size_t n_hosts, n_units; /* no hosts: this one; no units: only all cores together */
    tlp_kernel_host *hosts;
    tlp_kernel_host reading; /* raw_file.c: the host that a line names, ... */
    uint16_t host;           /* ... and that of the rows behind it */
    tlp_unit *units;
    bool has_core_units;
    double host_sd, day_sd; /* of the times of dgemm; day_sd 0: unknown */
    /* A model of which all else stays: rates by call site (calibrate cpu), the group parallel
     * (calibrate memory), variability; NULL: none. The caller's. */
    const char *base;
} tlp_result;

typedef struct tlp_fit_options {
    tlp_form form;     /* or TLP_BEST_FORM */
    tlp_noise noise;   /* or TLP_BEST_NOISE */
    int per_core;      /* a unit is a core; otherwise a socket, if there are hosts */
    int only_measured; /* kernels without measurements get no fit, and no error */
} tlp_fit_options;

/* Measures everything, but fits nothing. */
tl_status tlp_calibrate(const tlp_measure_options *options, tlp_result **out, tl_error *err);
/* The measurements, a tlp_result, as CSV. */
extern const tlp_raw tlp_raw_kernels;
/* With units: those of all calls are without the differences between units. A unit with few calls
 * of a kernel has the fit of all, in its own time. */
tl_status tlp_fit_all(tlp_result *result, const tlp_fit_options *options, tl_error *err);
void tlp_result_free(void *result);
/* Whether it is one of the kernels that are measured. */
bool tlp_is_measured(unsigned kernel);
/* The fit of a kernel, without measurements if n is 0; NULL for those of the program. */
const tlp_fit *tlp_result_fit(const tlp_result *result, unsigned kernel);
double tlp_fitted_s(const tlp_fit *fit, const tlp_sample *sample);
/* Whether the model at `path` can be the base of a result. */
tl_status tlp_check_base(const char *path, tl_error *err);
/* Writes model.conf of a tlp_result, see timeless-model(5); tl_writing. */
tl_status tlp_write_model(const void *result, FILE *out, tl_error *err);
/* Writes the model `base` to `path`, in which the fitted kernels of calls with the sizes of `needs`
 * have these fits. Calls of other sizes, and all else, stay as they are. `trace` is named in the
 * first lines. TL_ERR_INPUT: the model has such kernels for some hosts. */
tl_status tlp_merge_model(const tlp_result *result, const tlp_needs *needs, const char *trace,
                          const char *base, const char *path, tl_error *err);
/* A piece of a model, and the first settings of a kernel, as they stand in its file. */
void tlp_write_piece(FILE *out, const tlp_piece *piece);
void tlp_write_kernel_head(FILE *out, const char *name, const tlp_fit *fit);
/* The measurements as repetitions, by kernel and core: seconds divided by the fitted seconds. */
tl_status tlp_result_repetitions(const tlp_result *result, tlp_repetition_list *out);
/* Writes platform and options into a folder: the hosts of the result, or without any (NULL: none)
 * this machine, from the folder of the shipped platforms. A folder that describes another platform,
 * such as a measured network, keeps its description. */
tl_status tlp_begin_folder(const tlp_result *result, const char *platforms, const char *folder,
                           int *describes_other, tl_error *err);
/* Kernels bound by computation and kernels bound by memory, which dominate HPL and solvers: those
 * of pages and histories. */
enum { TLP_COMPARED_KERNELS = 4 };
extern const uint16_t tlp_compared_kernels[TLP_COMPARED_KERNELS];
/* platforms/calibrate/kernels_page.c: a page with these kernels by work and over time, measured
 * and fitted; units by dgemm and dgemv (tl_writing). */
tl_status tlp_write_kernels_page(const void *result, FILE *out, tl_error *err);
/* Writes model, page and, unless the folder describes another platform, its origin. */
tl_status tlp_finish_folder(const tlp_result *result, const char *folder, int describes_other,
                            tl_error *err);

/* ---- several hosts: platforms/calibrate/hosts.c ---- */

void tlp_host_name(char *name, size_t size);
/* This host and the sockets of its cores, as the only host of the result. */
tl_status tlp_name_host(tlp_result *result, tl_error *err);
unsigned tlp_host_cores(const tlp_kernel_host *host);
/* The kernels by which units are compared, and how a unit differs in one of them. */
enum { TLP_UNIT_QUANTITIES = 2 };
extern const uint16_t tlp_unit_kernels[TLP_UNIT_QUANTITIES];
double tlp_unit_shift(const tlp_unit *unit, int which);
/* Makes the units and finds their shifts. */
tl_status tlp_find_units(tlp_result *result, bool per_core, tl_error *err);
/* "node1 socket 0", in `name`; the pattern of its cores in a model. */
enum { TLP_UNIT_NAME_BYTES = 300 };
const char *tlp_unit_name(const tlp_result *result, const tlp_unit *unit,
                          char name[TLP_UNIT_NAME_BYTES]);
void tlp_unit_pattern(const tlp_result *result, const tlp_unit *unit, FILE *out);
/* Finds host_sd and day_sd of units that are not out, from this campaign and the history of the
 * folder (NULL: none), and instruction_s: the median of their hosts. */
tl_status tlp_find_variability(tlp_result *result, const char *folder, tl_error *err);
/* ---- history: platforms/calibrate/history.c ---- */

typedef struct tlp_quantity {
    char name[TLP_UNIT_NAME_BYTES + 64]; /* with its unit: "dgemm s per flop"; no comma */
    double value;
} tlp_quantity;

/* Appends the result ("kernels", "network", ...) to FOLDER/history.csv: a few quantities by which
 * 'timeless compare --history' finds out whether the machine has changed. moment: of the
 * measurement, "": now. Measurements that were fitted before are there already, and stay. */
tl_status tlp_add_to_history(const char *folder, const char *what, const char *moment,
                             const tlp_quantity *quantities, size_t n, tl_error *err);
/* Those of the units of hosts: TLP_UNIT_QUANTITIES for each at most. Returns how many there are. */
size_t tlp_unit_quantities(const tlp_result *result, tlp_quantity *out);
/* Calls `take` for each value of `what` in the history, in its order. */
void tlp_read_history(const char *folder, const char *what,
                      void (*take)(void *arg, const char *when, const char *name, double value),
                      void *arg);

#endif
