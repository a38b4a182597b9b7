/* budget.c - timeless budget: how wrong a prediction may be, and what to measure next. */
#include "budget/batch.h"
#include "budget/measured.h"
#include "budget/recordings.h"
#include "cli.h"
#include "replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <study/budget.h>
#include <timeless_files.h>

enum { OPT_UNCERTAIN = 1000, OPT_JSON, OPT_MEASURED };
/* Replays with other seeds, for the spread of the noise: a choice. */
enum {
    N_SEEDS = 8,
    MOST_TRIALS = 2 * BUDGET_MOST_INPUTS + N_SEEDS + TLR_N_LIMITS + BUDGET_MOST_RUNS
};

/* A replay with one input at another position. */
typedef struct trial {
    size_t input;
    double position;
    const char *trace; /* another recording; NULL: as asked for */
} trial;

typedef struct arguments {
    budget_inputs inputs;
    cli_json json;
    const char *measured; /* NULL: nothing */
    budget_runs runs;
    tlr_budget budget;
    size_t n_trials;
    trial trials[MOST_TRIALS]; /* the first one as asked for */
} arguments;

static const struct argp_option options[] = {
    {"uncertain", OPT_UNCERTAIN, "INPUT=PERCENT", 0,
     "90 % of the true values of an input are this near: bandwidth=5, overheads=20, bursts=3, "
     "kernels=2, kernel:dgemm=1",
     0},
    {"measured", OPT_MEASURED, "SECONDS|FILE", 0,
     "print which input is probably wrong, from the time of a real run; FILE: several runs, each a "
     "line of SECONDS [TRACE] [OPTION...]",
     0},
    {"json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL, "write JSON to FILE, or instead of text", 0},
    {0}};

static void add_given(struct argp_state *state, budget_inputs *b, char *text)
{
    char *equals = strrchr(text, '='), *rest = NULL;
    const double percent = equals ? strtod(equals + 1, &rest) : 0;
    if (!equals || equals == text || rest == equals + 1 || (*rest && strcmp(rest, "%") != 0) ||
        !(percent >= 0 && percent <= 100 * BUDGET_MOST_UNCERTAIN) ||
        b->n_given == BUDGET_MOST_INPUTS) {
        argp_error(state, "--uncertain '%s': write INPUT=PERCENT, from 0 to 99", text);
        return;
    }
    *equals = '\0';
    b->given[b->n_given].name = text;
    b->given[b->n_given++].uncertainty = percent / 100;
}

static void add_trace(struct argp_state *state, cli_texts *traces, const char *path)
{
    if (traces->n == BUDGET_MOST_RUNS)
        argp_error(state, "'%s': give at most %d recordings", path, BUDGET_MOST_RUNS);
    cli_add_text(state, traces, path);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->inputs.base; return 0;
    case OPT_UNCERTAIN: add_given(state, &a->inputs, value); return 0;
    case OPT_MEASURED: a->measured = value; return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    case ARGP_KEY_ARG: add_trace(state, &a->inputs.traces, value); return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "the trace is missing"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the replays ---- */

static void add_trial(arguments *a, size_t input, double position)
{
    a->trials[a->n_trials++] = (trial){.input = input, .position = position};
}

/* The recordings besides the one that is the trace, with the input as asked for. */
static void add_recordings(arguments *a, size_t input)
{
    const budget_inputs *b = &a->inputs;
    for (size_t i = 0; i < b->traces.n; i++)
        if (i != b->spread->middle) {
            add_trial(a, input, budget_usual(b, input));
            a->trials[a->n_trials - 1].trace = b->traces.texts[i];
        }
}

/* At the bounds of each input, in other orders, with other seeds. */
static void add_trials(arguments *a)
{
    const budget_inputs *b = &a->inputs;
    add_trial(a, 0, b->n ? budget_usual(b, 0) : 0);
    for (size_t i = 0; i < b->n; i++)
        switch (b->changes[i].kind) {
        case INPUT_FACTOR:
        case INPUT_PARAMETER:
            if (b->inputs[i].source == TLR_BUDGET_MEASURED)
                add_recordings(a, i);
            else if (b->inputs[i].uncertainty > 0) {
                add_trial(a, i, 1 - b->inputs[i].uncertainty);
                add_trial(a, i, 1 + b->inputs[i].uncertainty);
            }
            break;
        case INPUT_ORDER: add_trial(a, i, 1); break;
        case INPUT_BOUND:
            for (unsigned k = 0; budget_other_bound(&b->changes[i], k) > 0; k++)
                add_trial(a, i, budget_other_bound(&b->changes[i], k));
            break;
        case INPUT_NOISE:
            for (unsigned k = 1; k <= N_SEEDS; k++)
                add_trial(a, i, k);
            break;
        case INPUT_FIXED: break;
        }
}

static void describe(const void *arg, size_t i, budget_variant *variant)
{
    const trial *t = &((const arguments *)arg)->trials[i];
    variant->positions[t->input] = t->position;
    variant->trace = t->trace;
}

/* Replays end in any order. A replay with another input may fail for the same reason as the one
 * that was asked for, so check_trials judges it after all of them. */
static tl_status fail(const void *arg, size_t i, const tlr_point *point, tl_error *err)
{
    (void)arg;
    return i ? TL_OK : tl_fail(err, point->status, "%s", point->error);
}

static tl_status check_trials(const arguments *a, const tlr_point *points, tl_error *err)
{
    for (size_t i = 1; i < a->n_trials; i++) {
        const trial *t = &a->trials[i];
        const char *name = a->inputs.inputs[t->input].name, *text = points[i].error;
        if (!text[0])
            continue;
        if (a->inputs.changes[t->input].kind != INPUT_ORDER)
            return tl_fail(err, points[i].status, "%s; with %s at %g of its value", text, name,
                           t->position);
        /* In another order of its calls the program may wait forever. */
        fprintf(stderr, "timeless: %s is no part of the interval: %s\n", name, text);
    }
    /* All parts of the interval are parts of the makespan. */
    return points[0].makespan_s > 0
               ? TL_OK
               : tl_fail(err, TL_ERR_INPUT,
                         "%s: its makespan is 0, so no input can change it; give a trace with "
                         "computation or messages%s",
                         tl_printable(a->inputs.trace),
                         a->inputs.base.options.no_compute ? ", or leave out --no-compute" : "");
}

/* No replay has another value of it. */
static int is_certain(const budget_inputs *b, size_t i)
{
    return (b->changes[i].kind == INPUT_FACTOR || b->changes[i].kind == INPUT_PARAMETER) &&
           b->inputs[i].uncertainty <= 0;
}

/* Kernels without a measurement. */
static void note_estimates(budget_inputs *b, const tlr_point *base)
{
    static const char *const names[TLR_N_ESTIMATES] = {"the volumes of kernels in the recording",
                                                       "the roofline of the machine"};
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        if (base->estimated[by] > 0)
            budget_note(b,
                        "%.3g %% of the computation rests on %s, for kernels without a "
                        "measurement",
                        100 * base->estimated[by], names[by]);
}

/* The makespans of the trials of an input, behind the one that was asked for. Returns their number.
 */
static size_t makespans_of(const arguments *a, const tlr_point *points, size_t input,
                           double *makespans_s)
{
    size_t n = 0;
    makespans_s[n++] = points[0].makespan_s;
    for (size_t i = 1; i < a->n_trials; i++)
        if (a->trials[i].input == input && !points[i].error[0])
            makespans_s[n++] = points[i].makespan_s;
    return n;
}

/* Puts the makespans to the input. An input of one replay differs on one side. */
static void set_effect(arguments *a, const tlr_point *points, size_t i)
{
    budget_inputs *b = &a->inputs;
    tlr_budget_input *input = &b->inputs[i];
    double s[BUDGET_MOST_RUNS];
    const size_t n = makespans_of(a, points, i, s);
    if (b->changes[i].kind == INPUT_NOISE && n > 1)
        tlr_budget_spread(s, n, &input->low_s, &input->high_s);
    else if (input->source == TLR_BUDGET_MEASURED && n > 1)
        tlr_budget_predict(s, n, &input->low_s, &input->high_s);
    else if (n > 1 || is_certain(b, i)) {
        input->low_s = s[n > 1];
        input->high_s = s[n - 1];
    }
    for (size_t k = 1; k < n && b->changes[i].kind == INPUT_BOUND; k++) {
        input->low_s = fmin(input->low_s, s[k]);
        input->high_s = fmax(input->high_s, s[k]);
    }
}

static void collect(arguments *a, const tlr_point *points)
{
    budget_inputs *b = &a->inputs;
    const tlr_point *base = &points[0];
    a->budget.makespan_s = base->makespan_s;
    note_estimates(b, base);
    for (size_t i = 0; i < b->n; i++)
        set_effect(a, points, i);
    budget_drop_unknown(b);
    if (base->half_s > 0) {
        tlr_budget_input *sampling =
            budget_add(b, "sampling", TLR_BUDGET_REPLAYED, &(input_change){.kind = INPUT_FIXED}, 0,
                       "timeless replay --sample 0.5%, or without --sample");
        sampling->low_s = base->makespan_s - base->half_s;
        sampling->high_s = base->makespan_s + base->half_s;
    }
}

static tl_status replay_all(arguments *a, tl_error *err)
{
    add_trials(a);
    budget_batch batch = {.inputs = &a->inputs,
                          .what = "replays",
                          .n = a->n_trials,
                          .arg = a,
                          .describe = describe,
                          .fail = fail};
    tl_status status = budget_batch_run(&batch, err);
    if (status == TL_OK)
        status = check_trials(a, batch.points, err);
    if (status == TL_OK)
        collect(a, batch.points);
    budget_batch_free(&batch);
    return status;
}

/* The relative half of the 90 % interval that the noise gives a prediction. */
static double noise_of(const arguments *a)
{
    for (size_t i = 0; i < a->inputs.n; i++) {
        const tlr_budget_input *input = &a->inputs.inputs[i];
        if (a->inputs.changes[i].kind == INPUT_NOISE)
            return (input->high_s - input->low_s) / 2 / a->budget.makespan_s;
    }
    return 0;
}

static tl_status find_inputs(arguments *a, tl_error *err)
{
    const char *traces[BUDGET_MOST_RUNS];
    size_t n = 0;
    for (size_t i = 0; i < a->runs.n; i++)
        if (a->runs.runs[i].trace)
            traces[n++] = a->runs.runs[i].trace;
    return budget_find_inputs(&a->inputs, traces, n, err);
}

static tl_status make_budget(arguments *a, tl_error *err)
{
    tl_status status = TL_OK;
    a->inputs.is_measured = a->measured != NULL;
    if (a->measured)
        status = budget_read_runs(a->measured, &a->inputs.base, &a->runs, err);
    if (status == TL_OK)
        status = find_inputs(a, err);
    if (status == TL_OK)
        status = replay_all(a, err);
    if (status == TL_OK && a->measured)
        status = budget_suspect(&a->inputs, &a->runs, noise_of(a), &a->budget, err);
    a->budget.inputs = a->inputs.inputs;
    a->budget.n = a->inputs.n;
    a->budget.notes = a->inputs.notes;
    a->budget.n_notes = a->inputs.n_notes;
    if (status == TL_OK)
        tlr_budget_finish(&a->budget);
    return status;
}

static tl_status write_json(const void *arg, FILE *out, tl_error *err)
{
    return tlr_budget_write_json(arg, out, err);
}

int cmd_budget(int argc, char **argv)
{
    const struct argp_child children[] = {{replay_settings(), 0, "As for replay:", 1}, {0}};
    const struct argp argp = {options,
                              parse_option,
                              "TRACE... --platform NAME\nTRACE... --engine loggops --params L=...",
                              "Print how wrong a prediction may be, and why.",
                              children,
                              NULL,
                              NULL};
    tl_error err;
    arguments *a = calloc(1, sizeof *a);
    if (!a)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    a->inputs.base = replay_scenario();
    cli_parse(&argp, argc, argv, 0, a);
    tl_status status = budget_read_recordings(&a->inputs, &err);
    if (status == TL_OK)
        status = tlr_scenario_set_source(&a->inputs.base, a->inputs.trace, &err);
    if (status == TL_OK)
        status = make_budget(a, &err);
    if (status == TL_OK) {
        if (cli_json_leaves_text(&a->json))
            tlr_budget_print(&a->budget, stdout);
        status = cli_json_write(&a->json, write_json, &a->budget, &err);
    }
    budget_free_runs(&a->runs);
    tlr_scenario_free(&a->inputs.base);
    tlp_spread_free(a->inputs.spread);
    free(a->inputs.traces.texts);
    free(a);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
