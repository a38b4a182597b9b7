/* series.c - sorts measurements, removes outliers, and estimates the deviation of each. */
#include "segments.h"

#include "repetitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

/* The number of neighbours on one side for the median; the number of differences of neighbours for
 * the scatter, and how many of the largest are ignored, because they may be steps of the curve; the
 * number of consecutive measurements with the same scatter. */
enum { N_SIDE = 15, N_SCATTER = 100, N_STEPS = 3, N_SAME = 10 };
#define OUTLIER 2.0
/* No clock and no line is more exact than this. */
#define LEAST_SD 0.002

/* The median of x[from] to x[to - 1]; NAN if there are none. */
static double median_of(const double *x, size_t from, size_t to)
{
    double part[N_SIDE];
    size_t n = to - from;
    if (!n)
        return NAN;
    memcpy(part, x + from, n * sizeof *part);
    return tlp_median(part, n);
}

/* The median of the neighbours on the side to which measurement i is closer. Next to a step this is
 * its own side. */
static double usual(const double *y, size_t n, size_t i)
{
    double before = median_of(y, i > N_SIDE ? i - N_SIDE : 0, i);
    double after = median_of(y, i + 1, i + 1 + N_SIDE < n ? i + 1 + N_SIDE : n);
    if (isnan(before) || isnan(after))
        return isnan(before) ? after : before;
    return fabs(log(y[i] / before)) < fabs(log(y[i] / after)) ? before : after;
}

static void take_out_outliers(tlp_series *s)
{
    size_t kept = 0;
    char *is_outlier = (char *)s->sd_s; /* not used yet, and large enough */
    for (size_t i = 0; i < s->n; i++)
        is_outlier[i] = s->seconds[i] > OUTLIER * usual(s->seconds, s->n, i);
    for (size_t i = 0; i < s->n; i++) {
        if (is_outlier[i])
            continue;
        s->bytes[kept] = s->bytes[i];
        s->seconds[kept++] = s->seconds[i];
    }
    s->n_outliers = s->n - kept;
    s->n = kept;
}

/* The relative standard deviation about the curve at i: that of differences of neighbours, which a
 * slope hardly changes. */
static double scatter(const double *squares, size_t n, size_t i)
{
    size_t from = i > N_SCATTER / 2 ? i - N_SCATTER / 2 : 0;
    size_t to = from + N_SCATTER < n ? from + N_SCATTER : n;
    double sum = 0, largest[N_STEPS] = {0};
    if (to == n)
        from = n > N_SCATTER ? n - N_SCATTER : 0;
    for (size_t k = from; k < to; k++) {
        double x = squares[k];
        sum += x;
        for (int l = 0; l < N_STEPS; l++) {
            double y = fmax(largest[l], x);
            x = fmin(largest[l], x);
            largest[l] = y;
        }
    }
    if ((to - from) / 2 <= N_STEPS)
        return sqrt(sum / 2 / (double)(to - from));
    for (int l = 0; l < N_STEPS; l++)
        sum -= largest[l];
    return sqrt(fmax(0, sum) / 2 / (double)(to - from - N_STEPS));
}

static tl_status expect_deviations(tlp_series *s)
{
    double *squares = malloc((s->n + 1) * sizeof *squares), relative = 0;
    if (!squares)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i + 1 < s->n; i++) {
        double d = log(s->seconds[i + 1] / s->seconds[i]);
        squares[i] = d * d;
    }
    for (size_t i = 0; i < s->n; i++) {
        if (i % N_SAME == 0)
            relative = fmax(LEAST_SD, scatter(squares, s->n - 1, i));
        s->sd_s[i] = relative * usual(s->seconds, s->n, i);
    }
    free(squares);
    return TL_OK;
}

tl_status tlp_series_make(const double *bytes, const double *seconds, size_t n, tlp_series *out)
{
    *out = (tlp_series){0};
    if (n < 2)
        return TL_OK;
    size_t *order = malloc(n * sizeof *order);
    out->bytes = malloc(3 * n * sizeof *out->bytes);
    if (!order || !out->bytes) {
        free(order);
        tlp_series_clear(out);
        return TL_ERR_MEMORY;
    }
    out->seconds = out->bytes + n;
    out->sd_s = out->seconds + n;
    out->n = n;
    gsl_sort_index(order, bytes, 1, n);
    for (size_t i = 0; i < n; i++) {
        out->bytes[i] = bytes[order[i]];
        out->seconds[i] = fmax(seconds[order[i]], 1e-12);
    }
    free(order);
    take_out_outliers(out);
    return expect_deviations(out);
}

void tlp_series_clear(tlp_series *series)
{
    free(series->bytes);
    *series = (tlp_series){0};
}
