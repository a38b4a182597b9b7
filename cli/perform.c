/* perform.c - timeless perform: runs a trace as a real MPI program. */
#include "config.h"

#include "cli.h"
#include "launch.h"
#include "progress.h"
#include "record/record.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <plan.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

enum {
    KEY_PLATFORM = 256,
    KEY_MODEL,
    KEY_COMPUTE,
    KEY_NO_COMPUTE,
    KEY_DILATE,
    KEY_SEED,
    KEY_PROGRAM,
    KEY_JSON
};
enum { MAX_WORDS = 256 };

struct arguments {
    const char *trace, *platform, *model, *compute, *dilate, *seed, *program, *json;
    int no_compute;
    char **launcher;
    int n_launcher;
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Computation:", 1},
    {"platform", KEY_PLATFORM, "NAME", 0, "take the time of computation from this platform's model",
     0},
    {"model", KEY_MODEL, "FILE", 0, "take it from this compute model", 0},
    {"compute", KEY_COMPUTE, "HOW", 0,
     "wait: sleep for this time (default); spin: keep the core busy; kernels: call the routines of "
     "BLAS and LAPACK, and sleep for the time of all other computation",
     0},
    {"no-compute", KEY_NO_COMPUTE, 0, 0, "computation takes no time", 0},
    {"dilate", KEY_DILATE, "FACTOR", 0, "multiply the time of computation by this", 0},
    {"seed", KEY_SEED, "N", 0, "draw the model's noise from this seed (default: 1)", 0},

    {0, 0, 0, 0, "The run:", 2},
    {"program", KEY_PROGRAM, "FILE", 0, "the performing program, if the hosts have it elsewhere",
     0},
    CLI_JSON_OPTION(KEY_JSON),
    {0}};

static int calls_kernels(const struct arguments *a)
{
    return !a->no_compute && a->compute && strcmp(a->compute, "kernels") == 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct arguments *a = state->input;
    double factor;
    char *rest;
    switch (key) {
    case KEY_PLATFORM: a->platform = value; return 0;
    case KEY_MODEL: a->model = value; return 0;
    case KEY_COMPUTE:
        if (strcmp(value, "wait") != 0 && strcmp(value, "spin") != 0 &&
            strcmp(value, "kernels") != 0)
            argp_error(state, "--compute '%s': give wait, spin or kernels", value);
        a->compute = value;
        return 0;
    case KEY_NO_COMPUTE: a->no_compute = 1; return 0;
    case KEY_DILATE:
        factor = strtod(a->dilate = value, &rest);
        if (*rest || !(factor > 0 && factor <= 1e6))
            argp_error(state, "--dilate '%s': give a factor above 0", value);
        return 0;
    case KEY_SEED:
        cli_parse_number(state, "--seed", value, UINT64_MAX);
        a->seed = value;
        return 0;
    case KEY_PROGRAM: a->program = value; return 0;
    case KEY_JSON: a->json = value ? value : "-"; return 0;
    case ARGP_KEY_ARGS:
        a->trace = state->argv[state->next];
        a->launcher = state->argv + state->next + 1;
        a->n_launcher = state->argc - state->next - 1;
        if (a->n_launcher && strcmp(a->launcher[0], "--") == 0) {
            a->launcher++;
            a->n_launcher--;
        }
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (!a->trace)
            argp_error(state, "which trace? give a file");
        if (a->platform && a->model)
            argp_error(state, "give --platform or --model, not both");
        if (calls_kernels(a) && a->dilate && strtod(a->dilate, NULL) < 1)
            argp_error(state,
                       "--dilate %s: kernels that are called cannot take less time; give a "
                       "factor of at least 1",
                       a->dilate);
        if (a->n_launcher > MAX_WORDS - 24)
            argp_error(state, "too many arguments for mpirun");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Kernels are called: whether all computation has a routine or a time in the model. */
static tl_status check_kernels(const tl_reader *trace, const perform_needs *needs,
                               const tlr_model *model, tl_error *err)
{
    char names[320], text[480];
    TL_TRY(perform_check_model(trace, needs, model, err));
    if (perform_list_uncalled(trace, needs, NULL, names, sizeof names)) {
        snprintf(text, sizeof text, "kernels that cannot be called take the time of the model: %s",
                 names);
        fprintf(stderr, "timeless: %s\n", tl_printable(text));
    }
    return TL_OK;
}

/* Each group of ranks with the same calls is checked once. */
static tl_status check_ranks(const struct arguments *a, tl_reader *trace, const tlr_model *model,
                             int64_t *window_bytes, tl_error *err)
{
    perform_needs needs = {.calls_kernels = calls_kernels(a)};
    tl_status status = TL_OK;
    for (uint32_t r = 0; r < tl_reader_run(trace)->n_ranks && status == TL_OK; r++)
        if (tl_reader_leader(trace, r, 0) == r)
            status = perform_check(trace, r, &needs, err);
    if (status == TL_OK && needs.n_refused)
        status = perform_refuse(trace, &needs, err);
    if (status == TL_OK && calls_kernels(a))
        status = check_kernels(trace, &needs, model, err);
    *window_bytes = needs.window_bytes;
    perform_forget(&needs);
    return status;
}

/* Whatever would fail on a rank is found before one is started. */
static tl_status check(const struct arguments *a, tl_reader *trace, const tlr_model *model,
                       int64_t *window_bytes, tl_error *err)
{
    const tlr_options replay_options = {.allow_opaque = 1,
                                        .no_compute = a->no_compute || calls_kernels(a)};
    tlr_plan *plan = NULL;
    if (!tl_reader_complete(trace))
        return tl_fail(err, TL_ERR_TRUNCATED,
                       "%s: is incomplete, and ranks would wait for each other forever; cut off a "
                       "complete part with 'timeless cut'",
                       tl_reader_path(trace));
    tl_status status = tlr_plan_make(trace, model, &replay_options, &plan, err);
    tlr_plan_free(plan);
    return status == TL_OK ? check_ranks(a, trace, model, window_bytes, err) : status;
}

/* `mpirun -np RANKS` by default. */
static void build_command(const struct arguments *a, const tl_reader *trace, const char *model,
                          int64_t window_size, char *program, char **argv)
{
    static char texts[2][CLI_LAUNCH_TEXT], window_bytes[32];
    const cli_launcher launcher = {.n_each = (int)tl_reader_run(trace)->n_ranks,
                                   .words = a->launcher,
                                   .n_words = a->n_launcher};
    int n = cli_launcher_words(&launcher, texts, argv, NULL);
    const struct {
        const char *option, *value;
    } given[] = {{"--model", model},      {"--compute", a->no_compute ? "none" : a->compute},
                 {"--dilate", a->dilate}, {"--seed", a->seed},
                 {"--json", a->json},     {"--window-bytes", window_bytes}};
    snprintf(window_bytes, sizeof window_bytes, "%lld", (long long)window_size);
    argv[n++] = program;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].value) {
            argv[n++] = (char *)given[i].option;
            argv[n++] = (char *)given[i].value;
        }
    argv[n++] = (char *)a->trace;
    argv[n] = NULL;
}

static tl_status load_model(const struct arguments *a, tlr_platform **platform, tlr_model **model,
                            tl_error *err)
{
    if (a->model)
        return tlr_model_load(a->model, model, err);
    if (!a->platform)
        return TL_OK;
    const tl_status status = tlr_platform_load(a->platform, platform, err);
    if (status == TL_OK && !(*platform)->model)
        return tl_fail(err, TL_ERR_INPUT, "%s: has no model.conf; give --model FILE",
                       (*platform)->folder);
    return status;
}

/* mpirun may refuse to start more ranks than cores. It explains slots, but not what to do here. */
static void note_shared_cores(const struct arguments *a, uint32_t n_ranks)
{
    char text[16];
    unsigned n_cores;
    snprintf(text, sizeof text, "%u", n_ranks);
    if (!a->n_launcher && record_needs_folding(text, &n_cores))
        fprintf(stderr,
                "timeless: note: %u ranks, and this host has %u core%s; if mpirun refuses to start "
                "them, add: -- mpirun --oversubscribe -np %u (the times are then too long)\n",
                n_ranks, n_cores, n_cores == 1 ? "" : "s", n_ranks);
}

/* Becomes the launcher, or returns the reason why not. */
static tl_status perform(const struct arguments *a, tl_error *err)
{
    char program[PATH_MAX], *argv[MAX_WORDS];
    int64_t window_bytes = 0;
    tl_reader *trace = NULL;
    tlr_platform *platform = NULL;
    tlr_model *model = NULL;
    tl_status status = tl_reader_open(a->trace, &trace, err);
    if (status == TL_OK)
        status = load_model(a, &platform, &model, err);
    const tlr_model *used = platform ? platform->model : model;
    if (status == TL_OK)
        status = check(a, trace, used, &window_bytes, err);
    if (status == TL_OK)
        status = cli_launch_program(a->program, "timeless-perform", "perform",
                                    "the performing program", "--program", program, err);
    if (status == TL_OK) {
        build_command(a, trace, used ? used->path : NULL, window_bytes, program, argv);
        cli_progress_stop();
        note_shared_cores(a, tl_reader_run(trace)->n_ranks);
        execvp(argv[0], argv);
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%.200s: cannot be started: %s; install an MPI, or name another launcher "
                         "after '--'",
                         argv[0], strerror(errno));
    }
    tlr_platform_free(platform);
    tlr_model_free(model);
    tl_reader_close(trace);
    return status;
}

int cmd_perform(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "TRACE [-- mpirun ARGUMENTS...]",
        .doc = "Run a trace as a real MPI program: the same calls, sizes, partners and "
               "communicators; the ranks sleep instead of computing. Print how long it takes.\v"
               "Without a launcher, 'mpirun -np RANKS' starts it on this host."};
    struct arguments a = {0};
    tl_error err;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a);
    perform(&a, &err);
    return cli_fail(&err);
}
