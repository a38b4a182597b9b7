/* The compute model's file: what it reads, and what it refuses with which line and remedy. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replayer.h"

static char path[64];

static tl_status load_bytes(const char *text, size_t size, tlr_model **out, tl_error *err)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return tlr_model_load(path, out, err);
}

static void reads_rates_and_kernels(void **state)
{
    (void)state;
    const char *text =
        "reference_flops = 2e9;\n"
        "units = ( { unit = \"cpu-ns\"; seconds_per_unit = 1.0e-9; },\n"
        "          { unit = \"instructions\"; seconds_per_unit = 4e-10; } );\n"
        "kernels = ( { kernel = \"dgemm\"; intercept_s = 1e-6; per_work_s = 2e-10;\n"
        "              samples = 10; r_squared = 0.99; median_error = 0.1; },\n"
        "            { kernel = \"daxpy\"; intercept_s = 0; per_work_s = 1e-9; } );\n";
    tlr_model *model = NULL;
    tl_error err = {0};
    assert_int_equal(load_bytes(text, strlen(text), &model, &err), TL_OK);
    assert_string_equal(model->path, path);
    assert_true(model->reference_flops == 2e9);
    assert_true(tlr_model_unit_s(model, "cpu-ns") == 1e-9);
    assert_true(tlr_model_unit_s(model, "instructions") == 4e-10);
    assert_true(tlr_model_unit_s(model, "cycles") < 0);
    const int64_t sizes[] = {100, 200, 300};
    tl_event event = {.call = TL_KERNEL_dgemm, .list_len = 3, .list = sizes};
    assert_float_equal(tlr_model_kernel_s(model, NULL, 0, &event), 1e-6 + 6e6 * 2e-10, 1e-18);
    const int64_t empty[] = {100, 0, 300};
    event.list = empty;
    assert_true(tlr_model_kernel_s(model, NULL, 0, &event) == 0);
    event = (tl_event){.call = TL_KERNEL_daxpy, .list_len = 1, .list = sizes};
    assert_float_equal(tlr_model_kernel_s(model, NULL, 0, &event), 100e-9, 1e-20);
    event.call = TL_KERNEL_dscal;
    assert_true(tlr_model_kernel_s(model, NULL, 0, &event) < 0);
    tlr_model_free(model);
    tlr_model_free(NULL);
}

/* Kernels without a line, by their operation count. */
static void costs_kernels_by_their_operations(void **state)
{
    (void)state;
    const char *text = "reference_flops = 1e9; seconds_per_flop = 1e-9;\n"
                       "kernels = ( { kernel = \"dgemm\"; intercept_s = 1; per_work_s = 0; } );\n";
    static const struct {
        uint16_t call;
        uint32_t n_sizes;
        int64_t sizes[4];
        double flops;
    } cases[] = {
        {TL_KERNEL_sgemm, 3, {10, 20, 30}, 12000},
        {TL_KERNEL_zgemm, 3, {10, 20, 30}, 48000},
        {TL_KERNEL_dtrsm, 3, {10, 20, 10}, 2000},
        {TL_KERNEL_dgbmv, 4, {10, 20, 1, 2}, 160},
        {TL_KERNEL_cgetrf, 2, {300, 300}, 4 * 18e6},
        {TL_KERNEL_dgetrf, 2, {400, 100}, 2 * (400 * 1e4 - 50 * 1e4 - 200 * 1e4 + 1e6 / 3)},
        {TL_KERNEL_dpotrf, 1, {300}, 9e6},
        {TL_KERNEL_dgetrs, 2, {100, 3}, 6e4},
        {TL_KERNEL_fftw_dft, 3, {2, 8, 4}, 2 * 5 * 32 * 5},
        {TL_KERNEL_fftwf_dft_r2c, 2, {1, 1024}, 2.5 * 10240},
        {TL_KERNEL_fftw_r2r, 2, {1, 1}, 0},
        {TL_KERNEL_dcopy, 1, {7}, 7},
        {TL_KERNEL_dgemm, 3, {1, 1, 1}, 1e9}};
    tlr_model *model = NULL;
    tl_error err = {0};
    assert_int_equal(load_bytes(text, strlen(text), &model, &err), TL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tl_event event = {
            .call = cases[i].call, .list_len = cases[i].n_sizes, .list = cases[i].sizes};
        const double seconds = cases[i].flops * 1e-9;
        assert_float_equal(tlr_model_kernel_s(model, NULL, 0, &event), seconds, 1e-12 * seconds);
    }
    tlr_model_free(model);
}

#define UNIT(name, rate) "{ unit = \"" name "\"; seconds_per_unit = " rate "; }"
#define KERNEL(name, intercept, slope)                                                             \
    "{ kernel = \"" name "\"; intercept_s = " intercept "; per_work_s = " slope "; }"

static const struct refusal {
    const char *text;
    int line;
    const char *says;
} refusals[] = {
    {"", 0, "'reference_flops' is missing"},
    {"reference_flops = \"fast\";", 1, "not a number"},
    {"reference_flops = 0;", 1, "'reference_flops' is 0"},
    {"reference_flops = -1e9;", 1, "is -1e+09"},
    {"reference_flops = 1e999;", 1, "is inf"},
    {"reference_flops = 1e9;\nseconds_per_flop = -1;", 2, "'seconds_per_flop' is -1"},
    {"reference_flops = nan;", 1, "syntax error"},
    {"reference_flops = 1e9\nunits = ( {", 2, "syntax error"},
    {"reference_flops = 1e9;\nunit = ();", 2, "unknown setting 'unit'"},
    {"reference_flops = 1e9;\nunits = 3;", 2, "'units' is not a list"},
    {"reference_flops = 1e9;\nunits = ( 3 );", 2, "not in braces"},
    {"reference_flops = 1e9;\nunits = ( " UNIT("", "1") " );", 2, "'unit' is missing"},
    {"reference_flops = 1e9;\nunits = (\n { unit = \"a\"; } );", 3,
     "'seconds_per_unit' is missing"},
    {"reference_flops = 1e9;\nunits = ( " UNIT("a", "-1") " );", 2, "is -1"},
    {"reference_flops = 1e9;\nunits = ( " UNIT("a", "1e-9") ",\n" UNIT("a", "2e-9") " );", 3,
     "unit 'a' stands here a second time"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("xgemm", "0", "1e-9") " );", 2,
     "'xgemm' is no kernel"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("user", "0", "1e-9") " );", 2,
     "'user' is no kernel"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("user:a", "0", "1e-9") ", " //
     KERNEL("user:b", "0", "1e-9") ", " KERNEL("user:a", "0", "1e-9") " );",
     2, "kernel 'user:a' stands here a second time"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("MPI_Send", "0", "1e-9") " );", 2,
     "'MPI_Send' is no kernel"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("dgemm", "-1e-6", "1e-9") " );", 2,
     "'intercept_s' is -1e-06"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("dgemm", "0", "1e400") " );", 2,
     "'per_work_s' is inf"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("dgemm", "0", "1e-9") ",\n\n" //
     KERNEL("dgemm", "0", "1e-9") " );",
     4, "kernel 'dgemm' stands here a second time"},
    {"reference_flops = 1e9;\nkernels = ( { kernel = \"dgemm\"; intercept = 0.0; } );", 2,
     "unknown setting 'intercept'"},
};

static void refuses_with_line_and_remedy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        tlr_model *model = NULL;
        tl_error err = {0};
        char where[96];
        assert_int_equal(load_bytes(r->text, strlen(r->text), &model, &err), TL_ERR_INPUT);
        assert_null(model);
        assert_int_equal(err.status, TL_ERR_INPUT);
        snprintf(where, sizeof where, "%s:%d: ", path, r->line);
        if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, r->says) ||
            !strchr(err.text, ';'))
            fail_msg("for '%s': '%s'", r->text, err.text);
    }
}

static void refuses_what_is_no_text(void **state)
{
    (void)state;
    tlr_model *model = NULL;
    tl_error err = {0};
    assert_int_equal(load_bytes("reference_flops\0=", 17, &model, &err), TL_ERR_INPUT);
    assert_non_null(strstr(err.text, "not a text file"));
    assert_int_equal(tlr_model_load("/", &model, &err), TL_ERR_SYSTEM);
    assert_int_equal(tlr_model_load("/nowhere/model.conf", &model, &err), TL_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "/nowhere/model.conf: cannot be opened"));
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rates_and_kernels),
        cmocka_unit_test(costs_kernels_by_their_operations),
        cmocka_unit_test(refuses_with_line_and_remedy),
        cmocka_unit_test(refuses_what_is_no_text),
    };
    snprintf(path, sizeof path, "model-test.%ld.conf", (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
