/* scaling.c - timeless study scaling: how well a program uses more ranks, and what limits it. */
#include "config.h"

#include "study/study.h"

#include "replay.h"

#include <stdlib.h>
#include <string.h>
#include <study/scaling.h>
#include <timeless_convert.h>
#include <unistd.h>

enum { OPT_RANKS = 1000, OPT_STRONG, OPT_WEAK, OPT_GROW };

typedef struct arguments {
    study_common common;
    const char *ranks;
    cli_texts grown; /* "NAME=EXPRESSION" */
    bool is_strong, is_weak;
    tlr_scaling study;
    uint32_t *n_ranks; /* of each point */
    tlr_grown *growths;
} arguments;

static const struct argp_option options[] = {
    {"ranks", OPT_RANKS, "LIST", 0, "numbers of ranks of a skeleton or HPL, as 16..4096", 0},
    {"strong", OPT_STRONG, NULL, 0, "the same problem on all of them (default)", 0},
    {"weak", OPT_WEAK, NULL, 0, "a problem that grows with the ranks", 0},
    {"grow", OPT_GROW, "NAME=EXPRESSION", 0,
     "weak: a parameter of the program, as 'N=1000*root(ranks,2)'; may be repeated", 0},
    STUDY_OUTPUT_OPTION,
    CLI_JSON_OPTION(STUDY_JSON),
    {"plot", STUDY_PLOT, "FILE", 0, "draw speed-up and efficiencies: .svg, .pdf or .png", 0},
    STUDY_OPTIONS,
    {0}};

/* ---- arguments ---- */

/* One program on several numbers of ranks, or a trace for each of them. */
static void check_programs(struct argp_state *state, const arguments *a)
{
    const cli_texts *traces = &a->common.grid.traces;
    if (!traces->n)
        argp_error(state, "which program? give a skeleton or hpl:N=... and --ranks, or its traces "
                          "on several numbers of ranks");
    for (size_t i = 0; i < traces->n; i++) {
        const char *path = traces->texts[i];
        const bool is_program = tl_is_program(path);
        if (is_program && traces->n > 1)
            argp_error(state, "%s: give one skeleton or hpl:N=..., or traces alone", path);
        if (is_program && !a->ranks)
            argp_error(state, "%s: on which numbers of ranks? give --ranks 16..1024", path);
        if (!is_program && a->ranks && access(path, F_OK) == 0)
            argp_error(state,
                       "%s is a trace with the ranks of its run; leave out --ranks, or make a "
                       "skeleton of traces by timeless fit",
                       path);
        if (!is_program && traces->n == 1 && access(path, F_OK) == 0)
            argp_error(state,
                       "%s has one number of ranks; give traces of several, or a skeleton with "
                       "--ranks (timeless fit makes one of traces)",
                       path);
    }
}

static void check_growths(struct argp_state *state, const arguments *a)
{
    if (a->is_strong && a->is_weak)
        argp_error(state, "--strong and --weak exclude each other; give one of them");
    if (a->grown.n && !a->is_weak)
        argp_error(state, "--grow is part of weak scaling; give --weak, or --set NAME=VALUE");
    if (a->grown.n && !a->ranks)
        argp_error(state, "--grow: traces have the sizes of their runs; leave it out");
    for (size_t i = 0; i < a->grown.n; i++) {
        const char *equals = strchr(a->grown.texts[i], '=');
        if (!equals || equals == a->grown.texts[i] || !equals[1])
            argp_error(state, "--grow '%s': write NAME=EXPRESSION, as N=1000*root(ranks,2)",
                       a->grown.texts[i]);
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case OPT_RANKS: a->ranks = value; return 0;
    case OPT_STRONG: a->is_strong = 1; return 0;
    case OPT_WEAK: a->is_weak = 1; return 0;
    case OPT_GROW: cli_add_text(state, &a->grown, value); return 0;
    case ARGP_KEY_ARG: cli_add_text(state, &a->common.grid.traces, value); return 0;
    case ARGP_KEY_SUCCESS:
        check_programs(state, a);
        check_growths(state, a);
        study_refuse(state, &a->common.grid, "seeds", "scaling is of one replay; give --seed N");
        study_refuse(state, &a->common.grid, "sample",
                     "the efficiencies need all events; leave it out");
        return 0;
    default: return study_parse(key, value, state, &a->common);
    }
}

/* ---- the points ---- */

static int by_number(const void *a, const void *b)
{
    const unsigned long x = strtoul(*(char *const *)a, NULL, 10);
    const unsigned long y = strtoul(*(char *const *)b, NULL, 10);
    return x < y ? -1 : x > y;
}

static tl_status list_ranks(arguments *a, tlr_axis *axis, tl_error *err)
{
    TL_TRY(study_numbers("ranks", "--ranks", a->ranks, axis, err));
    qsort(axis->values, axis->n, sizeof *axis->values, by_number);
    if (!(a->n_ranks = calloc(axis->n, sizeof *a->n_ranks)))
        return tl_no_memory(err, "the command");
    for (size_t i = 0; i < axis->n; i++)
        a->n_ranks[i] = (uint32_t)strtoul(axis->values[i], NULL, 10);
    return a->n_ranks[0] ? TL_OK : tl_fail(err, TL_ERR_USAGE, "--ranks 0: give at least 1 rank");
}

typedef struct sized_trace {
    const char *path;
    uint32_t n_ranks;
} sized_trace;

static int by_ranks(const void *a, const void *b)
{
    const sized_trace *x = a, *y = b;
    return x->n_ranks < y->n_ranks ? -1 : x->n_ranks > y->n_ranks;
}

/* The traces by their ranks. */
static tl_status sort_traces(const cli_texts *traces, sized_trace *out, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < traces->n && status == TL_OK; i++) {
        tl_reader *trace = NULL;
        status = tl_reader_open(traces->texts[i], &trace, err);
        if (status == TL_OK)
            out[i] = (sized_trace){traces->texts[i], tl_reader_run(trace)->n_ranks};
        tl_reader_close(trace);
    }
    if (status == TL_OK)
        qsort(out, traces->n, sizeof *out, by_ranks);
    for (size_t i = 1; i < traces->n && status == TL_OK; i++)
        if (out[i].n_ranks == out[i - 1].n_ranks)
            status = tl_fail(err, TL_ERR_USAGE, "%s and %s both have %u ranks; leave out one",
                             out[i - 1].path, out[i].path, (unsigned)out[i].n_ranks);
    return status;
}

static tl_status list_traces(arguments *a, tlr_axis *axis, tl_error *err)
{
    const cli_texts *traces = &a->common.grid.traces;
    sized_trace *sorted = calloc(traces->n, sizeof *sorted);
    a->n_ranks = calloc(traces->n, sizeof *a->n_ranks);
    tl_status status =
        sorted && a->n_ranks ? sort_traces(traces, sorted, err) : tl_no_memory(err, "the command");
    if (status == TL_OK)
        status = tlr_axis_of("trace", NULL, 0, axis, err);
    for (size_t i = 0; i < traces->n && status == TL_OK; i++) {
        a->n_ranks[i] = sorted[i].n_ranks;
        status = tlr_axis_append(axis, sorted[i].path, err);
    }
    free(sorted);
    return status;
}

/* ---- parameters that grow ---- */

static tl_status evaluate(arguments *a, tlr_grown *out, const char *text, tl_error *err)
{
    const size_t n = a->common.grid.sweep.n_points;
    const char *equals = strchr(text, '=');
    tl_error wrong;
    out->name = strndup(text, strcspn(text, "= "));
    out->expression = equals + 1;
    out->values = calloc(n, sizeof *out->values);
    if (!out->name || !out->values)
        return tl_no_memory(err, "the command");
    for (size_t i = 0; i < n; i++)
        if (tl_program_number(equals + 1, a->n_ranks[i], &out->values[i], &wrong) != TL_OK)
            return tl_fail(err, TL_ERR_USAGE, "--grow %s: %s", out->name, wrong.text);
    return TL_OK;
}

static tl_status evaluate_all(arguments *a, tl_error *err)
{
    tl_status status = TL_OK;
    a->growths = calloc(a->grown.n + 1, sizeof *a->growths);
    if (!a->growths)
        return tl_no_memory(err, "the command");
    a->study.grown = a->growths;
    for (size_t k = 0; k < a->grown.n && status == TL_OK; k++) {
        a->study.n_grown = k + 1;
        status = evaluate(a, &a->growths[k], a->grown.texts[k], err);
    }
    return status;
}

static tl_status set_grown(const void *arg, size_t point, tlr_scenario *s, tl_error *err)
{
    const tlr_scaling *study = &((const arguments *)arg)->study;
    tl_status status = TL_OK;
    for (size_t k = 0; k < study->n_grown && status == TL_OK; k++) {
        char text[256];
        snprintf(text, sizeof text, "%.200s=%lld", study->grown[k].name,
                 (long long)study->grown[k].values[point]);
        status = tlr_scenario_add_parameter(s, text, err);
    }
    return status;
}

/* ---- the study ---- */

static tl_status make_grid(arguments *a, tl_error *err)
{
    tlr_axis *axis = calloc(1, sizeof *axis);
    tl_status status = !axis      ? tl_no_memory(err, "the command")
                       : a->ranks ? list_ranks(a, axis, err)
                                  : list_traces(a, axis, err);
    TL_TRY(study_make_sweep(&a->common.grid, status, axis, 1, err));
    a->common.grid.finds_efficiency = 1;
    a->common.grid.change = set_grown;
    a->common.grid.change_arg = a;
    a->study.sweep = &a->common.grid.sweep;
    a->study.n_ranks = a->n_ranks;
    a->study.program = a->ranks ? a->common.grid.traces.texts[0] : NULL;
    a->study.is_weak = a->is_weak;
    a->study.ignores_crowd = tlr_scenario_is_loggops(&a->common.grid.base);
    return evaluate_all(a, err);
}

static void warn_of_kernels(const tlr_sweep *sweep)
{
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].free_kernels[0]) {
            replay_warn(sweep->points[i].free_kernels);
            return;
        }
}

static tl_status write_results(const void *arg, tl_error *err)
{
    const arguments *a = arg;
    char place[256];
    tlr_scaling study = a->study;
    study_place(&a->common.grid, place, sizeof place);
    study.place = place;
    warn_of_kernels(study.sweep);
    if (cli_json_leaves_text(&a->common.json))
        tlr_scaling_print(&study, stdout);
    if (a->common.json.is_wanted)
        TL_TRY(cli_json_write(&a->common.json, tlr_scaling_json(&study), TLR_JSON_LINES, err));
    if (a->common.plot)
        TL_TRY(tlr_scaling_draw(&study, a->common.plot, err));
    return TL_OK;
}

int study_scaling(int argc, char **argv)
{
    arguments a = {.common = study_begin()};
    tl_error err;
    study_parse_all(options, parse_option, "PROGRAM --ranks LIST\nTRACE...",
                    "Print how well a program uses more ranks, and what limits it.", argc, argv,
                    &a);
    const tl_status status = make_grid(&a, &err);
    const int code = study_run(&a.common, status, write_results, &a, &err);
    for (size_t k = 0; k < a.study.n_grown; k++) {
        free((char *)a.growths[k].name);
        free(a.growths[k].values);
    }
    free(a.growths);
    free(a.grown.texts);
    free(a.n_ranks);
    grid_free(&a.common.grid);
    return code;
}
