/* measure.c - timeless measure: what MPI operations take, how much that varies, and why. */
#include "config.h"

#include "measure/measure.h"

#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

enum {
    KEY_BYTES = 256,
    KEY_ALGORITHMS,
    KEY_REPETITIONS,
    KEY_LAUNCHES,
    KEY_START,
    KEY_COUNTERS,
    KEY_INSIDE,
    KEY_SEED,
    KEY_PROGRAM,
    KEY_ENGINE,
    KEY_SEEDS,
    KEY_NOISE,
    KEY_JSON,
    KEY_PLOT,
    KEY_PAGE
};
enum { MAX_LAUNCHER = 200, MOST_SEEDS = 1000, MOST_COUNTER_NAMES = 255 };

typedef struct arguments {
    measure_campaign campaign;
    cli_texts words; /* the operation, or files */
    grid grid;
    const char *platform, *plot, *page;
    const char *of_prediction; /* an option that changes it; NULL: none was given */
    unsigned n_seeds;
    cli_json json;
} arguments;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What is measured:", 1},
    {"bytes", KEY_BYTES, "LIST", 0, "sizes, as 64,4K or 8..1M or 8..1M:2 (default: 8..64K)", 0},
    {"algorithms", KEY_ALGORITHMS, "LIST", 0,
     "algorithms of the MPI library, or all (default: its own choice)", 0},
    {"repetitions", KEY_REPETITIONS, "N", 0,
     "repetitions of each size in each launch (default: 100)", 0},
    {"launches", KEY_LAUNCHES, "N", 0, "start the program N times for each algorithm (default: 5)",
     0},
    {"start", KEY_START, "HOW", 0,
     "window: ranks begin at a time that rank 0 announces (default); barrier: after a barrier; "
     "loop: only a barrier between the calls, as other benchmarks",
     0},
    {"counters", KEY_COUNTERS, "LIST", 0,
     "up to 4 variables of MPI_T in each repetition, as record: mpit:NAME,...", 0},
    {"inside", KEY_INSIDE, "HZ", OPTION_ARG_OPTIONAL,
     "name the functions that take the time of outliers, by samples of the stack (default: 1999 a "
     "second)",
     0},
    {"seed", KEY_SEED, "N", 0, "draw the order of launches and sizes from this seed (default: 1)",
     0},
    {"program", KEY_PROGRAM, "FILE", 0, "the measuring program, if the hosts have it elsewhere", 0},
    {"output", 'o', "FILE", 0, "write a row (CSV) for each rank and repetition to FILE", 0},

    {0, 0, 0, 0, "The results:", 2},
    {"platform", 'p', "NAME", 0, "predict the same operation on this platform", 0},
    {"engine", KEY_ENGINE, "NAME", 0, "predict with this engine: smpi (default) or loggops", 0},
    {"noise", KEY_NOISE, "NOISE", 0, "predict with this noise, as timeless replay --noise", 0},
    {"seeds", KEY_SEEDS, "N", 0, "predict with N seeds, and print their quantiles (default: 1)", 0},
    CLI_JSON_OPTION(KEY_JSON),
    {"plot", KEY_PLOT, "FILE", 0, "draw the times over the sizes: .svg, .pdf or .png", 0},
    {"page", KEY_PAGE, "FILE", 0, "write an HTML page with each distribution and time series", 0},
    {0}};

static int measures(const arguments *a)
{
    return a->campaign.launcher != NULL;
}

/* Each call of a trace is as large, as frequent and as late as there. */
static void take_trace(struct argp_state *state, measure_campaign *c)
{
    const char *slash = strrchr(c->operation, '/');
    if (access(c->operation, R_OK) != 0)
        argp_error(state,
                   "'%s': give a collective such as allreduce, or send, put or another "
                   "operation of timeless-measure(1), or a trace",
                   c->operation);
    if (c->bytes || c->algorithms || c->repetitions || c->start)
        argp_error(state, "the calls of a trace have sizes, algorithms and repetitions of their "
                          "own; leave out --bytes, --algorithms, --repetitions and --start");
    c->trace = c->operation;
    c->operation = slash ? slash + 1 : c->operation;
    c->start = "calls";
}

/* What the measuring program can read. */
static void check_counters(struct argp_state *state, const char *list)
{
    int n = 0;
    const char *at = list;
    do {
        if (strncmp(at, "mpit:", 5) != 0)
            argp_error(state, "--counters '%s': give names with mpit: before them", list);
        n++;
        at = strchr(at, ',');
    } while (at && at++);
    if (n > TLP_MOST_COUNTERS || strlen(list) > MOST_COUNTER_NAMES)
        argp_error(state, "--counters: give at most %d names, of %d bytes together",
                   TLP_MOST_COUNTERS, MOST_COUNTER_NAMES);
}

static void check_arguments(struct argp_state *state, arguments *a)
{
    measure_campaign *c = &a->campaign;
    if (a->of_prediction && !a->platform)
        argp_error(state, "%s changes a prediction, and nothing is predicted; give --platform NAME",
                   a->of_prediction);
    if (!a->words.n)
        argp_error(state, "what is measured? give an operation and '-- mpirun ARGUMENTS', or a "
                          "file of an earlier measurement");
    if (!measures(a)) {
        if (a->words.n > 2)
            argp_error(state, "at most two files can be compared");
        if (measure_can(a->words.texts[0]))
            argp_error(state, "where is %s measured? give '-- mpirun ARGUMENTS'",
                       a->words.texts[0]);
        return;
    }
    c->operation = a->words.texts[0];
    if (a->words.n > 1)
        argp_error(state, "'%s': one operation at a time", a->words.texts[1]);
    if (!measure_can(c->operation))
        take_trace(state, c);
    if (!c->output)
        argp_error(state, "where to? give -o FILE");
    if (!c->n_launcher)
        argp_error(state, "what starts the ranks? give a launcher behind '--', as mpirun -n 4");
    if (c->n_launcher > MAX_LAUNCHER)
        argp_error(state, "too many arguments for mpirun");
    if (!c->start)
        c->start = "window";
    if (!strcmp(c->start, "loop") && !(measure_can(c->operation) & MEASURE_LOOP))
        argp_error(state,
                   "--start loop repeats one blocking collective, and %s is none; give "
                   "window or barrier",
                   c->operation);
    if (!strcmp(c->start, "loop") && (c->counters || c->inside))
        argp_error(state, "--start loop reads nothing between calls: leave out %s",
                   c->counters ? "--counters" : "--inside");
    if (!c->repetitions)
        c->repetitions = 100;
    if (!c->bytes)
        c->bytes = !strcmp(c->operation, "barrier") ? "0" : "8..64K";
}

static void set(struct argp_state *state, arguments *a, const char *name, const char *value)
{
    tl_error err;
    if (tlr_scenario_set(&a->grid.base, name, value, &err) != TL_OK)
        argp_error(state, "%s", err.text);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    measure_campaign *c = &a->campaign;
    switch (key) {
    case KEY_BYTES: c->bytes = value; return 0;
    case KEY_ALGORITHMS: c->algorithms = value; return 0;
    case KEY_REPETITIONS:
        c->repetitions =
            (unsigned)cli_parse_number_from(state, "--repetitions", value, 1, 10000000);
        return 0;
    case KEY_LAUNCHES:
        c->launches = (unsigned)cli_parse_number_from(state, "--launches", value, 1, 1000);
        return 0;
    case KEY_START:
        if (strcmp(value, "window") != 0 && strcmp(value, "barrier") != 0 &&
            strcmp(value, "loop") != 0)
            argp_error(state, "--start '%s': give window, barrier or loop", value);
        c->start = value;
        return 0;
    case KEY_SEED: c->seed = cli_parse_number(state, "--seed", value, UINT64_MAX); return 0;
    case KEY_PROGRAM: c->program = value; return 0;
    case KEY_COUNTERS:
        check_counters(state, c->counters = value);
        if (strstr(value, "_monitoring_"))
            setenv("OMPI_MCA_pml_monitoring_enable", "1", 0);
        return 0;
    case KEY_INSIDE:
        if (value)
            cli_parse_number_from(state, "--inside", value, 1, 20000);
        c->inside = value ? value : "1999";
        return 0;
    case 'o': c->output = value; return 0;
    case 'p': set(state, a, "platform", a->platform = value); return 0;
    case KEY_ENGINE: set(state, a, "engine", value); return 0;
    case KEY_NOISE:
        a->of_prediction = "--noise";
        set(state, a, "noise", value);
        return 0;
    case KEY_SEEDS:
        a->of_prediction = "--seeds";
        a->n_seeds = (unsigned)cli_parse_number_from(state, "--seeds", value, 1, MOST_SEEDS);
        return 0;
    case KEY_JSON: a->json = (cli_json){1, value}; return 0;
    case KEY_PLOT: a->plot = cli_picture(state, value); return 0;
    case KEY_PAGE: a->page = value; return 0;
    case ARGP_KEY_ARG: cli_add_text(state, &a->words, value); return 0;
    case ARGP_KEY_SUCCESS: check_arguments(state, a); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- results ---- */

static tl_status write_page(const void *arg, FILE *out, tl_error *err)
{
    const measure_results *r = arg;
    const tlp_measured *m = r->measured;
    char title[160], *notes = NULL;
    size_t bytes;
    FILE *text = open_memstream(&notes, &bytes);
    if (!text)
        return tl_no_memory(err, "the page");
    snprintf(title, sizeof title, "timeless measure: %s", tl_printable(m->operation));
    fprintf(text,
            "MPI library: %s\nranks: %u on %zu host%s\nlaunches: %u (a group each)\nstart: "
            "%s\nmoment: %s\nseed: %lu%s%s",
            m->mpi, m->n_ranks, m->n_hosts, m->n_hosts == 1 ? "" : "s", m->n_launches, m->start,
            m->moment, m->seed, r->predicted.cases ? "\npredicted on: " : "", r->predicted.place);
    fputs("\n", text);
    measure_print_functions(r, text);
    fclose(text);
    for (size_t k = 0; k < m->n_cases; k++)
        if (measure_is_predicted(&r->predicted, k)) {
            m->repetitions.items[k].predicted = r->predicted.values + k * r->predicted.n_seeds;
            m->repetitions.items[k].n_predicted = r->predicted.n_seeds;
        }
    tlp_write_fingerprint(&m->repetitions, title, notes, out);
    free(notes);
    return TL_OK;
}

static tl_status write_results(const arguments *a, const measure_results *r, int *changed,
                               tl_error *err)
{
    tl_status status = TL_OK;
    FILE *out = cli_json_leaves_text(&a->json) ? stdout : stderr;
    if (cli_json_leaves_text(&a->json))
        measure_print(r, stdout);
    if (r->later)
        status = measure_compare(r, changed, out, err);
    if (status == TL_OK)
        status = cli_json_write_by(&a->json, measure_write_json, r, err);
    if (status == TL_OK && a->plot)
        status = measure_draw(r, a->plot, err);
    if (status == TL_OK && a->page)
        status = tl_output_write(a->page, write_page, r, err);
    return status;
}

static tl_status read_and_write(arguments *a, int *changed, tl_error *err)
{
    const bool is_new = measures(a);
    const char *path = is_new ? a->campaign.output : a->words.texts[0];
    const char *later = !is_new && a->words.n > 1 ? a->words.texts[1] : NULL;
    tlp_measured *first = tlp_raw_open(&tlp_raw_measured, path, err);
    tlp_measured *second = first && later ? tlp_raw_open(&tlp_raw_measured, later, err) : NULL;
    measure_results r = {.measured = first, .later = second};
    tl_status status = first && (!later || second) ? TL_OK : err->status;
    if (status == TL_OK)
        status = tlp_find_causes(first, &r.causes, err);
    if (status == TL_OK)
        status = tlp_find_functions(first, &r.functions, err);
    if (status == TL_OK && a->platform)
        status = measure_predict(&a->grid, first, a->n_seeds, &r.predicted, err);
    if (status == TL_OK)
        status = write_results(a, &r, changed, err);
    tlp_clear_causes(&r.causes);
    free(r.functions.functions);
    measure_predicted_free(&r.predicted);
    tlp_measured_free(first);
    tlp_measured_free(second);
    return status;
}

/* Takes the words behind "--" as the launcher; returns the number of those before it. */
static int take_launcher(arguments *a, int argc, char **argv)
{
    int n = 1;
    while (n < argc && strcmp(argv[n], "--") != 0)
        n++;
    if (n < argc) {
        a->campaign.launcher = argv + n + 1;
        a->campaign.n_launcher = argc - n - 1;
    }
    return n;
}

int cmd_measure(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        "OPERATION|TRACE -o FILE -- mpirun ARGUMENTS...\nFILE [LATER]",
        "Measure what an MPI operation takes, and print how much it varies and what the slow "
        "repetitions have in common. OPERATION: a collective such as allreduce; a message there "
        "and "
        "back (send, ssend, isend, ...); sendrecv to the next rank; put, get or accumulate. Or "
        "each "
        "call of a trace. Or read measurements again; two files: do they differ?",
        NULL,
        NULL,
        NULL};
    arguments a = {.campaign = {.launches = 5, .seed = 1}, .grid = grid_begin(), .n_seeds = 1};
    tl_error err;
    int changed = 0;
    argp_parse(&argp, take_launcher(&a, argc, argv), argv, 0, NULL, &a);
    tl_status status = measures(&a) ? measure_run(&a.campaign, &err) : TL_OK;
    if (status == TL_OK)
        status = read_and_write(&a, &changed, &err);
    int code = status == TL_OK ? (changed ? CLI_COMPARISON_FAILED : CLI_OK) : cli_fail(&err);
    if (code == CLI_OK && a.platform)
        code = grid_tell_failures(&a.grid);
    grid_free(&a.grid);
    free(a.words.texts);
    return code;
}
