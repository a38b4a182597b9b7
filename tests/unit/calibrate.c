/* The fit on synthetic data, the plan of the measurements, and a counter. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "calibrate/calibrate.h"

enum { N = 2000 };
static tlp_sample calls[N];

/* Products of random sizes over the decades. */
static void make_calls(unsigned long seed, int32_t most)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    gsl_rng_set(rng, seed);
    for (int i = 0; i < N; i++) {
        tlp_sample *s = &calls[i];
        *s = (tlp_sample){.call = {.kernel = TL_KERNEL_dgemm}, .repeats = 1, .work = 1};
        for (int j = 0; j < 3; j++) {
            s->call.sizes[j] = (int32_t)exp(gsl_rng_uniform(rng) * log(most));
            s->work *= s->call.sizes[j];
        }
    }
    gsl_rng_free(rng);
}

static double m(int i)
{
    return calls[i].call.sizes[0];
}

static double n(int i)
{
    return calls[i].call.sizes[1];
}

static void set_line(double intercept_s, double per_work_s)
{
    for (int i = 0; i < N; i++)
        calls[i].seconds = intercept_s + per_work_s * calls[i].work;
}

static void set_polynomial(void)
{
    for (int i = 0; i < N; i++)
        calls[i].seconds = 2e-7 + 4e-11 * calls[i].work + 4e-9 * m(i) * n(i) + 3e-8 * n(i);
}

/* Multiplies the seconds by 1 + sd z, z normal or its absolute value, of mean 0. */
static void add_noise(double sd, int is_skewed, unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    gsl_rng_set(rng, seed);
    for (int i = 0; i < N; i++) {
        const double z = gsl_ran_gaussian(rng, 1);
        calls[i].seconds *= fmax(0.1, 1 + sd * (is_skewed ? (fabs(z) - 0.79788456) / 0.60281 : z));
    }
    gsl_rng_free(rng);
}

static tlp_fit fit_calls(tlp_form form, tlp_noise noise)
{
    tlp_fit fit;
    assert_int_equal(tlp_fit_kernel(calls, N, form, noise, &fit), TL_OK);
    assert_int_equal(fit.n, N);
    return fit;
}

static void recovers_exact_coefficients(void **state)
{
    (void)state;
    make_calls(1, 2000);
    set_line(3e-6, 4e-11);
    tlp_fit fit = fit_calls(TLP_M1, TLP_BEST_NOISE);
    assert_int_equal(fit.n_pieces, 1);
    assert_float_equal(fit.pieces[0].mean_s[TLP_TERM_one], 3e-6, 1e-12);
    assert_float_equal(fit.pieces[0].mean_s[TLP_TERM_work], 4e-11, 1e-17);
    assert_true(fit.median_error < 1e-6 && fit.error[TLP_M1] < 1e-6);
    assert_int_equal(fit.pieces[0].noise, TLP_N0);
    set_polynomial();
    fit = fit_calls(TLP_M2, TLP_N0);
    const double *c = fit.pieces[0].mean_s;
    /* work and mnk are the same here: one of them is taken. */
    assert_float_equal(c[TLP_TERM_work] + c[TLP_TERM_mnk], 4e-11, 1e-14);
    assert_float_equal(c[TLP_TERM_mn], 4e-9, 1e-12);
    assert_float_equal(c[TLP_TERM_n], 3e-8, 1e-10);
    assert_float_equal(c[TLP_TERM_one], 2e-7, 1e-8);
    assert_true(c[TLP_TERM_m] < 1e-10 && c[TLP_TERM_k] < 1e-10);
}

static void recovers_noisy_lines_with_outliers(void **state)
{
    (void)state;
    for (unsigned long seed = 1; seed <= 5; seed++) {
        make_calls(seed, 2000);
        set_line(3e-6, 4e-11);
        add_noise(0.1, 0, seed);
        for (int i = 0; i < N; i += 100)
            calls[i].seconds *= 50;
        const tlp_fit fit = fit_calls(TLP_M1, TLP_N0);
        assert_float_equal(fit.pieces[0].mean_s[TLP_TERM_one], 3e-6, 0.05 * 3e-6);
        assert_float_equal(fit.pieces[0].mean_s[TLP_TERM_work], 4e-11, 0.05 * 4e-11);
        assert_float_equal(fit.slope_s, 4e-11, 0.05 * 4e-11);
        assert_float_equal(fit.median_error, 0.0674, 0.02);
    }
}

static void keeps_the_sum_of_times(void **state)
{
    (void)state;
    /* Two classes of calls on no common line, as kernels of different shapes are. */
    make_calls(7, 2000);
    set_line(1e-6, 4e-11);
    add_noise(0.05, 0, 7);
    for (int i = 0; i < N; i++)
        calls[i].seconds *= i % 2 ? 1.2 : 1;
    double measured_s = 0, predicted_s = 0;
    const tlp_fit fit = fit_calls(TLP_M1, TLP_N0);
    for (int i = 0; i < N; i++) {
        measured_s += calls[i].seconds;
        predicted_s += fit.pieces[0].mean_s[TLP_TERM_one] +
                       fit.pieces[0].mean_s[TLP_TERM_work] * calls[i].work;
    }
    assert_float_equal(predicted_s / measured_s, 1, 0.002);
}

static void never_fits_negative_coefficients(void **state)
{
    (void)state;
    make_calls(3, 2000);
    for (int i = 0; i < N; i++) {
        calls[i].work = i + 1000;
        calls[i].seconds = 1e-9 * i + 1e-12;
    }
    tlp_fit fit = fit_calls(TLP_M1, TLP_N0);
    assert_true(fit.pieces[0].mean_s[TLP_TERM_one] == 0 && fit.pieces[0].mean_s[TLP_TERM_work] > 0);
    for (int i = 0; i < N; i++)
        calls[i].seconds = 1e-9 * (2 * N - i);
    fit = fit_calls(TLP_M1, TLP_N0);
    assert_true(fit.pieces[0].mean_s[TLP_TERM_work] == 0 && fit.pieces[0].mean_s[TLP_TERM_one] > 0);
}

static void refuses_a_single_work(void **state)
{
    (void)state;
    tlp_fit fit;
    make_calls(1, 1);
    assert_int_equal(tlp_fit_kernel(calls, 3, TLP_M1, TLP_N0, &fit), TL_ERR_USAGE);
    assert_int_equal(tlp_fit_kernel(calls, 1, TLP_M1, TLP_N0, &fit), TL_ERR_USAGE);
    assert_int_equal(tlp_fit_kernel(calls, 0, TLP_M1, TLP_N0, &fit), TL_ERR_USAGE);
}

/* The model that the calls were made by predicts those best that it has not seen; none simpler
 * does. */
static void chooses_the_model_that_made_the_calls(void **state)
{
    (void)state;
    make_calls(11, 2000);
    for (int i = 0; i < N; i++)
        calls[i].seconds = 1e-4;
    add_noise(0.03, 0, 1);
    assert_int_equal(fit_calls(TLP_BEST_FORM, TLP_N0).form, TLP_M0);
    set_line(3e-6, 4e-11);
    add_noise(0.03, 0, 2);
    assert_int_equal(fit_calls(TLP_BEST_FORM, TLP_N0).form, TLP_M1);
    set_polynomial();
    add_noise(0.03, 0, 3);
    tlp_fit fit = fit_calls(TLP_BEST_FORM, TLP_N0);
    assert_int_equal(fit.form, TLP_M2);
    assert_true(fit.error[TLP_M2] < fit.error[TLP_M1] && fit.error[TLP_M1] < fit.error[TLP_M0]);
    assert_true(fit.error[TLP_M2] < 0.03);
    /* Twice as fast from a size on, as where an accelerator takes over. */
    for (int i = 0; i < N; i++)
        calls[i].seconds = m(i) > 100 ? 1e-4 + 2e-11 * calls[i].work : 1e-6 + 8e-11 * calls[i].work;
    add_noise(0.03, 0, 4);
    fit = fit_calls(TLP_BEST_FORM, TLP_N0);
    assert_int_equal(fit.form, TLP_PIECES);
    const double small[TLP_N_TERMS] = {[TLP_TERM_m] = 20},
                 large[TLP_N_TERMS] = {[TLP_TERM_m] = 900};
    assert_true(tlp_find_piece(&fit, small) != tlp_find_piece(&fit, large));
}

static void tells_the_sides_of_a_triangle_apart(void **state)
{
    (void)state;
    make_calls(5, 1000);
    for (int i = 0; i < N; i++) {
        int32_t *d = calls[i].call.sizes;
        calls[i].call.kernel = TL_KERNEL_dtrsm;
        d[2] = d[i % 2];
        calls[i].work = (double)d[0] * d[1] * d[2];
        calls[i].seconds = (i % 2 ? 5e-11 : 9e-11) * calls[i].work + 1e-7;
    }
    add_noise(0.02, 0, 1);
    const tlp_fit fit = fit_calls(TLP_BEST_FORM, TLP_N0);
    assert_int_equal(fit.form, TLP_PIECES);
    assert_int_equal(fit.pieces[0].side, 'l');
    assert_true(fit.median_error < 0.03);
}

static void finds_the_noise(void **state)
{
    (void)state;
    make_calls(21, 500);
    set_line(1e-5, 4e-11);
    add_noise(0.1, 0, 5);
    tlp_fit fit = fit_calls(TLP_M1, TLP_N2);
    assert_int_equal(fit.pieces[0].noise, TLP_N2);
    assert_false(fit.pieces[0].is_skewed);
    assert_float_equal(fit.pieces[0].sd_s[TLP_TERM_one], 1e-6, 1.5e-7);
    set_line(1e-5, 4e-11);
    add_noise(0.1, 1, 6);
    fit = fit_calls(TLP_M1, TLP_BEST_NOISE);
    assert_true(fit.pieces[0].is_skewed && fit.pieces[0].noise != TLP_N1);
    /* The same spread for all. */
    for (int i = 0; i < N; i++)
        calls[i].seconds = 1e-3;
    add_noise(0.05, 0, 7);
    for (int i = 0; i < N; i++)
        calls[i].seconds += 4e-11 * calls[i].work;
    fit = fit_calls(TLP_M1, TLP_BEST_NOISE);
    assert_int_equal(fit.pieces[0].noise, TLP_N1);
    assert_float_equal(fit.pieces[0].sd_s[TLP_TERM_one], 5e-5, 5e-6);
    /* One call in ten is half as slow again. */
    set_line(1e-5, 4e-11);
    add_noise(0.02, 0, 8);
    for (int i = 0; i < N; i += 10)
        calls[i].seconds *= 1.5;
    fit = fit_calls(TLP_M1, TLP_BEST_NOISE);
    assert_int_equal(fit.pieces[0].noise, TLP_MIXTURE);
    double slow = 0;
    for (size_t i = 0; i < fit.pieces[0].n_modes; i++)
        slow += fit.pieces[0].modes[i].mean > 1 ? fit.pieces[0].modes[i].weight : 0;
    assert_float_equal(slow, 0.1, 0.03);
}

static void plans_the_same_calls_for_a_seed(void **state)
{
    (void)state;
    const int nb[] = {32, 128};
    tlp_call *a, *b, *c;
    size_t n_a, n_b, n_c;
    const tlp_measure_options blocks = {.seed = 5, .nb = nb, .n_nb = 2};
    assert_int_equal(tlp_plan_round(&blocks, 0, 1, &a, &n_a, NULL), TL_OK);
    assert_int_equal(tlp_plan_round(&blocks, 0, 1, &b, &n_b, NULL), TL_OK);
    assert_int_equal(tlp_plan_round(&blocks, 0, 2, &c, &n_c, NULL), TL_OK);
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
            assert_in_range(a[i].sizes[2], 1, TLP_MAX_INNER);
        if (a[i].kernel == TL_KERNEL_dtrsm)
            assert_int_equal(a[i].sizes[2], a[i].sizes[a[i].right ? 1 : 0]);
    }
    assert_false(in_order);
    for (unsigned k = TLP_FIRST_KERNEL; k <= TLP_LAST_KERNEL; k++)
        assert_true(seen[k] >= (tlp_is_measured(k) ? 6 : 0));
    free(a);
    /* With free inner sizes. */
    assert_int_equal(tlp_plan_round(&(tlp_measure_options){.seed = 5}, 0, 1, &a, &n_a, NULL),
                     TL_OK);
    for (size_t i = 0; i < n_a; i++)
        for (int j = 0; j < 3; j++)
            assert_in_range(a[i].sizes[j], j == 0, TLP_MAX_SIZE);
    free(a);
}

/* A product of which two sizes are equal is no product from one side, as trsm's can be. */
static void products_for_a_trace_are_timed_with_both_factors(void **state)
{
    (void)state;
    char path[] = "/tmp/timeless-unit.XXXXXX";
    const int file = mkstemp(path);
    dprintf(file, "skeleton 1\nranks 1\ndgemm m=300 n=64 k=64\ndtrsm m=300 n=64 order=64\n");
    close(file);
    tlp_needs *needs = NULL;
    tlp_call *planned = NULL;
    size_t n = 0, n_transposed = 0, n_right = 0;
    tl_error err = {0};
    const tl_status status = tlp_needs_read(path, 0, 1, &needs, &err);
    unlink(path);
    assert_int_equal(status, TL_OK);
    assert_int_equal(
        tlp_plan_round(&(tlp_measure_options){.seed = 1, .needs = needs}, 0, 1, &planned, &n, &err),
        TL_OK);
    for (size_t i = 0; i < n; i++) {
        n_transposed += planned[i].kernel == TL_KERNEL_dgemm && planned[i].transposed;
        n_right += planned[i].kernel == TL_KERNEL_dtrsm && planned[i].right;
    }
    assert_int_equal(n_right, n / 2);
    assert_in_range(n_transposed, 1, n / 2 - 1);
    free(planned);
    tlp_needs_free(needs);
}

/* The software clock counts nanoseconds on every machine that allows perf_event_open.  It also
 * counts what a hypervisor takes from the core, which CPU time does not: on a busy machine some of
 * the measurements are off, on none all of them. */
static void measures_seconds_per_count(void **state)
{
    (void)state;
    enum { TRIES = 20 };
    double s = -1;
    tl_error err = {0};
    tl_status status = TL_OK;
    for (int i = 0; i < TRIES && status == TL_OK && fabs(s - 1e-9) > 0.05e-9; i++)
        status = tlp_measure_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, &s, &err);
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
        cmocka_unit_test(recovers_exact_coefficients),
        cmocka_unit_test(recovers_noisy_lines_with_outliers),
        cmocka_unit_test(keeps_the_sum_of_times),
        cmocka_unit_test(never_fits_negative_coefficients),
        cmocka_unit_test(refuses_a_single_work),
        cmocka_unit_test(chooses_the_model_that_made_the_calls),
        cmocka_unit_test(tells_the_sides_of_a_triangle_apart),
        cmocka_unit_test(finds_the_noise),
        cmocka_unit_test(plans_the_same_calls_for_a_seed),
        cmocka_unit_test(products_for_a_trace_are_timed_with_both_factors),
        cmocka_unit_test(measures_seconds_per_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
