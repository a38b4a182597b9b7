/* interfere_weigh.c - how many hogs of each kind slow the hogs as much as a class does, in view of
 * the noise of the slowdowns.
 *
 * Hog h takes s(h) times as long beside the class and p(h, k) times as long beside hog k. The
 * weights w(k), at least 0, are to solve s(h) - 1 = sum over k of (p(h, k) - 1) w(k). Both sides
 * have errors, with the standard errors S(h) of s(h) and P(h, k) of p(h, k). The weights minimise
 *
 *     sum over h of E[(s(h) - 1 - sum over k of (p(h, k) + e(h, k) - 1) w(k))^2] / S(h)^2,
 *
 * where the e(h, k) are independent with mean 0 and standard deviation P(h, k): stochastic robust
 * least squares (Boyd, Vandenberghe: Convex Optimization, 2004, section 6.4.1), each equation
 * divided by its variance. The expectation is that of the measured values plus
 * sum over k of P(h, k)^2 w(k)^2, so that each weight has a ridge (Hoerl, Kennard: Technometrics
 * 12, 1970) as large as the noise of its column. A hog that slows the hogs by less than their noise
 * gets a small weight instead of the quotient of two errors. The rates of a hog alone are part of
 * all slowdowns of this hog; this correlation of their errors is neglected. */
#include "config.h"

#include "interfere.h"

#include <math.h>

#include <gsl/gsl_statistics.h>

/* Runs in which other machines take up to 1 % of the time count (calibrate cpu), so no slowdown is
 * known better, even if all repetitions agree. It also keeps the variances above 0. */
static const double least_noise = 0.01;
/* A hundredth of a hog changes no prediction by more than its noise. */
static const double least_weight = 0.01;
/* The scatter of all rates of a hog counts as much as that of so many repetitions, less 1. Few
 * repetitions then have about the former, many have their own: the variances of Smyth (Statistical
 * Applications in Genetics and Molecular Biology 3, 2004, article 3, section 4), with assumed
 * degrees of freedom. */
static const double pooled_freedom = 4;
enum { ROUNDS = 2000 };

/* Up to 4 repetitions: their variance, because two of them may agree by chance. From 5 on: the
 * square of the median absolute deviation, which ignores the repetitions that the median ignores,
 * too. Factors make its mean the variance of a normal distribution, out of 3 million draws; above,
 * 1.4826^2 n / (n - 0.4), which is within 1.5 %. */
double tlp_interfere_scatter(double *values, size_t n)
{
    enum { LEAST_MEDIAN = 5, N_FACTORS = 5 };
    static const double factors[N_FACTORS] = {2.428, 2.535, 2.318, 2.388, 2.279};
    if (n < 2)
        return 0;
    for (size_t i = 0; i < n; i++)
        values[i] = log(values[i]);
    if (n < LEAST_MEDIAN)
        return gsl_stats_variance(values, 1, n);
    const double middle = tlp_median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - middle);
    const double deviation = tlp_median(values, n);
    const double factor = n < LEAST_MEDIAN + N_FACTORS ? factors[n - LEAST_MEDIAN]
                                                       : 2.1981 * (double)n / ((double)n - 0.4);
    return factor * deviation * deviation;
}

/* A median of two is their mean; that of more values has at most pi / 2 times the variance of their
 * mean, if they are normal. */
double tlp_interfere_variance(double scatter, double pooled, size_t n)
{
    if (n < 2)
        return pooled;
    const double own = (double)n - 1;
    const double one = (pooled_freedom * pooled + own * scatter) / (pooled_freedom + own);
    return (n > 2 ? M_PI_2 : 1) * one / (double)n;
}

double tlp_interfere_noise(double slowdown, double beside, double alone)
{
    return slowdown * sqrt(fmax(beside + alone, least_noise * least_noise));
}

void tlp_interfere_weigh(const double between[TLP_N_HOGS][TLP_N_HOGS],
                         const double between_noise[TLP_N_HOGS][TLP_N_HOGS],
                         const double suffered[TLP_N_HOGS], const double suffered_noise[TLP_N_HOGS],
                         double w[TLP_N_HOGS])
{
    double square[TLP_N_HOGS][TLP_N_HOGS] = {{0}}, right[TLP_N_HOGS] = {0};
    for (int h = 0; h < TLP_N_HOGS; h++)
        for (int k = 0; k < TLP_N_HOGS; k++) {
            const double slope = (between[h][k] - 1) / suffered_noise[h];
            const double ridge = between_noise[h][k] / suffered_noise[h];
            for (int other = 0; other < TLP_N_HOGS; other++)
                square[k][other] += slope * (between[h][other] - 1) / suffered_noise[h];
            square[k][k] += ridge * ridge;
            right[k] += slope * (suffered[h] - 1) / suffered_noise[h];
        }
    for (int k = 0; k < TLP_N_HOGS; k++)
        w[k] = 0;
    /* Coordinate descent: the sum is strictly convex, so it finds the only minimum. */
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < TLP_N_HOGS; k++) {
            double rest = right[k];
            for (int other = 0; other < TLP_N_HOGS; other++)
                if (other != k)
                    rest -= square[k][other] * w[other];
            w[k] = fmax(0, rest / square[k][k]);
        }
    for (int k = 0; k < TLP_N_HOGS; k++)
        if (w[k] < least_weight)
            w[k] = 0;
}
