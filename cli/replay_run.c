/* replay_run.c - timeless replay: replays what was asked for, and shows the prediction. */
#include "config.h"

#include "progress.h"
#include "replay.h"

#include "cli.h"

#include <results/chosen.h>
#include <results/details.h>
#include <errno.h>
#include <replayer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <timeless_files.h>
#include <results/paraver.h>
#include <results/usage.h>

typedef struct shown {
    tlr_prediction *const *predictions;
    size_t n;
} shown;

static tl_status write_json(const void *arg, FILE *out, tl_error *err)
{
    const shown *s = arg;
    return s->n > 1 ? tlr_jobs_write_json(s->predictions, s->n, out, err)
                    : tlr_prediction_write_json(s->predictions[0], out, err);
}

static tl_status write_timeline(const replay_arguments *a, tlr_prediction *const *predictions,
                                tl_error *err)
{
    const char *path = a->timeline_path;
    if (a->timeline_format == TLR_TIMELINE_PICTURE)
        return tlr_timeline_draw(a->options.timeline, a->jobs, predictions, a->n_jobs, path, err);
    tl_output out;
    tl_status status = tl_output_open(path, &out, err);
    if (status == TL_OK)
        status = tl_output_close(&out, path,
                                 tlr_timeline_write(a->options.timeline, a->timeline_format,
                                                    a->jobs, predictions, a->n_jobs, out.file, err),
                                 err);
    if (status == TL_OK && a->timeline_format == TLR_TIMELINE_PARAVER)
        status = tlr_paraver_write_names(path, predictions, a->n_jobs, err);
    return status;
}

static tl_status tell_states(const replay_arguments *a, tlr_prediction *const *predictions,
                             tl_error *err)
{
    tl_status status = TL_OK;
    if (a->options.usage)
        status = tlr_usage_read(a->options.usage, predictions[0], err);
    predictions[0]->usage = a->options.usage;
    if (status == TL_OK && a->timeline_path)
        status = write_timeline(a, predictions, err);
    for (size_t j = 0; j < a->n_jobs && status == TL_OK && a->details; j++)
        status = tlr_details_make(a->options.timeline, a->jobs, j, &predictions[j]->details, err);
    if (status == TL_OK && a->keep)
        status = a->keep(a, predictions[0], err);
    return status;
}

int replay_show(const replay_arguments *a, tlr_prediction *const *predictions)
{
    tl_error err;
    cli_progress_clear();
    if (a->take) {
        a->take(a->take_arg, predictions[0]);
        return CLI_OK;
    }
    for (size_t j = 0; j < a->n_jobs; j++)
        replay_warn_of(a, predictions[j]);
    const shown json = {predictions, a->n_jobs};
    if (cli_json_write(&a->json, write_json, &json, &err) != TL_OK)
        return cli_fail(&err);
    for (size_t j = 0; j < a->n_jobs && cli_json_leaves_text(&a->json); j++) {
        if (a->quiet)
            printf("%.17g\n", predictions[j]->makespan_s);
        else
            tlr_prediction_print(predictions[j], stdout);
        if (!a->quiet && predictions[j]->details)
            tlr_details_print(predictions[j]->details, &predictions[j]->what_if, stdout);
        if (!a->quiet && predictions[j]->usage)
            tlr_usage_print(predictions[j]->usage, stdout);
        if (!a->quiet && j + 1 < a->n_jobs)
            puts("\n----\n");
    }
    return CLI_OK;
}

/* Where the replay puts the states. */
static tl_status begin_timeline(replay_arguments *a, tl_error *err)
{
    tlr_chosen *chosen = NULL;
    tl_status status = tlr_timeline_create(&a->options.timeline, err);
    if (status != TL_OK || !a->chosen)
        return status;
    status = tlr_chosen_read(a->chosen, tl_reader_run(a->jobs[0].trace)->n_ranks, &chosen, err);
    tlr_timeline_choose(a->options.timeline, chosen);
    return status;
}

/* Energy is stated without a request if the platform states watts and the ranks are on its hosts.
 * Pages have it with --quiet, too: it does not change them. */
static int shows_energy(const replay_arguments *a)
{
    const int is_shown = (!a->quiet && !a->take) || a->keep || a->takes_energy;
    return a->n_jobs == 1 && is_shown && !a->options.sampled && a->options.n_seeds <= 1 &&
           !a->options.loggops_params;
}

/* A platform in the place of the trace: a folder, or a name that is no file. */
static tl_status open_trace(const char *path, tl_reader **out, tl_error *err)
{
    struct stat st;
    tl_error ignored;
    tlr_platform *platform = NULL;
    const tl_status status = tl_reader_open(path, out, err);
    if (status == TL_OK || (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) ||
        tlr_platform_load(path, &platform, &ignored) != TL_OK)
        return status;
    tlr_platform_free(platform);
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: is a platform, not a trace; give it by --platform=%s, beside a trace", path,
                   path);
}

int replay_run(replay_arguments *a)
{
    if (replay_is_goal(a))
        return replay_goal(a);
    int code = CLI_OK;
    tl_error err;
    tlr_platform *platform = NULL;
    tlr_prediction **predictions = calloc(a->n_jobs, sizeof *predictions);
    tl_status status = predictions ? TL_OK : tl_fail(&err, TL_ERR_MEMORY, "out of memory");
    if (a->options.order_loggopsim)
        status =
            tl_fail(&err, TL_ERR_USAGE,
                    "%s: --order loggopsim is for schedules of GOAL; timeless export --to goal "
                    "makes one of a trace",
                    tl_printable(a->traces[0]));
    if (a->n_hostfiles == 1)
        a->options.hostfile = a->hostfiles[0];
    for (size_t j = 0; j < a->n_jobs && status == TL_OK; j++) {
        status = open_trace(a->traces[j], &a->jobs[j].trace, &err);
        if (a->n_hostfiles > 1)
            a->jobs[j].hostfile = a->hostfiles[j];
        a->jobs[j].regions_at = a->regions_at;
        a->jobs[j].n_regions_at = a->n_regions_at;
    }
    if (status == TL_OK && a->platform)
        status = tlr_platform_load(a->platform, &platform, &err);
    if (status == TL_OK)
        status =
            cli_start_instances(a->instances, a->n_instances, platform, &a->options, a->jobs, &err);
    if (status == TL_OK && (a->timeline_path || a->details))
        status = begin_timeline(a, &err);
    if (status == TL_OK && platform && platform->has_watts && shows_energy(a))
        a->energy = 1;
    if (status == TL_OK && (a->links || a->energy))
        status = tlr_usage_create(a->links, a->energy, &a->options.usage, &err);
    if (status == TL_OK && a->price && !tlr_usage_set_price(a->options.usage, a->price))
        status =
            tl_fail(&err, TL_ERR_USAGE,
                    "'%s' is not a price; write it as --energy=0.30/kWh,2/host-hour", a->price);
    if (status == TL_OK)
        status = tlr_replay_jobs(a->jobs, a->n_jobs, platform, a->engine, &a->options, predictions,
                                 &err);
    if (status == TL_OK)
        status = tell_states(a, predictions, &err);
    if (status != TL_OK)
        code = cli_fail(&err);
    else
        code = replay_show(a, predictions);
    for (size_t j = 0; j < a->n_jobs; j++) {
        if (predictions)
            tlr_prediction_free(predictions[j]);
        tl_reader_close(a->jobs[j].trace);
    }
    free(predictions);
    tlr_timeline_free(a->options.timeline);
    tlr_usage_free(a->options.usage);
    tlr_platform_free(platform);
    return code;
}
