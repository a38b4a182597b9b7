/* grid.c - replays at the points of a grid: keys, results file, processes, failures. */
#include "config.h"

#include "grid.h"

#include "progress.h"
#include "replay.h"

#include <calibrate/calibrate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* ---- side by side ---- */

static void show(void *progress)
{
    cli_progress_step(progress);
}

tl_status cli_run_batch(const tlr_batch *batch, const char *what, tl_error *err)
{
    size_t n_open = 0;
    for (size_t i = 0; i < batch->n; i++)
        n_open += !batch->points[i].known;
    cli_progress progress = cli_progress_begin(what, n_open);
    tlr_batch shown = *batch;
    shown.show = show;
    shown.shown = &progress;
    const tl_status status = tlr_batch_run(&shown, err);
    cli_progress_end(&progress);
    return status;
}

/* ---- a grid ---- */

static tl_status make(const void *arg, size_t i, tlr_scenario *out, tl_error *err)
{
    const grid *g = arg;
    const tl_status status = tlr_sweep_scenario(&g->sweep, i, &g->base, out, err);
    return status == TL_OK && g->change ? g->change(g->change_arg, i, out, err) : status;
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    grid *g = arg;
    return g->results ? tlr_results_add(g->results, &g->sweep, i, err) : TL_OK;
}

/* Points that are wrong, or whose files cannot be read, have already failed. */
static tl_status set_keys(grid *g, tl_error *err)
{
    tlr_key_cache *cache = tlr_key_cache_create();
    if (!cache)
        return tl_no_memory(err, "the command");
    for (size_t i = 0; i < g->sweep.n_points; i++) {
        tlr_scenario s = {0};
        tl_status status = make(g, i, &s, err);
        if (status == TL_OK)
            status = tlr_scenario_finish(&s, err);
        if (status == TL_OK)
            status = tlr_scenario_key(cache, &s, &g->sweep.points[i].key, err);
        if (status != TL_OK)
            tlr_point_fail(&g->sweep.points[i], err);
        tlr_scenario_free(&s);
    }
    tlr_key_cache_free(cache);
    return TL_OK;
}

/* The number of points that failed, or that are not possible, and the first of them. */
static size_t count_lost(const tlr_sweep *sweep, int impossible, size_t *first)
{
    size_t n = 0;
    for (size_t i = 0; i < sweep->n_points; i++) {
        const tlr_point *point = &sweep->points[i];
        if (point->error[0] && tlr_point_is_impossible(point) == impossible && !n++)
            *first = i;
    }
    return n;
}

static void warn_of_engine(const tlr_sweep *sweep)
{
    char text[256];
    size_t n = 0, first = 0;
    for (size_t i = sweep->n_points; i-- > 0;)
        if (sweep->points[i].known && sweep->points[i].is_too_fast) {
            n++;
            first = i;
        }
    if (!n)
        return;
    tlr_sweep_point_text(sweep, first, text, sizeof text);
    fprintf(stderr,
            "timeless: warning: %zu of %zu points are predicted too fast, because the engine "
            "loggops does not model all that their ranks and messages share; 'timeless replay' of "
            "one, such as the first (%s), names it\n",
            n, sweep->n_points, text);
}

/* Reports the failed points in a line, and those that are not possible in another one. */
int grid_tell_failures(const grid *g)
{
    char text[256];
    size_t first = 0;
    const tlr_sweep *sweep = &g->sweep;
    size_t n = 0;
    warn_of_engine(sweep);
    for (size_t i = 0; i < sweep->n_points; i++)
        n += !sweep->points[i].known;
    if (n)
        fprintf(stderr, "timeless: %zu of %zu points had no time in --max-seconds %u%s\n", n,
                sweep->n_points, g->max_s,
                g->out ? "; the same command goes on with them"
                       : "; with -o FILE, the same command goes on with them");
    n = count_lost(sweep, 1, &first);
    if (n) {
        tlr_sweep_point_text(sweep, first, text, sizeof text);
        fprintf(stderr, "timeless: %zu of %zu points are not possible; the first, %s: %s\n", n,
                sweep->n_points, text,
                tl_printable(sweep->points[first].error + sizeof TLR_NOT_POSSIBLE - 1));
    }
    n = count_lost(sweep, 0, &first);
    if (!n)
        return CLI_OK;
    tlr_sweep_point_text(sweep, first, text, sizeof text);
    return cli_fail_text(tlr_points_status(sweep->points, sweep->n_points),
                         "%zu of %zu points failed; the first, %s: %s", n, sweep->n_points, text,
                         sweep->points[first].error);
}

static const tlr_point *find_fastest(const tlr_sweep *sweep)
{
    const tlr_point *best = NULL;
    for (size_t i = 0; i < sweep->n_points; i++) {
        const tlr_point *point = &sweep->points[i];
        if (tlr_point_has_time(point) && (!best || point->makespan_s < best->makespan_s))
            best = point;
    }
    return best;
}

void grid_warn_of_intervals(const grid *g)
{
    char text[256];
    size_t n = 0;
    const tlr_sweep *sweep = &g->sweep;
    const tlr_point *best = find_fastest(sweep);
    for (size_t i = 0; best && i < sweep->n_points; i++) {
        const tlr_point *point = &sweep->points[i];
        n += point != best && tlr_point_has_time(point) &&
             point->makespan_s - best->makespan_s < hypot(point->half_s, best->half_s);
    }
    if (!n)
        return;
    tlr_sweep_point_text(sweep, (size_t)(best - sweep->points), text, sizeof text);
    fprintf(stderr,
            "timeless: warning: %zu of %zu points differ from the smallest makespan (%s) by less "
            "than the 90 %% intervals of the samples; give a smaller error, such as --sample=1%%\n",
            n, sweep->n_points, text);
}

grid grid_begin(void)
{
    return (grid){.base = replay_scenario(), .n_jobs = tlp_n_cores()};
}

/* The engine of all points: that of --engine, or of an axis with one value. */
static tl_status find_engine(const grid *g, const tlr_axis *axes, size_t n_axes, const char **out,
                             tl_error *err)
{
    *out = g->base.engine;
    for (size_t i = 0; i < n_axes; i++) {
        if (strcmp(axes[i].name, "engine") != 0)
            continue;
        if (axes[i].n > 1)
            return tl_fail(err, TL_ERR_USAGE,
                           "all: the engines have different algorithms; give one --engine");
        *out = axes[i].values[0];
    }
    return TL_OK;
}

/* The trace, if it is the same at all points, and the options. */
static char *command_of(const grid *g)
{
    char *text = NULL;
    const bool has_trace = g->traces.n == 1;
    return asprintf(&text, "replay%s%s%s", has_trace ? " " : "",
                    has_trace ? g->traces.texts[0] : "", g->base.text) < 0
               ? NULL
               : text;
}

tl_status grid_expand(const grid *g, tlr_axis *axes, size_t n_axes, tl_error *err)
{
    for (size_t i = 0; i < n_axes; i++) {
        const char *engine = NULL;
        if (!tlr_axis_has_all(&axes[i]))
            continue;
        TL_TRY(find_engine(g, axes, n_axes, &engine, err));
        TL_TRY(tlr_axis_expand(&axes[i], engine, err));
    }
    return TL_OK;
}

tl_status grid_run(grid *g, tl_error *err)
{
    if (!(g->command = command_of(g)))
        return tl_no_memory(err, "the command");
    g->sweep.command = g->command;
    g->sweep.has_efficiency = g->finds_efficiency;
    if (g->traces.n == 1)
        TL_TRY(tlr_scenario_set_source(&g->base, g->traces.texts[0], err));
    if (g->out)
        TL_TRY(tlr_results_open(g->out, &g->results, err));
    TL_TRY(set_keys(g, err));
    if (g->results)
        TL_TRY(tlr_results_read(g->results, &g->sweep, err));
    const tlr_batch batch = {.n = g->sweep.n_points,
                             .points = g->sweep.points,
                             .make = make,
                             .done = done,
                             .arg = g,
                             .finds_efficiency = g->finds_efficiency,
                             .n_jobs = g->n_jobs,
                             .max_s = g->max_s};
    return cli_run_batch(&batch, "points", err);
}

void grid_free(grid *g)
{
    tlr_sweep_free(&g->sweep);
    tlr_results_close(g->results);
    free(g->command);
    tlr_scenario_free(&g->base);
    free(g->traces.texts);
    *g = (grid){0};
}
