/* interfere_fit.c - sensitivity and pressure of each class, out of the measurements.
 *
 * The sensitivity is a ratio of medians. The pressure is the number of hogs of each kind that slow
 * the hogs as much as the class does (interfere_weigh.c), in view of the noise of the slowdowns,
 * which the scatter of the repetitions shows. */
#include "config.h"

#include "interfere.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Classes with a smaller part of the time are left to the whole program: their bursts are few or
 * short, and their ratios are noise. */
static const double least_share = 0.005;
enum { MAX_VALUES = 1024, N_RATES = TLP_N_HOGS + 1 };

/* The rates of a hog without any, and the noise of all its rates, as variances of logarithms. */
typedef struct hog_alone {
    double seconds, variance, pooled;
} hog_alone;

/* Whether a sample is of this class; both sites NULL: of any. */
static int is_of(const tlp_interfere_sample *s, const char *from, const char *to)
{
    return !from || (!strcmp(s->from, from) && !strcmp(s->to, to));
}

/* The seconds of a class in each repetition, or with `rate` the seconds for a part of work. Several
 * samples of a repetition are added. `values` has room for MAX_VALUES. */
static size_t collect(const tlp_interfere_result *r, tlp_probe probe, tlp_hog hog, unsigned cores,
                      const char *from, const char *to, int rate, double *values)
{
    double work[MAX_VALUES] = {0};
    size_t n = 0;
    memset(values, 0, MAX_VALUES * sizeof *values);
    for (size_t i = 0; i < r->n; i++) {
        const tlp_interfere_sample *s = &r->samples[i];
        if (s->probe != probe || s->hog != hog || s->cores != cores ||
            s->repetition >= MAX_VALUES || !is_of(s, from, to))
            continue;
        values[s->repetition] += s->seconds;
        work[s->repetition] += s->work;
    }
    for (size_t i = 0; i < MAX_VALUES; i++) {
        if (!(values[i] > 0) || (rate && !(work[i] > 0)))
            continue;
        const double value = rate ? values[i] / work[i] : values[i];
        if (value > 0 && isfinite(value))
            values[n++] = value;
    }
    return n;
}

/* The median over the repetitions. 0: there are none. */
static double find_median(const tlp_interfere_result *r, tlp_probe probe, tlp_hog hog,
                          unsigned cores, const char *from, const char *to, int rate)
{
    double values[MAX_VALUES];
    const size_t n = collect(r, probe, hog, cores, from, to, rate, values);
    return tlp_median(values, n);
}

/* At least 1: a hog makes nothing faster, except for noise. */
static double ratio(double beside, double alone)
{
    return beside > alone && alone > 0 ? beside / alone : 1;
}

/* ---- hogs ---- */

static tl_status compare_hog(const tlp_interfere_result *r, int h, tlp_interference *fit,
                             hog_alone *alone, tl_error *err)
{
    const char *name = tlp_hog_name((tlp_hog)h);
    double values[MAX_VALUES], median[N_RATES], scatter[N_RATES], freedom = 0;
    size_t n[N_RATES];
    *alone = (hog_alone){0};
    for (int k = 0; k < N_RATES; k++) { /* the last one: alone */
        n[k] = collect(r, TLP_PROBE_HOG, (tlp_hog)k, k != TLP_NO_HOG, name, "", 1, values);
        if (!n[k])
            return tl_fail(err, TL_ERR_INPUT,
                           "the measurements have no rate of the hog '%s' beside '%s'; "
                           "measure again",
                           name, tlp_hog_name((tlp_hog)k));
        median[k] = tlp_median(values, n[k]);
        scatter[k] = tlp_interfere_scatter(values, n[k]);
        alone->pooled += (double)(n[k] - 1) * scatter[k];
        freedom += (double)(n[k] - 1);
    }
    if (freedom > 0)
        alone->pooled /= freedom;
    else
        fit->is_noise_unknown = 1;
    alone->seconds = median[TLP_NO_HOG];
    alone->variance = tlp_interfere_variance(scatter[TLP_NO_HOG], alone->pooled, n[TLP_NO_HOG]);
    for (int k = 0; k < TLP_N_HOGS; k++) {
        const double beside = tlp_interfere_variance(scatter[k], alone->pooled, n[k]);
        fit->between[h][k] = ratio(median[k], alone->seconds);
        fit->between_noise[h][k] = tlp_interfere_noise(fit->between[h][k], beside, alone->variance);
    }
    return TL_OK;
}

static tl_status compare_hogs(const tlp_interfere_result *r, tlp_interference *fit,
                              hog_alone alone[TLP_N_HOGS], tl_error *err)
{
    tl_status status = TL_OK;
    for (int h = 0; h < TLP_N_HOGS && status == TL_OK; h++)
        status = compare_hog(r, h, fit, &alone[h], err);
    return status;
}

/* ---- classes ---- */

/* How much a hog suffers from a class. A class in whose bursts the hog did no part of its work says
 * nothing about it: the hog suffers as from the whole program. */
static tl_status fit_suffered(const tlp_interfere_result *r, const tlp_interference *fit,
                              const hog_alone *alone, tlp_hog h, tlp_bent_class *c, tl_error *err)
{
    double values[MAX_VALUES];
    const size_t n = collect(r, TLP_PROBE_PRESSED, h, 1, c->from, c->to, 1, values);
    if (!n && !c->from)
        return tl_fail(err, TL_ERR_INPUT,
                       "the measurements have no rate of the hog '%s' beside the program; measure "
                       "again",
                       tlp_hog_name(h));
    if (!n) {
        c->suffered[h] = fit->classes[0].suffered[h];
        c->suffered_noise[h] = fit->classes[0].suffered_noise[h];
        return TL_OK;
    }
    c->suffered[h] = ratio(tlp_median(values, n), alone->seconds);
    const double scatter = tlp_interfere_scatter(values, n);
    c->suffered_noise[h] = tlp_interfere_noise(
        c->suffered[h], tlp_interfere_variance(scatter, alone->pooled, n), alone->variance);
    return TL_OK;
}

/* The whole program comes first. */
static tl_status fit_class(const tlp_interfere_result *r, const tlp_interference *fit,
                           const hog_alone alone[TLP_N_HOGS], tlp_bent_class *c, tl_error *err)
{
    tl_status status = TL_OK;
    for (unsigned i = 0; i < fit->n_rows; i++)
        for (int h = 0; h < TLP_N_HOGS; h++) {
            const double beside =
                find_median(r, TLP_PROBE_TIMED, (tlp_hog)h, fit->cores[i], c->from, c->to, 0);
            if (!(beside > 0) && !c->from)
                return tl_fail(err, TL_ERR_INPUT,
                               "the measurements have no run of the program beside %u hogs '%s'; "
                               "measure again",
                               fit->cores[i], tlp_hog_name((tlp_hog)h));
            c->slowdown[i][h] =
                beside > 0 ? ratio(beside, c->alone_s) : fit->classes[0].slowdown[i][h];
        }
    for (int h = 0; h < TLP_N_HOGS && status == TL_OK; h++)
        status = fit_suffered(r, fit, &alone[h], (tlp_hog)h, c, err);
    if (status == TL_OK)
        tlp_interfere_weigh(fit->between, fit->between_noise, c->suffered, c->suffered_noise,
                            c->acts_as);
    return status;
}

static int compare_classes(const void *a, const void *b)
{
    const tlp_bent_class *x = a, *y = b;
    const int from = strcmp(x->from, y->from);
    return from ? from : strcmp(x->to, y->to);
}

static int compare_times(const void *a, const void *b)
{
    const tlp_bent_class *x = a, *y = b;
    if (x->alone_s != y->alone_s)
        return x->alone_s < y->alone_s ? 1 : -1;
    return x->from && y->from ? compare_classes(x, y) : (y->from != NULL) - (x->from != NULL);
}

/* The classes of the runs alone, and the whole program. */
static tl_status list_classes(const tlp_interfere_result *r, tlp_interference *fit, tl_error *err)
{
    fit->classes = calloc(r->n + 1, sizeof *fit->classes);
    if (!fit->classes)
        return tl_no_memory(err, "classes of bursts");
    fit->classes[0].alone_s = find_median(r, TLP_PROBE_TIMED, TLP_NO_HOG, 0, NULL, NULL, 0);
    if (!(fit->classes[0].alone_s > 0))
        return tl_fail(err, TL_ERR_INPUT,
                       "the program has no computation between its calls of MPI; the measurement "
                       "needs bursts");
    size_t n = 1;
    for (size_t i = 0; i < r->n; i++)
        if (r->samples[i].probe == TLP_PROBE_TIMED && r->samples[i].hog == TLP_NO_HOG)
            fit->classes[n++] =
                (tlp_bent_class){.from = r->samples[i].from, .to = r->samples[i].to};
    qsort(fit->classes + 1, n - 1, sizeof *fit->classes, compare_classes);
    fit->n = 1;
    for (size_t i = 1; i < n; i++) {
        tlp_bent_class c = fit->classes[i];
        if (fit->n > 1 && compare_classes(&fit->classes[fit->n - 1], &c) == 0)
            continue;
        fit->classes[fit->n++] = c;
    }
    n = 1;
    for (size_t i = 1; i < fit->n; i++) {
        tlp_bent_class c = fit->classes[i];
        c.alone_s = find_median(r, TLP_PROBE_TIMED, TLP_NO_HOG, 0, c.from, c.to, 0);
        if (c.alone_s >= least_share * fit->classes[0].alone_s)
            fit->classes[n++] = c;
    }
    fit->n = n;
    qsort(fit->classes + 1, n - 1, sizeof *fit->classes, compare_times);
    return TL_OK;
}

/* The numbers of hogs beside the program, rising. */
static void list_rows(const tlp_interfere_result *r, tlp_interference *fit)
{
    for (size_t i = 0; i < r->n; i++) {
        const tlp_interfere_sample *s = &r->samples[i];
        unsigned at = 0;
        if (s->probe != TLP_PROBE_TIMED || !s->cores)
            continue;
        while (at < fit->n_rows && fit->cores[at] < s->cores)
            at++;
        if ((at < fit->n_rows && fit->cores[at] == s->cores) || fit->n_rows == TLP_MAX_BESIDE)
            continue;
        memmove(&fit->cores[at + 1], &fit->cores[at], (fit->n_rows - at) * sizeof *fit->cores);
        fit->cores[at] = s->cores;
        fit->n_rows++;
    }
}

tl_status tlp_interfere_fit(const tlp_interfere_result *result, tlp_interference **out,
                            tl_error *err)
{
    hog_alone alone[TLP_N_HOGS];
    tlp_interference *fit = calloc(1, sizeof *fit);
    if (!fit)
        return tl_no_memory(err, "classes of bursts");
    tl_status status = compare_hogs(result, fit, alone, err);
    if (status == TL_OK)
        status = list_classes(result, fit, err);
    if (status == TL_OK)
        list_rows(result, fit);
    if (status == TL_OK && !fit->n_rows)
        status = tl_fail(err, TL_ERR_INPUT,
                         "the measurements have no run of the program beside a hog; measure again");
    for (size_t i = 0; i < fit->n && status == TL_OK; i++)
        status = fit_class(result, fit, alone, &fit->classes[i], err);
    if (status == TL_OK)
        *out = fit;
    else
        tlp_interference_free(fit);
    return status;
}

double tlp_interference_noise(const tlp_interference *fit, tlp_hog hog)
{
    double squares = 0;
    for (int k = 0; k < TLP_N_HOGS; k++)
        squares += fit->between_noise[hog][k] * fit->between_noise[hog][k];
    return sqrt(squares / TLP_N_HOGS);
}

void tlp_interference_free(tlp_interference *fit)
{
    if (fit)
        free(fit->classes);
    free(fit);
}
