/* The compute model's file: what it reads, and what it refuses with which line and remedy. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/rank_model.h"

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
        {TL_KERNEL_fftw_r2r, 2, {1, 1}, 2.5}, /* copies */
        {TL_KERNEL_fftw_dft, 1, {6}, 30},
        {TL_KERNEL_daxpy, 1, {-3}, 0},
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

#define V2 "version = 2; reference_flops = 1e9;\n"
#define CLASS "{ from = \"x\"; to = \"y\"; seconds_per_unit = 1.0; },"
#define CLASS2 "{ from = \"x\"; to = \"y\"; seconds_per_unit = 2.0; }"
#define NOISY(noise) "{ kernel = \"dgemm\"; seconds = {}; noise = { " noise " }; }"
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
     "the unit 'a' appears twice"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("xgemm", "0", "1e-9") " );", 2,
     "'xgemm' is not a kernel"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("user", "0", "1e-9") " );", 2,
     "'user' is not a kernel"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("user:a", "0", "1e-9") ", " //
     KERNEL("user:b", "0", "1e-9") ", " KERNEL("user:a", "0", "1e-9") " );",
     2, "the kernel 'user:a' appears twice"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("MPI_Send", "0", "1e-9") " );", 2,
     "'MPI_Send' is not a kernel"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("dgemm", "-1e-6", "1e-9") " );", 2,
     "'intercept_s' is -1e-06"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("dgemm", "0", "1e400") " );", 2,
     "'per_work_s' is inf"},
    {"reference_flops = 1e9;\nkernels = ( " KERNEL("dgemm", "0", "1e-9") ",\n\n" //
     KERNEL("dgemm", "0", "1e-9") " );",
     4, "the kernel 'dgemm' appears twice"},
    {"reference_flops = 1e9;\nkernels = ( { kernel = \"dgemm\"; intercept = 0.0; } );", 2,
     "unknown setting 'intercept'"},
    {"version = 3;", 1, "version 3"},
    {"reference_flops = 1e9;\nkernels = ( { kernel = \"dgemm\"; seconds = {}; } );", 2,
     "'version = 2;'"},
    {"reference_flops = 1e9;\nvariability = {};", 2, "'version = 2;'"},
    {V2 "kernels = ( { kernel = \"dgemm\"; seconds = 1.0; } );", 2, "'seconds' is not in braces"},
    {V2 "kernels = ( { kernel = \"dgemm\"; seconds = { mm = 1.0; }; } );", 2,
     "unknown setting 'mm'"},
    {V2 "kernels = ( { kernel = \"dgemm\"; seconds = { m = \"1\"; }; } );", 2,
     "'m' is not a number"},
    {V2 "kernels = ( { kernel = \"dgemm\"; pieces = (); } );", 2, "'pieces' is empty"},
    {V2 "kernels = ( { kernel = \"dgemm\"; pieces = ( { max = { x = 1; }; } ); } );", 2,
     "unknown setting 'x'"},
    {V2 "kernels = ( { kernel = \"dgemm\"; pieces = ( { max = { m = 1; }; } ); } );", 2,
     "'seconds' is missing"},
    {V2 "kernels = ( { kernel = \"dtrsm\"; pieces = ( { side = \"up\"; } ); } );", 2,
     "side 'up' is unknown"},
    {V2 "kernels = ( " NOISY("shape = \"uniform\";") " );", 2, "shape 'uniform' is unknown"},
    {V2 "kernels = ( " NOISY("shape = \"normal\";") " );", 2, "'sd' is missing"},
    {V2 "kernels = ( " NOISY("shape = \"normal\"; sd = { one = -1.0; };") " );", 2,
     "no coefficient of 'sd' is positive"},
    {V2 "kernels = ( " NOISY("shape = \"mixture\"; sd = { one = 1.0; };") " );", 2,
     "a mixture has 1 to 8 modes"},
    {V2 "kernels = ( " NOISY("shape = \"mixture\"; sd = { one = 1.0; };"
                             "modes = ( { weight = 1.0; mean = 2.0; sd = 0.0; } );") " );",
     2, "no spread"},
    {V2 "hosts = ( { factor = 1.0; } );", 2, "'hosts' is missing"},
    {V2 "hosts = ( { hosts = \"a\"; kernels = ( { kernel = \"dgemm\"; seconds = {}; } ); } );", 2,
     "for some hosts only"},
    {V2 "units = ( { unit = \"a\"; seconds_per_unit = 1.0; classes = ( { from = \"x\"; } ); } );",
     2, "'to' is missing"},
    {V2 "units = ( { unit = \"a\"; seconds_per_unit = 1.0; classes = (" CLASS CLASS2 "); } );", 2,
     "the bursts from 'x' to 'y' appear twice"},
    {V2 "variability = { host_sd = -0.1; };", 2, "'host_sd' is -0.1"},
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

static double mean_s(const tlr_model *model, uint16_t call, int64_t m, int64_t n, int64_t k)
{
    const int64_t sizes[] = {m, n, k};
    const tl_event event = {.call = call, .list_len = 3, .list = sizes};
    return tlr_model_kernel_s(model, NULL, 0, &event);
}

static void finds_the_piece_of_a_call(void **state)
{
    (void)state;
    const char *text =
        "version = 2; reference_flops = 1e9;\n"
        "kernels = ( { kernel = \"dgemm\"; pieces = (\n"
        "  { min = { m = 10; n = 10; }; max = { k = 5; }; seconds = { mnk = 1.0; mn = 10.0; }; },\n"
        "  { max = { work = 1000; }; seconds = { m = 1.0; n = 100.0; k = 1e4; one = 0.5; }; },\n"
        "  { seconds = { mk = 1.0; nk = 1e-3; one = -1e9; }; } ); },\n"
        "  { kernel = \"dtrsm\"; pieces = ( { side = \"left\"; seconds = { one = 1.0; }; },\n"
        "                                  { side = \"right\"; seconds = { one = 2.0; }; } ); } );";
    tlr_model *model = NULL;
    tl_error err = {0};
    if (load_bytes(text, strlen(text), &model, &err) != TL_OK)
        fail_msg("%s", err.text);
    assert_false(model->is_random);
    assert_float_equal(mean_s(model, TL_KERNEL_dgemm, 10, 10, 5), 500 + 1000, 1e-9);
    assert_float_equal(mean_s(model, TL_KERNEL_dgemm, 9, 10, 5), 9 + 1000 + 5e4 + 0.5, 1e-9);
    assert_float_equal(mean_s(model, TL_KERNEL_dgemm, 10, 10, 10), 10 + 1000 + 1e5 + 0.5, 1e-9);
    assert_true(mean_s(model, TL_KERNEL_dgemm, 10, 11, 10) == 0); /* what is negative is none */
    assert_float_equal(mean_s(model, TL_KERNEL_dgemm, 100000, 10, 100000), 9e9 + 1e3, 1);
    assert_true(mean_s(model, TL_KERNEL_dtrsm, 3, 4, 3) == 1);
    assert_true(mean_s(model, TL_KERNEL_dtrsm, 3, 4, 4) == 2);
    tlr_model_free(model);
}

/* Mean, standard deviation and skewness of n draws. */
static void moments(const double *x, int n, double out[3])
{
    double sums[3] = {0};
    for (int i = 0; i < n; i++)
        sums[0] += x[i] / n;
    for (int i = 0; i < n; i++) {
        sums[1] += pow(x[i] - sums[0], 2) / n;
        sums[2] += pow(x[i] - sums[0], 3) / n;
    }
    out[0] = sums[0];
    out[1] = sqrt(sums[1]);
    out[2] = sums[2] / pow(out[1], 3);
}

static void draws_have_the_moments_of_their_shape(void **state)
{
    (void)state;
    enum { N = 200000 };
    /* Of mean 0 and standard deviation 1, as model_read.c makes them. */
    const tlr_mode modes[] = {{0.75, -0.5, 0.5}, {0.25, 1.5, 0.5}};
    static double x[4][N];
    double m[3];
    for (int i = 0; i < N; i++) {
        const tlr_draw_key key = {.seed = 1, .purpose = TLR_DRAW_KERNEL, .index = (uint64_t)i};
        x[0][i] = tlr_draw_uniform(&key);
        x[1][i] = tlr_draw_normal(&key);
        x[2][i] = tlr_draw_half_normal(&key);
        const tlr_mode *mode = tlr_draw_mode(&key, TLR_DRAW_MODE, modes, 2);
        x[3][i] = mode->mean + mode->sd * tlr_draw_normal(&key);
        assert_true(x[0][i] > 0 && x[0][i] < 1);
    }
    moments(x[0], N, m);
    assert_float_equal(m[0], 0.5, 0.005);
    assert_float_equal(m[1], sqrt(1.0 / 12), 0.005);
    moments(x[1], N, m);
    assert_float_equal(m[0], 0, 0.01);
    assert_float_equal(m[1], 1, 0.01);
    assert_float_equal(m[2], 0, 0.03);
    moments(x[2], N, m);
    assert_float_equal(m[0], 0, 0.01);
    assert_float_equal(m[1], 1, 0.01);
    assert_float_equal(m[2], 0.995, 0.03);
    moments(x[3], N, m);
    assert_float_equal(m[0], 0, 0.01);
    assert_float_equal(m[1], 1, 0.01);
}

static void every_part_of_a_key_counts(void **state)
{
    (void)state;
    const tlr_draw_key key = {.seed = 1, .purpose = 2, .job = 3, .rank = 4, .call = 5, .index = 6};
    tlr_draw_key others[6] = {key, key, key, key, key, key};
    others[0].seed++;
    others[1].purpose++;
    others[2].job++;
    others[3].rank++;
    others[4].call++;
    others[5].index++;
    for (int i = 0; i < 6; i++)
        assert_true(tlr_draw_uniform(&others[i]) != tlr_draw_uniform(&key));
    /* A generator that changes makes another prediction of the same inputs. */
    assert_true(tlr_draw_uniform(&key) == 0x1.dfaf334e5dd4ep-2);
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
        cmocka_unit_test(finds_the_piece_of_a_call),
        cmocka_unit_test(draws_have_the_moments_of_their_shape),
        cmocka_unit_test(every_part_of_a_key_counts),
        cmocka_unit_test(refuses_what_is_no_text),
    };
    snprintf(path, sizeof path, "model-test.%ld.conf", (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
