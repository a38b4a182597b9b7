/* perform_kernels.c - the kernels that a performance calls: all rows of kernels.def have a routine,
 * and no operand overflows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernels.h"

enum { N_SIZES = 4, N_ROUNDS = 3000 };

/* A size for each name in the column of dimensions. */
static uint32_t sizes_of(const tl_call_info *info, int order, int64_t sizes[N_SIZES])
{
    static const struct {
        const char *name;
        int64_t size;
    } known[] = {{"m", 9}, {"n", 7}, {"k", 5}, {"kl", 1}, {"ku", 2}, {"nrhs", 3}};
    char names[40] = "", *rest = NULL;
    uint32_t n = 0;
    snprintf(names, sizeof names, "%s", info->dimensions ? info->dimensions : "");
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        sizes[n] = order;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(known[i].name, name) == 0)
                sizes[n] = known[i].size;
        n++;
    }
    return n;
}

typedef int use(void *state, const tl_event *kernel);

/* Uses each row but those of programs; those with a side for both sides. */
static void use_all(use *function, void *state)
{
    for (unsigned code = TL_KERNEL_dgemm; code < TL_KERNEL_user; code++) {
        const tl_call_info *info = tl_call_by_code(code);
        for (int order = 9; info && info->code == code && order >= 7; order -= 2) {
            int64_t sizes[N_SIZES] = {0};
            const uint32_t n = sizes_of(info, order, sizes);
            const tl_event kernel = {.call = (uint16_t)code, .list = sizes, .list_len = n};
            if (!function(state, &kernel))
                fail_msg("%s has no routine", info->name);
        }
    }
}

static int need(void *state, const tl_event *kernel)
{
    return perform_need_kernel(state, kernel);
}

/* A factorisation renews its operand, so it is left out where others are to grow. */
static int call_most(void *state, const tl_event *kernel)
{
    const char *name = tl_call_by_code(kernel->call)->name;
    return strstr(name, "getrf") || strstr(name, "potrf") || perform_kernels_call(state, kernel);
}

static perform_kernels *open_for(const perform_kernel_needs *needs)
{
    perform_kernels *kernels = NULL;
    tl_error err;
    assert_int_equal(perform_kernels_open(needs, 1, &kernels, &err), TL_OK);
    assert_true(perform_kernels_greatest(kernels) < 1);
    return kernels;
}

/* By one product in each call, not by a factor. */
static void grew_little(const perform_kernels *kernels, const char *name, double n_products)
{
    const double greatest = perform_kernels_greatest(kernels);
    if (!(greatest < n_products * 4 * 9)) /* NaN is not less */
        fail_msg("%s: operands up to %g after %d rounds", name, greatest, N_ROUNDS);
}

static void all_rows_stay_finite(void **state)
{
    perform_kernel_needs needs = {0};
    (void)state;
    use_all(need, &needs);
    perform_kernels *kernels = open_for(&needs);
    for (int i = 0; i < N_ROUNDS; i++)
        use_all(call_most, kernels);
    assert_true(perform_kernels_greatest(kernels) > N_ROUNDS); /* this test sees that they grow */
    grew_little(kernels, "all rows", 300.0 * N_ROUNDS);
    perform_kernels_close(kernels);
}

static int call_often(void *state, const tl_event *kernel)
{
    perform_kernel_needs needs = {0};
    (void)state;
    assert_true(perform_need_kernel(&needs, kernel));
    perform_kernels *kernels = open_for(&needs);
    for (int i = 0; i < N_ROUNDS; i++)
        assert_true(perform_kernels_call(kernels, kernel));
    grew_little(kernels, tl_call_by_code(kernel->call)->name, N_ROUNDS);
    perform_kernels_close(kernels);
    return 1;
}

static void each_row_stays_finite(void **state)
{
    use_all(call_often, state);
}

static void refuses_what_no_library_has(void **state)
{
    perform_kernel_needs needs = {0};
    const int64_t sizes[] = {4, 4, 4, 4}, negative[] = {4, -1, 4}, huge[] = {1 << 29, 1 << 29, 4},
                  wide[] = {4, 4, INT32_MAX - 99, INT32_MAX - 99};
    const int64_t neither[] = {9, 7, 5};
    perform_kernels *kernels = NULL;
    tl_error err;
    const tl_event refused[] = {{.call = TL_KERNEL_user, .list = sizes, .list_len = 1},
                                {.call = TL_KERNEL_fftw_dft, .list = negative, .list_len = 2},
                                {.call = TL_KERNEL_dgemm, .list = sizes, .list_len = 2},
                                {.call = TL_KERNEL_dgemm, .list = sizes, .list_len = 4},
                                {.call = TL_KERNEL_dgemm, .list = negative, .list_len = 3},
                                {.call = TL_KERNEL_dgemm, .list = huge, .list_len = 3},
                                {.call = TL_KERNEL_dgbmv, .list = wide, .list_len = 4},
                                {.call = TL_KERNEL_dtrsm, .list = neither, .list_len = 3}};
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(perform_need_kernel(&needs, &refused[i]));
    assert_int_equal(perform_kernels_open(&needs, 1, &kernels, &err), TL_OK);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(perform_kernels_call(kernels, &refused[i]));
    perform_kernels_close(kernels);
    assert_int_equal(needs.of[PERFORM_DOUBLE].written, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_rows_stay_finite),
                                       cmocka_unit_test(each_row_stays_finite),
                                       cmocka_unit_test(refuses_what_no_library_has)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
