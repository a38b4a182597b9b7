/* The test by prediction region: false alarms and shifts found, on synthetic runs; by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "study/compare.h"

enum { N_CASES = 10000, N_BEFORE = 20, N_AFTER = 5, N_QUANTITIES = 3, MOST_RUNS = 32 };

static gsl_rng *rng;

/* Runs of quantities that depend on each other: part of the noise is common to all, as when a whole
 * machine is slow.  Each has a standard deviation of 1 % of its mean. */
static void draw_runs(double *values, size_t n, size_t p, double shift_sigmas)
{
    for (size_t i = 0; i < n; i++) {
        double common = gsl_ran_ugaussian(rng);
        for (size_t j = 0; j < p; j++) {
            double noise = 0.6 * common + 0.8 * gsl_ran_ugaussian(rng);
            double mean_s = pow(10, (double)j - 2);
            values[i * p + j] = mean_s * (1 + 0.01 * (noise + (j == 0 ? shift_sigmas : 0)));
        }
    }
}

/* Share of the cases that are called changed. */
static double share_changed(size_t n_before, size_t n_after, size_t p, double shift_sigmas)
{
    double before[MOST_RUNS * N_QUANTITIES], after[MOST_RUNS * N_QUANTITIES];
    size_t n_changed = 0;
    for (size_t i = 0; i < N_CASES; i++) {
        tlr_region_test test;
        draw_runs(before, n_before, p, 0);
        draw_runs(after, n_after, p, shift_sigmas);
        assert_int_equal(tlr_test_region(before, n_before, after, n_after, p, 0.95, &test, NULL),
                         TL_OK);
        assert_int_equal(test.together, n_before > p);
        n_changed += (size_t)test.changed;
    }
    return (double)n_changed / N_CASES;
}

static void alarms_falsely_in_one_of_twenty(void **state)
{
    (void)state;
    static const size_t counts[][3] = {{20, 5, 3}, {20, 1, 3}, {5, 3, 3}, {10, 2, 1}, {30, 30, 2}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double share = share_changed(counts[i][0], counts[i][1], counts[i][2], 0);
        print_message("%zu runs before, %zu after, %zu quantities: %.2f %% false alarms\n",
                      counts[i][0], counts[i][1], counts[i][2], 100 * share);
        assert_true(share > 0.04 && share < 0.06);
    }
}

/* One new run is not enough for this at 95 %, however many were before: the normal distribution
 * itself has 15 % of a shift of 3 standard deviations below 1.96 of them. */
static void finds_a_shift_of_three_standard_deviations(void **state)
{
    (void)state;
    double share = share_changed(N_BEFORE, N_AFTER, N_QUANTITIES, 3);
    print_message("shift of one of %d quantities found in %.2f %%\n", N_QUANTITIES, 100 * share);
    assert_true(share >= 0.9);
    share = share_changed(N_BEFORE, 2, 1, 3);
    print_message("of the only quantity, by two runs, in %.2f %%\n", 100 * share);
    assert_true(share >= 0.9);
    assert_true(share_changed(N_BEFORE, 1, 1, 3) < 0.9);
}

/* x = 1 2 3: mean 2, variance 1; one new run at 6: F = 3 * 1 / 4 * 16 = 12. */
static void agrees_with_a_calculation_by_hand(void **state)
{
    (void)state;
    static const double before[] = {1, 2, 3}, after[] = {6};
    tlr_region_test test;
    assert_int_equal(tlr_test_region(before, 3, after, 1, 1, 0.95, &test, NULL), TL_OK);
    assert_float_equal(test.statistic, 12, 1e-12);
    assert_float_equal(test.threshold, 18.512820512820513, 1e-9); /* F(1, 2), lower 0.95 */
    assert_float_equal(test.p_value, 0.07417990022744857, 1e-9);
    assert_false(test.changed);
}

static void tests_each_alone_where_runs_are_few(void **state)
{
    (void)state;
    double share = 0;
    static const double before[] = {1, 10, 5, 2, 11, 5, 3, 12, 5}, after[] = {2, 30, 9};
    tlr_region_test test;
    assert_int_equal(tlr_test_region(before, 3, after, 1, 3, 0.95, &test, NULL), TL_OK);
    assert_false(test.together);
    assert_float_equal(test.statistic, 3.0 / 4 * 19 * 19, 1e-9);
    assert_true(test.changed);
    share = share_changed(3, 2, 3, 0); /* Bonferroni is on the safe side */
    print_message("3 runs before, 3 quantities: %.2f %% false alarms\n", 100 * share);
    assert_true(share < 0.06);
}

static void tests_each_alone_where_one_follows_from_the_others(void **state)
{
    (void)state;
    double before[N_BEFORE * 3], after[3] = {0};
    draw_runs(before, N_BEFORE, 3, 0);
    for (size_t i = 0; i < N_BEFORE; i++)
        before[3 * i + 2] = before[3 * i] + before[3 * i + 1];
    for (size_t j = 0; j < 3; j++)
        after[j] = before[j];
    tlr_region_test test;
    assert_int_equal(tlr_test_region(before, N_BEFORE, after, 1, 3, 0.95, &test, NULL), TL_OK);
    assert_false(test.together);
}

static void refuses_too_few_runs(void **state)
{
    (void)state;
    static const double values[4] = {1, 2, 3, 4};
    tlr_region_test test;
    tl_error err = {0};
    assert_int_equal(tlr_test_region(values, 2, values, 1, 1, 0.95, &test, &err), TL_ERR_USAGE);
    assert_int_equal(tlr_test_region(values, 3, values, 0, 1, 0.95, &test, &err), TL_ERR_USAGE);
    assert_int_equal(tlr_test_region(values, 3, values, 1, 0, 0.95, &test, &err), TL_ERR_USAGE);
}

/* Campaigns in which a value is out that was not planted. The first ones are planted, by these
 * standard deviations, and are always found. */
static size_t count_false(size_t n_campaigns, size_t n, const double *planted, size_t n_planted)
{
    enum { MOST_VALUES = 64 };
    double values[MOST_VALUES];
    bool is_out[MOST_VALUES];
    size_t n_false = 0;
    for (size_t c = 0; c < n_campaigns; c++) {
        bool is_false = 0;
        for (size_t i = 0; i < n; i++)
            draw_runs(values + i, 1, 1, i < n_planted ? planted[i] : 0);
        assert_int_equal(tlr_find_outliers(values, n, 0.95, is_out, NULL), TL_OK);
        for (size_t i = 0; i < n; i++)
            if (i < n_planted)
                assert_true(is_out[i]);
            else
                is_false |= is_out[i];
        n_false += is_false;
    }
    return n_false;
}

static void names_an_outlier_falsely_in_one_campaign_of_twenty(void **state)
{
    (void)state;
    static const size_t counts[] = {8, 16, 24, 32, 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t n_false = count_false(400, counts[i], NULL, 0);
        print_message("%zu values: outliers in %zu of 400 campaigns without any\n", counts[i],
                      n_false);
        assert_true(n_false <= 32);
    }
}

/* Hosts that take 10 and 18 % longer among hosts that differ by 1 %. */
static void finds_several_outliers_that_would_hide_each_other(void **state)
{
    (void)state;
    static const double planted[] = {18, 18, 10, 10};
    assert_true(count_false(20, 32, planted, 4) <= 3);
}

static void finds_no_outlier_of_three(void **state)
{
    (void)state;
    static const double values[] = {1, 1.01, 100};
    bool is_out[3] = {1, 1, 1};
    assert_int_equal(tlr_find_outliers(values, 3, 0.95, is_out, NULL), TL_OK);
    assert_false(is_out[0] || is_out[1] || is_out[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alarms_falsely_in_one_of_twenty),
        cmocka_unit_test(finds_a_shift_of_three_standard_deviations),
        cmocka_unit_test(agrees_with_a_calculation_by_hand),
        cmocka_unit_test(tests_each_alone_where_runs_are_few),
        cmocka_unit_test(tests_each_alone_where_one_follows_from_the_others),
        cmocka_unit_test(refuses_too_few_runs),
        cmocka_unit_test(names_an_outlier_falsely_in_one_campaign_of_twenty),
        cmocka_unit_test(finds_several_outliers_that_would_hide_each_other),
        cmocka_unit_test(finds_no_outlier_of_three),
    };
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gsl_rng_free(rng);
    return failed;
}
