/* window.c - replays some steps of a run. */
#include "sample/window.h"

#include "results/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tlr_window_close(tlr_window *w)
{
    tlr_prediction_free(w->prediction);
    tlr_usage_free(w->usage);
    free(w->front_s);
    free(w->lag_s);
    *w = (tlr_window){0};
}

static bool is_step(const tlr_steps *steps, const tlr_mark *mark)
{
    return mark->call == TL_MPI_Pcontrol && !strncmp(mark->site, steps->site, strlen(steps->site));
}

static double latest_s(const tlr_mark *mark, uint32_t n_ranks)
{
    double latest = 0;
    for (uint32_t r = 0; r < n_ranks; r++)
        latest = fmax(latest, mark->predicted_s[r]);
    return latest;
}

/* Reads the marks of the steps. The first steps may have no mark: those before the first possible
 * cut. */
static tl_status read_marks(const tlr_steps *steps, size_t unit, tlr_window *w, tl_error *err)
{
    const tlr_prediction *p = w->prediction;
    const size_t n_steps = w->past - w->from;
    const tlr_mark *end = NULL;
    size_t n_marks = 0;
    for (size_t i = 0; i < p->n_marks; i++)
        n_marks += (size_t)is_step(steps, &p->marks[i]);
    for (size_t i = 0; i < p->n_marks; i++) {
        const tlr_mark *mark = &p->marks[i];
        if (!is_step(steps, mark))
            continue;
        const size_t step = n_steps + 1 - n_marks + mark->ordinal;
        w->front_s[step] = latest_s(mark, p->n_ranks);
        if (step == n_steps / unit * unit)
            end = mark;
    }
    if (!end)
        return tl_fail(err, TL_ERR_UNSUPPORTED, "%s: has a window without marks of its steps",
                       tl_reader_path(steps->trace));
    double first = INFINITY;
    for (uint32_t r = 0; r < p->n_ranks; r++)
        first = fmin(first, end->predicted_s[r]);
    for (uint32_t r = 0; r < p->n_ranks; r++)
        w->lag_s[r] = end->predicted_s[r] - first;
    return TL_OK;
}

/* Removes the marks of the steps: there is one for each step and rank. */
static void drop_marks(const tlr_steps *steps, tlr_prediction *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->n_marks; i++) {
        if (!is_step(steps, &p->marks[i])) {
            p->marks[kept++] = p->marks[i];
            continue;
        }
        free(p->marks[i].site);
        free(p->marks[i].measured_s);
        free(p->marks[i].predicted_s);
    }
    p->n_marks = kept;
}

static int64_t *delays_after(const tlr_window *before, double scale, uint32_t n_ranks)
{
    int64_t *delays_ns = calloc(n_ranks, sizeof *delays_ns);
    for (uint32_t r = 0; delays_ns && before && r < n_ranks; r++)
        delays_ns[r] = (int64_t)(1e9 * scale * before->lag_s[r]);
    return delays_ns;
}

/* A message names the trace instead of the file of the window, which the user does not know. */
static void name_trace(const tl_reader *window, const tl_reader *trace, tl_error *err)
{
    const tl_error was = *err;
    const size_t length = strlen(tl_reader_path(window));
    if (!strncmp(was.text, tl_reader_path(window), length))
        tl_error_set(err, was.status, "%s%s", tl_reader_path(trace), was.text + length);
}

tl_status tlr_window_replay_steps(const tlr_steps *steps, const tlr_window_replay *how, size_t unit,
                                  size_t from, size_t past, const tlr_window *before, double scale,
                                  tlr_window *out, tl_error *err)
{
    const uint32_t n_ranks = tl_reader_run(steps->trace)->n_ranks;
    tlr_options options = *how->options;
    tlr_job job = {0};
    *out = (tlr_window){.from = from,
                        .past = past,
                        .front_s = calloc(past - from + 1, sizeof *out->front_s),
                        .lag_s = calloc(n_ranks, sizeof *out->lag_s)};
    int64_t *delays_ns = delays_after(before, scale, n_ranks);
    tl_status status =
        out->front_s && out->lag_s && delays_ns ? TL_OK : tl_no_memory(err, "a window");
    options.part = (uint32_t)from;
    options.progress = 0;
    if (status == TL_OK && options.usage)
        status = tlr_usage_create(0, 1, &out->usage, err);
    options.usage = out->usage;
    if (status == TL_OK)
        status = steps->open_window(steps, from, past, delays_ns, &job.trace, err);
    if (status == TL_OK) {
        status = how->replay(&job, 1, how->platform, how->engine, &options, &out->prediction, err);
        if (status != TL_OK && err)
            name_trace(job.trace, steps->trace, err);
    }
    if (status == TL_OK)
        status = read_marks(steps, unit, out, err);
    if (status == TL_OK)
        drop_marks(steps, out->prediction);
    tl_reader_close(job.trace);
    free(delays_ns);
    return status;
}
