/* suspects.c - which input of a prediction is wrong, judged by measured runs. */
#include "config.h"

#include "suspects.h"

#include "study/normal.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_machine.h>
#include <gsl/gsl_matrix.h>
#include <math.h>

typedef struct work {
    gsl_matrix *covariance;
    gsl_vector *ratios, *solved, *effect;
} work;

static double square(double x)
{
    return x * x;
}

static double variance_of(const tlr_suspects *s, size_t input)
{
    return square(s->uncertainties[input] / TLR_DEVIATIONS_90);
}

enum { NO_INPUT = -1 };

/* Of the measured runs, if `suspect` (or NO_INPUT) is wrong by TLR_SUSPECT_TIMES its uncertainty.
 */
static void fill_covariance(const tlr_suspects *s, int suspect, gsl_matrix *out)
{
    for (size_t a = 0; a < s->n_runs; a++)
        for (size_t b = 0; b < s->n_runs; b++) {
            double sum = a == b ? square(s->log_errors[a] / TLR_DEVIATIONS_90) : 0;
            for (size_t i = 0; i < s->n_inputs; i++)
                sum += ((int)i == suspect ? square(TLR_SUSPECT_TIMES) : 1) * variance_of(s, i) *
                       s->effects[a * s->n_inputs + i] * s->effects[b * s->n_inputs + i];
            gsl_matrix_set(out, a, b, sum);
        }
}

/* Whether a factor L of a covariance L L' has a row of which rounding has left nothing: the runs
 * before it state its time without any error. */
static bool is_singular(const gsl_matrix *factor)
{
    const size_t n = factor->size1;
    for (size_t a = 0; a < n; a++) {
        double all = 0;
        for (size_t b = 0; b <= a; b++)
            all += square(gsl_matrix_get(factor, a, b));
        if (!(square(gsl_matrix_get(factor, a, a)) > (double)n * GSL_DBL_EPSILON * all))
            return 1;
    }
    return 0;
}

/* Logarithm of the likelihood, without what is equal for all suspects; NAN if the runs, or some of
 * them together, have no error. */
static double judge(const tlr_suspects *s, int suspect, work *w)
{
    double logarithm = 0, product = 0;
    fill_covariance(s, suspect, w->covariance);
    if (gsl_linalg_cholesky_decomp1(w->covariance) != GSL_SUCCESS || is_singular(w->covariance))
        return NAN;
    for (size_t a = 0; a < s->n_runs; a++) {
        logarithm -= log(gsl_matrix_get(w->covariance, a, a));
        gsl_vector_set(w->ratios, a, s->log_ratios[a]);
    }
    gsl_linalg_cholesky_solve(w->covariance, w->ratios, w->solved);
    gsl_blas_ddot(w->ratios, w->solved, &product);
    return logarithm - product / 2;
}

/* A larger change says only that the model of an input does not fit. With this bound, results have
 * no infinite numbers. */
static const double MOST_LOG_FACTOR = 13.815510557964274; /* of 1e6 */

/* The mean of the input that was judged last, given the runs. */
static double factor_of(const tlr_suspects *s, size_t input, work *w)
{
    double product = 0;
    for (size_t a = 0; a < s->n_runs; a++)
        gsl_vector_set(w->effect, a, s->effects[a * s->n_inputs + input]);
    gsl_blas_ddot(w->effect, w->solved, &product);
    const double log_factor = square(TLR_SUSPECT_TIMES) * variance_of(s, input) * product;
    return exp(fmax(-MOST_LOG_FACTOR, fmin(MOST_LOG_FACTOR, log_factor)));
}

static bool has_effect(const tlr_suspects *s, size_t input)
{
    for (size_t a = 0; a < s->n_runs; a++)
        if (s->effects[a * s->n_inputs + input] != 0 && s->uncertainties[input] > 0)
            return 1;
    return 0;
}

/* From logarithms of likelihoods to probabilities. */
static void normalise(tlr_suspect *suspects, size_t n, double *none)
{
    double most = *none, sum;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, suspects[i].probability);
    sum = *none = exp(*none - most);
    for (size_t i = 0; i < n; i++)
        sum += suspects[i].probability = exp(suspects[i].probability - most);
    for (size_t i = 0; i < n; i++)
        suspects[i].probability /= sum;
    *none /= sum;
}

/* Of each input, and of none. */
static tl_status judge_all(const tlr_suspects *s, work *w, tlr_suspect *out, double *none,
                           tl_error *err)
{
    bool is_certain = isnan(*none = judge(s, NO_INPUT, w));
    for (size_t i = 0; i < s->n_inputs && !is_certain; i++) {
        out[i] = (tlr_suspect){1, -INFINITY};
        if (has_effect(s, i)) {
            is_certain = isnan(out[i].probability = judge(s, (int)i, w));
            out[i].factor = factor_of(s, i, w);
        }
    }
    return is_certain ? tl_fail(err, TL_ERR_INPUT,
                                "the measured times leave no room for an error; give --uncertain "
                                "measured=PERCENT")
                      : TL_OK;
}

tl_status tlr_suspects_find(const tlr_suspects *s, tlr_suspect *out, double *none, tl_error *err)
{
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    work w = {gsl_matrix_alloc(s->n_runs, s->n_runs), gsl_vector_alloc(s->n_runs),
              gsl_vector_alloc(s->n_runs), gsl_vector_alloc(s->n_runs)};
    tl_status status = w.covariance && w.ratios && w.solved && w.effect
                           ? judge_all(s, &w, out, none, err)
                           : tl_no_memory(err, "measured runs");
    if (status == TL_OK)
        normalise(out, s->n_inputs, none);
    gsl_matrix_free(w.covariance);
    gsl_vector_free(w.ratios);
    gsl_vector_free(w.solved);
    gsl_vector_free(w.effect);
    gsl_set_error_handler(handler);
    return status;
}
