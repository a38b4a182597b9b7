/* noise.c - timeless study noise: how much of the system's noise reaches programs. */
#include "config.h"

#include "study/study.h"

#include <machine/noise.h>
#include <stdlib.h>
#include <string.h>
#include <study/amplify.h>

enum { OPT_NOISE = 1000, OPT_RANKS, OPT_SEEDS, MOST_SEEDS = 1000 };

typedef struct arguments {
    study_common common;
    cli_texts noises;
    const char *ranks;
    unsigned n_seeds;
} arguments;

static const struct argp_option options[] = {
    {"noise", OPT_NOISE, "NOISE", 0,
     "10Hz:2.5ms, a file of detours, or a name in platforms/noise; may be repeated", 0},
    {"ranks", OPT_RANKS, "LIST", 0, "numbers of ranks of skeletons and HPL, as 16..1024", 0},
    {"seeds", OPT_SEEDS, "N", 0, "mean of N seeds (default: 1)", 0},
    CLI_JSON_OPTION(STUDY_JSON),
    {"plot", STUDY_PLOT, "FILE", 0, "draw amplification over ranks: .svg, .pdf or .png", 0},
    STUDY_OPTIONS,
    {0}};

/* The other engine does not predict the run without noise. */
static void check_engine(struct argp_state *state, const grid *g)
{
    if (!tlr_scenario_is_loggops(&g->base))
        argp_error(state, "a study of noise needs --engine loggops, which also replays without it");
}

/* The replay without noise has the noise of messages, too: of it alone, nothing would remain. */
static void check_noises(struct argp_state *state, const cli_texts *noises)
{
    for (size_t i = 0; i < noises->n; i++)
        if (!strcmp(noises->texts[i], TLR_NETWORK_NOISE))
            argp_error(state, "a study of noise needs detours, which take time from ranks; give "
                              "--noise 10Hz:2.5ms instead of network");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case OPT_NOISE: cli_add_text(state, &a->noises, value); return 0;
    case OPT_RANKS: a->ranks = value; return 0;
    case OPT_SEEDS:
        a->n_seeds = (unsigned)cli_parse_number_from(state, "--seeds", value, 1, MOST_SEEDS);
        return 0;
    case ARGP_KEY_ARG: cli_add_text(state, &a->common.grid.traces, value); return 0;
    case ARGP_KEY_SUCCESS:
        if (!a->common.grid.traces.n)
            argp_error(state, "which programs? give traces, skeletons or hpl:N=...");
        if (!a->noises.n)
            argp_error(state, "which noise? give --noise 10Hz:2.5ms, a file of detours, or a name");
        check_engine(state, &a->common.grid);
        check_noises(state, &a->noises);
        study_refuse(state, &a->common.grid, "seed",
                     "the study takes the seeds 1 to N; give --seeds N");
        return 0;
    default: return study_parse(key, value, state, &a->common);
    }
}

static tl_status make_axes(const arguments *a, tlr_axis *axes, tl_error *err)
{
    static const char *const none[] = {"none"};
    char seeds[32];
    snprintf(seeds, sizeof seeds, "seed=1:%u", a->n_seeds);
    TL_TRY(tlr_axis_of("noise", a->noises.texts, a->noises.n, &axes[TLR_AMPLIFY_NOISE], err));
    TL_TRY(tlr_axis_of("trace", a->common.grid.traces.texts, a->common.grid.traces.n,
                       &axes[TLR_AMPLIFY_PROGRAM], err));
    TL_TRY(a->ranks ? study_numbers("ranks", "--ranks", a->ranks, &axes[TLR_AMPLIFY_RANKS], err)
                    : tlr_axis_of("ranks", none, 1, &axes[TLR_AMPLIFY_RANKS], err));
    return tlr_axis_parse(seeds, &axes[TLR_AMPLIFY_SEED], err);
}

static tl_status write_results(const void *arg, tl_error *err)
{
    const arguments *a = arg;
    char place[256];
    const tlr_amplify study = {&a->common.grid.sweep, place};
    study_place(&a->common.grid, place, sizeof place);
    if (cli_json_leaves_text(&a->common.json))
        tlr_amplify_print(&study, stdout);
    if (a->common.json.is_wanted)
        TL_TRY(cli_json_write(&a->common.json, tlr_amplify_json(&study), TLR_JSON_LINES, err));
    if (a->common.plot)
        TL_TRY(tlr_amplify_draw(&study, a->common.plot, err));
    return TL_OK;
}

int study_noise(int argc, char **argv)
{
    arguments a = {.common = study_begin(), .n_seeds = 1};
    tl_error err;
    study_parse_all(options, parse_option, "PROGRAM... --noise NOISE",
                    "Print how much programs amplify the noise of the system.", argc, argv, &a);
    tlr_axis *axes = calloc(TLR_AMPLIFY_N_AXES, sizeof *axes);
    tl_status status = axes ? make_axes(&a, axes, &err) : tl_no_memory(&err, "the command");
    status = study_make_sweep(&a.common.grid, status, axes, TLR_AMPLIFY_N_AXES, &err);
    const int code = study_run(&a.common, status, write_results, &a, &err);
    free(a.noises.texts);
    grid_free(&a.common.grid);
    return code;
}
