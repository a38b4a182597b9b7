/* study_noise.c - timeless study noise: how much of the system's noise reaches programs. */
#include "config.h"

#include "cli.h"
#include "study.h"

#include <calibrate/calibrate.h>
#include <stdlib.h>
#include <string.h>
#include <study/amplify.h>

enum { OPT_NOISE = 1000, OPT_RANKS, OPT_SEEDS, OPT_JSON, OPT_PLOT, MOST_SEEDS = 1000 };

typedef struct arguments {
    grid grid;
    word_list noises;
    const char *ranks, *plot;
    unsigned n_seeds;
    cli_json json;
} arguments;

static const struct argp_option options[] = {
    {"noise", OPT_NOISE, "NOISE", 0,
     "10Hz:2.5ms, a file of detours, or a name in platforms/noise; may be repeated", 0},
    {"ranks", OPT_RANKS, "LIST", 0, "numbers of ranks of skeletons and HPL, as 16..1024", 0},
    {"seeds", OPT_SEEDS, "N", 0, "mean of N seeds (default: 1)", 0},
    CLI_JSON_OPTION(OPT_JSON),
    {"plot", OPT_PLOT, "FILE", 0, "draw amplification over ranks: .svg, .pdf or .png", 0},
    {"jobs", 'j', "N", 0, "run N replays at a time (default: one a core)", 0},
    {0}};

static void add_word(struct argp_state *state, word_list *list, const char *word)
{
    if (!word_list_add(list, strdup(word)))
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
}

/* The other engine does not predict the run without noise. */
static void check_engine(struct argp_state *state, const grid *g)
{
    const char *engine = study_option(g, "--engine=");
    if (!engine || strcmp(engine, "loggops") != 0)
        argp_error(state, "a study of noise needs --engine loggops, which also replays without it");
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->grid.options; return 0;
    case OPT_NOISE: add_word(state, &a->noises, value); return 0;
    case OPT_RANKS: a->ranks = value; return 0;
    case OPT_SEEDS:
        a->n_seeds = (unsigned)cli_parse_number_from(state, "--seeds", value, 1, MOST_SEEDS);
        return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    case OPT_PLOT: a->plot = cli_picture(state, value); return 0;
    case 'j':
        a->grid.n_jobs = (unsigned)cli_parse_number_from(state, "--jobs", value, 1, 4096);
        return 0;
    case ARGP_KEY_ARG: add_word(state, &a->grid.traces, value); return 0;
    case ARGP_KEY_SUCCESS:
        if (!a->grid.traces.n)
            argp_error(state, "which programs? give traces, skeletons or hpl:N=...");
        if (!a->noises.n)
            argp_error(state, "which noise? give --noise 10Hz:2.5ms, a file of detours, or a name");
        check_engine(state, &a->grid);
        study_refuse(state, &a->grid,
                     "--seed=", "the study takes the seeds 1 to N; give --seeds N");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static tl_status words_axis(const char *name, const word_list *list, tlr_axis *out, tl_error *err)
{
    return tlr_axis_of(name, (const char *const *)list->words, list->n, out, err);
}

static tl_status make_axes(const arguments *a, tlr_axis *axes, tl_error *err)
{
    static const char *const none[] = {"none"};
    char seeds[32];
    snprintf(seeds, sizeof seeds, "seed=1:%u", a->n_seeds);
    tl_status status = words_axis("noise", &a->noises, &axes[TLR_AMPLIFY_NOISE], err);
    if (status == TL_OK)
        status = words_axis("trace", &a->grid.traces, &axes[TLR_AMPLIFY_PROGRAM], err);
    if (status == TL_OK)
        status = a->ranks
                     ? study_numbers("ranks", "--ranks", a->ranks, &axes[TLR_AMPLIFY_RANKS], err)
                     : tlr_axis_of("ranks", none, 1, &axes[TLR_AMPLIFY_RANKS], err);
    return status == TL_OK ? tlr_axis_parse(seeds, &axes[TLR_AMPLIFY_SEED], err) : status;
}

static tl_status write_json(const void *study, FILE *out, tl_error *err)
{
    return tlr_amplify_write_json(study, out, err);
}

static tl_status write_results(const arguments *a, tl_error *err)
{
    char place[256];
    const tlr_amplify study = {&a->grid.sweep, place};
    study_place(&a->grid, place, sizeof place);
    if (cli_json_leaves_text(&a->json))
        tlr_amplify_print(&study, stdout);
    tl_status status = cli_json_write(&a->json, write_json, &study, err);
    if (status == TL_OK && a->plot)
        status = tlr_amplify_draw(&study, a->plot, err);
    return status;
}

int study_noise(int argc, char **argv)
{
    const struct argp words = {words_options(), words_parse, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child children[] = {{&words, 0, "At all points, as for replay:", 1}, {0}};
    const struct argp argp = {options,
                              parse,
                              "PROGRAM... --noise NOISE",
                              "Print how much programs amplify the noise of the system.",
                              children,
                              NULL,
                              NULL};
    arguments a = {.grid = {.n_jobs = tlp_n_cores(), .n_processes = 1}, .n_seeds = 1};
    tl_error err;
    cli_parse(&argp, argc, argv, 0, &a);
    tlr_axis *axes = calloc(TLR_AMPLIFY_N_AXES, sizeof *axes);
    tl_status status =
        axes ? make_axes(&a, axes, &err) : tl_fail(&err, TL_ERR_MEMORY, "out of memory");
    status = study_make_sweep(&a.grid, status, axes, TLR_AMPLIFY_N_AXES, &err);
    if (status == TL_OK)
        status = grid_run(&a.grid, &err);
    if (status == TL_OK && study_has_any(&a.grid))
        status = write_results(&a, &err);
    const int code = status == TL_OK ? grid_tell_failures(&a.grid) : cli_fail(&err);
    word_list_free(&a.noises);
    grid_free(&a.grid);
    return code;
}
