/* measured_period.c - whether outliers come at a fixed rate, as those of a timer do: the test of
 * Rayleigh for the phases of their begins, over a list of periods. */
#include "config.h"

#include "measured.h"

#include <complex.h>
#include <math.h>

#include <gsl/gsl_cdf.h>

static const double periods_s[] = {1e-3, 2e-3, 4e-3, 1e-2, 2e-2, 4e-2, 0.1, 0.2, 0.5, 1};
enum { N_PERIODS = sizeof periods_s / sizeof *periods_s, LEAST_EVENTS = 8 };
/* Outliers that are nearer to each other have one cause. */
#define BUNCH_S 5e-4
/* An outlier counts by the time that it lost, up to this many medians, so that many small ones with
 * another period do not hide the cause of the large ones. */
#define MOST_MEDIANS 5
/* Weaker alignments are not named. */
#define LEAST_ALIGNMENT 0.15

/* The repetitions that are looked at: outliers or good ones. */
typedef struct marks {
    const unsigned char *is_outlier, *is_used;
    unsigned char outliers;
} marks;

typedef struct alignment {
    double statistic, length, weight; /* chi-squared; sums of the strata */
    unsigned n_strata;
} alignment;

/* Adds the repetitions first to past, of one launch of a case, that are looked at. Of outliers that
 * follow each other, only the first counts: a disturbance may last over several. */
static void add_stratum(const tlp_measured *m, double median_s, size_t first, size_t past,
                        double period_s, const marks *of, alignment *to)
{
    double complex sum = 0;
    double before_s = -INFINITY, weights = 0, squares = 0;
    unsigned n = 0;
    for (size_t i = first; i < past; i++) {
        const double at_s = m->rows[i * m->n_together].begin_s;
        if (!of->is_used[i] || of->is_outlier[i] != of->outliers)
            continue;
        const bool is_next = of->outliers && fabs(at_s - before_s) < BUNCH_S;
        before_s = at_s;
        if (is_next)
            continue;
        const double lost = m->seconds[i] / median_s - 1; /* 1 or more, of its own launch */
        const double weight = of->outliers ? fmax(1, fmin(lost, MOST_MEDIANS)) : 1;
        sum += weight * cexp(2 * M_PI * I * fmod(at_s / period_s, 1));
        weights += weight;
        squares += weight * weight;
        n++;
    }
    const double span_s =
        m->rows[(past - 1) * m->n_together].begin_s - m->rows[first * m->n_together].begin_s;
    if (n < LEAST_EVENTS || span_s < LEAST_EVENTS * period_s)
        return;
    to->statistic += 2 * cabs(sum) * cabs(sum) / squares;
    to->length += cabs(sum);
    to->weight += weights;
    to->n_strata++;
}

static alignment align(const tlp_measured *m, double period_s, const marks *of)
{
    alignment all = {0};
    for (size_t k = 0; k < m->n_cases; k++) {
        const size_t end = m->cases[k].first + m->cases[k].n;
        for (size_t first = m->cases[k].first, past; first < end; first = past) {
            const unsigned launch = m->rows[first * m->n_together].launch;
            for (past = first + 1; past < end && m->rows[past * m->n_together].launch == launch;)
                past++;
            add_stratum(m, m->cases[k].median_s, first, past, period_s, of, &all);
        }
    }
    return all;
}

static double share_of(const alignment *a)
{
    return a->weight > 0 ? a->length / a->weight : 0;
}

/* What comes every 10 ms is aligned to a period of 1 ms, too, but not to one of 20 ms: the longest
 * one counts, also if others come every 1 ms. Repetitions may all begin at a fixed rate: this is
 * none of outliers. */
bool tlp_find_period(const tlp_measured *m, const unsigned char *is_outlier,
                     const unsigned char *is_used, tlp_cause *out)
{
    const marks outliers = {is_outlier, is_used, 1}, good = {is_outlier, is_used, 0};
    double best = 0;
    for (int i = 0; i < N_PERIODS; i++) {
        const alignment a = align(m, periods_s[i], &outliers), b = align(m, periods_s[i], &good);
        const double share = share_of(&a);
        const double p = fmin(1, N_PERIODS * gsl_cdf_chisq_Q(a.statistic, 2.0 * a.n_strata));
        /* A few random phases are half aligned: a longer period needs a small p of its own. */
        if (share < fmax(LEAST_ALIGNMENT, best / 2) || share_of(&b) > share / 2 ||
            (best > 0 && p > TLP_CAUSE_P))
            continue;
        best = fmax(best, share);
        *out = (tlp_cause){.unit = "%",
                           .outliers = 100 * share,
                           .good = 100 * share_of(&b),
                           .p = p,
                           .superiority = 0.5 + share / 2};
        const double rest = fmod(m->tick_s + 1e-6, periods_s[i]);
        int n = snprintf(out->name, sizeof out->name, "they come every %g ms", 1e3 * periods_s[i]);
        if (m->tick_s > 0 && rest < 2e-6)
            snprintf(out->name + n, sizeof out->name - (size_t)n, " (the kernel's ticks: %g ms)",
                     1e3 * m->tick_s);
    }
    return best > 0;
}
