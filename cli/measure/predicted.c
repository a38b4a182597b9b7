/* predicted.c - the times of an engine beside the measured ones: one replay for each size and
 * algorithm, as timeless study collectives does. */
#include "config.h"

#include "measure/measure.h"

#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <study/collectives.h>
#include <study/study_cases.h>

/* The pattern of the study; reduce_scatter stands for MPI_Reduce_scatter_block. */
static const char *pattern_of(const char *operation)
{
    return !strcmp(operation, "reduce_scatter_block") ? "reduce_scatter" : operation;
}

/* The algorithm of the engine for that of the library; "none": its rule; NULL: it has none. */
static const char *in_engine(const grid *g, const tlp_measured *m, const char *name)
{
    const measure_algorithm *a;
    const bool is_loggops = g->base.engine && !strcmp(g->base.engine, "loggops");
    if (!strcmp(name, "default"))
        return "none";
    for (size_t i = 1; (a = measure_algorithm_of(m->operation, i)); i++)
        if (!strcmp(a->name, name)) {
            const char *found = is_loggops ? a->loggops : a->smpi;
            return *found ? found : NULL;
        }
    return NULL;
}

static tl_status make_axes(const grid *g, const tlp_measured *m, tlr_axis *axes, tl_error *err)
{
    char text[128];
    snprintf(text, sizeof text, "call_%s", pattern_of(m->operation));
    const char *value = text;
    tl_status status = tlr_axis_of("make", &value, 1, &axes[TLR_STUDY_MAKE], err);
    char ranks[24];
    snprintf(ranks, sizeof ranks, "%u", m->n_ranks);
    value = ranks;
    if (status == TL_OK)
        status = tlr_axis_of("make.ranks", &value, 1, &axes[TLR_STUDY_RANKS], err);
    if (status == TL_OK)
        status = tlr_axis_of("make.bytes", NULL, 0, &axes[TLR_STUDY_BYTES], err);
    snprintf(text, sizeof text, "coll.%s", pattern_of(m->operation));
    value = "none";
    if (status == TL_OK)
        status = tlr_axis_of(text, &value, 1, &axes[TLR_STUDY_ALGORITHM], err);
    for (size_t k = 0; k < m->n_cases && status == TL_OK; k++) {
        const char *algorithm = in_engine(g, m, m->cases[k].algorithm);
        snprintf(text, sizeof text, "%" PRId64, m->cases[k].bytes);
        status = tlr_axis_add(&axes[TLR_STUDY_BYTES], text, err);
        if (status == TL_OK && algorithm)
            status = tlr_axis_add(&axes[TLR_STUDY_ALGORITHM], algorithm, err);
    }
    return status;
}

/* As the measured ranks: their number on each host, and the rules of their library. */
static tl_status set_place(grid *g, const tlp_measured *m, tl_error *err)
{
    char text[24];
    tl_status status = TL_OK;
    snprintf(text, sizeof text, "%zu", (m->n_ranks + m->n_hosts - 1) / m->n_hosts);
    if (!tlr_scenario_has(&g->base, "ranks-per-host"))
        status = tlr_scenario_set(&g->base, "ranks-per-host", text, err);
    if (status == TL_OK && !g->base.options.coll_selector)
        status = tlr_scenario_set(&g->base, "coll-selector",
                                  !strncmp(m->mpi, "Open MPI v5", 11) ? "ompi-5.0"
                                  : !strncmp(m->mpi, "Open MPI", 8)   ? "ompi-4.1"
                                                                      : "mpich",
                                  err);
    return status;
}

static int find_value(const tlr_axis *axis, const char *value)
{
    for (size_t i = 0; i < axis->n; i++)
        if (!strcmp(axis->values[i], value))
            return (int)i;
    return -1;
}

static void take(const grid *g, const tlp_measured *m, measure_predicted *out)
{
    const tlr_study study = {.sweep = &g->sweep};
    const tlr_axis *axes = g->sweep.axes;
    char bytes[24];
    for (size_t k = 0; k < m->n_cases; k++) {
        const char *algorithm = in_engine(g, m, m->cases[k].algorithm);
        snprintf(bytes, sizeof bytes, "%" PRId64, m->cases[k].bytes);
        out->seconds[k] = NAN;
        if (!algorithm)
            continue;
        const tlr_point *point =
            study_point(&study, 0, (size_t)find_value(&axes[TLR_STUDY_BYTES], bytes),
                        (size_t)find_value(&axes[TLR_STUDY_ALGORITHM], algorithm));
        if (study_has_time(point))
            out->seconds[k] = point->makespan_s;
    }
}

tl_status measure_predict(grid *g, const tlp_measured *m, measure_predicted *out, tl_error *err)
{
    if (!tlr_study_has(pattern_of(m->operation)))
        return tl_fail(err, TL_ERR_USAGE,
                       "%.60s: only collectives of 'timeless study collectives' can be predicted; "
                       "leave out --platform",
                       m->operation);
    tlr_axis *axes = calloc(TLR_STUDY_N_AXES, sizeof *axes);
    tl_status status = axes ? set_place(g, m, err) : tl_no_memory(err, "the command");
    if (status == TL_OK)
        status = make_axes(g, m, axes, err);
    status = study_make_sweep(g, status, axes, TLR_STUDY_N_AXES, err);
    if (status == TL_OK)
        status = grid_run(g, err);
    if (status == TL_OK && !(out->seconds = calloc(m->n_cases, sizeof *out->seconds)))
        status = tl_no_memory(err, "the command");
    if (status != TL_OK)
        return status;
    study_place(g, out->place, sizeof out->place);
    take(g, m, out);
    return TL_OK;
}
