/* tolerance.c - the bisection for a factor, on makespans of which the answer is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/tolerance.h"

enum { MOST_ROUNDS = 200 };

typedef struct program {
    double (*makespan_s)(double factor);
    int n_rounds;
} program;

static double linear(double factor)
{
    return 8 + 2 * factor;
}

static double constant(double factor)
{
    (void)factor;
    return 10;
}

/* Whatever is more than 1, however little, takes half as long again. */
static double jump(double factor)
{
    return factor > 1 ? 15 : 10;
}

static tl_status makespans(void *arg, const double *factors, double *makespans_s, size_t n,
                           tl_error *err)
{
    program *p = arg;
    if (++p->n_rounds > MOST_ROUNDS)
        return tl_fail(err, TL_ERR_SYSTEM, "there is no end");
    for (size_t i = 0; i < n; i++)
        makespans_s[i] = p->makespan_s(factors[i]);
    return TL_OK;
}

static void find(double (*makespan_s)(double factor), tlr_tolerance *all, size_t n)
{
    program p = {.makespan_s = makespan_s};
    assert_int_equal(tlr_tolerance_find(all, n, 10, 1e-3, makespans, &p, NULL), TL_OK);
}

static void test_linear(void **state)
{
    (void)state;
    tlr_tolerance all[] = {{.growth = 0.01}, {.growth = 0.5}, {.growth = 3}};
    find(linear, all, 3);
    for (int i = 0; i < 3; i++) {
        const double exact = 5 * all[i].growth;
        assert_true(all[i].factor - 1 <= exact * (1 + 1e-9));
        assert_true(all[i].factor - 1 >= exact * (1 - 2e-3));
        assert_true(fabs(all[i].makespan_s - linear(all[i].factor)) < 1e-12);
    }
}

static void test_without_limit(void **state)
{
    (void)state;
    tlr_tolerance one = {.growth = 0.01};
    find(constant, &one, 1);
    assert_true(one.factor == HUGE_VAL);
}

static void test_jump(void **state)
{
    (void)state;
    tlr_tolerance all[] = {{.growth = 0.01}, {.growth = 0.6}};
    find(jump, all, 2);
    assert_true(all[0].factor < 1 + 1e-11);
    assert_true(all[0].makespan_s == 10);
    assert_true(all[1].factor == HUGE_VAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_without_limit),
                                       cmocka_unit_test(test_jump)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
