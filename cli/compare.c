/* compare.c - timeless compare: a prediction beside what was measured. */
#include "cli.h"

#include <math.h>
#include <replayer.h>
#include <stdio.h>
#include <stdlib.h>

struct arguments {
    const char *prediction_path;
    tlr_compare_options options;
    int json;
};

enum { KEY_MEASURED = 256, KEY_TOLERANCE, KEY_MIN_SHARE, KEY_ALL, KEY_JSON };

static const struct argp_option options[] = {
    {"measured", KEY_MEASURED, "FILE", 0,
     "measurements: lines NAME,SECONDS; default: the clocks in the trace", 0},
    {"tolerance", KEY_TOLERANCE, "SHARE", 0,
     "exit with 1 when an error is larger, such as 10% or 0.1; default: any error passes", 0},
    {"min-share", KEY_MIN_SHARE, "SHARE", 0,
     "leave out rows shorter than this share of the longest; default 1%", 0},
    {"all", KEY_ALL, NULL, 0, "leave out no row that took any time", 0},
    {"json", KEY_JSON, NULL, 0, "write JSON instead of a table", 0},
    {0},
};

/* "10%" or "0.1" */
static double parse_share(struct argp_state *state, const char *what, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end == '%') {
        value /= 100;
        end++;
    }
    if (end == text || *end || !isfinite(value) || value < 0)
        argp_error(state, "%s '%s': give a share such as 10%% or 0.1", what, text);
    return value;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case KEY_MEASURED: arguments->options.measured_path = value; break;
    case KEY_TOLERANCE:
        arguments->options.tolerance = parse_share(state, "--tolerance", value);
        break;
    case KEY_MIN_SHARE:
        arguments->options.min_share = parse_share(state, "--min-share", value);
        break;
    case KEY_ALL: arguments->options.min_share = 0; break;
    case KEY_JSON: arguments->json = 1; break;
    default: return cli_argument(key, value, state, "prediction", &arguments->prediction_path);
    }
    return 0;
}

int cmd_compare(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "PREDICTION.json",
        "Set the times that 'timeless replay --json' predicted beside measured ones: for each two "
        "neighbouring moments that all ranks passed (Init, Barrier, Wtime, Pcontrol, Finalize), "
        "and for the whole run.",
        NULL,
        NULL,
        NULL};
    struct arguments arguments = {.options = {.min_share = 0.01, .tolerance = -1}};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    tlr_prediction *prediction = NULL;
    tlr_comparison *comparison = NULL;
    tl_error err;
    int code = CLI_OK;
    tl_status status = tlr_prediction_read_json(arguments.prediction_path, &prediction, &err);
    if (status == TL_OK)
        status = tlr_compare(prediction, &arguments.options, &comparison, &err);
    if (status == TL_OK && arguments.json)
        status = tlr_comparison_write_json(comparison, prediction, stdout, &err);
    else if (status == TL_OK)
        tlr_comparison_print(comparison, prediction, stdout);
    if (status != TL_OK)
        code = cli_fail(&err);
    else if (!comparison->passed)
        code = CLI_COMPARISON_FAILED;
    tlr_comparison_free(comparison);
    tlr_prediction_free(prediction);
    return code;
}
