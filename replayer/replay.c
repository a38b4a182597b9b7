/* replay.c - the entry point of all engines. */
#include "replayer.h"

#include "clock.h"
#include "machine/noise.h"
#include "machine/simgrid_options.h"
#include "ompi.h"
#include "plan.h"
#include "sample/sample.h"
#include "schedules.h"
#include "seeds.h"
#include "text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const tlr_engine *const engines[] = {&tlr_engine_smpi, &tlr_engine_loggops};
enum { N_ENGINES = sizeof engines / sizeof *engines };

static tl_status find_engine(const char *name, const tlr_engine **out, tl_error *err)
{
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; i < N_ENGINES; i++) {
        if (!name || !strcmp(engines[i]->name, name)) {
            *out = engines[i];
            return TL_OK;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                 engines[i]->name);
    }
    return tl_fail(err, TL_ERR_USAGE, "'%s' is not an engine; choose one of: %s", name, names);
}

tl_status tlr_engine_load(const char *engine, tl_error *err)
{
    const tlr_engine *e = NULL;
    const tl_status status = find_engine(engine, &e, err);
    return status == TL_OK && e->load ? e->load(err) : status;
}

tl_status tlr_engine_algorithms(const char *engine, const char *collective, char **out,
                                tl_error *err)
{
    const tlr_engine *e = NULL;
    TL_TRY(find_engine(engine, &e, err));
    return e->algorithms(collective, out, err);
}

static tl_status check_platform(const tlr_engine *engine, const tlr_platform *platform,
                                tl_error *err)
{
    if (platform || !engine->needs_platform)
        return TL_OK;
    return tl_fail(err, TL_ERR_USAGE, "the platform is missing; give --platform NAME");
}

/* With several traces, their ranks follow each other in the result. */
static tl_status check_noise(const tlr_job *jobs, size_t n_jobs, const tlr_options *options,
                             tl_error *err)
{
    tlr_noise *noise = NULL;
    uint64_t n_ranks = 0;
    if (!options->noise || !strstr(options->noise, "ranks="))
        return TL_OK;
    TL_TRY(tlr_noise_read(options->noise, options->seed, &noise, err));
    for (size_t j = 0; j < n_jobs; j++)
        n_ranks += tl_reader_run(jobs[j].trace)->n_ranks;
    const uint32_t last = noise->n_ranges ? noise->ranges[noise->n_ranges - 1].last : 0;
    tlr_noise_free(noise);
    if (last < n_ranks)
        return TL_OK;
    return tl_fail(err, TL_ERR_USAGE,
                   "--noise '%s': there is no rank %" PRIu32 " among %" PRIu64 "; give ranks below "
                   "that",
                   options->noise, last, n_ranks);
}

static tl_status check_trace(tl_reader *trace, tl_error *err)
{
    if (tl_reader_complete(trace))
        return TL_OK;
    if (tl_reader_n_damages(trace))
        return tl_fail(err, tl_reader_damage(trace, 0)->status, "%s",
                       tl_reader_damage(trace, 0)->text);
    const uint32_t n_ranks = tl_reader_run(trace)->n_ranks;
    bool has_any = 0; /* events, or an end */
    for (uint32_t r = 0; r < n_ranks && !has_any; r++) {
        tl_rank_summary summary = {0};
        has_any = tl_reader_rank(trace, r, &summary) == TL_OK &&
                  (summary.n_events || summary.end != TL_END_NONE);
    }
    if (!has_any)
        return tl_fail(err, TL_ERR_TRUNCATED,
                       "%s: contains no events: the run ended before any rank's first MPI call was "
                       "written; record it again, and let it reach MPI_Init",
                       tl_reader_path(trace));
    for (uint32_t r = 0; r < n_ranks; r++) {
        tl_rank_summary summary = {.host = ""};
        if (tl_reader_rank(trace, r, &summary) != TL_OK ||
            (summary.end != TL_END_FINALIZED && summary.end != TL_END_CUT)) {
            if (*tl_reader_run(trace)->parts && !*summary.host && !summary.n_events)
                return tl_fail(err, TL_ERR_TRUNCATED,
                               "%s: has nothing of rank %u: its part of the run is lost, or is to "
                               "be joined by 'timeless join'",
                               tl_reader_path(trace), r);
            return tl_fail(err, TL_ERR_TRUNCATED,
                           "%s: rank %u did not reach MPI_Finalize; an incomplete run cannot be "
                           "replayed, record it again or cut out a complete part",
                           tl_reader_path(trace), r);
        }
    }
    return tl_fail(err, TL_ERR_TRUNCATED, "%s: is incomplete; record the run again",
                   tl_reader_path(trace));
}

static int all_in_flops(const tlr_job *jobs, size_t n_jobs)
{
    for (size_t j = 0; j < n_jobs; j++)
        if (strcmp(tl_reader_run(jobs[j].trace)->volume_unit, TLR_FLOPS) != 0)
            return 0;
    return 1;
}

/* The compute model: that of the given file, otherwise that of the platform, otherwise the speeds
 * of the hosts if the volumes are flops. The caller frees *own. */
static tl_status choose_model(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                              const tlr_options *options, const tlr_model **out, tlr_model **own,
                              const char **used, uint64_t *hash, tl_error *err)
{
    tl_status status = TL_OK;
    const char *name = "platform";
    *out = platform ? platform->model : NULL;
    if (options->no_compute || tl_reader_is_goal(jobs[0].trace)) {
        *out = NULL;
    } else if (options->model_path) {
        char *text = NULL;
        size_t size = 0;
        if ((status = tlr_read_text(options->model_path, &text, &size, err)) != TL_OK)
            return status;
        *hash = XXH64(text, size, 0);
        free(text);
        if ((status = tlr_model_load(options->model_path, own, err)) != TL_OK)
            return status;
        *out = *own;
        name = options->model_path;
    } else if (platform && !*out && all_in_flops(jobs, n_jobs)) {
        *out = &tlr_host_speeds;
        name = tlr_host_speeds.path;
    }
    *used = *out                                                       ? name
            : !options->no_compute && tl_reader_is_goal(jobs[0].trace) ? "the nanoseconds of GOAL"
                                                                       : "none";
    return status;
}

static char *join_options(const tlr_options *options)
{
    /* Settings that change the result and are no options of SimGrid. */
    char own[80], *out = own;
    if (options->io_bandwidth > 0)
        out += sprintf(out, " io-bandwidth:%.17g", options->io_bandwidth);
    if (options->wildcards_first)
        out = stpcpy(out, " wildcards:first");
    *out = '\0';
    const char *schedules = options->schedules ? options->schedules : "";
    size_t size = 2 + sizeof own + strlen(schedules);
    for (size_t i = 0; i < options->n_cfg; i++)
        size += strlen(options->cfg[i]) + 1;
    char *text = calloc(size, 1), *end = text;
    for (size_t i = 0; text && i < options->n_cfg; i++)
        end = stpcpy(i ? stpcpy(end, " ") : end, options->cfg[i]);
    if (text && own[0])
        end = stpcpy(end, end == text ? own + 1 : own);
    if (text && *schedules)
        stpcpy(end == text ? end : stpcpy(end, " "), schedules);
    return text;
}

static char *join_changes(const tlr_options *options)
{
    enum { ROOM = 256 };
    char *text = calloc(options->n_changes + 1, ROOM);
    size_t used = 0;
    for (size_t i = 0; text && i < options->n_changes; i++) {
        if (i)
            text[used++] = ' ';
        used += tlr_change_text(&options->changes[i], text + used, ROOM);
    }
    return text;
}

/* Fills in the part of a job's prediction that is known before the replay. */
static tl_status describe_job(const tlr_job *job, const tlr_platform *platform,
                              const tlr_engine *engine, const char *model, uint64_t model_hash,
                              const tlr_options *options, const char *idle, tlr_prediction **out,
                              tl_error *err)
{
    tlr_prediction *p = *out = calloc(1, sizeof *p);
    if (!p)
        return tl_no_memory(err, "prediction");
    tl_reader *trace = job->trace;
    tl_status status = check_trace(trace, err);
    if (status != TL_OK || (status = tl_reader_hash(trace, &p->trace_hash, err)) != TL_OK)
        return status;
    p->start_s = job->start_s;
    char reason[640];
    tl_reader_clock(trace, reason, sizeof reason);
    p->clock = strdup(tl_reader_is_goal(trace) ? "GOAL has no clocks" : reason);
    tl_reader_uncounted(trace, reason, sizeof reason);
    p->uncounted = strdup(reason);
    p->trace_path = strdup(tl_reader_path(trace));
    p->platform_name = strdup(platform ? platform->folder : "none");
    p->calibrations = strdup(platform ? platform->dated : "");
    p->engine = strdup(engine->name);
    p->command = strdup(tl_reader_run(trace)->program);
    p->untraced = strdup(tl_reader_run(trace)->untraced);
    p->volume_sample = strdup(tl_reader_run(trace)->volume_sample);
    p->volume_bursts = strdup(tl_reader_run(trace)->volume_bursts);
    p->volume_unit = strdup(tl_reader_run(trace)->volume_unit);
    p->options = join_options(options);
    p->idle_options = strdup(idle);
    p->changes = join_changes(options);
    p->platform_hash = platform ? platform->hash : 0;
    p->model = strdup(model);
    p->model_hash = model_hash;
    if (!p->trace_path || !p->platform_name || !p->engine || !p->command || !p->volume_unit ||
        !p->options || !p->idle_options || !p->changes || !p->model || !p->clock || !p->untraced ||
        !p->volume_sample || !p->volume_bursts || !p->uncounted || !p->calibrations)
        return tl_no_memory(err, "prediction");
    return TL_OK;
}

static tl_status check_network_noise(const tlr_platform *platform, const tlr_options *options,
                                     tl_error *err)
{
    if (!options->network_noise || (platform && platform->network_noise))
        return TL_OK;
    if (!platform)
        return tl_fail(err, TL_ERR_USAGE,
                       "--noise network: the noise of messages belongs to a platform; give "
                       "--platform");
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: --noise network: the platform has no noise.conf; measure it with 'timeless "
                   "calibrate network', or leave out the option",
                   platform->folder);
}

/* With one seed. */
static tl_status replay_once(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                             const char *engine, const tlr_options *options, tlr_prediction **out,
                             tl_error *err)
{
    const double from_s = tl_now_s(CLOCK_MONOTONIC);
    const tlr_engine *e = NULL;
    const tlr_model *model = NULL;
    tlr_model *own_model = NULL;
    const char *model_name = NULL;
    char *idle = NULL;
    uint64_t model_hash = 0;
    tlr_prediction **p = calloc(n_jobs, sizeof *p);
    tl_status status = p ? TL_OK : tl_no_memory(err, "prediction");
    if (status != TL_OK || (status = find_engine(engine, &e, err)) != TL_OK ||
        (status = check_platform(e, platform, err)) != TL_OK ||
        (status = tlr_options_check(platform, options, e->name, &idle, err)) != TL_OK ||
        (status = choose_model(jobs, n_jobs, platform, options, &model, &own_model, &model_name,
                               &model_hash, err)) != TL_OK)
        goto cleanup;
    for (size_t j = 0; j < n_jobs && status == TL_OK; j++)
        status =
            describe_job(&jobs[j], platform, e, model_name, model_hash, options, idle, &p[j], err);
    for (size_t j = 0; j < n_jobs && status == TL_OK; j++)
        if ((status = tlr_plan_free_kernels(jobs[j].trace, model, &p[j]->free_kernels)) != TL_OK)
            tl_error_set(err, status, "out of memory for the prediction");
    if (status != TL_OK || (status = check_noise(jobs, n_jobs, options, err)) != TL_OK ||
        (status = check_network_noise(platform, options, err)) != TL_OK ||
        (status = e->replay(jobs, n_jobs, platform, model, options, p, err)) != TL_OK)
        goto cleanup;
    for (size_t j = 0; j < n_jobs; j++)
        if (!tlr_ompi_note(&jobs[j], options, p[j])) {
            status = tl_no_memory(err, "prediction");
            goto cleanup;
        }
    for (size_t j = 0; j < n_jobs; j++) {
        p[j]->wall_s = tl_now_s(CLOCK_MONOTONIC) - from_s;
        p[j]->has_network_noise = options->network_noise;
        p[j]->region_memory = tlr_find_region_memory(model, options);
        p[j]->is_random = options->noise || options->network_noise || (model && model->is_random) ||
                          tlr_changes_lose_packets(options->changes, options->n_changes);
        p[j]->seed = options->seed;
        p[j]->cluster_seed = options->cluster_seed;
        if (p[j]->what_if.balanced_s > p[j]->makespan_s * (1 + 1e-6))
            p[j]->what_if.balanced_s = NAN; /* ranks that wait for each other would compute more */
        out[j] = p[j];
        p[j] = NULL;
    }
cleanup:
    for (size_t j = 0; p && j < n_jobs; j++)
        tlr_prediction_free(p[j]);
    free(p);
    free(idle);
    tlr_model_free(own_model);
    return status;
}

static tl_status replay_sampled(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                                const char *engine, const tlr_options *options,
                                tlr_prediction **out, tl_error *err)
{
    return tlr_replay_sampled(replay_once, jobs, n_jobs, platform, engine, options, out, err);
}

/* A change that has no meaning for the nanoseconds of GOAL; NULL: it has one. */
static const char *change_without_meaning(const tlr_change *change)
{
    switch (change->quantity) {
    case TLR_HOST_SPEED:
        return change->is_factor ? NULL : "--host-speed other than a factor, as 2x,";
    case TLR_KERNEL_TIME: return "--scale kernels";
    case TLR_RANK_THREADS: return "--rank-threads";
    case TLR_REGION_BOUND: return "--set region.bound";
    case TLR_RENDEZVOUS_PROGRESS: return "--set rendezvous.progress";
    default: return NULL;
    }
}

/* What is given, but has no meaning for GOAL; NULL: nothing. */
static const char *without_meaning(const tlr_options *o)
{
    static const char selector[] = "smpi/coll-selector:";
    const char *name = NULL;
    for (size_t i = 0; i < o->n_changes && !name; i++)
        name = change_without_meaning(&o->changes[i]);
    for (size_t i = 0; i < o->n_cfg && !name; i++)
        name = !tlr_option_is_choice(o->cfg[i])                  ? NULL
               : !strncmp(o->cfg[i], selector, strlen(selector)) ? "--cfg smpi/coll-selector"
                                                                 : "--coll or --cfg smpi/...";
    return name                  ? name
           : o->coll_selector    ? "--coll-selector"
           : o->model_path       ? "--model"
           : o->model_strict     ? "--model-strict"
           : o->sampled          ? "--sample"
           : o->wildcards_first  ? "--wildcards"
           : o->allow_opaque     ? "--allow-opaque"
           : o->cluster_seed     ? "--cluster-seed"
           : o->io_bandwidth > 0 ? "--io-bandwidth"
                                 : NULL;
}

/* A graph has no order of calls, which all but the loggops engine need. */
static tl_status check_graph(const tlr_job *job, const char *engine, const tlr_options *options,
                             tl_error *err)
{
    if (!tl_reader_is_goal(job->trace))
        return TL_OK;
    const char *path = tl_printable(tl_reader_path(job->trace)), *none = without_meaning(options);
    if (!engine || strcmp(engine, tlr_engine_loggops.name) != 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: is a schedule of GOAL, which the loggops engine replays; give "
                       "--engine loggops and --params or --platform, or import it first",
                       path);
    if (none)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: is a schedule of GOAL, for which %s has no meaning; leave it out, "
                       "or import the file first",
                       path, none);
    return TL_OK;
}

tl_status tlr_replay_jobs(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                          const char *engine, const tlr_options *options, tlr_prediction **out,
                          tl_error *err)
{
    static const tlr_options defaults;
    tlr_options chosen = options ? *options : defaults;
    options = &chosen;
    for (size_t j = 0; j < n_jobs; j++) {
        const tl_status wrong = check_graph(&jobs[j], engine, options, err);
        if (wrong != TL_OK)
            return wrong;
    }
    const char *memory = tlr_option_value(platform, options, "timeless/memory-bandwidth");
    chosen.node_memory_Bps = memory ? strtod(memory, NULL) : 0;
    const char *idle = tlr_option_value(platform, options, "timeless/idle-waits");
    chosen.waiting =
        tlr_change_waiting(options->changes, options->n_changes,
                           idle && !tlr_option_is_no(idle) ? TLR_WAITING_IDLE : TLR_WAITING_BUSY);
    tl_status status = tlr_ompi_select(jobs, n_jobs, platform, &chosen, err);
    if (status == TL_OK && platform)
        status = tlr_platform_check_factors(platform, options, err);
    if (status != TL_OK)
        return status;
    tlr_schedules schedules;
    status = tlr_schedules_begin(
        &schedules, jobs, n_jobs,
        tlr_option_is_no(tlr_option_value(platform, options, "smpi/simulate-computation")), &chosen,
        err);
    const tlr_job *replayed = schedules.jobs ? schedules.jobs : jobs;
    tlr_replay_function *replay = options->sampled ? replay_sampled : replay_once;
    if (status == TL_OK)
        status =
            options->n_seeds > 1
                ? tlr_replay_seeds(replay, replayed, n_jobs, platform, engine, options, out, err)
                : replay(replayed, n_jobs, platform, engine, options, out, err);
    return tlr_schedules_end(&schedules, jobs, status == TL_OK ? out : NULL, status, err);
}

tl_status tlr_replay(tl_reader *trace, const tlr_platform *platform, const char *engine,
                     const tlr_options *options, tlr_prediction **out, tl_error *err)
{
    const tlr_job job = {.trace = trace};
    return tlr_replay_jobs(&job, 1, platform, engine, options, out, err);
}
