/* The fit on synthetic data, the plan of the measurements, and a counter. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "calibrate.h"

enum { N = 2000 };
static double work[N], seconds[N];

/* Works over seven decades. */
static void make_data(double intercept_s, double per_work_s, double noise, unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    gsl_rng_set(rng, seed);
    for (int i = 0; i < N; i++) {
        work[i] = floor(pow(10, 1 + 7 * gsl_rng_uniform(rng)));
        seconds[i] =
            (intercept_s + per_work_s * work[i]) * fmax(0.2, 1 + gsl_ran_gaussian(rng, noise));
    }
    gsl_rng_free(rng);
}

static void recovers_exact_lines(void **state)
{
    (void)state;
    tlp_fit fit;
    make_data(3e-6, 4e-11, 0, 1);
    assert_int_equal(tlp_fit_line(work, seconds, N, &fit), TL_OK);
    assert_float_equal(fit.intercept_s, 3e-6, 1e-12);
    assert_float_equal(fit.per_work_s, 4e-11, 1e-17);
    assert_int_equal(fit.n, N);
    assert_true(fit.r_squared > 0.999999 && fit.median_error < 1e-6);
}

static void recovers_noisy_lines_with_outliers(void **state)
{
    (void)state;
    for (unsigned long seed = 1; seed <= 5; seed++) {
        tlp_fit fit;
        make_data(3e-6, 4e-11, 0.1, seed);
        for (int i = 0; i < N; i += 100)
            seconds[i] *= 50;
        assert_int_equal(tlp_fit_line(work, seconds, N, &fit), TL_OK);
        assert_float_equal(fit.intercept_s, 3e-6, 0.05 * 3e-6);
        assert_float_equal(fit.per_work_s, 4e-11, 0.05 * 4e-11);
        assert_float_equal(fit.median_error, 0.0674, 0.02);
    }
}

static void keeps_the_sum_of_times(void **state)
{
    (void)state;
    /* Two classes of calls on no common line, as kernels of different shapes are. */
    double measured_s = 0, predicted_s = 0;
    make_data(1e-6, 4e-11, 0.05, 7);
    for (int i = 0; i < N; i++)
        seconds[i] *= i % 2 ? 1.2 : 1;
    tlp_fit fit;
    assert_int_equal(tlp_fit_line(work, seconds, N, &fit), TL_OK);
    for (int i = 0; i < N; i++) {
        measured_s += seconds[i];
        predicted_s += fit.intercept_s + fit.per_work_s * work[i];
    }
    assert_float_equal(predicted_s / measured_s, 1, 0.002);
}

static void never_fits_negative_coefficients(void **state)
{
    (void)state;
    tlp_fit fit;
    for (int i = 0; i < N; i++) {
        work[i] = i + 1000;
        seconds[i] = 1e-9 * i + 1e-12;
    }
    assert_int_equal(tlp_fit_line(work, seconds, N, &fit), TL_OK);
    assert_true(fit.intercept_s == 0 && fit.per_work_s > 0);
    for (int i = 0; i < N; i++)
        seconds[i] = 1e-9 * (2 * N - i);
    assert_int_equal(tlp_fit_line(work, seconds, N, &fit), TL_OK);
    assert_true(fit.per_work_s == 0 && fit.intercept_s > 0);
}

static void refuses_a_single_work(void **state)
{
    (void)state;
    tlp_fit fit;
    const double same[] = {5, 5, 5}, times[] = {1, 2, 3};
    assert_int_equal(tlp_fit_line(same, times, 3, &fit), TL_ERR_USAGE);
    assert_int_equal(tlp_fit_line(same, times, 1, &fit), TL_ERR_USAGE);
    assert_int_equal(tlp_fit_line(same, times, 0, &fit), TL_ERR_USAGE);
}

static void plans_the_same_calls_for_a_seed(void **state)
{
    (void)state;
    const int nb[] = {32, 128};
    tlp_call *a, *b, *c;
    size_t n_a, n_b, n_c;
    assert_int_equal(tlp_plan_round(5, 1, nb, 2, &a, &n_a, NULL), TL_OK);
    assert_int_equal(tlp_plan_round(5, 1, nb, 2, &b, &n_b, NULL), TL_OK);
    assert_int_equal(tlp_plan_round(5, 2, nb, 2, &c, &n_c, NULL), TL_OK);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(a, b, n_a * sizeof *a);
    assert_memory_not_equal(a, c, n_a * sizeof *a);
    free(b);
    free(c);

    int seen[TL_CALL_LIMIT] = {0}, in_order = 1;
    for (size_t i = 0; i < n_a; i++) {
        seen[a[i].kernel]++;
        in_order &= i == 0 || a[i].kernel >= a[i - 1].kernel;
        for (int j = 0; j < 3; j++)
            assert_in_range(a[i].sizes[j], 0, TLP_MAX_SIZE);
        assert_true(a[i].sizes[0] >= 1);
        if (a[i].kernel == TL_KERNEL_dgemm)
            assert_in_range(a[i].sizes[2], 1, 128);
        if (a[i].kernel == TL_KERNEL_dtrsm)
            assert_int_equal(a[i].sizes[2], a[i].sizes[a[i].right ? 1 : 0]);
    }
    assert_false(in_order);
#define TLP_KERNEL(name) assert_true(seen[TL_KERNEL_##name] >= 6);
    TLP_KERNELS
#undef TLP_KERNEL
    free(a);
}

/* The software clock counts nanoseconds on every machine that allows perf_event_open. */
static void measures_seconds_per_count(void **state)
{
    (void)state;
    double s = -1;
    tl_error err = {0};
    tl_status status = tlp_measure_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, &s, &err);
    if (status == TL_ERR_UNSUPPORTED) {
        print_message("# perf_event_open is not allowed here: %s\n", err.text);
        skip();
    }
    assert_int_equal(status, TL_OK);
    assert_float_equal(s, 1e-9, 0.05e-9);
    assert_int_equal(tlp_measure_counter(9999, 0, &s, &err), TL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no such counter"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_exact_lines),
        cmocka_unit_test(recovers_noisy_lines_with_outliers),
        cmocka_unit_test(keeps_the_sum_of_times),
        cmocka_unit_test(never_fits_negative_coefficients),
        cmocka_unit_test(refuses_a_single_work),
        cmocka_unit_test(plans_the_same_calls_for_a_seed),
        cmocka_unit_test(measures_seconds_per_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
