/* compare.c - predicted against measured durations, and measured ones against earlier ones. */
#include "config.h"

#include "compare.h"
#include "compare_programs.h"

#include "runs.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longest rank's duration between two marks, each rank by its own clock: the ranks' clocks need not
 * agree. */
static double longest_s(const double *from_s, const double *to_s, uint32_t n_ranks)
{
    double longest = to_s[0] - from_s[0];
    for (uint32_t r = 1; r < n_ranks; r++)
        longest = fmax(longest, to_s[r] - from_s[r]);
    return longest;
}

static const char *call_name(uint16_t call)
{
    const tl_call_info *info = tl_call_by_code(call);
    return info ? info->name : "?";
}

static bool has_action(const tlr_mark *mark, tl_action action)
{
    const tl_call_info *info = tl_call_by_code(mark->call);
    return info && info->action == action;
}

static char *row_name(const tlr_mark *from, const tlr_mark *to)
{
    if (has_action(from, TL_ACTION_INIT) && has_action(to, TL_ACTION_FINALIZE))
        return strdup("makespan");
    char *name = NULL;
    if (asprintf(&name, "%s %s #%" PRIu32 " .. %s %s #%" PRIu32, call_name(from->call), from->site,
                 from->ordinal, call_name(to->call), to->site, to->ordinal) < 0)
        return NULL;
    return name;
}

/* The durations that a prediction has of a row, by all of its seeds: between neighbouring marks,
 * `whole` between the first and the last. */
static tl_status add_predicted(const tlr_prediction *p, const char *name, size_t interval,
                               int whole, const tlr_mark *from, const tlr_mark *to,
                               tlr_runs *predicted, tl_error *err)
{
    const tlr_spread *s = p->spread;
    tl_status status = TL_OK;
    if (!s)
        return tlr_runs_add(predicted, name,
                            longest_s(from->predicted_s, to->predicted_s, p->n_ranks), err);
    for (size_t i = 0; i < s->n_seeds && status == TL_OK; i++)
        status =
            tlr_runs_add(predicted, name,
                         whole ? s->whole_s[i] : s->interval_s[i * s->n_intervals + interval], err);
    return status;
}

/* A row for each two neighbouring marks, and one from the first to the last. */
static tl_status add_marks(const tlr_prediction *p, tlr_runs *measured, tlr_runs *predicted,
                           tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t i = 1; i <= p->n_marks && status == TL_OK; i++) {
        int whole = i == p->n_marks;
        if (whole && i <= 2)
            break; /* no rows, or one that is the whole */
        const tlr_mark *from = &p->marks[whole ? 0 : i - 1], *to = &p->marks[whole ? i - 1 : i];
        char *name = row_name(from, to);
        if (!name)
            return tl_no_memory(err, "comparing");
        status = add_predicted(p, name, i - 1, whole, from, to, predicted, err);
        if (status == TL_OK && measured)
            status = tlr_runs_add(measured, name,
                                  longest_s(from->measured_s, to->measured_s, p->n_ranks), err);
        free(name);
    }
    return status;
}

static tl_status add_makespan(const tlr_prediction *p, tlr_runs *predicted, tl_error *err)
{
    const size_t n = p->spread ? p->spread->n_seeds : 1;
    for (size_t i = 0; i < n; i++)
        TL_TRY(tlr_runs_add(predicted, "makespan",
                            p->spread ? p->spread->makespan_s[i] : p->makespan_s, err));
    return TL_OK;
}

static bool is_other(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") != 0;
}

/* In what two predictions differ besides their seeds and recordings; NULL: in nothing. */
static const char *difference(const tlr_prediction *a, const tlr_prediction *b)
{
    return a->platform_hash != b->platform_hash           ? "are of different platforms"
           : is_other(a->changes, b->changes)             ? "have different --scale or --set"
           : is_other(a->engine, b->engine)               ? "are of different engines"
           : is_other(a->coll_selector, b->coll_selector) ? "have different --coll-selector"
           : a->model_hash != b->model_hash               ? "have different models of computation"
           : is_other(a->options, b->options)             ? "have different options of replay"
                                                          : NULL;
}

/* Whether two predictions are of one recording, or of two recordings of one program: their rows are
 * then the same. */
static bool have_same_rows(const tlr_prediction *a, const tlr_prediction *b)
{
    if (a->n_ranks != b->n_ranks || a->n_marks != b->n_marks)
        return 0;
    for (size_t i = 0; i < a->n_marks; i++)
        if (a->marks[i].call != b->marks[i].call || a->marks[i].ordinal != b->marks[i].ordinal ||
            strcmp(a->marks[i].site, b->marks[i].site) != 0)
            return 0;
    return 1;
}

/* Whether an earlier prediction is of the same recording. */
static bool is_of_earlier_trace(const tlr_prediction *const *predictions, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (predictions[j]->trace_hash == predictions[i]->trace_hash)
            return 1;
    return 0;
}

/* Rows of all predictions; each recording is a measured run. */
static tl_status add_predictions(const tlr_prediction *const *predictions, size_t n,
                                 tlr_runs *measured, tlr_runs *predicted, tl_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!have_same_rows(predictions[i], predictions[0]))
            return tl_fail(err, TL_ERR_INPUT,
                           "%s: the predictions are of programs that differ in their marks or "
                           "ranks; compare each of them alone",
                           predictions[i]->trace_path ? predictions[i]->trace_path : "prediction");
        const char *differ = difference(predictions[i], predictions[0]);
        if (differ)
            return tl_fail(err, TL_ERR_INPUT,
                           "%s: the predictions %s, so they are not of one model; compare each "
                           "of them alone",
                           predictions[i]->trace_path ? predictions[i]->trace_path : "prediction",
                           differ);
        TL_TRY(add_marks(predictions[i], is_of_earlier_trace(predictions, i) ? NULL : measured,
                         predicted, err));
    }
    /* The makespan of a run that is cut in no other way is that row already. */
    bool has_makespan = tlr_runs_find(predicted, "makespan") != NULL;
    for (size_t i = 0; i < n && !has_makespan; i++)
        TL_TRY(add_makespan(predictions[i], predicted, err));
    return TL_OK;
}

static tl_status read_files(const char *const *paths, size_t n, tlr_runs *out, tl_error *err)
{
    for (size_t i = 0; i < n; i++)
        TL_TRY(tlr_runs_read(out, paths[i], err));
    return TL_OK;
}

/* ---- rows of the comparison ---- */

/* `share` of the values lie from low to high. */
static tl_status summarise_values(const tlr_runs_row *row, double share, tlr_values *out,
                                  tl_error *err)
{
    double *sorted = calloc(row->n, sizeof *sorted);
    if (!sorted)
        return tl_no_memory(err, "comparing");
    memcpy(sorted, row->values, row->n * sizeof *sorted);
    gsl_sort(sorted, 1, row->n);
    *out = (tlr_values){
        .median = gsl_stats_median_from_sorted_data(sorted, 1, row->n),
        .low = gsl_stats_quantile_from_sorted_data(sorted, 1, row->n, (1 - share) / 2),
        .high = gsl_stats_quantile_from_sorted_data(sorted, 1, row->n, (1 + share) / 2),
        .n = row->n};
    free(sorted);
    return TL_OK;
}

static tl_status add_row(tlr_comparison *c, const tlr_runs_row *measured,
                         const tlr_runs_row *expected, tl_error *err)
{
    static const double SHARE_OF_PREDICTIONS = 0.95;
    tlr_comparison_row *row = &c->rows[c->n_rows];
    int predicted = c->kind == TLR_COMPARED_PREDICTION;
    *row = (tlr_comparison_row){.name = strdup(measured->name)};
    if (!row->name)
        return tl_no_memory(err, "comparing");
    c->n_rows++;
    tl_status status = summarise_values(measured, 1, &row->measured, err);
    if (status == TL_OK)
        status =
            summarise_values(expected, predicted ? SHARE_OF_PREDICTIONS : 1, &row->expected, err);
    row->is_within =
        row->measured.median >= row->expected.low && row->measured.median <= row->expected.high;
    row->is_within_runs =
        row->expected.median >= row->measured.low && row->expected.median <= row->measured.high;
    const double from = predicted ? row->measured.median : row->expected.median;
    const double to = predicted ? row->expected.median : row->measured.median;
    row->has_no_error =
        from == 0 && to != 0; /* times are above 0, quantities of a history may be 0 */
    row->error = from != 0 ? to / from - 1 : 0;
    return status;
}

/* A row for each measured one that can be compared. */
static tl_status add_rows(tlr_comparison *c, const tlr_runs *measured, const tlr_runs *expected,
                          tl_error *err)
{
    tl_status status = TL_OK;
    c->rows = calloc(measured->n_rows + 1, sizeof *c->rows);
    if (!c->rows)
        return tl_no_memory(err, "comparing");
    for (size_t i = 0; i < measured->n_rows && status == TL_OK; i++) {
        const tlr_runs_row *row = tlr_runs_find(expected, measured->rows[i].name);
        if (row)
            status = add_row(c, &measured->rows[i], row, err);
        else if (c->kind == TLR_COMPARED_PREDICTION)
            status =
                tl_fail(err, TL_ERR_INPUT,
                        "%s:%zu: the prediction has no row '%s'; 'timeless compare --all' "
                        "without --measured lists them",
                        measured->rows[i].path, measured->rows[i].line, measured->rows[i].name);
        else if (c->kind == TLR_COMPARED_RUNS)
            status = tl_fail(
                err, TL_ERR_INPUT, "%s:%zu: '%s' has no earlier measurement; remove the line",
                measured->rows[i].path, measured->rows[i].line, measured->rows[i].name);
        else
            c->n_left_out++; /* measured for the first time */
    }
    return status;
}

static void remove_row(tlr_comparison *c, size_t i)
{
    free(c->rows[i].name);
    c->n_rows--;
    memmove(&c->rows[i], &c->rows[i + 1], (c->n_rows - i) * sizeof *c->rows);
}

/* What a row is relative to. */
static double reference_s(const tlr_comparison *c, size_t row)
{
    return c->kind == TLR_COMPARED_VERSUS ? c->rows[row].expected.median
                                          : c->rows[row].measured.median;
}

static void leave_out_short_rows(tlr_comparison *c, double min_share)
{
    double whole_s = 0;
    for (size_t i = 0; i < c->n_rows; i++)
        whole_s = fmax(whole_s, reference_s(c, i));
    for (size_t i = c->n_rows; i-- > 0;) {
        double measured_s = reference_s(c, i);
        if (measured_s > 0 && measured_s >= min_share * whole_s)
            continue;
        remove_row(c, i);
        c->n_left_out++;
    }
}

/* ---- the test ---- */

/* values[run * n_rows + row] of the first n_runs runs. */
static double *matrix(const tlr_comparison *c, const tlr_runs *runs, size_t n_runs)
{
    double *values = calloc(n_runs * c->n_rows, sizeof *values);
    for (size_t j = 0; values && j < c->n_rows; j++)
        for (size_t i = 0; i < n_runs; i++)
            values[i * c->n_rows + j] = tlr_runs_find(runs, c->rows[j].name)->values[i];
    return values;
}

/* Runs of which every row has a value. */
static size_t full_runs(const tlr_comparison *c, const tlr_runs *runs)
{
    size_t n = SIZE_MAX;
    for (size_t j = 0; j < c->n_rows; j++) {
        size_t row_n = tlr_runs_find(runs, c->rows[j].name)->n;
        n = row_n < n ? row_n : n;
    }
    return n;
}

/* Marks the rows that changed: if none changed alone, the one that changed most. */
static tl_status find_changed(tlr_comparison *c, const double *before, const double *after,
                              tl_error *err)
{
    int *changed = calloc(c->n_rows + 1, sizeof *changed), n_changed = 0;
    if (!changed)
        return tl_no_memory(err, "comparing");
    const size_t most = tlr_test_each(before, c->test.n_before, after, c->test.n_after, c->n_rows,
                                      c->test.confidence, changed);
    for (size_t i = 0; i < c->n_rows; i++)
        n_changed += c->rows[i].has_changed = changed[i];
    if (!n_changed)
        c->rows[most].has_changed = 1;
    free(changed);
    return TL_OK;
}

static tl_status add_test(tlr_comparison *c, const tlr_runs *measured, const tlr_runs *expected,
                          double confidence, tl_error *err)
{
    enum { FEWEST_RUNS = 3 };
    size_t n_before = full_runs(c, expected), n_after = full_runs(c, measured);
    if (c->n_rows == 0 || n_before < FEWEST_RUNS)
        return TL_OK;
    double *before = matrix(c, expected, n_before), *after = matrix(c, measured, n_after);
    tl_status status = before && after
                           ? tlr_test_region(before, n_before, after, n_after, c->n_rows,
                                             confidence > 0 ? confidence : 0.95, &c->test, err)
                           : tl_no_memory(err, "comparing");
    c->has_test = status == TL_OK && c->test.threshold > 0;
    if (c->has_test && c->test.changed)
        status = find_changed(c, before, after, err);
    free(before);
    free(after);
    return status;
}

/* Options that change nothing. Runs before a change may become more with time, so those may be too
 * few for a test. */
static tl_status refuse_unused(const tlr_comparison *c, const tlr_compare_options *options,
                               tl_error *err)
{
    if (c->has_test || options->n_baseline || options->history_folder)
        return TL_OK;
    if (options->confidence > 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "--confidence: fewer than 3 predictions are not tested; leave it out, or "
                       "give predictions with --seeds");
    if (options->slower_only && options->tolerance < 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "--slower-only: without a tolerance nothing fails; give --tolerance");
    return TL_OK;
}

/* ---- the whole ---- */

/* Whether the measured time is above the expected one. */
static bool is_slower(const tlr_comparison *c, const tlr_comparison_row *row)
{
    return c->kind == TLR_COMPARED_PREDICTION ? row->error < 0 : row->error > 0;
}

/* A change counts when it is more than noise, and beyond the tolerance if there is one. */
static void judge_change(tlr_comparison *c, double tolerance, int within)
{
    int n_failed = 0;
    c->passed = within || (c->has_test ? !c->test.changed : tolerance < 0);
    for (size_t i = 0; i < c->n_rows && !c->passed; i++) {
        tlr_comparison_row *row = &c->rows[i];
        const int counts = !c->slower_only || is_slower(c, row);
        row->failed =
            counts && (tolerance < 0 || !row->passed) && (!c->has_test || row->has_changed);
        n_failed += row->failed;
    }
    if (!c->passed && c->slower_only && !n_failed)
        c->passed = 1;
    for (size_t i = 0; i < c->n_rows && !c->passed && !n_failed; i++)
        c->rows[i].failed = !c->rows[i].passed;
}

static tl_status judge(tlr_comparison *c, double tolerance, tl_error *err)
{
    int n_beyond = 0;
    size_t n = 0;
    double *errors = calloc(c->n_rows + 1, sizeof *errors);
    if (!errors)
        return tl_no_memory(err, "comparing");
    for (size_t i = 0; i < c->n_rows; i++) {
        const double error = fabs(c->rows[i].error);
        const bool is_path =
            c->are_programs && !strncmp(c->rows[i].name, TLR_ON_PATH, sizeof TLR_ON_PATH - 1);
        c->rows[i].passed = tolerance < 0 || is_path ||
                            (error <= tolerance && !c->rows[i].has_no_error) ||
                            (c->slower_only && !is_slower(c, &c->rows[i]));
        if (!c->rows[i].has_no_error && !is_path)
            errors[n++] = error;
        n_beyond += !c->rows[i].passed;
    }
    gsl_sort(errors, 1, n);
    c->median_error = n ? gsl_stats_median_from_sorted_data(errors, 1, n) : 0;
    c->worst_error = n ? errors[n - 1] : 0;
    c->tolerance = tolerance;
    if (c->kind == TLR_COMPARED_PREDICTION) {
        c->passed = !n_beyond;
        for (size_t i = 0; i < c->n_rows; i++)
            c->rows[i].failed = !c->rows[i].passed;
    } else {
        judge_change(c, tolerance, tolerance >= 0 && !n_beyond);
    }
    free(errors);
    return TL_OK;
}

/* Predictions, and others in place of measurements. */
static tl_status gather_versus(const tlr_prediction *const *predictions, size_t n,
                               const tlr_compare_options *options, tlr_comparison *c,
                               tlr_runs *measured, tlr_runs *expected, tl_error *err)
{
    const tlr_prediction *first = options->versus[0];
    if (n == 1 && options->n_versus == 1 && first->trace_hash != predictions[0]->trace_hash)
        return tlr_compare_programs(options->prediction_paths[0], options->versus_paths[0], c,
                                    measured, expected, err);
    if (!have_same_rows(first, predictions[0]))
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: the predictions are of programs that differ in their marks or ranks; "
                       "give one prediction on each side",
                       first->trace_path ? first->trace_path : "prediction");
    TL_TRY(add_predictions(predictions, n, NULL, expected, err));
    return add_predictions(options->versus, options->n_versus, NULL, measured, err);
}

static tl_status gather(const tlr_prediction *const *predictions, size_t n,
                        const tlr_compare_options *options, tlr_comparison *c, tlr_runs *measured,
                        tlr_runs *expected, tl_error *err)
{
    if (c->kind == TLR_COMPARED_HISTORY)
        return tlr_runs_read_history(expected, measured, options->history_folder, err);
    if (c->kind == TLR_COMPARED_VERSUS)
        return gather_versus(predictions, n, options, c, measured, expected, err);
    tl_status status =
        c->kind == TLR_COMPARED_RUNS
            ? read_files(options->baseline_paths, options->n_baseline, expected, err)
            : add_predictions(predictions, n, options->n_measured ? NULL : measured, expected, err);
    if (status == TL_OK)
        status = read_files(options->measured_paths, options->n_measured, measured, err);
    return status;
}

tl_status tlr_compare(const tlr_prediction *const *predictions, size_t n_predictions,
                      const tlr_compare_options *options, tlr_comparison **out, tl_error *err)
{
    tlr_runs measured = {0}, expected = {0};
    tlr_comparison *c = calloc(1, sizeof *c);
    if (!c)
        return tl_no_memory(err, "comparing");
    c->kind = options->history_folder ? TLR_COMPARED_HISTORY
              : options->n_baseline   ? TLR_COMPARED_RUNS
              : options->n_versus     ? TLR_COMPARED_VERSUS
                                      : TLR_COMPARED_PREDICTION;
    c->slower_only = options->slower_only;
    c->prediction = n_predictions ? predictions[0] : NULL;
    c->uses_recording = n_predictions && !options->n_measured;
    c->versus = options->n_versus ? options->versus[0] : NULL;
    for (size_t i = n_predictions; i-- > 0 && !options->n_measured && !options->n_versus;)
        if (predictions[i]->clock && *predictions[i]->clock)
            c->clock = predictions[i]->clock;
    const char *from = options->history_folder ? options->history_folder
                       : options->n_measured   ? options->measured_paths[0]
                       : n_predictions         ? predictions[0]->trace_path
                                               : NULL;
    from = from ? from : "prediction";
    tl_status status = gather(predictions, n_predictions, options, c, &measured, &expected, err);
    if (status == TL_OK)
        status = add_rows(c, &measured, &expected, err);
    if (status == TL_OK && n_predictions && !options->n_measured)
        leave_out_short_rows(c, options->min_share);
    if (status == TL_OK && c->n_rows == 0)
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: no two moments that all ranks passed have a measured time; give "
                         "measurements with --measured",
                         from);
    if (status == TL_OK && c->clock && options->tolerance >= 0)
        status = tl_fail(err, TLR_ERR_NOT_COMPARABLE,
                         "%s: the clock of the recording is not comparable: %s; give measurements "
                         "with --measured, or leave out --tolerance",
                         from, c->clock);
    if (status == TL_OK)
        status = add_test(c, &measured, &expected, options->confidence, err);
    if (status == TL_OK)
        status = refuse_unused(c, options, err);
    if (status == TL_OK)
        status = judge(c, options->tolerance, err);
    tlr_runs_clear(&measured);
    tlr_runs_clear(&expected);
    if (status == TL_OK)
        *out = c;
    else
        tlr_comparison_free(c);
    return status;
}

void tlr_comparison_free(tlr_comparison *comparison)
{
    if (!comparison)
        return;
    for (size_t i = 0; i < comparison->n_rows; i++)
        free(comparison->rows[i].name);
    free(comparison->rows);
    json_decref(comparison->only_a);
    json_decref(comparison->only_b);
    free(comparison);
}
