/* predicted.c - the times of an engine beside the measured ones: replays of one repetition for each
 * size, algorithm and seed. */
#include "config.h"

#include "measure/measure.h"

#include "study/study.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <study/collectives.h>
#include <timeless_files.h>
#include <unistd.h>

/* The last axis exists only if the engine has algorithms of the operation. */
enum { AXIS_SIZE, AXIS_SEED, AXIS_ALGORITHM, N_AXES };

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

/* The skeleton of a size. */
static void path_of(const char *folder, int64_t bytes, char *text, size_t size)
{
    snprintf(text, size, "%s/%" PRId64 ".skel", folder, bytes);
}

/* One repetition of an operation with a size. */
typedef struct one {
    const char *operation;
    int64_t bytes;
} one;

static tl_status write_one(const void *arg, FILE *out, tl_error *err)
{
    const one *o = arg;
    (void)err;
    fputs("skeleton 1\nranks 2\n", out);
    measure_write_block(o->operation, (unsigned long long)o->bytes, 1, out);
    return TL_OK;
}

static tl_status make_axes(const grid *g, const tlp_measured *m, const char *folder, unsigned seeds,
                           tlr_axis *axes, tl_error *err)
{
    char text[PATH_MAX + 40], path[PATH_MAX];
    snprintf(text, sizeof text, "seed=1:%u", seeds);
    tl_status status = tlr_axis_parse(text, &axes[AXIS_SEED], err);
    if (status == TL_OK)
        status = tlr_axis_of("trace", NULL, 0, &axes[AXIS_SIZE], err);
    snprintf(text, sizeof text, "coll.%s", m->operation);
    const char *rule = "none";
    if (status == TL_OK && measure_algorithm_of(m->operation, 1))
        status = tlr_axis_of(text, &rule, 1, &axes[AXIS_ALGORITHM], err);
    for (size_t k = 0; k < m->n_cases && status == TL_OK; k++) {
        const one o = {m->operation, m->cases[k].bytes};
        const char *algorithm = in_engine(g, m, m->cases[k].algorithm);
        path_of(folder, o.bytes, path, sizeof path);
        snprintf(text, sizeof text, "%s,ranks=%u", path, m->n_ranks);
        status = tl_output_write(path, write_one, &o, err);
        if (status == TL_OK)
            status = tlr_axis_add(&axes[AXIS_SIZE], text, err);
        if (status == TL_OK && algorithm && axes[AXIS_ALGORITHM].n)
            status = tlr_axis_add(&axes[AXIS_ALGORITHM], algorithm, err);
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

static size_t find_algorithm(const tlr_axis *axis, const char *value)
{
    size_t i = 0;
    while (i < axis->n && strcmp(axis->values[i], value) != 0)
        i++;
    return i;
}

/* Sizes are on their axis in the order of the cases. */
static void take(const grid *g, const tlp_measured *m, measure_predicted *out)
{
    const tlr_sweep *sweep = &g->sweep;
    const bool has_algorithms = sweep->n_axes > AXIS_ALGORITHM;
    const size_t n_algorithms = has_algorithms ? sweep->axes[AXIS_ALGORITHM].n : 1;
    size_t size = 0;
    for (size_t k = 0; k < m->n_cases; k++) {
        const char *algorithm = in_engine(g, m, m->cases[k].algorithm);
        double *values = out->values + k * out->n_seeds;
        const size_t a = algorithm && has_algorithms
                             ? find_algorithm(&sweep->axes[AXIS_ALGORITHM], algorithm)
                             : 0;
        bool is_known = algorithm != NULL;
        size += k && m->cases[k].bytes != m->cases[k - 1].bytes;
        for (size_t s = 0; s < out->n_seeds; s++) {
            const tlr_point *point = &sweep->points[(size * out->n_seeds + s) * n_algorithms + a];
            is_known &= tlr_point_has_time(point);
            values[s] = point->makespan_s;
        }
        gsl_sort(values, 1, out->n_seeds);
        const double quantiles[] = {0.05, 0.5, 0.95};
        for (int i = 0; i < 3; i++)
            out->cases[k][i] =
                is_known
                    ? gsl_stats_quantile_from_sorted_data(values, 1, out->n_seeds, quantiles[i])
                    : NAN;
    }
}

static tl_status run(grid *g, const tlp_measured *m, const char *folder, unsigned seeds,
                     measure_predicted *out, tl_error *err)
{
    tlr_axis *axes = calloc(N_AXES, sizeof *axes);
    tl_status status = axes ? set_place(g, m, err) : tl_no_memory(err, "the command");
    if (status == TL_OK)
        status = make_axes(g, m, folder, seeds, axes, err);
    status = study_make_sweep(g, status, axes, axes && axes[AXIS_ALGORITHM].n ? N_AXES : N_AXES - 1,
                              err);
    if (status == TL_OK)
        status = grid_run(g, err);
    out->n_seeds = seeds;
    out->values = calloc(m->n_cases * seeds, sizeof *out->values);
    out->cases = calloc(m->n_cases, sizeof *out->cases);
    if (status == TL_OK && (!out->values || !out->cases))
        status = tl_no_memory(err, "the command");
    if (status == TL_OK) {
        study_place(g, out->place, sizeof out->place);
        take(g, m, out);
    }
    return status;
}

tl_status measure_predict(grid *g, const tlp_measured *m, unsigned seeds, measure_predicted *out,
                          tl_error *err)
{
    char folder[PATH_MAX - 32], path[PATH_MAX];
    if (!(measure_can(m->operation) & MEASURE_PREDICTION))
        return tl_fail(err, TL_ERR_USAGE,
                       "%.60s: only collectives and messages can be predicted; leave out "
                       "--platform",
                       tl_printable(m->operation));
    snprintf(folder, sizeof folder, "%s/timeless-measure.XXXXXX", tl_temporary_folder());
    if (!mkdtemp(folder))
        return tl_fail(err, TL_ERR_SYSTEM, "%.200s: cannot be made; check TMPDIR", folder);
    const tl_status status = run(g, m, folder, seeds, out, err);
    for (size_t k = 0; k < m->n_cases; k++) {
        path_of(folder, m->cases[k].bytes, path, sizeof path);
        unlink(path);
    }
    rmdir(folder);
    return status;
}

void measure_predicted_free(measure_predicted *p)
{
    free(p->values);
    free(p->cases);
}
