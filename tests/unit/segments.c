/* segments.c - breaks and lines found in synthetic measurements of a known piecewise model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include <calibrate/segments.h>

enum { N_DRAWS = 200, N_MEASUREMENTS = 8000, N_TRUE = 5 };

/* A network of the literature: where graphene changes its protocol (smpi-approach, section 3.2),
 * 1 Gb/s, with a step at each break but the last, where only the slope changes. */
static const struct {
    double from, intercept_s, per_byte_s;
} truth[N_TRUE] = {
    {0, 2.4e-5, 1.6e-8},
    {1420, 4.0e-5, 1.1e-8},
    {32768, 1.0e-4, 1.0e-8},
    {65536, 2.6e-4, 8.5e-9},
    {327680, 2.6e-4 + 327680 * (8.5e-9 - 1.25e-8), 1.25e-8},
};

static double true_at(double bytes)
{
    int i = 0;
    while (i + 1 < N_TRUE && bytes > truth[i + 1].from)
        i++;
    return truth[i].intercept_s + truth[i].per_byte_s * bytes;
}

/* Three modes with mean 1 together, and now and then an outlier. */
static double noise(gsl_rng *rng)
{
    double u = gsl_rng_uniform(rng);
    if (gsl_rng_uniform(rng) < 0.01)
        return 2 + gsl_ran_exponential(rng, 5);
    return u < 0.7    ? 0.97 + gsl_ran_gaussian(rng, 0.01)
           : u < 0.95 ? 1.04 + gsl_ran_gaussian(rng, 0.015)
                      : 1.22 + gsl_ran_gaussian(rng, 0.03);
}

static void draw(gsl_rng *rng, size_t n, double decades, double *bytes, double *seconds)
{
    for (size_t i = 0; i < n; i++) {
        bytes[i] = floor(pow(10, decades * gsl_rng_uniform(rng)));
        seconds[i] = true_at(bytes[i]) * noise(rng);
    }
}

/* Fits n measurements of the true model; 1: all breaks within 5 %, all slopes within 2 %. */
static int recovers(unsigned long seed, size_t n, double *bytes, double *seconds)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    tlp_series series;
    tlp_pieces pieces;
    gsl_rng_set(rng, seed);
    draw(rng, n, 9, bytes, seconds);
    gsl_rng_free(rng);
    assert_int_equal(tlp_series_make(bytes, seconds, n, &series), TL_OK);
    series.may_dip = 1;
    assert_int_equal(tlp_pieces_fit(&series, 1, NULL, 0, &pieces), TL_OK);
    int good = pieces.n == N_TRUE;
    for (int i = 0; good && i < N_TRUE; i++) {
        if (i)
            good = fabs(pieces.breaks[i] / truth[i].from - 1) <= 0.05;
        good &= fabs(pieces.lines[0][i].per_byte_s / truth[i].per_byte_s - 1) <= 0.02;
    }
    tlp_series_clear(&series);
    return good;
}

static void recovers_breaks_and_slopes(void **state)
{
    (void)state;
    double *memory = calloc(N_MEASUREMENTS, 2 * sizeof *memory);
    int n_good = 0;
    assert_non_null(memory);
    for (unsigned long seed = 0; seed < N_DRAWS; seed++)
        n_good += recovers(1000 + seed, N_MEASUREMENTS, memory, memory + N_MEASUREMENTS);
    free(memory);
    print_message("# %d of %d draws: breaks within 5 %%, slopes within 2 %%\n", n_good, N_DRAWS);
    assert_true(n_good >= 0.95 * N_DRAWS);
}

/* Pieces that change together are found in the series that shows them. */
static void finds_breaks_of_several_series(void **state)
{
    (void)state;
    enum { N = 2000 };
    double bytes[N], step[N], flat[N];
    tlp_series series[2];
    tlp_pieces pieces;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < N; i++) {
        bytes[i] = floor(pow(10, 6 * gsl_rng_uniform(rng)));
        step[i] = (bytes[i] > 4096 ? 3e-5 : 1e-5) * (1 + gsl_ran_gaussian(rng, 0.05));
        flat[i] = (5e-6 + 1e-9 * bytes[i]) * (1 + gsl_ran_gaussian(rng, 0.05));
    }
    gsl_rng_free(rng);
    assert_int_equal(tlp_series_make(bytes, step, N, &series[0]), TL_OK);
    assert_int_equal(tlp_series_make(bytes, flat, N, &series[1]), TL_OK);
    assert_int_equal(tlp_pieces_fit(series, 2, NULL, 0, &pieces), TL_OK);
    assert_int_equal(pieces.n, 2);
    assert_true(fabs(pieces.breaks[1] / 4096 - 1) < 0.05);
    assert_true(fabs(tlp_pieces_at(&pieces, 0, 10) / 1e-5 - 1) < 0.01);
    assert_true(fabs(tlp_pieces_at(&pieces, 0, 1e5) / 3e-5 - 1) < 0.01);
    assert_true(fabs(tlp_pieces_at(&pieces, 1, 1e5) / 1.05e-4 - 1) < 0.01);
    /* A break that is asked for is there, whether the lines change or not. */
    const double forced = 100;
    assert_int_equal(tlp_pieces_fit(series, 2, &forced, 1, &pieces), TL_OK);
    assert_int_equal(pieces.n, 3);
    assert_true(pieces.breaks[1] == 100);
    tlp_series_clear(&series[0]);
    tlp_series_clear(&series[1]);
}

static void finds_the_modes_of_the_noise(void **state)
{
    (void)state;
    enum { N = 4000 };
    double bytes[N], seconds[N];
    tlp_line line = {.intercept_s = 1e-5, .per_byte_s = 1e-9};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < N; i++) {
        bytes[i] = floor(1000 * gsl_rng_uniform(rng));
        seconds[i] = (2e-5 + 1e-8 * bytes[i]) * (gsl_rng_uniform(rng) < 0.75
                                                     ? 0.95 + gsl_ran_gaussian(rng, 0.01)
                                                     : 1.15 + gsl_ran_gaussian(rng, 0.02));
    }
    gsl_rng_free(rng);
    assert_int_equal(tlp_mixture_fit(bytes, seconds, N, 0, &line), TL_OK);
    assert_int_equal(line.n_modes, 2);
    assert_true(fabs(line.intercept_s / 2e-5 - 1) < 0.01);
    assert_true(fabs(line.per_byte_s / 1e-8 - 1) < 0.02);
    assert_true(fabs(line.modes[0].share - 0.75) < 0.03);
    assert_true(fabs(line.modes[0].mean - 0.95) < 0.01);
    assert_true(fabs(line.modes[0].sd - 0.01) < 0.002);
    assert_true(fabs(line.modes[1].mean - 1.15) < 0.01);
    assert_true(fabs(line.modes[1].sd - 0.02) < 0.004);
}

static void needs_enough(void **state)
{
    (void)state;
    const double bytes[] = {1, 10, 100}, seconds[] = {1, 1, 1};
    tlp_series series;
    tlp_pieces pieces;
    assert_int_equal(tlp_series_make(bytes, seconds, 3, &series), TL_OK);
    assert_int_equal(tlp_pieces_fit(&series, 1, NULL, 0, &pieces), TL_ERR_USAGE);
    tlp_series_clear(&series);
    assert_int_equal(tlp_series_make(bytes, seconds, 0, &series), TL_OK);
    assert_int_equal(tlp_pieces_fit(&series, 1, NULL, 0, &pieces), TL_ERR_USAGE);
    tlp_series_clear(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_breaks_and_slopes),
        cmocka_unit_test(finds_breaks_of_several_series),
        cmocka_unit_test(finds_the_modes_of_the_noise),
        cmocka_unit_test(needs_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
