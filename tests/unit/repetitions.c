/* repetitions.c - first, warm-up, outliers and good ones, by hand; which variables are secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <timeless_files.h>

#include <calibrate/machine.h>
#include <calibrate/repetitions.h>

/* The categories as letters: f, w, o, g. */
static void check(const double *values, size_t n, const char *expected, size_t expected_end)
{
    static const char letters[TLP_N_CATEGORIES] = {'f', 'w', 'o', 'g'};
    tlp_category categories[64];
    char text[65] = "";
    size_t warm_end;
    assert_int_equal(tlp_categorise(values, n, categories, &warm_end), TL_OK);
    for (size_t i = 0; i < n; i++)
        text[i] = letters[categories[i]];
    assert_string_equal(text, expected);
    assert_int_equal(warm_end, expected_end);
}

/* n values of `level`. */
static size_t put(double *values, size_t at, size_t n, double level)
{
    while (n--)
        values[at++] = level;
    return at;
}

static void test_no_warm_up(void **state)
{
    (void)state;
    double v[64];
    const size_t n = put(v, 0, 16, 10);
    check(v, n, "fggggggggggggggg", 0);
    check(v, 1, "f", 0);
    check(v, 0, "", 0);
}

/* A fall before the tenth repetition does not count, one at the tenth does. */
static void test_least_length(void **state)
{
    (void)state;
    double v[64];
    put(v, 0, 9, 15);
    put(v, 9, 15, 10);
    check(v, 24, "fggggggggggggggggggggggg", 0);
    put(v, 0, 10, 15);
    put(v, 10, 15, 10);
    check(v, 25, "fwwwwwwwwwggggggggggggggg", 10);
}

/* A step of just a tenth of the median ends the warm-up, a smaller one does not; two small ones are
 * not one large one. */
static void test_step(void **state)
{
    (void)state;
    double v[64];
    put(v, 0, 12, 11);
    put(v, 12, 20, 10);
    check(v, 32, "fwwwwwwwwwwwgggggggggggggggggggg", 12);
    put(v, 0, 12, 10.9);
    check(v, 32, "fggggggggggggggggggggggggggggggg", 0);
    put(v, 0, 6, 11.8);
    put(v, 6, 6, 10.9);
    check(v, 32, "fggggggggggggggggggggggggggggggg", 0);
}

/* The first of two steps is the end; slow repetitions of the warm-up belong to it. */
static void test_first_step(void **state)
{
    (void)state;
    double v[64];
    put(v, 0, 11, 13);
    put(v, 11, 4, 11.5);
    put(v, 15, 25, 10);
    v[3] = 1000;
    v[13] = 1000;
    check(v, 40, "fwwwwwwwwwwggogggggggggggggggggggggggggg", 11);
}

/* Outliers take at least twice the median; the first is the first however long it took. */
static void test_outliers(void **state)
{
    (void)state;
    double v[64];
    put(v, 0, 16, 10);
    v[0] = 500;
    v[4] = 20;
    v[5] = 19.9;
    v[15] = 77;
    check(v, 16, "fgggoggggggggggo", 0);
}

static void test_groups(void **state)
{
    (void)state;
    tlp_repetition_list list = {0};
    tlp_repetitions *r = tlp_begin_repetitions(&list, "x", "s");
    assert_non_null(r);
    for (int group = 0; group < 2; group++)
        for (int i = 0; i < 12; i++)
            assert_int_equal(
                tlp_add_repetition(r, (unsigned)group, group && i == 5 ? 9 : 1 + 2 * group), TL_OK);
    assert_int_equal(tlp_categorise_all(&list), TL_OK);
    assert_int_equal(r->n, 24);
    assert_int_equal(r->n_groups, 2);
    assert_int_equal(r->categories[12], TLP_FIRST);
    assert_int_equal(r->order[12], 0);
    assert_int_equal(r->categories[17], TLP_OUTLIER);
    assert_int_equal(r->categories[18], TLP_GOOD);
    tlp_clear_repetitions(&list);
}

static void test_secrets(void **state)
{
    (void)state;
    static const char *const secrets[] = {"SLURM_JWT", "OMPI_MCA_x_token", "--password",
                                          "UCX_KEY=1", "OMPI_MCA_orte_precondition_transports"};
    static const char *const others[] = {"OMP_NUM_THREADS", "SLURM_JOB_ID=17", "OMPI_MCA_btl=token",
                                         "--max-seconds"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        assert_true(tl_is_secret(secrets[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(tl_is_secret(others[i]));
}

static void test_environment(void **state)
{
    (void)state;
    static char a[] = "SLURM_JWT=s3cret", b[] = "HOME=/s3cret", c[] = "OMP_NUM_THREADS=4",
                d[] = "AWS_SECRET_ACCESS_KEY=s3cret", e[] = "launch", f[] = "--token",
                g[] = "s3cret", h[] = "PASSWORD=s3cret", i[] = "--x=1";
    static char j[] = "SLURM_JOB_COMMENT=s3cret", k[] = "SLURM_SPANK_X=s3cret",
                l[] = "SLURM_JOB_ID=17", m[] = "OMPI_MCA_plugin_x=s3cret",
                n[] = "OMPI_MCA_btl=self", o[] = "https://me:s3cret@host/a@b",
                p[] = "Authorization: Bearer s3cret", q[] = "--auth", r[] = "--api-key",
                t[] = "--url=ftp://me@host";
    char *const environment[] = {d, c, b, a, j, k, l, m, n, NULL};
    char *const command[] = {e, f, g, h, i, o, p, q, r, g, t};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    tlp_describe_environment(environment, out);
    tlp_describe_command(11, command, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "OMPI_MCA_btl=self\nOMPI_MCA_plugin_x is set, its value withheld\n"
                              "OMP_NUM_THREADS=4\nSLURM_JOB_COMMENT is set, its value withheld\n"
                              "SLURM_JOB_ID=17\nSLURM_JWT is set, its value withheld\n"
                              "SLURM_SPANK_X is set, its value withheld\n"
                              "launch\n--token\n(withheld)\nPASSWORD=(withheld)\n--x=1\n"
                              "https://(withheld)@host/a@b\nAuthorization:(withheld)\n"
                              "--auth\n--api-key\n(withheld)\n--url=ftp://(withheld)@host\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_warm_up), cmocka_unit_test(test_least_length),
        cmocka_unit_test(test_step),       cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_outliers),   cmocka_unit_test(test_groups),
        cmocka_unit_test(test_secrets),    cmocka_unit_test(test_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
