/* region_test.c - tests by a prediction region whether several quantities changed or only noise
 * differs. */
#include "config.h"

#include "compare.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

/* If the rest of its variance is below this share, a quantity is treated as a function of the
 * others. */
static const double SMALLEST_SHARE = 1e-9;

/* The squared Mahalanobis distance of `z` by the correlations of the quantities. `z` is in units of
 * their standard deviations and is overwritten. 0: the correlations are singular. */
static int distance(gsl_matrix *correlation, gsl_vector *z, double *out)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    int regular = gsl_linalg_cholesky_decomp1(correlation) == GSL_SUCCESS;
    for (size_t j = 0; regular && j < z->size; j++)
        regular = gsl_pow_2(gsl_matrix_get(correlation, j, j)) > SMALLEST_SHARE;
    if (regular) {
        gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, correlation, z);
        gsl_blas_ddot(z, z, out);
    }
    gsl_set_error_handler(handler);
    return regular;
}

/* T. Cornebize, thesis draft, section 9.3 after Chew (1966), with one correction of the printed
 * text: the threshold is the quantile below which 0.95 of F lie. */
static void test_together(const double *mean, const double *sd, const double *shift,
                          const double *before, size_t p, tlr_region_test *test)
{
    double n = (double)test->n_before, r = (double)test->n_after, squared = 0;
    gsl_matrix *correlation = gsl_matrix_alloc(p, p);
    gsl_vector *z = gsl_vector_alloc(p);
    if (!correlation || !z)
        goto cleanup;
    for (size_t j = 0; j < p; j++) {
        gsl_vector_set(z, j, shift[j] / sd[j]);
        for (size_t k = 0; k < p; k++)
            gsl_matrix_set(correlation, j, k,
                           gsl_stats_covariance_m(before + j, p, before + k, p, test->n_before,
                                                  mean[j], mean[k]) /
                               (sd[j] * sd[k]));
    }
    if (!distance(correlation, z, &squared))
        goto cleanup;
    double dim = (double)p;
    test->together = 1;
    test->statistic = n * r * (n - dim) / ((n + r) * (n - 1) * dim) * squared;
    test->threshold = gsl_cdf_fdist_Pinv(test->confidence, dim, n - dim);
    test->p_value = gsl_cdf_fdist_Q(test->statistic, dim, n - dim);
cleanup:
    gsl_matrix_free(correlation);
    gsl_vector_free(z);
}

/* Tests each quantity alone, with the same formula for p = 1, at a level that is divided by their
 * number (Bonferroni). Reports the quantity that is furthest outside. */
static void test_alone(const double *sd, const double *shift, size_t p, tlr_region_test *test)
{
    double n = (double)test->n_before, r = (double)test->n_after;
    size_t n_tested = 0;
    for (size_t j = 0; j < p; j++) {
        double statistic = sd[j] > 0 ? n * r / (n + r) * gsl_pow_2(shift[j] / sd[j]) : 0;
        n_tested += sd[j] > 0;
        test->statistic = fmax(test->statistic, statistic);
    }
    if (n_tested == 0)
        return;
    test->threshold = gsl_cdf_fdist_Qinv((1 - test->confidence) / (double)n_tested, 1, n - 1);
    test->p_value = fmin(1, (double)n_tested * gsl_cdf_fdist_Q(test->statistic, 1, n - 1));
}

size_t tlr_test_each(const double *before, size_t n_before, const double *after, size_t n_after,
                     size_t n_quantities, double confidence, int *changed)
{
    const double n = (double)n_before, r = (double)n_after;
    const double threshold =
        gsl_cdf_fdist_Qinv((1 - confidence) / (double)n_quantities, 1, fmax(1, n - 1));
    double furthest = -1;
    size_t most = 0;
    for (size_t j = 0; j < n_quantities; j++) {
        const double mean = gsl_stats_mean(before + j, n_quantities, n_before);
        const double sd = gsl_stats_sd_m(before + j, n_quantities, n_before, mean);
        const double shift = gsl_stats_mean(after + j, n_quantities, n_after) - mean;
        const int varies = sd > 1e-12 * fabs(mean);
        const double statistic = varies ? n * r / (n + r) * gsl_pow_2(shift / sd) : 0;
        changed[j] = varies && statistic >= threshold;
        if (statistic > furthest) {
            furthest = statistic;
            most = j;
        }
    }
    return most;
}

tl_status tlr_test_region(const double *before, size_t n_before, const double *after,
                          size_t n_after, size_t n_quantities, double confidence,
                          tlr_region_test *out, tl_error *err)
{
    size_t p = n_quantities;
    if (n_before < 3 || n_after == 0 || p == 0)
        return tl_fail(err, TL_ERR_USAGE, "a test needs 3 runs before and 1 after; measure more");
    double *mean = calloc(3 * p, sizeof *mean), *sd = mean + p, *shift = sd + p;
    if (!mean)
        return tl_no_memory(err, "testing");
    int all_vary = 1;
    for (size_t j = 0; j < p; j++) {
        mean[j] = gsl_stats_mean(before + j, p, n_before);
        sd[j] = gsl_stats_sd_m(before + j, p, n_before, mean[j]);
        shift[j] = gsl_stats_mean(after + j, p, n_after) - mean[j];
        if (sd[j] <= 1e-12 * fabs(mean[j])) {
            sd[j] = 0;
            all_vary = 0;
        }
    }
    *out = (tlr_region_test){.n_before = n_before,
                             .n_after = n_after,
                             .n_quantities = p,
                             .confidence = confidence,
                             .p_value = 1};
    if (n_before > p && all_vary)
        test_together(mean, sd, shift, before, p, out);
    if (!out->together)
        test_alone(sd, shift, p, out);
    out->changed = out->threshold > 0 && out->statistic >= out->threshold;
    free(mean);
    return TL_OK;
}

/* ---- outliers ---- */

/* The values, in the order of `order`; those from n_left on were removed. */
typedef struct remaining {
    const double *values;
    size_t n_left;
    size_t *order;
    double *others; /* room for all values */
} remaining;

/* Tests the value at `at` of the order against the other values that are left. */
static tl_status test_value(const remaining *r, size_t at, double confidence, tlr_region_test *test,
                            tl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_left; i++)
        if (i != at)
            r->others[n++] = r->values[r->order[i]];
    return tlr_test_region(r->others, n, &r->values[r->order[at]], 1, 1, confidence, test, err);
}

/* Rosner's levels hold from so many values on. With fewer, each step is as good as a test of its
 * own (Bonferroni). */
enum { MANY_VALUES = 25, LEAST_VALUES = 3 };

/* Removes the value that is furthest from the others. Returns whether it is unlike them. */
static tl_status remove_value(remaining *r, double confidence, bool *is_unlike, tl_error *err)
{
    tlr_region_test test, furthest = {.statistic = -1};
    size_t found = 0;
    const double of_each = 1 - (1 - confidence) / (double)r->n_left;
    for (size_t i = 0; i < r->n_left; i++) {
        TL_TRY(test_value(r, i, of_each, &test, err));
        if (test.statistic > furthest.statistic) {
            furthest = test;
            found = i;
        }
    }
    const size_t removed = r->order[found];
    r->order[found] = r->order[--r->n_left];
    r->order[r->n_left] = removed;
    *is_unlike = furthest.changed;
    return TL_OK;
}

tl_status tlr_find_outliers(const double *values, size_t n, double confidence, bool *is_out,
                            tl_error *err)
{
    const size_t n_steps = n < 4 ? 1 : n / 4;
    const double of_step = n < MANY_VALUES ? 1 - (1 - confidence) / (double)n_steps : confidence;
    remaining r = {values, n, calloc(n + 1, sizeof *r.order), calloc(n + 1, sizeof *r.others)};
    tl_status status = r.order && r.others ? TL_OK : tl_no_memory(err, "testing");
    size_t first_out = n;
    for (size_t i = 0; r.order && i < n; i++)
        r.order[i] = i;
    while (status == TL_OK && r.n_left + n_steps > n && r.n_left > LEAST_VALUES) {
        bool is_unlike = 0;
        status = remove_value(&r, of_step, &is_unlike, err);
        if (is_unlike)
            first_out = r.n_left;
    }
    for (size_t i = 0; status == TL_OK && i < n; i++)
        is_out[r.order[i]] = i >= first_out;
    free(r.order);
    free(r.others);
    return status;
}
