/* compare.c - timeless compare: compares predictions with measurements. */
#include "cli.h"
#include "progress.h"

#include <study/compare.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

struct arguments {
    cli_texts predictions, measured, baseline, versus;
    tlr_compare_options options;
    bool has_min_share;
    cli_json json;
    const char *csv_path, *junit_path;
};

enum {
    KEY_MEASURED = 256,
    KEY_BASELINE,
    KEY_HISTORY,
    KEY_VERSUS,
    KEY_TOLERANCE,
    KEY_CONFIDENCE,
    KEY_SLOWER_ONLY,
    KEY_MIN_SHARE,
    KEY_ALL,
    KEY_JSON,
    KEY_CSV,
    KEY_JUNIT
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What is compared:", 1},
    {"measured", KEY_MEASURED, "FILE", 0,
     "measurements, lines NAME,SECONDS (default: the clocks of the trace); may be repeated", 0},
    {"baseline", KEY_BASELINE, "FILE", 0,
     "earlier measurements instead of predictions; may be repeated", 0},
    {"history", KEY_HISTORY, "FOLDER", 0, "the calibrations of a platform", 0},
    {"against", KEY_VERSUS, "FILE", 0,
     "predictions of the trace, or of another version of the program", 0},

    {0, 0, 0, 0, "What counts as different:", 2},
    {"tolerance", KEY_TOLERANCE, "SHARE", 0,
     "exit with 1 if an error is larger, such as 10% or 0.1 (default: any error passes)", 0},
    {"confidence", KEY_CONFIDENCE, "SHARE", 0, "confidence of the test (default: 95%)", 0},

    {"slower-only", KEY_SLOWER_ONLY, NULL, 0, "measured times below the expected ones pass", 0},

    {0, 0, 0, 0, "Output:", 3},
    {"min-share", KEY_MIN_SHARE, "SHARE", 0,
     "leave out rows shorter than this share of the longest (default: 1%)", 0},
    {"all", KEY_ALL, NULL, 0, "print all rows that took any time", 0},
    CLI_JSON_OPTION(KEY_JSON),
    {"csv", KEY_CSV, "FILE", 0, "also write the rows to FILE", 0},
    {"junit", KEY_JUNIT, "FILE.xml", 0, "write the rows as test cases", 0},
    {0}};

/* "10%" or "0.1" */
static double parse_share(struct argp_state *state, const char *what, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    const bool is_percent = end != text && *end == '%';
    if (is_percent) {
        value /= 100;
        end++;
    }
    if (end == text || *end || !isfinite(value) || value < 0)
        argp_error(state, "%s '%s': give a share such as 10%% or 0.1", what, text);
    if (value > 1 && !is_percent) /* a "5" that means 5% would let everything pass */
        argp_error(state, "%s '%s': above 1, write it as a percentage: %g%% or %g%%", what, text,
                   value, 100 * value);
    return value;
}

/* The things that are compared. */
static void check(struct argp_state *state, const struct arguments *a)
{
    int n_kinds =
        (a->predictions.n > 0) + (a->baseline.n > 0) + (a->options.history_folder != NULL);
    if (n_kinds == 0)
        argp_error(state, "the prediction is missing; give one, or --baseline or --history");
    if (n_kinds > 1)
        argp_error(state, "give only one of predictions, --baseline and --history");
    if (a->versus.n && (!a->predictions.n || a->measured.n))
        argp_error(state, "--against needs a prediction to compare with, and no measurements");
    if (a->baseline.n && !a->measured.n)
        argp_error(state, "--baseline needs --measured");
    if (a->options.history_folder && a->options.slower_only)
        argp_error(state, "--slower-only: a history has speeds, too, of which more is better");
    if (a->has_min_share && !(a->options.min_share <= 1))
        argp_error(state, "--min-share: no row is longer than the run; give at most 100%%");
    if (a->has_min_share && (a->measured.n || a->baseline.n || a->options.history_folder))
        argp_error(state, "--min-share is for measured times of the recording; of measurements "
                          "all rows count");
    if (a->options.history_folder && a->measured.n)
        argp_error(state, "--history and --measured exclude each other");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case KEY_MEASURED: cli_add_text(state, &arguments->measured, value); break;
    case KEY_BASELINE: cli_add_text(state, &arguments->baseline, value); break;
    case KEY_HISTORY: arguments->options.history_folder = value; break;
    case KEY_VERSUS: cli_add_text(state, &arguments->versus, value); break;
    case KEY_TOLERANCE:
        arguments->options.tolerance = parse_share(state, "--tolerance", value);
        break;
    case KEY_CONFIDENCE:
        arguments->options.confidence = parse_share(state, "--confidence", value);
        if (!(arguments->options.confidence > 0 && arguments->options.confidence < 1))
            argp_error(state, "--confidence '%s': above 0 and below 1", value);
        break;
    case KEY_SLOWER_ONLY: arguments->options.slower_only = 1; break;
    case KEY_MIN_SHARE:
        arguments->has_min_share = 1;
        arguments->options.min_share = parse_share(state, "--min-share", value);
        break;
    case KEY_ALL: arguments->options.min_share = 0; break;
    case KEY_JSON: arguments->json = (cli_json){1, value}; break;
    case KEY_CSV: arguments->csv_path = value; break;
    case KEY_JUNIT: arguments->junit_path = value; break;
    case ARGP_KEY_ARG: cli_add_text(state, &arguments->predictions, value); break;
    case ARGP_KEY_END: check(state, arguments); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static tl_status write_file(const char *path, const tlr_comparison *comparison,
                            void (*write)(const tlr_comparison *, FILE *), tl_error *err)
{
    tl_output out;
    if (!path)
        return TL_OK;
    TL_TRY(tl_output_open(path, &out, err));
    write(comparison, out.file);
    return tl_output_close(&out, path, TL_OK, err);
}

static tl_status write_all(const struct arguments *a, const tlr_comparison *comparison,
                           tl_error *err)
{
    cli_progress_stop();
    if (cli_json_leaves_text(&a->json))
        tlr_comparison_print(comparison, stdout);
    if (a->json.is_wanted)
        TL_TRY(cli_json_write(&a->json, tlr_comparison_json(comparison),
                              JSON_SORT_KEYS | JSON_INDENT(2) | JSON_REAL_PRECISION(17), err));
    TL_TRY(write_file(a->csv_path, comparison, tlr_comparison_write_csv, err));
    return write_file(a->junit_path, comparison, tlr_comparison_write_junit, err);
}

static tl_status read_predictions(const cli_texts *paths, tlr_prediction ***out, tl_error *err)
{
    tlr_prediction **all = *out = calloc(paths->n + 1, sizeof *all);
    if (!all)
        return tl_no_memory(err, "comparing");
    for (size_t i = 0; i < paths->n; i++)
        TL_TRY(tlr_prediction_read_json(paths->texts[i], &all[i], err));
    return TL_OK;
}

static void free_predictions(cli_texts *paths, tlr_prediction **predictions)
{
    for (size_t i = 0; predictions && i < paths->n; i++)
        tlr_prediction_free(predictions[i]);
    free(predictions);
    free(paths->texts);
}

int cmd_compare(int argc, char **argv)
{
    struct arguments arguments = {.options = {.min_share = 0.01, .tolerance = -1}};
    cli_parse(
        options, parse_option, NULL,
        "PREDICTION.json... [--against OTHER.json]\n--baseline FILE --measured FILE\n--history "
        "FOLDER",
        "Print the times that 'timeless replay --json' predicted beside measured times: a row for "
        "each two neighbouring moments that all ranks pass (Init, Barrier, Wtime, Pcontrol, "
        "Finalize), and one for the whole run.  --baseline and --history compare measurements or "
        "calibrations with earlier ones, and test whether a change is more than noise.  --against "
        "compares predictions with each other.",
        argc, argv, &arguments);
    tlr_prediction **predictions = NULL, **versus = NULL;
    tlr_comparison *comparison = NULL;
    tl_error err;
    int code = CLI_OK;
    tl_status status = read_predictions(&arguments.predictions, &predictions, &err);
    if (status == TL_OK)
        status = read_predictions(&arguments.versus, &versus, &err);
    arguments.options.measured_paths = arguments.measured.texts;
    arguments.options.n_measured = arguments.measured.n;
    arguments.options.baseline_paths = arguments.baseline.texts;
    arguments.options.n_baseline = arguments.baseline.n;
    arguments.options.versus = (const tlr_prediction *const *)versus;
    arguments.options.n_versus = arguments.versus.n;
    arguments.options.prediction_paths = arguments.predictions.texts;
    arguments.options.versus_paths = arguments.versus.texts;
    if (status == TL_OK)
        status = tlr_compare((const tlr_prediction *const *)predictions, arguments.predictions.n,
                             &arguments.options, &comparison, &err);
    if (status == TL_OK)
        status = write_all(&arguments, comparison, &err);
    if (status != TL_OK)
        code = cli_fail(&err);
    else if (!comparison->passed)
        code = CLI_COMPARISON_FAILED;
    tlr_comparison_free(comparison);
    free_predictions(&arguments.predictions, predictions);
    free_predictions(&arguments.versus, versus);
    free(arguments.measured.texts);
    free(arguments.baseline.texts);
    return code;
}
