/* compare_write.c - a comparison as a table, JSON, CSV, JUnit XML. */
#include "config.h"

#include "compare.h"
#include "results/call_times.h"
#include "results/json_text.h"
#include "text_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* ---- the table ---- */

/* Whether a row has more than one value; the table then has columns for ranges. */
static bool has_ranges(const tlr_comparison *c)
{
    for (size_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].measured.n > 1 || c->rows[i].expected.n > 1)
            return 1;
    return 0;
}

static void print_values(const tlr_values *values, FILE *out)
{
    fprintf(out, " %12.4g %12.4g %12.4g %5zu |", values->low, values->median, values->high,
            values->n);
}

/* "+3.1%"; what was 0 has no relative change. */
static const char *error_text(const tlr_comparison_row *row, char text[32])
{
    if (row->has_no_error)
        return "from 0";
    snprintf(text, 32, "%+.1f%%", 100 * row->error);
    return text;
}

static void print_ranges(const tlr_comparison *c, FILE *out)
{
    static const char *const titles[][3] = {{"measured s", "predicted s", "error"},
                                            {"now s", "before s", "change"},
                                            {"last", "before", "change"},
                                            {"B s", "A s", "change"}};
    const char *const *title = titles[c->kind];
    fprintf(out, "%13s %12s %12s %5s | %12s %12s %12s %5s | %8s\n", "low", title[0], "high", "runs",
            "low", title[1], "high", "runs", title[2]);
    for (size_t i = 0; i < c->n_rows; i++) {
        char error[32];
        const tlr_comparison_row *row = &c->rows[i];
        print_values(&row->measured, out);
        print_values(&row->expected, out);
        fprintf(out, " %8s%c %s\n", error_text(row, error), row->passed ? ' ' : '!',
                tl_printable(row->name));
    }
}

/* Measured and predicted, or A and B. */
static void print_single(const tlr_comparison *c, FILE *out)
{
    const bool is_versus = c->kind == TLR_COMPARED_VERSUS;
    fprintf(out, "%12s %12s %8s  %s\n", is_versus ? "A s" : "measured s",
            is_versus ? "B s" : "predicted s", is_versus ? "change" : "error",
            c->are_programs ? "mean of the ranks" : "longest rank from .. to");
    for (size_t i = 0; i < c->n_rows; i++) {
        const tlr_comparison_row *row = &c->rows[i];
        const double measured = row->measured.median, expected = row->expected.median;
        fprintf(out, "%12.4g %12.4g %+7.1f%%%c %s\n", is_versus ? expected : measured,
                is_versus ? measured : expected, 100 * row->error, row->passed ? ' ' : '!',
                tl_printable(row->name));
    }
}

static void print_platform(const char *name, const tlr_prediction *p, FILE *out)
{
    fprintf(out, "%s%s on %s, %" PRIu32 " ranks, %s\n", name, tl_printable(p->trace_path),
            tl_printable(p->platform_name), p->n_ranks, tl_printable(p->engine_version));
}

/* The result of the test, without a full stop. */
static char *test_text(const tlr_comparison *c)
{
    const tlr_region_test *t = &c->test;
    const char *verdict = c->kind == TLR_COMPARED_PREDICTION
                              ? (t->changed ? "measured and predicted differ by more than noise"
                                            : "measured and predicted differ by no more than noise")
                              : (t->changed ? "more than noise" : "no more than noise");
    char *text = NULL;
    if (asprintf(&text,
                 "%s: %s %.4g, threshold %.4g at %g%%, p = %.2g; %zu quantities%s, %zu against %zu "
                 "runs",
                 verdict, t->together ? "F =" : "largest F =", t->statistic, t->threshold,
                 100 * t->confidence, t->p_value, t->n_quantities,
                 t->together ? " together" : ", each alone", t->n_after, t->n_before) < 0)
        return NULL;
    return text;
}

/* Prints how many measured medians lie in the interval of several predictions, and how many
 * predicted ones in the range of several runs. */
static void print_intervals(const tlr_comparison *c, FILE *out)
{
    size_t n = 0, n_within = 0, n_runs = 0, n_within_runs = 0;
    for (size_t i = 0; i < c->n_rows && c->kind == TLR_COMPARED_PREDICTION; i++) {
        const bool has_interval = c->rows[i].expected.n > 1, has_runs = c->rows[i].measured.n > 1;
        n += has_interval ? 1 : 0;
        n_within += has_interval && c->rows[i].is_within ? 1 : 0;
        n_runs += has_runs ? 1 : 0;
        n_within_runs += has_runs && c->rows[i].is_within_runs ? 1 : 0;
    }
    if (n_runs)
        fprintf(out,
                "%zu of %zu predicted medians differ from the measured runs by no more than these "
                "from each other\n",
                n_within_runs, n_runs);
    if (n)
        fprintf(out, "%zu of %zu measured medians lie in the interval of the predictions\n",
                n_within, n);
}

/* A comparison with earlier runs prints a mark only for rows beyond the tolerance, so the rows that
 * let it fail are listed. */
static void print_failed(const tlr_comparison *c, FILE *out)
{
    char error[32];
    for (size_t i = 0; i < c->n_rows && c->kind != TLR_COMPARED_PREDICTION; i++)
        if (c->rows[i].failed)
            fprintf(out, "failed: %s, %s\n", tl_printable(c->rows[i].name),
                    error_text(&c->rows[i], error));
}

static void print_only(const char *title, const json_t *list, FILE *out)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        fprintf(out, "%s%s\n", title, json_string_value(json_array_get(list, i)));
}

/* What two programs do not have in common. */
static void print_programs(const tlr_comparison *c, FILE *out)
{
    if (!c->are_programs)
        return;
    print_only("only in A: ", c->only_a, out);
    print_only("only in B: ", c->only_b, out);
    if (!c->has_sites)
        fputs("rows by region, call and call site need predictions of 'timeless replay --details "
              "--json'\n",
              out);
}

/* Measurements of other runs say nothing about single calls. */
static const tlr_call_times *call_times_of(const tlr_comparison *c)
{
    return c->kind == TLR_COMPARED_PREDICTION && c->uses_recording ? c->prediction->call_times
                                                                   : NULL;
}

void tlr_comparison_print(const tlr_comparison *c, FILE *out)
{
    size_t n_beyond = 0;
    for (size_t i = 0; i < c->n_rows; i++)
        n_beyond += !c->rows[i].passed;
    if (c->prediction)
        print_platform(c->versus ? "A: " : "", c->prediction, out);
    if (c->versus)
        print_platform("B: ", c->versus, out);
    if ((c->kind == TLR_COMPARED_VERSUS || c->kind == TLR_COMPARED_PREDICTION) && !has_ranges(c))
        print_single(c, out);
    else
        print_ranges(c, out);
    print_programs(c, out);
    if (c->n_left_out && c->kind == TLR_COMPARED_HISTORY)
        fprintf(out, "%zu quantities were calibrated for the first time\n", c->n_left_out);
    else if (c->n_left_out)
        fprintf(out, "%zu shorter rows are left out; --all keeps those that took any time\n",
                c->n_left_out);
    fprintf(out, "|%s|: median %.1f%%, worst %.1f%%",
            c->kind == TLR_COMPARED_PREDICTION ? "error" : "change", 100 * c->median_error,
            100 * c->worst_error);
    if (c->tolerance >= 0)
        fprintf(out, "; %s the tolerance of %g%%%s", n_beyond ? "beyond" : "within",
                100 * c->tolerance, c->slower_only ? " (only slower rows count)" : "");
    fputc('\n', out);
    if (c->clock)
        fprintf(out,
                "The clock of the recording is not comparable: %s. The errors say nothing about "
                "the prediction.\n",
                tl_printable(c->clock));
    print_intervals(c, out);
    char *text = c->has_test ? test_text(c) : NULL;
    if (text)
        fprintf(out, "%s\n", text);
    else if (c->kind != TLR_COMPARED_PREDICTION && c->kind != TLR_COMPARED_VERSUS)
        fputs("fewer than three runs before: no test tells a change from noise\n", out);
    free(text);
    print_failed(c, out);
    tlr_call_times_print(call_times_of(c), NULL, out);
}

/* ---- JSON ---- */

static json_t *hash_json(uint64_t hash)
{
    return json_sprintf("%016" PRIx64, hash);
}

static json_t *row_json(const tlr_comparison *c, const tlr_comparison_row *row)
{
    /* The names of rows from a history contain their units, which need not be seconds. */
    static const char *const keys[][6] = {
        {"measured_s", "measured_low_s", "measured_high_s", "predicted_s", "predicted_low_s",
         "predicted_high_s"},
        {"measured_s", "measured_low_s", "measured_high_s", "before_s", "before_low_s",
         "before_high_s"},
        {"last", "last_low", "last_high", "before", "before_low", "before_high"},
        {"versus_s", "versus_low_s", "versus_high_s", "predicted_s", "predicted_low_s",
         "predicted_high_s"}};
    const char *const *key = keys[c->kind];
    return json_pack(
        "{s:s, s:f, s:f, s:f, s:I, s:f, s:f, s:f, s:I, s:o, s:b, s:b, s:b, s:b}", "name", row->name,
        key[0], row->measured.median, key[1], row->measured.low, key[2], row->measured.high, "runs",
        (json_int_t)row->measured.n, key[3], row->expected.median, key[4], row->expected.low,
        key[5], row->expected.high, c->prediction ? "predictions" : "runs_before",
        (json_int_t)row->expected.n, c->kind == TLR_COMPARED_PREDICTION ? "error" : "change",
        row->has_no_error ? json_null() : json_real(row->error), "within", row->is_within,
        "within_runs", row->is_within_runs, "passed", row->passed, "failed", row->failed);
}

static json_t *test_json(const tlr_comparison *c)
{
    const tlr_region_test *t = &c->test;
    if (!c->has_test)
        return json_null();
    return json_pack("{s:b, s:b, s:f, s:f, s:f, s:f, s:I, s:I, s:I}", "changed", t->changed,
                     "together", t->together, "statistic", t->statistic, "threshold", t->threshold,
                     "p_value", t->p_value, "confidence", t->confidence, "quantities",
                     (json_int_t)t->n_quantities, "runs_before", (json_int_t)t->n_before, "runs",
                     (json_int_t)t->n_after);
}

static void add_prediction(json_t *root, const tlr_prediction *p)
{
    json_t *more = json_pack("{s:s?, s:o, s:s?, s:o, s:s?, s:s?, s:I}", "trace", p->trace_path,
                             "trace_hash", hash_json(p->trace_hash), "platform", p->platform_name,
                             "platform_hash", hash_json(p->platform_hash), "engine", p->engine,
                             "engine_version", p->engine_version, "ranks", (json_int_t)p->n_ranks);
    json_object_update(root, more);
    json_decref(more);
}

json_t *tlr_comparison_json(const tlr_comparison *c)
{
    static const char *const kinds[] = {"prediction", "runs", "history", "versus"};
    json_t *rows = json_array();
    for (size_t i = 0; i < c->n_rows; i++)
        json_array_append_new(rows, row_json(c, &c->rows[i]));
    json_t *root = json_pack("{s:s, s:o, s:I, s:f, s:f, s:o, s:o, s:b}", "compared", kinds[c->kind],
                             "rows", rows, "rows_left_out", (json_int_t)c->n_left_out,
                             "median_error", c->median_error, "worst_error", c->worst_error,
                             "tolerance", c->tolerance < 0 ? json_null() : json_real(c->tolerance),
                             "test", test_json(c), "passed", c->passed);
    if (c->kind == TLR_COMPARED_PREDICTION)
        json_object_set_new(root, "clock",
                            c->clock ? tlr_json_text(c->clock) : json_string("comparable"));
    if (call_times_of(c))
        json_object_set_new(root, "call_times", tlr_call_times_json(call_times_of(c)));
    if (c->are_programs) {
        json_object_set(root, "only_in_a", c->only_a);
        json_object_set(root, "only_in_b", c->only_b);
    }
    if (c->prediction)
        add_prediction(root, c->prediction);
    return root;
}

/* ---- CSV ---- */

void tlr_comparison_write_csv(const tlr_comparison *c, FILE *out)
{
    fputs("name,measured,measured_low,measured_high,runs,expected,expected_low,expected_high,"
          "expected_runs,error,passed\n",
          out);
    for (size_t i = 0; i < c->n_rows; i++) {
        const tlr_comparison_row *row = &c->rows[i];
        tl_put_csv(out, row->name, 1);
        fprintf(out, ",%.9g,%.9g,%.9g,%zu,%.9g,%.9g,%.9g,%zu,", row->measured.median,
                row->measured.low, row->measured.high, row->measured.n, row->expected.median,
                row->expected.low, row->expected.high, row->expected.n);
        if (!row->has_no_error)
            fprintf(out, "%.6f", row->error);
        fprintf(out, ",%d\n", row->passed);
    }
}

/* ---- JUnit ---- */

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    text = text ? text : "";
    tl_put_xml(out, text, strlen(text));
    fputc('"', out);
}

static void put_case(FILE *out, const char *class, const char *name, double seconds, int passed,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));
static void put_case(FILE *out, const char *class, const char *name, double seconds, int passed,
                     const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("  <testcase", out);
    put_attribute(out, "classname", class);
    put_attribute(out, "name", name);
    fprintf(out, " time=\"%.6f\"", seconds);
    if (passed) {
        fputs("/>\n", out);
        return;
    }
    fputs("><failure", out);
    put_attribute(out, "message", text);
    fputs("/></testcase>\n", out);
}

/* Why a row failed. */
static void put_row(const tlr_comparison *c, const char *class, const tlr_comparison_row *row,
                    FILE *out)
{
    char limit[64] = "more than noise", error[32];
    if (!row->passed)
        snprintf(limit, sizeof limit, "beyond the tolerance of %g%%", 100 * c->tolerance);
    put_case(out, class, row->name, c->kind == TLR_COMPARED_HISTORY ? 0 : row->measured.median,
             !row->failed, "%s %.4g, %s %.4g: %s, %s",
             c->kind == TLR_COMPARED_VERSUS ? "B" : "measured", row->measured.median,
             c->kind == TLR_COMPARED_VERSUS ? "A" : "expected", row->expected.median,
             error_text(row, error), limit);
}

void tlr_comparison_write_junit(const tlr_comparison *c, FILE *out)
{
    /* CI servers group by it, on all machines alike. */
    const char *class = c->prediction ? tlr_base_name(c->prediction->platform_name) : "timeless";
    size_t n_failed = 0;
    for (size_t i = 0; i < c->n_rows; i++)
        n_failed += c->rows[i].failed != 0;
    int with_test = c->has_test && c->kind != TLR_COMPARED_PREDICTION;
    n_failed += with_test && !c->passed;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"timeless compare\" tests=\"%zu\" failures=\"%zu\">\n",
            c->n_rows + (size_t)with_test, n_failed);
    for (size_t i = 0; i < c->n_rows; i++)
        put_row(c, class, &c->rows[i], out);
    char *text = with_test ? test_text(c) : NULL;
    if (with_test)
        put_case(out, class, "no more than noise", 0, c->passed, "%s", text ? text : "");
    free(text);
    fputs("</testsuite>\n", out);
}
