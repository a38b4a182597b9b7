/* fit_words.c - names in the text of a fitted skeleton: a name is not in a longer one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fit/fit.h"

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(fit_word_uses("for i0 = 0 to ITERATIONS2 - 1 {\n", "ITERATIONS"), 0);
    assert_int_equal(fit_word_uses("count=MY_ITERATIONS", "ITERATIONS"), 0);
    assert_int_equal(fit_word_uses("(ITERATIONS) - ITERATIONS2", "ITERATIONS"), 1);
    assert_int_equal(fit_word_uses("param N = 4\nMPI_Bcast count=N", "N"), 2);
    assert_int_equal(fit_word_uses("", "N"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
