/* plan.c - chooses the calls that are timed, and their order. */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

/* Calls of each kernel in a round. Double precision, which HPL uses, has twice as many. The
 * products of `fixed_products` are added to them. N_NEEDED: of each kernel of a trace. */
enum { N_DOUBLE = 12, N_SINGLE = 6, N_FIXED = 3, N_NEEDED = 24 };

/* Products of every round, so that calibrations can be compared call by call. */
static const int32_t fixed_products[N_FIXED] = {128, 512, 1024};

/* The largest product of sizes if the inner size is free, and the largest product for a timed trsm.
 */
#define MAX_FREE_WORK 2.0e9
#define MAX_TRSM_WORK 3.0e8
/* The smallest area of products that are spread over the decades. */
#define LEAST_AREA 1024.0

static double uniform(gsl_rng *rng, double low, double high)
{
    return low + (high - low) * gsl_rng_uniform(rng);
}

static int32_t whole(double x, int32_t max)
{
    return x < 1 ? 1 : x > max ? max : (int32_t)lround(x);
}

/* Spread evenly over the decades from 1 to max. */
static int32_t log_uniform(gsl_rng *rng, int32_t max)
{
    return whole(exp(uniform(rng, 0, log(max))), max);
}

/* Two factors of a product (area) in random order, neither above TLP_MAX_SIZE. */
static void split_area(gsl_rng *rng, double area, int32_t *a, int32_t *b)
{
    area = fmin(area, (double)TLP_MAX_SIZE * TLP_MAX_SIZE);
    double first = uniform(rng, fmax(1, area / TLP_MAX_SIZE), sqrt(area));
    int swap = gsl_rng_uniform_int(rng, 2) != 0;
    *(swap ? b : a) = whole(first, TLP_MAX_SIZE);
    *(swap ? a : b) = whole(area / first, TLP_MAX_SIZE);
}

/* Cornebize, section 8.2.2: the product is spread evenly, then two factors are drawn and put in
 * random order. */
static void choose_free_product(gsl_rng *rng, double share, int32_t *sizes)
{
    const double product = share * MAX_FREE_WORK;
    double f[3];
    do {
        f[0] = uniform(rng, 1, cbrt(product));
        f[1] = uniform(rng, 1, sqrt(product / f[0]));
        f[2] = product / f[0] / f[1];
        gsl_ran_shuffle(rng, f, 3, sizeof *f);
    } while (f[0] > TLP_MAX_SIZE || f[1] > TLP_MAX_SIZE || f[2] > TLP_MAX_INNER);
    for (int i = 0; i < 3; i++)
        sizes[i] = whole(f[i], TLP_MAX_SIZE);
}

/* `share` in (0, 1] is the place of this call in the even spread of the product. A third are as in
 * panels, and a sixth are small, independently of the product. */
static void choose_gemm(gsl_rng *rng, unsigned i, double share, int nb, tlp_call *call)
{
    const double most = (double)TLP_MAX_SIZE * TLP_MAX_SIZE;
    int32_t *sizes = call->sizes;
    call->transposed = gsl_rng_uniform_int(rng, 2) != 0;
    sizes[2] = nb;
    if (i % 3 == 0) {
        /* As in a recursive panel: few columns, a smaller inner size, many rows. */
        sizes[0] = whole(share * TLP_MAX_SIZE, TLP_MAX_SIZE);
        sizes[1] = whole(nb / pow(2, (double)gsl_rng_uniform_int(rng, 5)), TLP_MAX_INNER);
        sizes[2] = sizes[1];
    } else if (i % 6 == 1) {
        split_area(rng, LEAST_AREA * pow(most / LEAST_AREA, share), &sizes[0], &sizes[1]);
    } else {
        split_area(rng, share * most, &sizes[0], &sizes[1]);
    }
}

/* Wide: a block row of the trailing matrix. Narrow: inside a panel, where both sizes are small. */
static void choose_trsm(gsl_rng *rng, double share, int narrow, int nb, tlp_call *call)
{
    int32_t order = nb, other;
    if (narrow) {
        order = whole(nb / pow(2, 1 + (double)gsl_rng_uniform_int(rng, 5)), nb);
        other = whole(share * nb, nb);
    } else {
        other = whole(share * fmin(TLP_MAX_SIZE, MAX_TRSM_WORK / nb / nb), TLP_MAX_SIZE);
    }
    call->right = gsl_rng_uniform_int(rng, 2) != 0;
    call->transposed = !call->right && gsl_rng_uniform_int(rng, 2) != 0;
    call->sizes[0] = call->right ? other : order;
    call->sizes[1] = call->right ? order : other;
    call->sizes[2] = order;
}

/* nb 0: the inner sizes of products are free. */
static void choose_sizes(gsl_rng *rng, unsigned i, unsigned n, int nb, tlp_call *call)
{
    double share = (i + gsl_rng_uniform_pos(rng)) / n;
    int narrow = i % 3 == 0;
    if (!nb && call->kernel != TL_KERNEL_dgemm && call->kernel != TL_KERNEL_sgemm)
        nb = log_uniform(rng, TLP_MAX_INNER);
    switch (call->kernel) {
    case TL_KERNEL_dgemm:
    case TL_KERNEL_sgemm:
        if (nb)
            choose_gemm(rng, i, share, nb, call);
        else
            choose_free_product(rng, share, call->sizes);
        break;
    case TL_KERNEL_dtrsm:
    case TL_KERNEL_strsm: choose_trsm(rng, share, narrow, nb, call); break;
    case TL_KERNEL_dgemv:
    case TL_KERNEL_sgemv:
    case TL_KERNEL_dger:
    case TL_KERNEL_sger:
        call->sizes[0] = whole(share * TLP_MAX_SIZE, TLP_MAX_SIZE);
        call->sizes[1] = log_uniform(rng, nb);
        break;
    case TL_KERNEL_dtrsv:
    case TL_KERNEL_strsv: call->sizes[0] = whole(share * nb, nb); break;
    default: call->sizes[0] = log_uniform(rng, TLP_MAX_SIZE); break;
    }
}

static size_t choose_all(gsl_rng *rng, const int *nb, size_t n_nb, tlp_call *calls)
{
    size_t n = 0;
    for (int k = TLP_FIRST_KERNEL; k <= TLP_LAST_KERNEL; k++) {
        const unsigned of_each = k >= TL_KERNEL_sgemm ? N_SINGLE : N_DOUBLE,
                       count = tlp_is_measured((unsigned)k) ? of_each : 0;
        for (unsigned i = 0; i < count; i++, n++) {
            calls[n].kernel = (uint16_t)k;
            const int inner = n_nb ? nb[gsl_rng_uniform_int(rng, n_nb)] : 0;
            choose_sizes(rng, i, count, inner, &calls[n]);
        }
    }
    for (int i = 0; i < N_FIXED; i++) {
        const int32_t size = fixed_products[i], inner = size < TLP_MAX_INNER ? size : TLP_MAX_INNER;
        calls[n++] = (tlp_call){.kernel = TL_KERNEL_dgemm, .sizes = {size, size, inner}};
    }
    return n;
}

static size_t choose_needed(gsl_rng *rng, const tlp_needs *needs, tlp_call *calls)
{
    size_t n = 0;
    for (int i = 0; i < TLP_FIT_ROOM; i++) {
        const tlp_needed_kernel *k = &needs->kernels[i];
        for (unsigned c = 0; k->n && c < N_NEEDED; c++, n++) {
            calls[n] = k->calls[gsl_rng_uniform_int(rng, k->n)];
            /* Traces do not record it. */
            calls[n].transposed = !calls[n].right && gsl_rng_uniform_int(rng, 2) != 0;
        }
    }
    return n;
}

tl_status tlp_plan_round(const tlp_measure_options *options, unsigned core, unsigned round,
                         tlp_call **out, size_t *n, tl_error *err)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    tlp_call *calls = calloc((size_t)TLP_FIT_ROOM * N_NEEDED, sizeof *calls);
    if (!rng || !calls) {
        gsl_rng_free(rng);
        free(calls);
        return tl_no_memory(err, "planning the measurements");
    }
    gsl_rng_set(rng, (options->seed + core) * 1000003UL + round);
    *n = options->needs ? choose_needed(rng, options->needs, calls)
                        : choose_all(rng, options->nb, options->n_nb, calls);
    gsl_ran_shuffle(rng, calls, *n, sizeof *calls);
    gsl_rng_free(rng);
    *out = calls;
    return TL_OK;
}
