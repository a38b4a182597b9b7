/* cpu_spread.c - how much the bursts of a program differ from recording to recording. */
#include "cpu.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_source.h>

/* The bursts of all recordings, and the volume of each recording. */
typedef struct gathering {
    size_t n;
    tlp_burst_class *classes; /* `seconds` is the number of the recording */
    double *volumes;          /* of each recording */
} gathering;

/* Student's prediction interval for one more run: the values are few, and their mean is as
 * uncertain as they are. */
static double uncertainty_of(const double *values, size_t n)
{
    const double mean = gsl_stats_mean(values, 1, n);
    return mean > 0 ? gsl_cdf_tdist_Pinv(0.95, (double)n - 1) * gsl_stats_sd_m(values, 1, n, mean) *
                          sqrt(1 + 1 / (double)n) / mean
                    : 0;
}

static int compare_samples(const void *a, const void *b)
{
    const tlp_burst_class *x = a, *y = b;
    const int names = tlp_compare_bursts(x, y);
    return names ? names : (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static int compare_effects(const void *a, const void *b)
{
    const tlp_spread_class *x = a, *y = b;
    const double dx = x->share * x->uncertainty, dy = y->share * y->uncertainty;
    const int from = strcmp(x->from, y->from);
    return dx != dy ? (dx < dy) - (dx > dy) : from ? from : strcmp(x->to, y->to);
}

static tl_status check_same(const tl_reader *a, const tl_reader *b, tl_error *err)
{
    const tl_run *x = tl_reader_run(a), *y = tl_reader_run(b);
    if (x->n_ranks != y->n_ranks)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: has %" PRIu32 " ranks, %s has %" PRIu32
                       "; give recordings of the same run",
                       tl_reader_path(b), y->n_ranks, tl_reader_path(a), x->n_ranks);
    if (strcmp(x->volume_unit, y->volume_unit) != 0)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: is in '%s', %s in '%s'; record both with the same --volume",
                       tl_reader_path(b), y->volume_unit, tl_reader_path(a), x->volume_unit);
    return strcmp(x->program, y->program) == 0
               ? TL_OK
               : tl_fail(err, TL_ERR_INPUT,
                         "%s: is of '%s', %s of '%s'; give recordings of one "
                         "program with the same arguments",
                         tl_reader_path(b), y->program, tl_reader_path(a), x->program);
}

static bool has_same_events(const tl_reader *a, const tl_reader *b)
{
    tl_rank_summary x, y;
    for (uint32_t r = 0; r < tl_reader_run(a)->n_ranks; r++)
        if (tl_reader_rank(a, r, &x) != TL_OK || tl_reader_rank(b, r, &y) != TL_OK ||
            x.n_events != y.n_events)
            return 0;
    return 1;
}

static tl_status add_recording(gathering *g, tl_reader *trace, size_t run, tl_error *err)
{
    tlp_bursts bursts = {0};
    tl_status status = tlp_bursts_read(trace, tl_site_name, &bursts, err);
    tlp_burst_class *more =
        status == TL_OK ? realloc(g->classes, (g->n + bursts.n + 1) * sizeof *more) : NULL;
    if (status == TL_OK && !more)
        status = tl_no_memory(err, "recordings");
    if (more)
        g->classes = more;
    for (size_t i = 0; i < bursts.n && status == TL_OK; i++) {
        g->volumes[run] += bursts.classes[i].volume;
        g->classes[g->n] = bursts.classes[i];
        g->classes[g->n++].seconds = (double)run;
        bursts.classes[i] = (tlp_burst_class){0}; /* its names have moved */
    }
    tlp_bursts_free(&bursts);
    return status;
}

/* A class of the `n` samples from `first` on, which takes over a name. */
static void add_class(tlp_spread *s, tlp_burst_class *first, size_t n, double *values)
{
    const double total = s->all.share; /* still the volume of all recordings */
    double volume = 0;
    memset(values, 0, s->n_runs * sizeof *values);
    for (size_t i = 0; i < n; i++) {
        values[(size_t)first[i].seconds] = first[i].volume;
        volume += first[i].volume;
    }
    s->classes[s->n++] = (tlp_spread_class){first->from, first->to, volume / total,
                                            uncertainty_of(values, s->n_runs)};
    first->from = first->to = NULL;
    if (n == s->n_runs)
        s->common += volume / total;
}

static void add_classes(tlp_spread *s, gathering *g, double *values)
{
    qsort(g->classes, g->n, sizeof *g->classes, compare_samples);
    for (size_t i = 0, n; i < g->n; i += n) {
        for (n = 1; i + n < g->n; n++)
            if (tlp_compare_bursts(&g->classes[i], &g->classes[i + n]) != 0)
                break;
        add_class(s, &g->classes[i], n, values);
    }
    qsort(s->classes, s->n, sizeof *s->classes, compare_effects);
}

/* Of an even number of recordings, the lower one of the two in the middle. */
static size_t find_middle(const double *volumes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t below = 0;
        for (size_t k = 0; k < n; k++)
            below += volumes[k] < volumes[i] || (volumes[k] == volumes[i] && k < i);
        if (below == (n - 1) / 2)
            return i;
    }
    return 0;
}

static tl_status fill(tlp_spread *s, gathering *g, tl_error *err)
{
    double *values = calloc(s->n_runs, sizeof *values);
    s->classes = calloc(g->n + 1, sizeof *s->classes);
    if (!values || !s->classes) {
        free(values);
        return tl_no_memory(err, "recordings");
    }
    s->middle = find_middle(g->volumes, s->n_runs);
    s->all.uncertainty = uncertainty_of(g->volumes, s->n_runs);
    s->all.share = gsl_stats_mean(g->volumes, 1, s->n_runs) * (double)s->n_runs;
    add_classes(s, g, values);
    s->all.share = 1;
    free(values);
    return TL_OK;
}

tl_status tlp_spread_make(tl_reader *const *traces, size_t n, tlp_spread **out, tl_error *err)
{
    tlp_spread *s = calloc(1, sizeof *s);
    gathering g = {.volumes = calloc(n, sizeof *g.volumes)};
    tl_status status = s && g.volumes ? TL_OK : tl_no_memory(err, "recordings");
    if (s)
        s->n_runs = n;
    for (size_t i = 0; i < n && status == TL_OK; i++)
        if ((status = check_same(traces[0], traces[i], err)) == TL_OK) {
            if (!s->other && !has_same_events(traces[0], traces[i]))
                s->other = i;
            status = add_recording(&g, traces[i], i, err);
        }
    if (status == TL_OK)
        status = fill(s, &g, err);
    tlp_bursts rest = {.n = g.n, .classes = g.classes};
    tlp_bursts_free(&rest);
    free(g.volumes);
    if (status == TL_OK)
        *out = s;
    else
        tlp_spread_free(s);
    return status;
}

void tlp_spread_free(tlp_spread *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        free(s->classes[i].from);
        free(s->classes[i].to);
    }
    free(s->classes);
    free(s);
}
