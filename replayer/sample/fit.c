/* fit.c - estimates the time of all steps of a run from the time of some steps. */
#include "sample/fit.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>

/* The relative rounding error of times that engines add up. Equal steps have no other error.
 * Assumed: more than sums of a million doubles are off by. */
static const double ROUNDING = 1e-9;

/* The spread of the windows does not contain errors that all windows share, or effects that no
 * window contains. Of 238 full replays of HPL, 81 % were in intervals without this factor, and 89 %
 * in intervals with it (tests/accuracy/sample.sh). */
static const double WIDER = 1.25;

double tlr_step_sum(const tlr_step_sums *steps, size_t term, size_t from, size_t past)
{
    return steps->sums[past * steps->n_terms + term] - steps->sums[from * steps->n_terms + term];
}

typedef struct fit {
    size_t n, n_terms;
    gsl_matrix *x, *covariance;
    gsl_vector *weights, *y, *coefficients;
    gsl_multifit_linear_workspace *space;
} fit;

static void free_fit(fit *f)
{
    gsl_matrix_free(f->x);
    gsl_matrix_free(f->covariance);
    gsl_vector_free(f->weights);
    gsl_vector_free(f->y);
    gsl_vector_free(f->coefficients);
    gsl_multifit_linear_free(f->space);
}

static int open_fit(fit *f, size_t n, size_t n_terms)
{
    *f = (fit){.n = n,
               .n_terms = n_terms,
               .x = gsl_matrix_alloc(n, n_terms),
               .covariance = gsl_matrix_alloc(n_terms, n_terms),
               .weights = gsl_vector_alloc(n),
               .y = gsl_vector_alloc(n),
               .coefficients = gsl_vector_alloc(n_terms),
               .space = gsl_multifit_linear_alloc(n, n_terms)};
    return f->x && f->covariance && f->weights && f->y && f->coefficients && f->space;
}

/* Terms are counted from the last one, which matters most. With few windows, only the last terms
 * are fitted. */
static double term_of(const tlr_step_sums *steps, size_t j, size_t from, size_t past)
{
    const size_t term = steps->n_terms - 1 - j;
    const double all = tlr_step_sum(steps, term, 0, steps->n_steps);
    return all > 0 ? tlr_step_sum(steps, term, from, past) / all : 0;
}

static double predict(const fit *f, const tlr_step_sums *steps, size_t from, size_t past)
{
    double sum = 0;
    for (size_t j = 0; j < f->n_terms; j++)
        sum += gsl_vector_get(f->coefficients, j) * term_of(steps, j, from, past);
    return sum;
}

/* The relative error is the same for all windows: the result is its square. */
static double relative_variance(const fit *f, const tlr_step_sums *steps, const tlr_stratum *strata)
{
    double sum = 0;
    for (size_t h = 0; h < f->n; h++) {
        const tlr_stratum *s = &strata[h];
        const double error = s->seconds / predict(f, steps, s->at, s->past_counted) - 1;
        sum += error * error;
    }
    return sum / (double)(f->n - f->n_terms);
}

static double times_of(const tlr_stratum *s)
{
    return (double)(s->past - s->from) / (double)(s->past_counted - s->at);
}

/* Each window is counted as often as its stratum is long. The regression corrects the difference
 * between these sums of the terms and the sums over the strata. */
static double left_of(const fit *f, const tlr_step_sums *steps, const tlr_stratum *strata, size_t j)
{
    double left = 0;
    for (size_t h = 0; h < f->n; h++)
        left += term_of(steps, j, strata[h].from, strata[h].past) -
                times_of(&strata[h]) * term_of(steps, j, strata[h].at, strata[h].past_counted);
    return left;
}

/* The weight of a window's time in the prediction. It comes from the length of its stratum and from
 * its part in the regression. */
static double weight_of(const fit *f, const tlr_step_sums *steps, const tlr_stratum *strata,
                        size_t h)
{
    const tlr_stratum *s = &strata[h];
    double weight = times_of(s);
    for (size_t i = 0; i < f->n_terms; i++)
        for (size_t j = 0; j < f->n_terms; j++)
            weight += term_of(steps, i, s->at, s->past_counted) *
                      gsl_matrix_get(f->covariance, i, j) * left_of(f, steps, strata, j) *
                      gsl_vector_get(f->weights, h);
    return weight;
}

/* The variance of the prediction minus the run, in units of the relative variance. A window that
 * counts so many times is once part of the run itself, as are the steps of its stratum that were
 * not replayed. The first and the last window count once more, for the ends where the parts that
 * are replayed in full meet the strata. */
static double variance_of_prediction(const fit *f, const tlr_step_sums *steps,
                                     const tlr_stratum *strata)
{
    const double first = strata[0].seconds, last = strata[f->n - 1].seconds;
    double sum = first * first + last * last;
    for (size_t h = 0; h < f->n; h++) {
        const tlr_stratum *s = &strata[h];
        const double weight = weight_of(f, steps, strata, h);
        sum += ((weight - 1) * (weight - 1) + times_of(s) - 1) * s->seconds * s->seconds;
    }
    return sum;
}

static tl_status regress(fit *f, const tlr_step_sums *steps, const tlr_stratum *strata)
{
    double chi_squared = 0;
    for (size_t h = 0; h < f->n; h++) {
        const tlr_stratum *s = &strata[h];
        gsl_vector_set(f->y, h, s->seconds);
        gsl_vector_set(f->weights, h, s->seconds > 0 ? 1 / (s->seconds * s->seconds) : 1);
        for (size_t j = 0; j < f->n_terms; j++)
            gsl_matrix_set(f->x, h, j, term_of(steps, j, s->at, s->past_counted));
    }
    return gsl_multifit_wlinear(f->x, f->weights, f->y, f->coefficients, f->covariance,
                                &chi_squared, f->space) == GSL_SUCCESS
               ? TL_OK
               : TL_ERR_MEMORY;
}

tl_status tlr_sample_fit(const tlr_step_sums *steps, tlr_stratum *strata, size_t n,
                         tlr_time_estimate *out)
{
    fit f;
    const size_t n_terms = n - 2 < steps->n_terms ? n - 2 : steps->n_terms;
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    tl_status status = open_fit(&f, n, n_terms) ? regress(&f, steps, strata) : TL_ERR_MEMORY;
    *out = (tlr_time_estimate){0};
    for (size_t h = 0; h < n && status == TL_OK; h++) {
        tlr_stratum *s = &strata[h];
        s->estimate_s = predict(&f, steps, s->from, s->past) +
                        times_of(s) * (s->seconds - predict(&f, steps, s->at, s->past_counted));
        out->seconds += s->estimate_s;
    }
    if (status == TL_OK) {
        const double variance =
            relative_variance(&f, steps, strata) * variance_of_prediction(&f, steps, strata);
        /* Half of the 90 % interval: 5 % of the distribution are beyond its 0.95 quantile. */
        out->half_s = WIDER * gsl_cdf_tdist_Pinv(0.95, (double)(n - n_terms)) * sqrt(variance) +
                      ROUNDING * out->seconds;
    }
    free_fit(&f);
    gsl_set_error_handler(handler);
    return status;
}
