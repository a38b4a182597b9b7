/* grid.c - replays at the points of a grid: keys, results file, processes, failures. */
#include "config.h"

#include "grid.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static tl_status words_of(const grid *g, size_t i, word_list *out, tl_error *err)
{
    const char *trace = g->traces.n ? g->traces.words[0] : NULL;
    const tl_status status = words_at(&g->sweep, i, trace, &g->options, out, err);
    return status == TL_OK && g->change ? g->change(g->change_arg, i, out, err) : status;
}

static int run_point(void *arg, size_t i, tlr_point *point)
{
    const grid *g = arg;
    tl_error err;
    word_list words = {0};
    const tl_status status = words_of(g, i, &words, &err);
    const int code = status == TL_OK ? words_run(&words, g->with_energy, point) : cli_fail(&err);
    word_list_free(&words);
    return code;
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    grid *g = arg;
    cli_progress_step(&g->progress);
    return g->results ? tlr_results_add(g->results, &g->sweep, i, err) : TL_OK;
}

/* Points whose files cannot be read have already failed. */
static tl_status set_keys(grid *g, tl_error *err)
{
    tlr_key_cache *cache = tlr_key_cache_create();
    tl_status status = cache ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < g->sweep.n_points && status == TL_OK; i++) {
        tlr_point *point = &g->sweep.points[i];
        tl_error what;
        word_list words = {0};
        status = words_of(g, i, &words, err);
        if (status == TL_OK)
            point->status =
                tlr_sweep_key(cache, (const char *const *)words.words, words.n, &point->key, &what);
        if (status == TL_OK && point->status != TL_OK) {
            point->known = 1;
            snprintf(point->error, sizeof point->error, "%.*s", (int)sizeof point->error - 1,
                     what.text);
        } else if (status == TL_OK) {
            words_prepare(&words);
        }
        word_list_free(&words);
    }
    tlr_key_cache_free(cache);
    return status;
}

int grid_is_known(const grid *g)
{
    const tlr_sweep *sweep = &g->sweep;
    for (size_t i = 0; i < sweep->n_points; i++)
        if (!sweep->points[i].known)
            return 0;
    return 1;
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

/* Reports the failed points in a line, and those that are not possible in another one. Of several
 * processes, the one that has all results reports them, because mpirun ends the others when the
 * first process does not exit with 0. */
int grid_tell_failures(const grid *g)
{
    char text[256];
    size_t first = 0;
    const tlr_sweep *sweep = &g->sweep;
    if (!grid_is_known(g))
        return CLI_OK;
    size_t n = count_lost(sweep, 1, &first);
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
    return cli_fail_text(tlr_sweep_status(sweep), "%zu of %zu points failed; the first, %s: %s", n,
                         sweep->n_points, text, sweep->points[first].error);
}

static const tlr_point *find_fastest(const tlr_sweep *sweep)
{
    const tlr_point *best = NULL;
    for (size_t i = 0; i < sweep->n_points; i++) {
        const tlr_point *point = &sweep->points[i];
        if (point->known && !point->error[0] && (!best || point->makespan_s < best->makespan_s))
            best = point;
    }
    return best;
}

void grid_warn_of_intervals(const grid *g)
{
    char text[256];
    size_t n = 0;
    const tlr_sweep *sweep = &g->sweep;
    const tlr_point *best = grid_is_known(g) ? find_fastest(sweep) : NULL;
    for (size_t i = 0; best && i < sweep->n_points; i++) {
        const tlr_point *point = &sweep->points[i];
        n += point != best && point->known && !point->error[0] &&
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

/* Of Open MPI's mpirun, of one that speaks PMI, or of srun. */
void grid_find_processes(grid *g)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    g->n_processes = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (!rank || !size || strtoul(rank, NULL, 10) >= strtoul(size, NULL, 10))
            continue;
        g->rank = strtoul(rank, NULL, 10);
        g->n_processes = strtoul(size, NULL, 10);
        return;
    }
}

/* The engine of all points: that of --engine, or of an axis with one value. */
static tl_status find_engine(const grid *g, const tlr_axis *axes, size_t n_axes, const char **out,
                             tl_error *err)
{
    static const char option[] = "--engine=";
    *out = NULL;
    for (size_t i = 0; i < g->options.n; i++)
        if (!strncmp(g->options.words[i], option, sizeof option - 1))
            *out = g->options.words[i] + sizeof option - 1;
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
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("replay", out);
    if (g->traces.n == 1)
        fprintf(out, " %s", g->traces.words[0]);
    for (size_t i = 0; i < g->options.n; i++)
        fprintf(out, " %s", g->options.words[i]);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The points that this process has to run. */
static size_t count_open(const grid *g)
{
    size_t n = 0;
    for (size_t i = g->rank; i < g->sweep.n_points; i += g->n_processes)
        n += !g->sweep.points[i].known;
    return n;
}

tl_status grid_expand(const grid *g, tlr_axis *axes, size_t n_axes, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < n_axes && status == TL_OK; i++) {
        const char *engine = NULL;
        if (!tlr_axis_has_all(&axes[i]))
            continue;
        status = find_engine(g, axes, n_axes, &engine, err);
        if (status == TL_OK)
            status = tlr_axis_expand(&axes[i], engine, err);
    }
    return status;
}

tl_status grid_run(grid *g, tl_error *err)
{
    tl_status status = TL_OK;
    if (!(g->command = command_of(g)))
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory");
    g->sweep.command = g->command;
    if (status == TL_OK && g->out)
        status = tlr_results_open(g->out, g->rank, g->n_processes, &g->results, err);
    if (status == TL_OK)
        status = set_keys(g, err);
    if (status == TL_OK && g->results)
        status = tlr_results_read(g->results, &g->sweep, 0, err);
    if (status != TL_OK)
        return status;
    g->progress = cli_progress_begin("points", count_open(g));
    status = tlr_sweep_run(&g->sweep, g->rank, g->n_processes, g->n_jobs, run_point, done, g, err);
    cli_progress_end(&g->progress);
    return status;
}

void grid_free(grid *g)
{
    if (g->sweep.points)
        tlr_sweep_free(&g->sweep);
    tlr_results_close(g->results);
    free(g->command);
    word_list_free(&g->options);
    word_list_free(&g->traces);
    *g = (grid){0};
}
