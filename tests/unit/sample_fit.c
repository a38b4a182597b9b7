/* sample_fit.c - the time of a run from that of some of its steps, and the interval around it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "sample/fit.h"

enum { N_STEPS = 600, LENGTH = 10, N_STRATA = 8, N_RUNS = 2000 };

/* As in HPL: a constant, what is left, its square. */
static tlr_step_sums known_steps(void)
{
    tlr_step_sums known = {N_STEPS, 3, calloc((size_t)3 * (N_STEPS + 1), sizeof *known.sums)};
    assert_non_null(known.sums);
    for (size_t i = 0; i < N_STEPS; i++)
        for (size_t j = 0; j < 3; j++)
            known.sums[3 * i + 3 + j] =
                known.sums[3 * i + j] + pow((double)(N_STEPS - i), (double)j);
    return known;
}

/* Windows in the strata, of steps that take so long; returns the time of all. */
static double sample(const double *seconds, const gsl_rng *rng, tlr_stratum strata[N_STRATA])
{
    double sum = 0;
    for (size_t i = 0; i < N_STEPS; i++)
        sum += seconds[i];
    for (size_t h = 0; h < N_STRATA; h++) {
        const size_t size = N_STEPS / N_STRATA, from = h * size;
        tlr_stratum *s = &strata[h];
        *s = (tlr_stratum){.from = from, .past = from + size};
        s->at = from + (rng ? gsl_rng_uniform_int(rng, size - LENGTH + 1) : h % 3);
        s->past_counted = s->at + LENGTH;
        for (size_t i = s->at; i < s->past_counted; i++)
            s->seconds += seconds[i];
    }
    return sum;
}

/* Steps whose time the terms describe are predicted without an error. */
static void test_exact(void **state)
{
    tlr_step_sums known = known_steps();
    tlr_stratum strata[N_STRATA];
    tlr_time_estimate estimate;
    double seconds[N_STEPS];
    (void)state;
    for (size_t i = 0; i < N_STEPS; i++)
        seconds[i] = 1 + 0.02 * (N_STEPS - (double)i) + 1e-4 * pow(N_STEPS - (double)i, 2);
    const double sum = sample(seconds, NULL, strata);
    assert_int_equal(tlr_sample_fit(&known, strata, N_STRATA, &estimate), TL_OK);
    assert_true(fabs(estimate.seconds - sum) < 1e-9 * sum);
    assert_true(estimate.half_s < 2e-9 * sum);
    free(known.sums);
}

/* Of steps with noise, and with a kink that the terms do not describe, the sum is in the interval
 * about nine times in ten. */
static void check_coverage(double noise, double kink)
{
    tlr_step_sums known = known_steps();
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    size_t n_inside = 0;
    double bias = 0, width = 0;
    assert_non_null(rng);
    for (int run = 0; run < N_RUNS; run++) {
        tlr_stratum strata[N_STRATA];
        tlr_time_estimate estimate;
        double seconds[N_STEPS];
        for (size_t i = 0; i < N_STEPS; i++) {
            const double left = N_STEPS - (double)i;
            seconds[i] = 5 + 1e-4 * left * left + kink * fmax(0, left - N_STEPS / 2.0);
            seconds[i] *= 1 + gsl_ran_gaussian(rng, noise);
        }
        const double sum = sample(seconds, rng, strata);
        assert_int_equal(tlr_sample_fit(&known, strata, N_STRATA, &estimate), TL_OK);
        n_inside += fabs(estimate.seconds - sum) <= estimate.half_s;
        bias += (estimate.seconds / sum - 1) / N_RUNS;
        width += estimate.half_s / sum / N_RUNS;
    }
    print_message("noise %g, kink %g: %zu of %d inside, mean error %.2e, half width %.2e\n", noise,
                  kink, n_inside, N_RUNS, bias, width);
    assert_true(n_inside > 0.86 * N_RUNS);
    assert_true(fabs(bias) < 0.1 * width);
    gsl_rng_free(rng);
    free(known.sums);
}

static void test_noise(void **state)
{
    (void)state;
    check_coverage(0.1, 0);
    check_coverage(0.01, 0);
}

static void test_kink(void **state)
{
    (void)state;
    check_coverage(0.05, 0.1);
    check_coverage(0.005, 0.1);
}

/* With few windows, few terms are fitted; one degree of freedom remains at least. */
static void test_few(void **state)
{
    tlr_step_sums known = known_steps();
    tlr_stratum strata[N_STRATA];
    tlr_time_estimate estimate;
    double seconds[N_STEPS];
    (void)state;
    for (size_t i = 0; i < N_STEPS; i++)
        seconds[i] = 1e-4 * pow(N_STEPS - (double)i, 2);
    sample(seconds, NULL, strata);
    for (size_t n = 3; n < N_STRATA; n++) {
        double sum = 0;
        for (size_t i = 0; i < strata[n - 1].past; i++)
            sum += seconds[i];
        assert_int_equal(tlr_sample_fit(&known, strata, n, &estimate), TL_OK);
        assert_true(fabs(estimate.seconds - sum) < 1e-9 * sum);
        assert_true(isfinite(estimate.half_s));
    }
    free(known.sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_noise),
                                       cmocka_unit_test(test_kink), cmocka_unit_test(test_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
