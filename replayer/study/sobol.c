/* sobol.c - Sobol indices by Saltelli's estimators. */
#include "config.h"

#include "sobol.h"

#include "machine/rank_model.h"
#include "study/normal.h"

#include <gsl/gsl_qrng.h>
#include <math.h>
#include <string.h>

tl_status tlr_sobol_points(size_t n, size_t d, uint64_t seed, double *out, tl_error *err)
{
    double shift[2 * TLR_SOBOL_MOST];
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)(2 * d));
    if (!sequence)
        return tl_no_memory(err, "Sobol's sequence");
    for (size_t k = 0; k < 2 * d; k++)
        shift[k] =
            tlr_draw_uniform(&(tlr_draw_key){.seed = seed, .index = k, .purpose = TLR_DRAW_SHIFT});
    for (size_t j = 0; j < n; j++) {
        double *row = out + j * 2 * d;
        /* GSL leaves out the first point, 0, without which a power of 2 of points is not even. */
        memset(row, 0, 2 * d * sizeof *row);
        if (j)
            gsl_qrng_get(sequence, row);
        for (size_t k = 0; k < 2 * d; k++)
            row[k] = fmod(row[k] + shift[k], 1);
    }
    gsl_qrng_free(sequence);
    return TL_OK;
}

/* The mean of the terms, and half of its 90 % interval, as parts of a variance. */
typedef struct sum {
    double terms, squares;
} sum;

static void add(sum *s, double term)
{
    s->terms += term;
    s->squares += term * term;
}

static double mean_of(const sum *s, size_t n)
{
    return s->terms / (double)n;
}

static double error_of(const sum *s, size_t n)
{
    const double mean = mean_of(s, n);
    return TLR_DEVIATIONS_90 * sqrt(fmax(0, s->squares / (double)n - mean * mean) / (double)n);
}

void tlr_sobol_indices(const double *results, size_t n, size_t d, tlr_sobol_index *out,
                       double *mean, double *sd)
{
    sum all = {0}, centred = {0};
    /* The rows of all tables have the same distribution. */
    const size_t n_all = n * (d + 2);
    for (size_t j = 0; j < n_all; j++)
        add(&all, results[j]);
    *mean = mean_of(&all, n_all);
    for (size_t j = 0; j < n_all; j++)
        add(&centred, results[j] - *mean);
    const double variance = centred.squares / (double)n_all;
    *sd = sqrt(variance);
    for (size_t i = 0; i < d; i++) {
        sum first = {0}, total = {0};
        for (size_t j = 0; j < n; j++) {
            const double *row = results + j * (d + 2), step = row[2 + i] - row[0];
            add(&first, (row[1] - *mean) * step);
            add(&total, step * step / 2);
        }
        out[i] = (tlr_sobol_index){0};
        if (variance > 0)
            out[i] =
                (tlr_sobol_index){mean_of(&first, n) / variance, error_of(&first, n) / variance,
                                  mean_of(&total, n) / variance, error_of(&total, n) / variance};
    }
}
