/* goal_replay.c - the prediction of a run that GOAL's schedules describe. */
#include "config.h"

#include "goal_replay.h"

#include "loggops/goal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const double s_per_ps = 1e-12;

int tlr_is_goal(const char *path)
{
    struct stat st;
    tl_goal *goal = NULL;
    tl_error err;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    const tl_status status = tl_goal_open(path, &goal, &err);
    tl_goal_close(goal);
    return status == TL_OK || status == TL_ERR_INPUT; /* a wrong one says what is wrong */
}

static tl_status hash_file(const char *path, uint64_t *out, tl_error *err)
{
    enum { PIECE = 1 << 16 };
    XXH64_state_t state;
    FILE *in = fopen(path, "rb");
    char *piece = malloc(PIECE);
    XXH64_reset(&state, 0);
    for (size_t n; in && piece && (n = fread(piece, 1, PIECE, in)) > 0;)
        XXH64_update(&state, piece, n);
    *out = XXH64_digest(&state);
    const int failed = !in || !piece || ferror(in);
    if (failed)
        tl_error_set(err, TL_ERR_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    if (in)
        fclose(in);
    free(piece);
    return failed ? TL_ERR_SYSTEM : TL_OK;
}

static tl_status fail(tl_error *err, tl_status status, const char *text)
{
    tl_error_set(err, status, "%s", text);
    return status;
}

static tl_status read_params(const tlr_options *options, loggops_network *network, tl_error *err)
{
    if (!options->loggops_params)
        return fail(err, TL_ERR_USAGE,
                    "GOAL needs the network's parameters: --params "
                    "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536");
    const tl_status status = loggops_read_params(options, network, err);
    if (status == TL_OK && (network->has_within || network->move_bytes || network->between.n > 1))
        return fail(err, TL_ERR_USAGE,
                    "GOAL has no nodes: --params has one group of L, o, g, G, O and S");
    return status;
}

static char *describe(const loggops_params *p, const goal_run *run)
{
    char *text = NULL, S[32] = "none";
    if (p->S_bytes != UINT64_MAX)
        snprintf(S, sizeof S, "%llu", (unsigned long long)p->S_bytes);
    return asprintf(&text,
                    "LogGOPS L=%.9gus o=%.9gus g=%.9gus G=%.9gns O=%.9gns S=%s, "
                    "%" PRIu32 " CPUs and %" PRIu32 " NICs%s",
                    (double)p->L_ps * 1e-6, (double)p->o_ps * 1e-6, (double)p->g_ps * 1e-6,
                    p->G_ps_byte * 1e-3, p->O_ps_byte * 1e-3, S, run->n_streams, run->n_sides / 2,
                    run->is_loggopsim ? ", in the order of LogGOPSim" : "") < 0
               ? NULL
               : text;
}

static tl_status take_results(const goal_run *run, const loggops_params *params,
                              const tlr_options *options, tlr_prediction *p, tl_error *err)
{
    p->trace_path = strdup(run->path);
    p->platform_name = strdup("none");
    p->engine = strdup("loggops");
    p->command = strdup("a schedule of GOAL");
    p->volume_unit = strdup("cpu-ns");
    p->clock = strdup("GOAL has no clocks");
    p->engine_version = strdup(tl_version());
    p->coll_selector = strdup("none");
    p->network_model = describe(params, run);
    p->model = strdup(options->no_compute ? "none" : "the nanoseconds of GOAL");
    p->options = strdup("");
    p->changes = strdup("");
    p->untraced = strdup("");
    p->ranks = calloc(run->n_ranks, sizeof *p->ranks);
    if (!p->trace_path || !p->platform_name || !p->engine || !p->command || !p->volume_unit ||
        !p->clock || !p->engine_version || !p->coll_selector || !p->network_model || !p->model ||
        !p->options || !p->changes || !p->untraced || !p->ranks)
        return fail(err, TL_ERR_MEMORY, "out of memory for the prediction");
    p->n_ranks = run->n_ranks;
    p->n_events = run->n_ops;
    p->makespan_s = (double)run->makespan_ps * s_per_ps;
    p->is_random = options->noise != NULL;
    p->seed = options->seed;
    for (uint32_t r = 0; r < run->n_ranks; r++) {
        const loggops_rank_result *from = &run->ranks[r];
        p->ranks[r] = (tlr_rank_prediction){.end_s = (double)from->end_ps * s_per_ps,
                                            .compute_s = (double)from->compute_ps * s_per_ps,
                                            .p2p_s = (double)from->p2p_ps * s_per_ps,
                                            .noise_s = (double)from->noise_ps * s_per_ps,
                                            .n_events = run->first_op[r + 1] - run->first_op[r]};
    }
    return TL_OK;
}

static tl_status simulate(const char *path, const tlr_options *options,
                          const loggops_params *params, const tlr_noise *noise, goal_run *run,
                          tl_error *err)
{
    const tl_status status =
        goal_load(path, options->no_compute, options->order_loggopsim, run, err);
    return status == TL_OK ? goal_simulate(run, params, noise, err) : status;
}

/* Compares with the same run without noise. */
static tl_status weigh_noise(const char *path, const tlr_options *options,
                             const loggops_params *params, tlr_prediction *p, tl_error *err)
{
    goal_run quiet;
    p->noise = strdup(options->noise);
    tl_status status = p->noise ? simulate(path, options, params, NULL, &quiet, err)
                                : fail(err, TL_ERR_MEMORY, "out of memory for the prediction");
    if (!p->noise)
        return status;
    p->quiet_s = (double)quiet.makespan_ps * s_per_ps;
    for (uint32_t r = 0; r < p->n_ranks && status == TL_OK; r++)
        p->ranks[r].delay_s = p->ranks[r].end_s - (double)quiet.ranks[r].end_ps * s_per_ps;
    goal_free(&quiet);
    return status;
}

tl_status tlr_replay_goal(const char *path, const tlr_options *options, tlr_prediction **out,
                          tl_error *err)
{
    struct timespec begin, end;
    goal_run run = {0};
    loggops_network network = {0};
    tlr_noise *noise = NULL;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    tlr_prediction *p = calloc(1, sizeof *p);
    tl_status status =
        p ? read_params(options, &network, err) : fail(err, TL_ERR_MEMORY, "out of memory");
    if (status == TL_OK && options->noise)
        status = tlr_noise_read(options->noise, options->seed, &noise, err);
    if (status == TL_OK)
        status = hash_file(path, &p->trace_hash, err);
    if (status == TL_OK)
        status = simulate(path, options, &network.params, noise, &run, err);
    if (status == TL_OK)
        status = take_results(&run, &network.params, options, p, err);
    goal_free(&run);
    if (status == TL_OK && noise)
        status = weigh_noise(path, options, &network.params, p, err);
    tlr_noise_free(noise);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (status != TL_OK) {
        tlr_prediction_free(p);
        return status;
    }
    p->wall_s = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    *out = p;
    return TL_OK;
}
