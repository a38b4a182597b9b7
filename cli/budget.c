/* budget.c - timeless budget: how wrong a prediction may be, or the difference of two, and what to
 * measure next. */
#include "budget/inputs.h"
#include "cli.h"
#include "grid.h"
#include "replay.h"

#include <calibrate/calibrate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <study/batch.h>
#include <study/budget.h>
#include <timeless_files.h>

enum { OPT_UNCERTAIN = 1000, OPT_JSON, OPT_VERSUS };
/* Replays with other seeds, for the spread of the noise: a choice. */
enum {
    N_SEEDS = 8,
    MOST_TRIALS = 2 * BUDGET_MOST_INPUTS + N_SEEDS + TLR_N_LIMITS + BUDGET_MOST_RECORDINGS
};

/* One input at another position. */
typedef struct trial {
    size_t input;
    double position;
    const char *trace; /* another recording; NULL: as asked for */
    size_t replays[2]; /* of each side; the first one if nothing changes there */
} trial;

typedef struct one_replay {
    size_t trial;
    unsigned side;
} one_replay;

typedef struct arguments {
    budget_inputs inputs;
    cli_json json;
    tlr_budget budget;
    size_t n_trials;
    trial trials[MOST_TRIALS]; /* the first one as asked for */
    size_t n_replays;
    one_replay replays[2 * MOST_TRIALS];
    tlr_point *points; /* of the replays */
    int n_words;       /* behind --versus */
    char **words;
    unsigned parsed; /* the side whose words are parsed */
} arguments;

static const struct argp_option options[] = {
    {"uncertain", OPT_UNCERTAIN, "INPUT=PERCENT", 0,
     "90 % of the true values of an input are this near: bandwidth=5, overheads=20, bursts=3, "
     "kernels=2, kernel:dgemm=1",
     0},
    {"versus", OPT_VERSUS, NULL, 0,
     "the difference from a replay with the options after it, as in --versus --platform NAME", 0},
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
    if (traces->n == BUDGET_MOST_RECORDINGS)
        argp_error(state, "'%s': give at most %d recordings", path, BUDGET_MOST_RECORDINGS);
    cli_add_text(state, traces, path);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->inputs.sides[a->parsed]; return 0;
    case OPT_UNCERTAIN: add_given(state, &a->inputs, value); return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    case OPT_VERSUS: argp_error(state, "write --versus in full, as a word of its own"); return 0;
    case ARGP_KEY_ARG:
        if (a->parsed)
            argp_error(state, "'%s': give traces before --versus", value);
        add_trace(state, &a->inputs.traces, value);
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!a->parsed)
            argp_error(state, "the trace is missing");
        return 0;
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

/* A side without the input is replayed once. */
static void add_replays(arguments *a)
{
    for (size_t i = 0; i < a->n_trials; i++) {
        trial *t = &a->trials[i];
        for (unsigned side = 0; side < a->inputs.n_sides; side++) {
            t->replays[side] = i ? a->trials[0].replays[side] : 0;
            if (i && !(a->inputs.changes[t->input].sides & 1U << side))
                continue;
            t->replays[side] = a->n_replays;
            a->replays[a->n_replays++] = (one_replay){i, side};
        }
    }
}

static tl_status make_replay(const void *arg, size_t i, tlr_scenario *out, tl_error *err)
{
    const arguments *a = arg;
    const budget_inputs *b = &a->inputs;
    const one_replay *r = &a->replays[i];
    const trial *t = &a->trials[r->trial];
    double positions[BUDGET_MOST_INPUTS];
    for (size_t k = 0; k < b->n; k++)
        positions[k] = budget_usual(b, k);
    positions[t->input] = t->position;
    TL_TRY(tlr_scenario_copy(&b->sides[r->side], out, err));
    if (t->trace)
        TL_TRY(tlr_scenario_set_source(out, t->trace, err));
    return budget_change(b, positions, r->side, out, err);
}

/* Replays end in any order. A replay with another input may fail for the same reason as the one
 * that was asked for, so check_trials judges it after all of them. */
static tl_status end_replay(void *arg, size_t i, tl_error *err)
{
    const arguments *a = arg;
    const tlr_point *point = &a->points[i];
    return !point->error[0] || a->replays[i].trial
               ? TL_OK
               : tl_fail(err, point->status, "%s", point->error);
}

/* The point of each trial: with two sides, its makespan is their ratio. */
static tl_status join_sides(arguments *a, const tlr_point *points, tlr_point **out, tl_error *err)
{
    tlr_point *joined = calloc(a->n_trials, sizeof *joined);
    if (!joined)
        return tl_no_memory(err, "replays");
    for (size_t i = 0; i < a->n_trials; i++) {
        const size_t *at = a->trials[i].replays;
        const tlr_point *first = &points[at[0]], *second = &points[at[1]];
        joined[i] = *first;
        if (a->inputs.n_sides < 2)
            continue;
        if (!first->error[0])
            joined[i] = *second;
        joined[i].makespan_s = first->makespan_s > 0 ? second->makespan_s / first->makespan_s : 0;
    }
    *out = joined;
    return TL_OK;
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
                         a->inputs.sides[0].options.no_compute ? ", or leave out --no-compute"
                                                               : "");
}

/* No replay has another value of it. */
static bool is_certain(const budget_inputs *b, size_t i)
{
    return (b->changes[i].kind == INPUT_FACTOR || b->changes[i].kind == INPUT_PARAMETER) &&
           b->inputs[i].uncertainty <= 0;
}

/* Kernels without a measurement. */
static void note_estimates(budget_inputs *b, const tlr_point *base)
{
    static const char *const names[TLR_N_ESTIMATES] = {"the volumes of kernels in the recording",
                                                       "the roofline of the machine"};
    char text[160];
    for (int by = 0; by < TLR_N_ESTIMATES; by++) {
        snprintf(text, sizeof text, "%.3g %% of the computation rests on %s",
                 100 * base->estimated[by], names[by]);
        char whose[200];
        if (base->estimated[by] > 0)
            budget_note(b, "%s, for kernels without a measurement",
                        budget_name(b, text, 0, whose, sizeof whose));
    }
}

/* What --sample leaves open. */
static void add_sampling(arguments *a, const tlr_point *base)
{
    char text[16];
    budget_inputs *b = &a->inputs;
    if (!(base->half_s > 0))
        return;
    tlr_budget_input *sampling =
        budget_add(b, budget_name(b, "sampling", 0, text, sizeof text), TLR_BUDGET_REPLAYED,
                   &(input_change){.kind = INPUT_FIXED}, 0,
                   "timeless replay --sample 0.5%, or without --sample");
    const double part = base->half_s / base->makespan_s;
    sampling->low = a->budget.value * (1 - part);
    sampling->high = a->budget.value * (1 + part);
    if (b->n_sides > 1 && !b->side) {
        sampling->low = a->budget.value / (1 + part);
        sampling->high = a->budget.value / (1 - part);
    }
}

/* The values of the trials of an input, behind the one that was asked for. Returns their number. */
static size_t values_of(const arguments *a, const tlr_point *points, size_t input, double *values)
{
    size_t n = 0;
    values[n++] = points[0].makespan_s;
    for (size_t i = 1; i < a->n_trials; i++)
        if (a->trials[i].input == input && !points[i].error[0])
            values[n++] = points[i].makespan_s;
    return n;
}

/* Puts the values to the input. An input of one replay differs on one side. */
static void set_effect(arguments *a, const tlr_point *points, size_t i)
{
    budget_inputs *b = &a->inputs;
    tlr_budget_input *input = &b->inputs[i];
    double s[BUDGET_MOST_RECORDINGS];
    const size_t n = values_of(a, points, i, s);
    if (b->changes[i].kind == INPUT_NOISE && n > 1)
        tlr_budget_spread(s, n, &input->low, &input->high);
    else if (input->source == TLR_BUDGET_MEASURED && n > 1)
        tlr_budget_predict(s, n, &input->low, &input->high);
    else if (n > 1 || is_certain(b, i)) {
        input->low = s[n > 1];
        input->high = s[n - 1];
    }
    for (size_t k = 1; k < n && b->changes[i].kind == INPUT_BOUND; k++) {
        input->low = fmin(input->low, s[k]);
        input->high = fmax(input->high, s[k]);
    }
}

/* points: of the trials; replays: of all replays. */
static void collect(arguments *a, const tlr_point *points, const tlr_point *replays)
{
    budget_inputs *b = &a->inputs;
    a->budget.value = points[0].makespan_s;
    for (size_t i = 0; i < b->n; i++)
        set_effect(a, points, i);
    budget_drop_unknown(b);
    for (b->side = 0; b->side < b->n_sides; b->side++) {
        const tlr_point *base = &replays[a->trials[0].replays[b->side]];
        a->budget.sides[b->side].makespan_s = base->makespan_s;
        note_estimates(b, base);
        add_sampling(a, base);
    }
}

static tl_status replay_all(arguments *a, tl_error *err)
{
    tlr_point *points = NULL;
    add_trials(a);
    add_replays(a);
    if (!(a->points = tlr_points_create(a->n_replays, err)))
        return TL_ERR_MEMORY;
    const tlr_batch batch = {.n = a->n_replays,
                             .points = a->points,
                             .make = make_replay,
                             .done = end_replay,
                             .arg = a,
                             .n_jobs = tlp_n_cores()};
    tl_status status = cli_run_batch(&batch, "replays", err);
    if (status == TL_OK)
        status = join_sides(a, a->points, &points, err);
    if (status == TL_OK)
        status = check_trials(a, points, err);
    if (status == TL_OK)
        collect(a, points, a->points);
    free(points);
    tlr_points_free(a->points, a->n_replays);
    return status;
}

static tl_status make_budget(arguments *a, tl_error *err)
{
    TL_TRY(budget_find_inputs(&a->inputs, err));
    TL_TRY(replay_all(a, err));
    a->budget.inputs = a->inputs.inputs;
    a->budget.n = a->inputs.n;
    a->budget.notes = a->inputs.notes;
    a->budget.n_notes = a->inputs.n_notes;
    a->budget.classes = budget_classes_json(a->inputs.spread);
    tlr_budget_finish(&a->budget);
    return TL_OK;
}

/* ---- the words ---- */

static void parse_side(arguments *a, int argc, char **argv)
{
    const struct argp_child children[] = {{replay_settings(), 0, "As for replay:", 1}, {0}};
    cli_parse(options, parse_option, children,
              "TRACE... --platform NAME [--versus OPTION...]\n"
              "TRACE... --engine loggops --params L=...",
              "Print how wrong a prediction may be, and why.", argc, argv, a);
}

/* The words behind --versus are those of the other side. Returns the number of those before. */
static int split_words(arguments *a, int argc, char **argv)
{
    int n = 1;
    while (n < argc && strcmp(argv[n], "--versus") != 0)
        n++;
    a->inputs.n_sides = n < argc ? 2 : 1;
    a->n_words = argc - n;
    a->words = argv + n;
    return n;
}

/* The other side is the first one with other options. */
static tl_status read_other(arguments *a, char *command, tl_error *err)
{
    if (a->n_words == 1)
        return tl_fail(err, TL_ERR_USAGE,
                       "--versus: the options to compare with are missing; write them after it, as "
                       "--versus --platform NAME");
    TL_TRY(tlr_scenario_copy(&a->inputs.sides[0], &a->inputs.sides[1], err));
    a->words[0] = command;
    a->parsed = 1;
    parse_side(a, a->n_words, a->words);
    return TL_OK;
}

static tl_status read_sides(arguments *a, char *command, tl_error *err)
{
    TL_TRY(budget_read_recordings(&a->inputs, err));
    TL_TRY(tlr_scenario_set_source(&a->inputs.sides[0], a->inputs.trace, err));
    if (a->inputs.n_sides > 1)
        TL_TRY(read_other(a, command, err));
    /* The text of the other side begins with that of the first one. */
    a->budget.n_sides = a->inputs.n_sides;
    a->budget.sides[0].options = a->inputs.sides[0].text;
    if (a->inputs.n_sides > 1)
        a->budget.sides[1].options = a->inputs.sides[1].text + strlen(a->inputs.sides[0].text);
    return TL_OK;
}

int cmd_budget(int argc, char **argv)
{
    tl_error err;
    arguments *a = calloc(1, sizeof *a);
    if (!a)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    a->inputs.sides[0] = replay_scenario();
    parse_side(a, split_words(a, argc, argv), argv);
    tl_status status = read_sides(a, argv[0], &err);
    if (status == TL_OK)
        status = make_budget(a, &err);
    if (status == TL_OK) {
        if (cli_json_leaves_text(&a->json))
            tlr_budget_print(&a->budget, stdout);
        if (a->json.is_wanted)
            status = cli_json_write(&a->json, tlr_budget_json(&a->budget),
                                    JSON_INDENT(2) | JSON_REAL_PRECISION(17), &err);
    }
    tlr_scenario_free(&a->inputs.sides[0]);
    if (a->inputs.n_sides > 1)
        tlr_scenario_free(&a->inputs.sides[1]);
    tlp_spread_free(a->inputs.spread);
    json_decref(a->budget.classes);
    free(a->inputs.traces.texts);
    free(a);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
