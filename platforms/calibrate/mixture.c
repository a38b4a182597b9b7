/* mixture.c - a line whose noise is a mixture of normal modes. */
#include "segments.h"

#include "repetitions.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

enum { N_ROUNDS = 40, N_PER_MODE = 20 };
/* Narrower modes would fit single measurements. */
#define LEAST_SD 0.002
/* The least probability of a measurement that belongs to no mode. */
#define RARE 1e-4
#define CONVERGED 1e-5

typedef struct mixture {
    size_t n;
    bool may_dip;
    const double *bytes, *seconds;
    double *ratios; /* duration / line */
    double *shares; /* of mode k in measurement i: [k * n + i] */
} mixture;

static double value(const tlp_line *line, double bytes)
{
    return fmax(line->intercept_s + line->per_byte_s * bytes, 1e-12);
}

double tlp_line_log_density(const tlp_line *line, double bytes, double seconds)
{
    double at = value(line, bytes), ratio = seconds / at, density = RARE;
    for (int k = 0; k < line->n_modes; k++) {
        const tlp_line_mode *mode = &line->modes[k];
        double z = (ratio - mode->mean) / mode->sd;
        density += mode->share / mode->sd * exp(-z * z / 2);
    }
    return log(density / at);
}

static void find_ratios(mixture *m, const tlp_line *line)
{
    for (size_t i = 0; i < m->n; i++)
        m->ratios[i] = m->seconds[i] / value(line, m->bytes[i]);
}

/* The first modes: equal parts of the sorted ratios. */
static void guess_modes(const mixture *m, int n_modes, double *sorted, tlp_line *line)
{
    for (size_t i = 0; i < m->n; i++)
        sorted[i] = m->ratios[i];
    gsl_sort(sorted, 1, m->n);
    line->n_modes = n_modes;
    for (int k = 0; k < n_modes; k++) {
        size_t from = m->n * (size_t)k / (size_t)n_modes,
               to = m->n * (size_t)(k + 1) / (size_t)n_modes;
        double sd = gsl_stats_sd(sorted + from, 1, to - from);
        line->modes[k] = (tlp_line_mode){1.0 / n_modes, gsl_stats_mean(sorted + from, 1, to - from),
                                         fmax(LEAST_SD, sd)};
    }
}

/* Computes the modes to which each measurement belongs; returns the logarithm of the likelihood. */
static double expect(const mixture *m, const tlp_line *line)
{
    double log_likelihood = 0;
    for (size_t i = 0; i < m->n; i++) {
        double sum = 1e-300;
        for (int k = 0; k < line->n_modes; k++) {
            const tlp_line_mode *mode = &line->modes[k];
            double z = (m->ratios[i] - mode->mean) / mode->sd;
            double density = mode->share / mode->sd * exp(-z * z / 2);
            m->shares[(size_t)k * m->n + i] = density;
            sum += density;
        }
        for (int k = 0; k < line->n_modes; k++)
            m->shares[(size_t)k * m->n + i] /= sum;
        log_likelihood += log(sum) - log(value(line, m->bytes[i]));
    }
    return log_likelihood;
}

static void update_modes(const mixture *m, tlp_line *line)
{
    for (int k = 0; k < line->n_modes; k++) {
        double sum = 1e-300, mean = 0, square = 0;
        const double *shares = m->shares + (size_t)k * m->n;
        for (size_t i = 0; i < m->n; i++) {
            sum += shares[i];
            mean += shares[i] * m->ratios[i];
        }
        mean /= sum;
        for (size_t i = 0; i < m->n; i++)
            square += shares[i] * (m->ratios[i] - mean) * (m->ratios[i] - mean);
        line->modes[k] =
            (tlp_line_mode){sum / (double)m->n, mean, fmax(LEAST_SD, sqrt(square / sum))};
    }
}

/* Least squares of duration - mean of its mode * line, weighted by the deviation of the mode. */
static void update_line(const mixture *m, tlp_line *line)
{
    double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
    for (size_t i = 0; i < m->n; i++) {
        double x = m->bytes[i], y = m->seconds[i], at = value(line, x);
        for (int k = 0; k < line->n_modes; k++) {
            const tlp_line_mode *mode = &line->modes[k];
            double weight = m->shares[(size_t)k * m->n + i] / (mode->sd * mode->sd * at * at);
            double mm = weight * mode->mean * mode->mean, my = weight * mode->mean * y;
            w += mm;
            wx += mm * x;
            wxx += mm * x * x;
            wy += my;
            wxy += my * x;
        }
    }
    double det = w * wxx - wx * wx;
    double slope = det > 1e-12 * w * wxx ? (w * wxy - wx * wy) / det : 0;
    double intercept = (wy - slope * wx) / w;
    if (slope < 0) {
        slope = 0;
        intercept = wy / w;
    } else if (intercept < 0 && !m->may_dip) {
        intercept = 0;
        slope = wxy / wxx;
    }
    line->intercept_s = intercept;
    line->per_byte_s = slope;
}

/* Scales the line to the mean: the modes then have mean 1 together. */
static void normalise(tlp_line *line)
{
    double mean = 0;
    for (int k = 0; k < line->n_modes; k++)
        mean += line->modes[k].share * line->modes[k].mean;
    line->intercept_s *= mean;
    line->per_byte_s *= mean;
    for (int k = 0; k < line->n_modes; k++) {
        line->modes[k].mean /= mean;
        line->modes[k].sd /= mean;
    }
}

/* Returns the logarithm of the likelihood. */
static double maximise(mixture *m, int n_modes, double *sorted, tlp_line *line)
{
    double before = -INFINITY, now = 0;
    find_ratios(m, line);
    guess_modes(m, n_modes, sorted, line);
    for (int round = 0; round < N_ROUNDS; round++) {
        now = expect(m, line);
        if (fabs(now - before) < CONVERGED * fabs(now))
            break;
        before = now;
        update_modes(m, line);
        update_line(m, line);
        find_ratios(m, line);
    }
    normalise(line);
    return now;
}

static double median_error(mixture *m, const tlp_line *line)
{
    find_ratios(m, line);
    for (size_t i = 0; i < m->n; i++)
        m->ratios[i] = fabs(m->ratios[i] - 1);
    return tlp_median(m->ratios, m->n);
}

tl_status tlp_mixture_fit(const double *bytes, const double *seconds, size_t n, bool may_dip,
                          tlp_line *line)
{
    if (n < 2)
        return TL_ERR_USAGE;
    mixture m = {n, may_dip, bytes, seconds, NULL, NULL};
    double *memory = malloc((TLP_LINE_MODES + 2) * n * sizeof *memory), least = INFINITY;
    if (!memory)
        return TL_ERR_MEMORY;
    m.ratios = memory + n;
    m.shares = memory + 2 * n;
    tlp_line best = *line;
    for (int k = 1; k <= TLP_LINE_MODES && (k == 1 || (size_t)k * N_PER_MODE <= n); k++) {
        tlp_line candidate = *line;
        double criterion =
            -2 * maximise(&m, k, memory, &candidate) + (3 * k - 1 + 2) * log((double)n);
        if (criterion >= least)
            break;
        least = criterion;
        best = candidate;
    }
    best.n = n;
    best.criterion = least;
    best.median_error = median_error(&m, &best);
    *line = best;
    free(memory);
    return TL_OK;
}
