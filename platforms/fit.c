/* fit.c - a line through durations of very different lengths. */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_fit.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* Rounds of reweighting: the weights settle after a few because the line hardly moves. */
enum { N_ROUNDS = 30 };
/* A relative error beyond this many standard deviations counts less (Huber). */
#define HUBER_LIMIT 3.0

static double predict(const tlp_fit *fit, double work)
{
    return fit->intercept_s + fit->per_work_s * work;
}

/* Weighted line with both coefficients held at 0 or above. */
static void fit_weighted(const double *work, const double *weights, const double *seconds, size_t n,
                         tlp_fit *fit)
{
    double cov00, cov01, cov11, chisq;
    gsl_fit_wlinear(work, 1, weights, 1, seconds, 1, n, &fit->intercept_s, &fit->per_work_s, &cov00,
                    &cov01, &cov11, &chisq);
    if (fit->intercept_s < 0) {
        fit->intercept_s = 0;
        gsl_fit_wmul(work, 1, weights, 1, seconds, 1, n, &fit->per_work_s, &cov11, &chisq);
    } else if (fit->per_work_s < 0) {
        fit->per_work_s = 0;
        fit->intercept_s = gsl_stats_wmean(weights, 1, seconds, 1, n);
    }
}

/* |seconds / predicted - 1| of each, and its median. */
static double relative_errors(const tlp_fit *fit, const double *work, const double *seconds,
                              size_t n, double *errors, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = errors[i] = fabs(seconds[i] / predict(fit, work[i]) - 1);
    gsl_sort(scratch, 1, n);
    return gsl_stats_median_from_sorted_data(scratch, 1, n);
}

static double r_squared(const tlp_fit *fit, const double *work, const double *seconds, size_t n)
{
    double mean = gsl_stats_mean(seconds, 1, n), residual = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        residual += gsl_pow_2(seconds[i] - predict(fit, work[i]));
        total += gsl_pow_2(seconds[i] - mean);
    }
    return total > 0 && residual < total ? 1 - residual / total : 0;
}

tl_status tlp_fit_line(const double *work, const double *seconds, size_t n, tlp_fit *out)
{
    int spread = 0;
    for (size_t i = 1; i < n; i++)
        spread |= work[i] != work[0];
    if (!spread)
        return TL_ERR_USAGE;
    double *weights = malloc(3 * n * sizeof *weights);
    if (!weights)
        return TL_ERR_MEMORY;
    double *errors = weights + n, *scratch = errors + n;
    tlp_fit fit = {.n = n};
    for (size_t i = 0; i < n; i++)
        weights[i] = 1 / seconds[i];
    for (int round = 0; round < N_ROUNDS; round++) {
        fit_weighted(work, weights, seconds, n, &fit);
        /* 1.4826 median|x| estimates the standard deviation of x. */
        double limit =
            HUBER_LIMIT * 1.4826 * relative_errors(&fit, work, seconds, n, errors, scratch) + 1e-9;
        for (size_t i = 0; i < n; i++)
            weights[i] = fmin(1, limit / errors[i]) / predict(&fit, work[i]);
    }
    fit.median_error = relative_errors(&fit, work, seconds, n, errors, scratch);
    fit.r_squared = r_squared(&fit, work, seconds, n);
    free(weights);
    *out = fit;
    return TL_OK;
}
