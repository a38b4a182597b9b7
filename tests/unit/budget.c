/* budget.c - suspects of a budget, against closed formulas. */
#include "study/suspects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

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
        cmocka_unit_test(the_input_of_the_run_that_is_wrong_is_suspected),
        cmocka_unit_test(a_difference_within_the_uncertainty_is_no_suspicion),
        cmocka_unit_test(a_run_without_any_error_is_refused),
        cmocka_unit_test(runs_that_state_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
