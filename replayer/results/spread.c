/* spread.c - the makespans of several seeds: memory for them, mean, deviation, quantiles. */
#include "spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

void tlr_spread_free(tlr_spread *spread)
{
    if (!spread)
        return;
    free(spread->makespan_s);
    free(spread->whole_s);
    free(spread->interval_s);
    free(spread);
}

tlr_spread *tlr_spread_make(size_t n_seeds, size_t n_marks)
{
    tlr_spread *spread = calloc(1, sizeof *spread);
    if (!spread)
        return NULL;
    spread->n_seeds = n_seeds;
    spread->n_intervals = n_marks ? n_marks - 1 : 0;
    spread->makespan_s = calloc(n_seeds + 1, sizeof *spread->makespan_s);
    spread->whole_s = calloc(n_seeds + 1, sizeof *spread->whole_s);
    spread->interval_s = calloc(n_seeds * spread->n_intervals + 1, sizeof *spread->interval_s);
    if (spread->makespan_s && spread->whole_s && spread->interval_s)
        return spread;
    tlr_spread_free(spread);
    return NULL;
}

double tlr_spread_quantile(const tlr_spread *spread, double p)
{
    double *sorted = malloc(spread->n_seeds * sizeof *sorted);
    if (!sorted)
        return NAN;
    memcpy(sorted, spread->makespan_s, spread->n_seeds * sizeof *sorted);
    gsl_sort(sorted, 1, spread->n_seeds);
    const double quantile = gsl_stats_quantile_from_sorted_data(sorted, 1, spread->n_seeds, p);
    free(sorted);
    return quantile;
}

double tlr_spread_mean(const tlr_spread *spread)
{
    return gsl_stats_mean(spread->makespan_s, 1, spread->n_seeds);
}

double tlr_spread_sd(const tlr_spread *spread)
{
    return spread->n_seeds > 1 ? gsl_stats_sd(spread->makespan_s, 1, spread->n_seeds) : 0;
}
