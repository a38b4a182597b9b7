/* replay_run.c - timeless replay: replays what was asked for, and shows the prediction. */
#include "config.h"

#include "progress.h"
#include "replay.h"

#include "cli.h"

#include <results/call_times.h>
#include <results/chosen.h>
#include <results/details.h>
#include <stdio.h>
#include <timeless_files.h>
#include <results/paraver.h>
#include <results/prediction_json.h>
#include <results/usage.h>

static tl_status write_timeline(const replay_arguments *a, tl_error *err)
{
    const char *path = a->timeline_path;
    const tlr_stage *stage = &a->stage;
    tlr_timeline *timeline = stage->options.timeline;
    if (a->timeline_format == TLR_TIMELINE_PICTURE)
        return tlr_timeline_draw(timeline, stage->jobs, stage->predictions, stage->n_jobs, path,
                                 err);
    tl_output out;
    TL_TRY(tl_output_open(path, &out, err));
    TL_TRY(tl_output_close(&out, path,
                           tlr_timeline_write(timeline, a->timeline_format, stage->jobs,
                                              stage->predictions, stage->n_jobs, out.file, err),
                           err));
    if (a->timeline_format == TLR_TIMELINE_PARAVER)
        TL_TRY(tlr_paraver_write_names(path, stage->predictions, stage->n_jobs, err));
    return TL_OK;
}

static tl_status tell_states(const replay_arguments *a, tl_error *err)
{
    tl_status status = TL_OK;
    tlr_prediction **predictions = a->stage.predictions;
    if (a->timeline_path)
        status = write_timeline(a, err);
    for (size_t j = 0; j < a->stage.n_jobs && status == TL_OK && a->details; j++) {
        status =
            tlr_details_make(&a->stage.options, a->stage.jobs, j, &predictions[j]->details, err);
        if (status == TL_OK)
            status = tlr_call_times_of(predictions[j]->details, &predictions[j]->call_times, err);
    }
    if (status == TL_OK && a->keep)
        status = a->keep(a, predictions[0], err);
    return status;
}

/* Returns the exit code. */
static int show(const replay_arguments *a)
{
    tl_error err;
    const size_t n = a->stage.n_jobs;
    tlr_prediction *const *predictions = a->stage.predictions;
    cli_progress_clear();
    if (a->take) {
        a->take(a->take_arg, predictions[0]);
        return CLI_OK;
    }
    for (size_t j = 0; j < n; j++)
        replay_warn_of(a, predictions[j]);
    if (a->json.is_wanted &&
        cli_json_write(&a->json,
                       n > 1 ? tlr_jobs_json(predictions, n) : tlr_prediction_json(predictions[0]),
                       TLR_JSON_EXACT, &err) != TL_OK)
        return cli_fail(&err);
    for (size_t j = 0; j < n && cli_json_leaves_text(&a->json); j++) {
        if (a->quiet)
            printf("%.17g\n", predictions[j]->makespan_s);
        else
            tlr_prediction_print(predictions[j], stdout);
        if (!a->quiet && predictions[j]->details)
            tlr_details_print(predictions[j], stdout);
        if (!a->quiet)
            tlr_call_times_print(predictions[j]->call_times, predictions[j]->clock, stdout);
        if (!a->quiet && predictions[j]->usage)
            tlr_usage_print(predictions[j]->usage, stdout);
        if (!a->quiet && j + 1 < n)
            puts("\n----\n");
    }
    return CLI_OK;
}

/* Where the replay puts the states. */
static tl_status begin_timeline(replay_arguments *a, tl_error *err)
{
    tlr_chosen *chosen = NULL;
    tlr_stage *stage = &a->stage;
    tl_status status = tlr_timeline_create(&stage->options.timeline, err);
    for (size_t j = 0; j < stage->n_jobs; j++) {
        stage->jobs[j].regions_at = a->regions_at;
        stage->jobs[j].n_regions_at = a->n_regions_at;
    }
    if (status != TL_OK || !a->chosen)
        return status;
    status = tlr_chosen_read(a->chosen, tl_reader_run(stage->jobs[0].trace)->n_ranks, &chosen, err);
    tlr_timeline_choose(stage->options.timeline, chosen);
    return status;
}

static tl_status replay(replay_arguments *a, tl_error *err)
{
    /* Pages have the energy with --quiet, too: it does not change them. */
    if (!a->scenario.energy && ((!a->quiet && !a->take) || a->keep))
        a->scenario.energy = TLR_WANTED_IF_STATED;
    TL_TRY(tlr_stage_open(&a->scenario, &a->stage, err));
    if (a->timeline_path || a->details)
        TL_TRY(begin_timeline(a, err));
    TL_TRY(tlr_stage_replay(&a->stage, err));
    return tell_states(a, err);
}

int replay_run(replay_arguments *a)
{
    tl_error err;
    const tl_status status = replay(a, &err);
    const int code = status == TL_OK ? show(a) : cli_fail(&err);
    tlr_stage_close(&a->stage);
    return code;
}
