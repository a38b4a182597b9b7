/* fit_noise.c - fits the spread of the seconds of like calls around their polynomial.
 *
 * Residuals are divided by a standard deviation. It is a constant (N-1) or a polynomial in the
 * sizes (N-2) of Cornebize's thesis draft, section 4.1. A mixture (N') is fitted to the quotients.
 */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

enum { N_STEPS = 60, LEAST_CALLS = 40 };
/* Mean absolute value of a normal variable of standard deviation 1. */
#define MEAN_ABSOLUTE 0.79788456
/* No mode is narrower than this share of the whole spread, because it would be a single value. */
#define LEAST_SD 0.05
/* The skewness of a half-normal distribution; half of this value separates normal from half-normal.
 */
#define HALF_NORMAL_SKEW 0.995
#define LOG_2_PI 1.8378770664093453

/* ---- standard deviation ---- */

/* Sums of squares of residuals, by a spread of mean 1. */
static double spread_of(const tlp_points *p, const double *residuals,
                        const double sd_s[TLP_N_TERMS])
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double sd = tlp_sum_terms(sd_s, p->at[i].terms);
        sum += sd > 0 ? gsl_pow_2(residuals[i] / sd) : 0;
    }
    return sqrt(sum / (double)p->n);
}

/* A polynomial through the absolute residuals, scaled so that the mean square of the quotients is
 * 1. */
static tl_status fit_sd(const tlp_points *points, const double *residuals, unsigned terms,
                        double sd_s[TLP_N_TERMS])
{
    tlp_points absolute = {points->n, malloc((points->n + 1) * sizeof *absolute.at)};
    if (!absolute.at)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < points->n; i++) {
        absolute.at[i] = points->at[i];
        absolute.at[i].seconds =
            fmax(fabs(residuals[i]), 1e-6 * points->at[i].seconds) / MEAN_ABSOLUTE;
    }
    tl_status status = tlp_fit_terms(&absolute, terms, sd_s);
    free(absolute.at);
    const double scale = status == TL_OK ? spread_of(points, residuals, sd_s) : 1;
    for (int t = 0; t < TLP_N_TERMS; t++)
        sd_s[t] *= scale;
    return status;
}

static double log_likelihood(const tlp_points *p, const double *residuals,
                             const double sd_s[TLP_N_TERMS])
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double sd = fmax(tlp_sum_terms(sd_s, p->at[i].terms), 1e-6 * p->at[i].seconds);
        sum -= 0.5 * (gsl_pow_2(residuals[i] / sd) + LOG_2_PI) + log(sd);
    }
    return sum;
}

/* Bayesian information criterion; the smaller, the better. */
static double criterion(double log_likelihood, int n_parameters, size_t n)
{
    return n_parameters * log((double)n) - 2 * log_likelihood;
}

/* ---- mixture ---- */

static double density(const tlp_noise_mode *mode, double z)
{
    return mode->weight / mode->sd *
           exp(-0.5 * (gsl_pow_2((z - mode->mean) / mode->sd) + LOG_2_PI));
}

static double mixture_likelihood(const double *z, size_t n, const tlp_noise_mode *modes,
                                 size_t n_modes)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double p = 0;
        for (size_t m = 0; m < n_modes; m++)
            p += density(&modes[m], z[i]);
        sum += log(fmax(p, 1e-300));
    }
    return sum;
}

/* One step of expectation and maximisation. */
static void improve(const double *z, size_t n, tlp_noise_mode *modes, size_t n_modes)
{
    double weight[TLP_MAX_NOISE_MODES] = {0}, sum[TLP_MAX_NOISE_MODES] = {0},
           square[TLP_MAX_NOISE_MODES] = {0};
    for (size_t i = 0; i < n; i++) {
        double share[TLP_MAX_NOISE_MODES], total = 1e-300;
        for (size_t m = 0; m < n_modes; m++)
            total += share[m] = density(&modes[m], z[i]);
        for (size_t m = 0; m < n_modes; m++) {
            weight[m] += share[m] / total;
            sum[m] += share[m] / total * z[i];
            square[m] += share[m] / total * z[i] * z[i];
        }
    }
    for (size_t m = 0; m < n_modes; m++) {
        if (weight[m] < 1e-6 * (double)n)
            continue;
        modes[m].weight = weight[m] / (double)n;
        modes[m].mean = sum[m] / weight[m];
        modes[m].sd =
            fmax(LEAST_SD, sqrt(fmax(0, square[m] / weight[m] - gsl_pow_2(modes[m].mean))));
    }
}

/* The number of modes that the criterion prefers; *best is its value for them. */
static void fit_modes(const double *z, const double *sorted, size_t n, tlp_piece *piece,
                      double *best)
{
    *best = INFINITY;
    for (size_t n_modes = 1; n_modes <= TLP_MAX_NOISE_MODES; n_modes++) {
        tlp_noise_mode modes[TLP_MAX_NOISE_MODES] = {{0}};
        for (size_t m = 0; m < n_modes; m++)
            modes[m] = (tlp_noise_mode){1.0 / (double)n_modes,
                                        gsl_stats_quantile_from_sorted_data(
                                            sorted, 1, n, ((double)m + 0.5) / (double)n_modes),
                                        1.0 / (double)n_modes};
        for (int step = 0; step < N_STEPS; step++)
            improve(z, n, modes, n_modes);
        const double value =
            criterion(mixture_likelihood(z, n, modes, n_modes), 3 * (int)n_modes - 1, n);
        if (value < *best) {
            *best = value;
            piece->n_modes = n_modes;
            memcpy(piece->modes, modes, sizeof modes);
        }
    }
}

/* ---- choice ---- */

/* The skewness without the outermost percent at each end. */
static double skewness(const double *sorted, size_t n)
{
    const size_t cut = n / 100;
    return n > 2 * cut + 2 ? gsl_stats_skew(sorted + cut, 1, n - 2 * cut) : 0;
}

/* The criterion for one normal distribution of that standard deviation, and for several. */
static tl_status choose(const tlp_points *points, const double *residuals, tlp_noise noise,
                        tlp_piece *piece)
{
    double constant[TLP_N_TERMS] = {0}, polynomial[TLP_N_TERMS] = {0};
    TL_TRY(fit_sd(points, residuals, TLP_M0_TERMS, constant));
    TL_TRY(fit_sd(points, residuals, TLP_M2_TERMS, polynomial));
    const double of_constant = log_likelihood(points, residuals, constant);
    const double of_polynomial = log_likelihood(points, residuals, polynomial);
    int n_terms = 0;
    for (int t = 0; t < TLP_N_TERMS; t++)
        n_terms += polynomial[t] > 0;
    const double n1 = criterion(of_constant, 1, points->n);
    const double n2 = criterion(of_polynomial, n_terms, points->n);
    const int takes_constant = noise == TLP_N1 || (noise != TLP_N2 && n1 <= n2);
    const double *sd_s = takes_constant ? constant : polynomial;
    memcpy(piece->sd_s, sd_s, sizeof piece->sd_s);
    double *z = calloc(2 * points->n, sizeof *z), *sorted = z + points->n;
    if (!z)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < points->n; i++) {
        const double sd = tlp_sum_terms(sd_s, points->at[i].terms);
        sorted[i] = z[i] = sd > 0 ? residuals[i] / sd : 0;
    }
    gsl_sort(sorted, 1, points->n);
    piece->is_skewed = skewness(sorted, points->n) > HALF_NORMAL_SKEW / 2;
    piece->noise = takes_constant ? TLP_N1 : TLP_N2;
    if (noise == TLP_MIXTURE || noise == TLP_BEST_NOISE) {
        double several;
        fit_modes(z, sorted, points->n, piece, &several);
        const double one = (double)points->n * (1 + LOG_2_PI);
        if (noise == TLP_MIXTURE || (piece->n_modes > 1 && several < one))
            piece->noise = TLP_MIXTURE;
    }
    free(z);
    return TL_OK;
}

tl_status tlp_fit_noise(const tlp_points *points, tlp_noise noise, tlp_piece *piece)
{
    piece->noise = TLP_N0;
    if (noise == TLP_N0 || points->n < LEAST_CALLS)
        return TL_OK;
    double *residuals = calloc(points->n, sizeof *residuals), largest = 0;
    if (!residuals)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < points->n; i++) {
        residuals[i] = points->at[i].seconds - tlp_sum_terms(piece->mean_s, points->at[i].terms);
        largest = fmax(largest, fabs(residuals[i] / points->at[i].seconds));
    }
    /* If the polynomial gives all durations exactly, there is no noise. */
    tl_status status = largest > 1e-9 ? choose(points, residuals, noise, piece) : TL_OK;
    free(residuals);
    return status;
}
