/* seeds.c - the same replay with several seeds, to show how much runs of the same program differ.
 */
#include "seeds.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "results/spread.h"

/* Only this is kept of all replays, because one prediction of a large run takes much memory. */
typedef struct ensemble {
    size_t n_seeds, n_jobs;
    tlr_spread **spreads; /* [n_jobs] */
    double *end_s;        /* [n_seeds] of the last job */
} ensemble;

static double longest_s(const tlr_mark *from, const tlr_mark *to, uint32_t n_ranks)
{
    double longest = 0;
    for (uint32_t r = 0; r < n_ranks; r++)
        longest = fmax(longest, to->predicted_s[r] - from->predicted_s[r]);
    return longest;
}

static tl_status keep_results(ensemble *e, size_t seed, tlr_prediction *const *predictions,
                              tl_error *err)
{
    for (size_t j = 0; j < e->n_jobs; j++) {
        const tlr_prediction *p = predictions[j];
        if (!e->spreads[j] && !(e->spreads[j] = tlr_spread_make(e->n_seeds, p->n_marks)))
            return tl_no_memory(err, "predictions of all seeds");
        tlr_spread *spread = e->spreads[j];
        spread->makespan_s[seed] = p->makespan_s;
        if (p->n_marks)
            spread->whole_s[seed] = longest_s(&p->marks[0], &p->marks[p->n_marks - 1], p->n_ranks);
        for (size_t i = 0; i < spread->n_intervals; i++)
            spread->interval_s[seed * spread->n_intervals + i] =
                longest_s(&p->marks[i], &p->marks[i + 1], p->n_ranks);
        e->end_s[seed] = fmax(e->end_s[seed], p->start_s + p->makespan_s);
    }
    return TL_OK;
}

static void free_predictions(tlr_prediction **predictions, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        tlr_prediction_free(predictions[j]);
        predictions[j] = NULL;
    }
}

/* The seed with the median makespan; of two middle seeds, the one with the shorter makespan. */
static tl_status find_median(const ensemble *e, size_t *out, tl_error *err)
{
    size_t *order = calloc(e->n_seeds, sizeof *order);
    if (!order)
        return tl_no_memory(err, "predictions of all seeds");
    gsl_sort_index(order, e->end_s, 1, e->n_seeds);
    *out = order[(e->n_seeds - 1) / 2];
    free(order);
    return TL_OK;
}

tl_status tlr_replay_seeds(tlr_replay_function *replay, const tlr_job *jobs, size_t n_jobs,
                           const tlr_platform *platform, const char *engine,
                           const tlr_options *options, tlr_prediction **out, tl_error *err)
{
    tlr_options one = *options;
    one.n_seeds = 0;
    one.timeline = NULL;
    one.usage = NULL;
    ensemble e = {.n_seeds = options->n_seeds,
                  .n_jobs = n_jobs,
                  .spreads = calloc(n_jobs, sizeof *e.spreads),
                  .end_s = calloc(options->n_seeds, sizeof *e.end_s)};
    tl_status status = e.spreads && e.end_s ? TL_OK : tl_no_memory(err, "predictions of all seeds");
    double wall_s = 0;
    for (size_t i = 0; i < e.n_seeds && status == TL_OK; i++) {
        one.seed = options->seed + i;
        status = replay(jobs, n_jobs, platform, engine, &one, out, err);
        if (status != TL_OK)
            break;
        wall_s += out[0]->wall_s;
        status = keep_results(&e, i, out, err);
        free_predictions(out, n_jobs);
    }
    size_t median = 0;
    if (status == TL_OK)
        status = find_median(&e, &median, err);
    if (status == TL_OK) {
        one.seed = options->seed + median;
        one.timeline = options->timeline;
        one.usage = options->usage;
        status = replay(jobs, n_jobs, platform, engine, &one, out, err);
    }
    for (size_t j = 0; j < n_jobs && status == TL_OK; j++) {
        out[j]->spread = e.spreads[j];
        out[j]->first_seed = options->seed;
        out[j]->wall_s += wall_s;
        e.spreads[j] = NULL;
    }
    for (size_t j = 0; e.spreads && j < n_jobs; j++)
        tlr_spread_free(e.spreads[j]);
    free(e.spreads);
    free(e.end_s);
    return status;
}
