/* Rows, errors and verdict of a comparison, from hand-made predictions. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "study/compare.h"

enum { N_RANKS = 2, N_MARKS = 4 };

static char path[64];

/* Two ranks: Init, Wtime, Wtime, Finalize.  The rank that takes longest differs from interval to
 * interval, and the clocks of the ranks are 5 s apart. */
static double measured[N_MARKS][N_RANKS] = {{0, 5}, {1, 5.5}, {2, 9.5}, {4, 9.51}};
static double predicted[N_MARKS][N_RANKS] = {{0, 0}, {1.1, 1}, {3.1, 5}, {4.1, 5.01}};
static char site[] = "program+0x10", init[] = "program+0x1", finalize[] = "program+0x99";
static tlr_mark marks[N_MARKS] = {
    {TL_MPI_Init, init, 0, measured[0], predicted[0]},
    {TL_MPI_Wtime, site, 0, measured[1], predicted[1]},
    {TL_MPI_Wtime, site, 1, measured[2], predicted[2]},
    {TL_MPI_Finalize, finalize, 0, measured[3], predicted[3]},
};
static char text[] = "x";
static const tlr_prediction prediction = {.trace_path = text,
                                          .platform_name = text,
                                          .engine = text,
                                          .engine_version = text,
                                          .n_ranks = N_RANKS,
                                          .makespan_s = 5.5,
                                          .n_marks = N_MARKS,
                                          .marks = marks};
static const tlr_prediction *const predictions[] = {&prediction};

#define SOLVE "MPI_Wtime program+0x10 #0 .. MPI_Wtime program+0x10 #1"

static void takes_the_longest_rank_of_each_interval(void **state)
{
    (void)state;
    const tlr_compare_options options = {.tolerance = -1};
    tlr_comparison *c = NULL;
    assert_int_equal(tlr_compare(predictions, 1, &options, &c, NULL), TL_OK);
    assert_int_equal(c->n_rows, 4);
    assert_string_equal(c->rows[1].name, SOLVE);
    assert_float_equal(c->rows[0].measured.median, 1, 1e-12);
    assert_float_equal(c->rows[0].error, 0.1, 1e-12);
    assert_float_equal(c->rows[1].measured.median, 4, 1e-12);
    assert_float_equal(c->rows[1].expected.median, 4, 1e-12);
    assert_float_equal(c->rows[2].measured.median, 2, 1e-12);
    assert_float_equal(c->rows[2].error, -0.5, 1e-12);
    assert_string_equal(c->rows[3].name, "makespan");
    assert_float_equal(c->rows[3].measured.median, 4.51, 1e-12);
    assert_float_equal(c->rows[3].expected.median, 5.01, 1e-12);
    assert_float_equal(c->worst_error, 0.5, 1e-12);
    assert_float_equal(c->median_error, (0.1 + 0.5 / 4.51) / 2, 1e-12);
    assert_true(c->passed);
    tlr_comparison_free(c);
}

static void leaves_out_short_rows_before_judging(void **state)
{
    (void)state;
    tlr_compare_options options = {.tolerance = 0.2, .min_share = 0.5};
    tlr_comparison *c = NULL;
    assert_int_equal(tlr_compare(predictions, 1, &options, &c, NULL), TL_OK);
    assert_int_equal(c->n_rows, 2);
    assert_int_equal(c->n_left_out, 2);
    assert_true(c->passed);
    tlr_comparison_free(c);
    options.min_share = 0.4;
    assert_int_equal(tlr_compare(predictions, 1, &options, &c, NULL), TL_OK);
    assert_int_equal(c->n_rows, 3);
    assert_false(c->passed);
    tlr_comparison_free(c);
}

static void needs_two_marks(void **state)
{
    (void)state;
    tlr_prediction one = prediction;
    one.n_marks = 1;
    const tlr_prediction *const ones[] = {&one};
    const tlr_compare_options options = {.tolerance = -1};
    tlr_comparison *c = NULL;
    tl_error err = {0};
    assert_int_equal(tlr_compare(ones, 1, &options, &c, &err), TL_ERR_INPUT);
    assert_null(c);
    assert_non_null(strstr(err.text, "--measured"));
    one.n_marks = 0;
    assert_int_equal(tlr_compare(ones, 1, &options, &c, &err), TL_ERR_INPUT);
}

static void names_a_cut_part_by_its_ends(void **state)
{
    (void)state;
    tlr_prediction part = prediction;
    part.n_marks = 2;
    part.marks = marks + 1;
    const tlr_prediction *const parts[] = {&part};
    const tlr_compare_options options = {.tolerance = -1};
    tlr_comparison *c = NULL;
    assert_int_equal(tlr_compare(parts, 1, &options, &c, NULL), TL_OK);
    assert_int_equal(c->n_rows, 1);
    assert_string_equal(c->rows[0].name, SOLVE);
    tlr_comparison_free(c);
}

static tl_status compare_csv(const char *csv, tlr_comparison **out, tl_error *err)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(csv, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const char *const paths[] = {path};
    const tlr_compare_options options = {
        .measured_paths = paths, .n_measured = 1, .tolerance = 0.15, .min_share = 1};
    return tlr_compare(predictions, 1, &options, out, err);
}

static void reads_measurements_from_csv(void **state)
{
    (void)state;
    tlr_comparison *c = NULL;
    assert_int_equal(
        compare_csv("# by hand\nname,seconds\r\n" SOLVE ",5\n\nmakespan,4.4\n", &c, NULL), TL_OK);
    assert_int_equal(c->n_rows, 2);
    assert_float_equal(c->rows[0].error, -0.2, 1e-12);
    assert_float_equal(c->rows[1].measured.median, 4.4, 1e-12);
    assert_false(c->passed);
    tlr_comparison_free(c);
}

static void refuses_wrong_csv_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *csv, *says;
    } wrong[] = {
        {"", ":1: no measurement"},
        {"makespan\n", ":1: not a measurement"},
        {"name,seconds\nmakespan,fast\n", ":2: not a measurement"},
        {"makespan,-1\n", ":1: not a measurement"},
        {"makespan,0\n", ":1: not a measurement"},
        {"makespan,inf\n", ":1: not a measurement"},
        {"solve,1\n", ":1: the prediction has no row 'solve'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tlr_comparison *c = NULL;
        tl_error err = {0};
        assert_int_equal(compare_csv(wrong[i].csv, &c, &err), TL_ERR_INPUT);
        assert_null(c);
        if (!strstr(err.text, wrong[i].says) || !strchr(err.text, ';'))
            fail_msg("'%s' gave '%s'", wrong[i].csv, err.text);
    }
}

static void writes_json_and_table(void **state)
{
    (void)state;
    const tlr_compare_options options = {.tolerance = 0.2};
    tlr_comparison *c = NULL;
    assert_int_equal(tlr_compare(predictions, 1, &options, &c, NULL), TL_OK);
    json_t *root = tlr_comparison_json(c);
    assert_non_null(root);
    const json_t *row = json_array_get(json_object_get(root, "rows"), 2);
    assert_float_equal(json_real_value(json_object_get(row, "error")), -0.5, 1e-12);
    assert_true(json_is_false(json_object_get(row, "passed")));
    assert_true(json_is_false(json_object_get(root, "passed")));
    json_decref(root);

    FILE *file = fopen(path, "w+");
    assert_non_null(file);
    tlr_comparison_print(c, file);
    rewind(file);
    char table[2048] = {0};
    assert_true(fread(table, 1, sizeof table - 1, file) > 0);
    assert_non_null(strstr(table, "           4            4    +0.0%  " SOLVE "\n"));
    assert_non_null(strstr(table, "   -50.0%! "));
    assert_non_null(strstr(table, "worst 50.0%; beyond the tolerance of 20%\n"));
    fclose(file);
    tlr_comparison_free(c);
    tlr_comparison_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_longest_rank_of_each_interval),
        cmocka_unit_test(leaves_out_short_rows_before_judging),
        cmocka_unit_test(needs_two_marks),
        cmocka_unit_test(names_a_cut_part_by_its_ends),
        cmocka_unit_test(reads_measurements_from_csv),
        cmocka_unit_test(refuses_wrong_csv_with_its_line),
        cmocka_unit_test(writes_json_and_table),
    };
    snprintf(path, sizeof path, "compare-test.%ld", (long)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
