/* budget.c - timeless budget: how wrong a prediction may be, and what to measure next. */
#include "cli.h"
#include "progress.h"
#include "sweep_words.h"

#include <calibrate/calibrate.h>
#include <machine/rank_model.h>
#include <math.h>
#include <replayer.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <study/budget.h>
#include <study/sweep.h>
#include <timeless_files.h>

enum { OPT_UNCERTAIN = 1000, OPT_JSON, MOST_KERNELS = 256, MOST_INPUTS = MOST_KERNELS + 16 };
enum { MOST_POINTS = 2 * MOST_INPUTS + 16 };
enum { N_SEEDS = 8 };

/* The median of the absolute value of a normal variable is 0.6745 standard deviations, and 90 % lie
 * within 1.6449. */
static const double HALF_90_OF_MEDIAN = 1.6448536269514722 / 0.6744897501960817;
static const double ASSUMED_COMPUTE = 0.05, ASSUMED_NETWORK = 0.1;

typedef enum trial_kind { AS_ASKED, AT_A_BOUND, IN_ANOTHER_ORDER, WITH_A_SEED } trial_kind;

/* A replay: with this word more. */
typedef struct trial {
    trial_kind kind;
    size_t input;
    char word[192];
} trial;

typedef struct arguments {
    const char *trace;
    word_list options;
    cli_json json;
    cli_progress progress;
    size_t n_given;
    struct {
        const char *name;
        double uncertainty;
        int is_used;
    } given[MOST_INPUTS];
    tlr_budget budget;
    tlr_budget_input inputs[MOST_INPUTS];
    size_t n_trials;
    trial trials[MOST_POINTS]; /* the first one as asked for */
    size_t noise;              /* its input */
    tlr_sweep sweep;
} arguments;

static const struct argp_option options[] = {
    {"uncertain", OPT_UNCERTAIN, "INPUT=PERCENT", 0,
     "90 % of the true values of an input are this near: bandwidth=5, latency=20, bursts=3, "
     "kernels=2, kernel:dgemm=1",
     0},
    {"json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL, "write JSON to FILE, or instead of text", 0},
    {0}};

static void add_given(struct argp_state *state, arguments *a, char *text)
{
    char *equals = strrchr(text, '='), *rest = NULL;
    const double percent = equals ? strtod(equals + 1, &rest) : 0;
    if (!equals || equals == text || rest == equals + 1 || (*rest && strcmp(rest, "%") != 0) ||
        !(percent >= 0 && percent < 100) || a->n_given == MOST_INPUTS) {
        argp_error(state, "--uncertain '%s': write INPUT=PERCENT, from 0 to below 100", text);
        return;
    }
    *equals = '\0';
    a->given[a->n_given].name = text;
    a->given[a->n_given++].uncertainty = percent / 100;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->options; return 0;
    case OPT_UNCERTAIN: add_given(state, a, value); return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    default: return cli_argument(key, value, state, "trace", &a->trace);
    }
}

static const char *option_of(const arguments *a, const char *name)
{
    const size_t length = strlen(name);
    const char *value = NULL;
    for (size_t i = 0; i < a->options.n; i++)
        if (!strncmp(a->options.words[i], name, length))
            value = a->options.words[i] + length;
    return value;
}

/* ---- the inputs, and the replays at their bounds ---- */

static tlr_budget_input *add_input(arguments *a, const char *name, tlr_budget_source source,
                                   double uncertainty, const char *remedy)
{
    tlr_budget_input *input = &a->inputs[a->budget.n++];
    *input = (tlr_budget_input){
        .source = source, .uncertainty = uncertainty, .remedy = remedy, .low_s = -1, .high_s = -1};
    snprintf(input->name, sizeof input->name, "%s", name);
    return input;
}

/* A replay for the input that was added last. */
static void add_trial(arguments *a, trial_kind kind, const char *format, ...)
{
    va_list values;
    trial *t = &a->trials[a->n_trials++];
    t->kind = kind;
    t->input = a->budget.n - 1;
    va_start(values, format);
    vsnprintf(t->word, sizeof t->word, format, values);
    va_end(values);
}

/* The user's word for the input, or for all of its group. */
static int find_given(arguments *a, const char *name, const char *group, double *uncertainty)
{
    int found = 0;
    for (size_t i = 0; i < a->n_given; i++) {
        const int is_name = !strcmp(a->given[i].name, name),
                  is_group = !strcmp(a->given[i].name, group);
        if (is_name || (is_group && found < 2))
            *uncertainty = a->given[i].uncertainty;
        if (is_name || is_group) {
            a->given[i].is_used = 1;
            found = is_name ? 2 : found ? found : 1;
        }
    }
    return found != 0;
}

/* An input that a factor makes wrong. The factor stands between `before` and `after` in the
 * replay's word; `stated` 0: nobody states its uncertainty. */
static void add_factor(arguments *a, const char *name, const char *group, const char *before,
                       const char *after, double stated, double assumed, const char *remedy)
{
    double u = stated > 0 ? stated : assumed;
    tlr_budget_source source = stated > 0 ? TLR_BUDGET_STATED : TLR_BUDGET_ASSUMED;
    if (find_given(a, name, group, &u))
        source = TLR_BUDGET_GIVEN;
    u = fmin(u, 0.99);
    add_input(a, name, source, u, remedy);
    add_trial(a, AT_A_BOUND, "%s%.17g%s", before, 1 - u, after);
    add_trial(a, AT_A_BOUND, "%s%.17g%s", before, 1 + u, after);
}

static void add_kernel(arguments *a, const tlr_model *model, uint16_t call, const char *user)
{
    char name[160], before[176];
    snprintf(name, sizeof name, user ? "kernel:user:%s" : "kernel:%s",
             user ? user : tl_call_by_code(call)->name);
    for (size_t i = 0; i < a->budget.n; i++)
        if (!strcmp(a->inputs[i].name, name))
            return;
    const tlr_kernel_model *kernel = model ? tlr_rates_kernel(&model->pool, call, user) : NULL;
    snprintf(before, sizeof before, "--set=%s.time=", name);
    add_factor(a, name, "kernels", before, "x",
               kernel ? HALF_90_OF_MEDIAN * kernel->median_error : 0, ASSUMED_COMPUTE,
               "timeless calibrate kernels --max-seconds 60");
}

enum { KNOWN_USER_KERNELS = 1024 };

/* The kernels that were seen: by their codes, and those of the program by their numbers in a rank.
 */
typedef struct seen_kernels {
    unsigned char codes[TL_CALL_LIMIT], user[KNOWN_USER_KERNELS];
} seen_kernels;

static int is_new_kernel(seen_kernels *seen, const tl_event *e)
{
    unsigned char *place = NULL, none = 0;
    if (e->call == TL_KERNEL_user) {
        const int is_known = e->tag >= 0 && e->tag < KNOWN_USER_KERNELS;
        place = is_known ? &seen->user[e->tag] : &none;
    } else {
        const tl_call_info *info = tl_call_by_code(e->call);
        if (!info || !info->dimensions || e->call >= TL_CALL_LIMIT)
            return 0;
        place = &seen->codes[e->call];
    }
    const int is_new = !*place;
    *place = 1;
    return is_new;
}

static tl_status add_kernels_of(arguments *a, const tlr_model *model, tl_reader *trace,
                                uint32_t rank, seen_kernels *seen, tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event e;
    tl_status status = tl_cursor_open(trace, rank, &cursor, err);
    if (status != TL_OK)
        return status;
    memset(seen->user, 0, sizeof seen->user);
    while ((status = tl_cursor_next(cursor, &e)) == TL_OK && a->budget.n < MOST_KERNELS)
        if (is_new_kernel(seen, &e))
            add_kernel(a, model, e.call,
                       e.call == TL_KERNEL_user ? tl_reader_kernel_name(trace, rank, &e) : NULL);
    if (status == TL_OK)
        status = tl_fail(err, TL_ERR_UNSUPPORTED,
                         "%s: calls more than %d kernels, which is too much for a budget",
                         tl_printable(a->trace), MOST_KERNELS);
    else if (status == TL_END)
        status = TL_OK;
    else
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status;
}

/* The kernels that the ranks call. */
static tl_status add_kernels(arguments *a, const tlr_model *model, tl_reader *trace, tl_error *err)
{
    tl_status status = TL_OK;
    seen_kernels seen = {{0}, {0}};
    for (uint32_t r = 0; r < tl_reader_run(trace)->n_ranks && status == TL_OK; r++)
        status = add_kernels_of(a, model, trace, r, &seen, err);
    return status;
}

static tl_status add_computation(arguments *a, const tlr_model *model, tl_error *err)
{
    tl_reader *trace = NULL;
    tl_status status = tl_reader_open(a->trace, &trace, err);
    if (status == TL_OK)
        status = add_kernels(a, model, trace, err);
    if (status == TL_OK)
        add_factor(a, "bursts", "bursts", "--scale=bursts=", "", 0, ASSUMED_COMPUTE,
                   "timeless calibrate cpu");
    tl_reader_close(trace);
    return status;
}

static void add_orders(arguments *a)
{
    static const struct {
        const char *option, *other, *name, *remedy;
    } orders[] = {
        {"--polls=", "adaptive", "order of polls", "timeless replay --polls adaptive"},
        {"--wildcards=", "first", "order of wildcards", "timeless replay --wildcards first"}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const char *now = option_of(a, orders[i].option);
        add_input(a, orders[i].name, TLR_BUDGET_REPLAYED, 0, orders[i].remedy);
        add_trial(a, IN_ANOTHER_ORDER, "%s%s", orders[i].option,
                  now && !strcmp(now, orders[i].other) ? "recorded" : orders[i].other);
    }
}

static void add_noise(arguments *a)
{
    const char *seed = option_of(a, "--seed=");
    const unsigned long long first = seed ? strtoull(seed, NULL, 10) : 1;
    a->noise = a->budget.n;
    add_input(a, "noise", TLR_BUDGET_REPLAYED, 0, "timeless calibrate noise");
    for (unsigned long long i = 1; i <= N_SEEDS; i++)
        add_trial(a, WITH_A_SEED, "--seed=%llu", first + i);
}

static tl_status add_inputs(arguments *a, tl_error *err)
{
    static const char network[] = "timeless calibrate network --max-seconds 60";
    tlr_platform *platform = NULL;
    tlr_model *own = NULL;
    const char *name = option_of(a, "--platform="), *path = option_of(a, "--model="),
               *engine = option_of(a, "--engine=");
    if (!name || (engine && strcmp(engine, "smpi") != 0))
        return tl_fail(err, TL_ERR_USAGE,
                       "a budget needs the links of a platform: give --platform "
                       "NAME, and no other engine than smpi");
    tl_status status = tlr_platform_load(name, &platform, err);
    if (status == TL_OK && path)
        status = tlr_model_load(path, &own, err);
    if (status != TL_OK)
        return status;
    const tlr_model *model = own ? own : platform->model;
    a->n_trials = 1;
    if (!option_of(a, "--no-compute"))
        status = add_computation(a, model, err);
    add_factor(a, "bandwidth", "network", "--scale=bandwidth=", "", 0, ASSUMED_NETWORK, network);
    add_factor(a, "latency", "network", "--scale=latency=", "", 0, ASSUMED_NETWORK, network);
    add_orders(a);
    if ((model && model->is_random && !option_of(a, "--no-compute")) || option_of(a, "--noise="))
        add_noise(a);
    for (size_t i = 0; i < a->n_given && status == TL_OK; i++)
        if (!a->given[i].is_used)
            status = tl_fail(err, TL_ERR_USAGE,
                             "--uncertain %s: this prediction has no such input; its inputs are "
                             "bandwidth, latency, bursts, and kernel:NAME for each kernel of the "
                             "trace",
                             tl_printable(a->given[i].name));
    tlr_platform_free(platform);
    tlr_model_free(own);
    return status;
}

/* ---- the replays ---- */

static int run_trial(void *arg, size_t i, tlr_point *point)
{
    const arguments *a = arg;
    word_list words = {0};
    int good = word_list_add(&words, strdup(a->trace));
    for (size_t k = 0; good && k < a->options.n; k++)
        good = word_list_add(&words, strdup(a->options.words[k]));
    if (good && a->trials[i].word[0])
        good = word_list_add(&words, strdup(a->trials[i].word));
    const int code = good ? words_run(&words, 0, point)
                          : cli_fail_text(TL_ERR_MEMORY, "out of memory for a replay");
    word_list_free(&words);
    return code;
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    arguments *a = arg;
    const tlr_point *point = &a->sweep.points[i];
    cli_progress_step(&a->progress);
    /* In another order of its calls the program may wait forever. */
    if (point->error[0] && a->trials[i].kind == IN_ANOTHER_ORDER) {
        fprintf(stderr, "timeless: %s is no part of the interval: %s\n",
                a->inputs[a->trials[i].input].name, point->error);
        return TL_OK;
    }
    return point->error[0] ? tl_fail(err, TL_ERR_INPUT, "%s%s%s", point->error,
                                     a->trials[i].word[0] ? "; with " : "", a->trials[i].word)
                           : TL_OK;
}

static tl_status create_points(arguments *a, tl_error *err)
{
    const char *values[MOST_POINTS];
    tlr_axis *axis = calloc(1, sizeof *axis);
    for (size_t i = 0; i < a->n_trials; i++)
        values[i] = i ? a->trials[i].word : "none";
    tl_status status = axis ? tlr_axis_of("trace", values, a->n_trials, axis, err)
                            : tl_fail(err, TL_ERR_MEMORY, "out of memory for the replays");
    if (status == TL_OK)
        status = tlr_sweep_create(axis, 1, &a->sweep, err);
    if (status != TL_OK && axis) {
        tlr_axis_free(axis);
        free(axis);
    }
    return status;
}

/* Leaves out the inputs of which no replay came to its end. */
static void drop_inputs_without_replay(tlr_budget *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->inputs[i].low_s >= 0)
            b->inputs[n++] = b->inputs[i];
    b->n = n;
}

/* Puts the makespans to the inputs. An input of one replay differs on one side. */
static void collect(arguments *a)
{
    double drawn_s[N_SEEDS + 1];
    size_t n_drawn = 1;
    const tlr_point *base = &a->sweep.points[0];
    a->budget.makespan_s = drawn_s[0] = base->makespan_s;
    for (size_t i = 1; i < a->n_trials; i++) {
        tlr_budget_input *input = &a->inputs[a->trials[i].input];
        const tlr_point *point = &a->sweep.points[i];
        if (point->error[0])
            continue;
        if (a->trials[i].kind == WITH_A_SEED)
            drawn_s[n_drawn++] = point->makespan_s;
        else if (input->low_s < 0)
            input->low_s = input->high_s = point->makespan_s;
        else
            input->high_s = point->makespan_s;
    }
    if (n_drawn > 1)
        tlr_budget_spread(drawn_s, n_drawn, &a->inputs[a->noise].low_s,
                          &a->inputs[a->noise].high_s);
    a->budget.inputs = a->inputs;
    drop_inputs_without_replay(&a->budget);
    tlr_budget_input *sampling =
        base->half_s > 0 ? add_input(a, "sampling", TLR_BUDGET_REPLAYED, 0,
                                     "timeless replay --sample 0.5%, or without --sample")
                         : NULL;
    if (sampling) {
        sampling->low_s = base->makespan_s - base->half_s;
        sampling->high_s = base->makespan_s + base->half_s;
    }
    tlr_budget_finish(&a->budget);
}

static tl_status write_json(const void *arg, FILE *out, tl_error *err)
{
    return tlr_budget_write_json(arg, out, err);
}

int cmd_budget(int argc, char **argv)
{
    const struct argp words = {words_options(), words_parse, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child children[] = {{&words, 0, "As for replay:", 1}, {0}};
    const struct argp argp = {options,
                              parse,
                              "TRACE --platform NAME",
                              "Print how wrong a prediction may be, and why.",
                              children,
                              NULL,
                              NULL};
    tl_error err;
    arguments *a = calloc(1, sizeof *a);
    if (!a)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    cli_parse(&argp, argc, argv, 0, a);
    words_prepare(&a->options);
    tl_status status = add_inputs(a, &err);
    if (status == TL_OK)
        status = create_points(a, &err);
    if (status == TL_OK) {
        a->progress = cli_progress_begin("replays", a->n_trials);
        status = tlr_sweep_run(&a->sweep, 0, 1, tlp_n_cores(), run_trial, done, a, &err);
        cli_progress_end(&a->progress);
    }
    if (status == TL_OK) {
        collect(a);
        if (cli_json_leaves_text(&a->json))
            tlr_budget_print(&a->budget, stdout);
        status = cli_json_write(&a->json, write_json, &a->budget, &err);
    }
    tlr_sweep_free(&a->sweep);
    word_list_free(&a->options);
    free(a);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
