/* interfere_fit.c - sensitivity and pressure of each class, out of the measurements.
 *
 * The sensitivity is a ratio of medians. The pressure is the number of hogs of each kind that slow
 * the hogs as much as the class does: hog h takes s(h) times as long beside the class and p(h, k)
 * times as long beside hog k, so the weights w(k) solve s(h) - 1 = sum over k of (p(h, k) - 1) w(k)
 * as well as weights that are not negative can. */
#include "config.h"

#include "interfere.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Noise of the ratios (assumed): hogs that slow no other by more than that get no weight for it. */
static const double noise = 0.01;
/* Classes with a smaller part of the time are left to the whole program: their bursts are few or
 * short, and their ratios are noise. */
static const double least_share = 0.005;
enum { MAX_VALUES = 1024, ROUNDS = 2000 };

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    if (!n)
        return 0;
    qsort(values, n, sizeof *values, compare_numbers);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Whether a sample is of this class; both sites NULL: of any. */
static int is_of(const tlp_interfere_sample *s, const char *from, const char *to)
{
    return !from || (!strcmp(s->from, from) && !strcmp(s->to, to));
}

/* The median over the repetitions of the seconds of a class, or with `rate` of the seconds for a
 * part of work. Several samples of a repetition are added. 0: there are none. */
static double find_median(const tlp_interfere_result *r, tlp_probe probe, tlp_hog hog,
                          unsigned cores, const char *from, const char *to, int rate)
{
    double seconds[MAX_VALUES] = {0}, work[MAX_VALUES] = {0};
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const tlp_interfere_sample *s = &r->samples[i];
        if (s->probe != probe || s->hog != hog || s->cores != cores ||
            s->repetition >= MAX_VALUES || !is_of(s, from, to))
            continue;
        seconds[s->repetition] += s->seconds;
        work[s->repetition] += s->work;
    }
    for (size_t i = 0; i < MAX_VALUES; i++) {
        if (!(seconds[i] > 0) || (rate && !(work[i] > 0)))
            continue;
        const double value = rate ? seconds[i] / work[i] : seconds[i];
        seconds[n++] = value;
    }
    return median(seconds, n);
}

/* At least 1: a hog makes nothing faster, except for noise. */
static double ratio(double beside, double alone)
{
    return beside > alone && alone > 0 ? beside / alone : 1;
}

/* ---- pressure ---- */

/* Least squares with weights that are not negative, by coordinate descent; a weight costs so much
 * that noise alone gets none. */
static void weigh(const double between[TLP_N_HOGS][TLP_N_HOGS], const double *suffered, double *w)
{
    for (int k = 0; k < TLP_N_HOGS; k++)
        w[k] = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < TLP_N_HOGS; k++) {
            double up = 0, down = noise * noise;
            for (int h = 0; h < TLP_N_HOGS; h++) {
                double rest = suffered[h] - 1;
                for (int other = 0; other < TLP_N_HOGS; other++)
                    if (other != k)
                        rest -= (between[h][other] - 1) * w[other];
                up += (between[h][k] - 1) * rest;
                down += (between[h][k] - 1) * (between[h][k] - 1);
            }
            w[k] = fmax(0, up / down);
        }
    for (int k = 0; k < TLP_N_HOGS; k++)
        if (w[k] < noise)
            w[k] = 0;
}

static tl_status compare_hogs(const tlp_interfere_result *r, tlp_interference *fit,
                              double alone[TLP_N_HOGS], tl_error *err)
{
    for (int h = 0; h < TLP_N_HOGS; h++) {
        const char *name = tlp_hog_name((tlp_hog)h);
        alone[h] = find_median(r, TLP_PROBE_HOG, TLP_NO_HOG, 0, name, "", 1);
        for (int k = 0; k < TLP_N_HOGS; k++) {
            const double beside = find_median(r, TLP_PROBE_HOG, (tlp_hog)k, 1, name, "", 1);
            if (!(alone[h] > 0) || !(beside > 0))
                return tl_fail(err, TL_ERR_INPUT,
                               "the measurements have no rate of the hog '%s' beside '%s'; "
                               "measure again",
                               name, tlp_hog_name((tlp_hog)k));
            fit->between[h][k] = ratio(beside, alone[h]);
        }
    }
    return TL_OK;
}

/* ---- classes ---- */

static tl_status fit_class(const tlp_interfere_result *r, const tlp_interference *fit,
                           const double alone[TLP_N_HOGS], tlp_bent_class *c, tl_error *err)
{
    for (unsigned i = 0; i < fit->n_rows; i++)
        for (int h = 0; h < TLP_N_HOGS; h++) {
            const double beside =
                find_median(r, TLP_PROBE_TIMED, (tlp_hog)h, fit->cores[i], c->from, c->to, 0);
            if (!(beside > 0) && !c->from)
                return tl_fail(err, TL_ERR_INPUT,
                               "the measurements have no run of the program beside %u hogs '%s'; "
                               "measure again",
                               fit->cores[i], tlp_hog_name((tlp_hog)h));
            c->slowdown[i][h] = ratio(beside, c->alone_s);
        }
    for (int h = 0; h < TLP_N_HOGS; h++) {
        const double pressed = find_median(r, TLP_PROBE_PRESSED, (tlp_hog)h, 1, c->from, c->to, 1);
        c->suffered[h] = ratio(pressed, alone[h]);
    }
    weigh(fit->between, c->suffered, c->acts_as);
    return TL_OK;
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
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the classes of bursts");
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
    double alone[TLP_N_HOGS];
    tlp_interference *fit = calloc(1, sizeof *fit);
    if (!fit)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the classes of bursts");
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

void tlp_interference_free(tlp_interference *fit)
{
    if (fit)
        free(fit->classes);
    free(fit);
}
