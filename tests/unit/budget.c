/* budget.c - Sobol indices and suspects, against closed formulas. */
#include "study/sobol.h"
#include "study/suspects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

enum { N = 1024, D = 3 };

/* Fills the results of A, B and all AB_i for a function of D numbers between 0 and 1. */
static void evaluate(double (*of)(const double *x), uint64_t seed, double *results)
{
    static double points[N * 2 * D];
    tl_error err;
    assert_int_equal(tlr_sobol_points(N, D, seed, points, &err), TL_OK);
    for (size_t j = 0; j < N; j++)
        for (size_t table = 0; table < D + 2; table++) {
            double x[D];
            for (size_t k = 0; k < D; k++)
                x[k] = points[j * 2 * D + k + (table == 1 || table == k + 2 ? D : 0)];
            results[j * (D + 2) + table] = of(x);
        }
}

typedef struct outcome {
    tlr_sobol_index indices[D];
    double mean, sd;
} outcome;

static outcome find_indices(double (*of)(const double *), uint64_t seed)
{
    static double results[N * (D + 2)];
    outcome out;
    evaluate(of, seed, results);
    tlr_sobol_indices(results, N, D, out.indices, &out.mean, &out.sd);
    return out;
}

static double near_1(double number, double sd)
{
    return 1 + sd * gsl_cdf_ugaussian_Pinv(number);
}

/* A message there and back: 2 (L + 2 o + bytes G), with the parts 5 : 4 : 2. */
static double ping_pong(const double *x)
{
    return 2 * (5 * near_1(x[0], 0.1) + 4 * near_1(x[1], 0.2) + 2 * near_1(x[2], 0.05));
}

static void a_linear_makespan_has_the_parts_of_its_variance(void **state)
{
    (void)state;
    const double parts[D] = {0.25, 0.64, 0.01};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const outcome got = find_indices(ping_pong, seed);
        const tlr_sobol_index *indices = got.indices;
        assert_true(fabs(got.mean - 22) < 0.01 && fabs(got.sd / (2 * sqrt(0.9)) - 1) < 0.02);
        for (size_t i = 0; i < D; i++) {
            assert_true(fabs(indices[i].first - parts[i] / 0.9) < 0.04);
            assert_true(fabs(indices[i].total - parts[i] / 0.9) < 0.02);
            assert_true(indices[i].first_error > fabs(indices[i].first - parts[i] / 0.9));
        }
    }
}

/* Of two inputs that only act together, one alone does nothing: x0 x1 around 0, and a x2. */
static double product(const double *x)
{
    return gsl_cdf_ugaussian_Pinv(x[0]) * gsl_cdf_ugaussian_Pinv(x[1]) +
           gsl_cdf_ugaussian_Pinv(x[2]);
}

static void what_inputs_do_together_is_in_the_total_only(void **state)
{
    (void)state;
    const outcome got = find_indices(product, 1);
    const tlr_sobol_index *indices = got.indices;
    for (size_t i = 0; i < 2; i++)
        assert_true(fabs(indices[i].first) < 0.05 && fabs(indices[i].total - 0.5) < 0.05);
    assert_true(fabs(indices[2].first - 0.5) < 0.05 && fabs(indices[2].total - 0.5) < 0.05);
}

static double constant(const double *x)
{
    (void)x;
    return 3;
}

static void a_constant_has_no_indices(void **state)
{
    (void)state;
    const outcome got = find_indices(constant, 1);
    const tlr_sobol_index *indices = got.indices;
    assert_true(got.mean == 3 && got.sd == 0 && indices[0].first == 0 && indices[2].total == 0);
}

/* ---- suspects ---- */

enum { RUNS = 2, INPUTS = 3 };

/* The first run is made of input 0, the second one of input 1; nothing depends on input 2. */
static const double effects[RUNS * INPUTS] = {1, 0, 0, 0, 1, 0};
static const double uncertainties[INPUTS] = {0.02, 0.02, 0.02}, errors[RUNS] = {0.01, 0.01};

static void the_input_of_the_run_that_is_wrong_is_suspected(void **state)
{
    (void)state;
    const double ratios[RUNS] = {0, log(1.15)};
    tlr_suspect suspects[INPUTS];
    double none;
    tl_error err;
    assert_int_equal(
        tlr_suspects_find(&(tlr_suspects){RUNS, INPUTS, ratios, errors, effects, uncertainties},
                          suspects, &none, &err),
        TL_OK);
    assert_true(suspects[1].probability > 0.999 && suspects[2].probability == 0);
    /* The prior variance (0.2 / 1.645)^2 draws the estimate by 1 part in 401 to 0. */
    assert_true(fabs(log(suspects[1].factor) / log(1.15) - 400.0 / 401) < 1e-9);
    assert_true(fabs(suspects[0].probability + suspects[1].probability + none - 1) < 1e-12);
}

static void a_difference_within_the_uncertainty_is_no_suspicion(void **state)
{
    (void)state;
    const double ratios[RUNS] = {0.01, -0.01};
    tlr_suspect suspects[INPUTS];
    double none;
    tl_error err;
    assert_int_equal(
        tlr_suspects_find(&(tlr_suspects){RUNS, INPUTS, ratios, errors, effects, uncertainties},
                          suspects, &none, &err),
        TL_OK);
    assert_true(none > suspects[0].probability && none > suspects[1].probability);
}

static void a_run_without_any_error_is_refused(void **state)
{
    (void)state;
    const double ratios[RUNS] = {0, 0.1}, exact[RUNS] = {0, 0}, nothing[RUNS * INPUTS] = {0};
    tlr_suspect suspects[INPUTS];
    double none;
    tl_error err;
    assert_int_equal(
        tlr_suspects_find(&(tlr_suspects){RUNS, INPUTS, ratios, exact, nothing, uncertainties},
                          suspects, &none, &err),
        TL_ERR_INPUT);
}

/* Three runs of two inputs without errors: the third time follows from the others. Rounding may
 * leave a covariance that can be factored, and numbers without meaning. */
static void runs_that_state_each_other_are_refused(void **state)
{
    (void)state;
    enum { MORE = 3, FEW = 2 };
    static const double exact[MORE] = {0}, ratios[MORE] = {0.1, 0.02, 0.05};
    static const double dependent[][MORE * FEW] = {{0.94, 0.06, 0.44, 0.56, 0.39, 0.61},
                                                   {0.07, 0.93, 0.2, 0.8, 0.1, 0.9},
                                                   {0.75, 0.25, 0.29, 0.71, 0.86, 0.14}};
    for (size_t i = 0; i < sizeof dependent / sizeof *dependent; i++) {
        tlr_suspect suspects[FEW];
        double none;
        tl_error err;
        assert_int_equal(tlr_suspects_find(&(tlr_suspects){MORE, FEW, ratios, exact, dependent[i],
                                                           (const double[]){0.05, 0.1}},
                                           suspects, &none, &err),
                         TL_ERR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_makespan_has_the_parts_of_its_variance),
        cmocka_unit_test(what_inputs_do_together_is_in_the_total_only),
        cmocka_unit_test(a_constant_has_no_indices),
        cmocka_unit_test(the_input_of_the_run_that_is_wrong_is_suspected),
        cmocka_unit_test(a_difference_within_the_uncertainty_is_no_suspicion),
        cmocka_unit_test(a_run_without_any_error_is_refused),
        cmocka_unit_test(runs_that_state_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
