/* fit.c - fits polynomials to durations of very different lengths. */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

/* Rounds of reweighting. After a few rounds the weights settle, because the fit hardly changes. */
enum { N_ROUNDS = 12 };
/* Relative errors above this number of standard deviations count less (Huber). */
#define HUBER_LIMIT 3.0
/* A gradient below this share of its largest possible value counts as zero. */
#define TOLERANCE 1e-8

tlp_point tlp_point_of(const tlp_sample *s)
{
    const double m = s->call.sizes[0], n = s->call.sizes[1], k = s->call.sizes[2], work = s->work;
    return (tlp_point){.terms =
                           {
#define TL_TERM(name, expression) expression,
#include <terms.def>
                           },
                       .seconds = s->seconds};
}

double tlp_sum_terms(const double coefficients[TLP_N_TERMS], const double terms[TLP_N_TERMS])
{
    double sum = 0;
    for (int t = 0; t < TLP_N_TERMS; t++)
        sum += coefficients[t] * terms[t];
    return fmax(sum, 0);
}

/* ---- non-negative least squares ---- */

/* The normal equations: gram * x = right, with columns scaled to a largest element of 1. */
typedef struct equations {
    double gram[TLP_N_TERMS][TLP_N_TERMS], right[TLP_N_TERMS];
} equations;

/* Solves for the terms in `passive`; 0 if they depend on each other. */
static int solve(const equations *e, unsigned passive, double x[TLP_N_TERMS])
{
    double matrix[TLP_N_TERMS * TLP_N_TERMS], vector[TLP_N_TERMS];
    int index[TLP_N_TERMS], n = 0;
    for (int t = 0; t < TLP_N_TERMS; t++) {
        x[t] = 0;
        if (passive & 1U << t)
            index[n++] = t;
    }
    if (!n)
        return 1;
    for (int i = 0; i < n; i++) {
        vector[i] = e->right[index[i]];
        for (int j = 0; j < n; j++)
            matrix[i * n + j] = e->gram[index[i]][index[j]];
    }
    gsl_matrix_view a = gsl_matrix_view_array(matrix, (size_t)n, (size_t)n);
    gsl_vector_view b = gsl_vector_view_array(vector, (size_t)n);
    if (gsl_linalg_cholesky_decomp1(&a.matrix) != GSL_SUCCESS ||
        gsl_linalg_cholesky_svx(&a.matrix, &b.vector) != GSL_SUCCESS)
        return 0;
    for (int i = 0; i < n; i++)
        x[index[i]] = vector[i];
    return 1;
}

/* The term outside `passive` along which the error decreases most; -1 if it decreases along none.
 */
static int find_descent(const equations *e, unsigned allowed, unsigned passive,
                        const double x[TLP_N_TERMS])
{
    int best = -1;
    double steepest = TOLERANCE;
    for (int t = 0; t < TLP_N_TERMS; t++) {
        if (!(allowed & ~passive & 1U << t) || e->gram[t][t] <= 0 || e->right[t] <= 0)
            continue;
        double gradient = e->right[t];
        for (int u = 0; u < TLP_N_TERMS; u++)
            gradient -= e->gram[t][u] * x[u];
        if (gradient / e->right[t] > steepest) {
            steepest = gradient / e->right[t];
            best = t;
        }
    }
    return best;
}

/* Moves x towards z until a term would become negative; returns the remaining terms. */
static unsigned move_towards(double x[TLP_N_TERMS], const double z[TLP_N_TERMS], unsigned passive)
{
    double step = 1;
    for (int t = 0; t < TLP_N_TERMS; t++)
        if (passive & 1U << t && z[t] <= 0)
            step = fmin(step, x[t] / (x[t] - z[t]));
    for (int t = 0; t < TLP_N_TERMS; t++) {
        if (!(passive & 1U << t))
            continue;
        x[t] += step * (z[t] - x[t]);
        if (z[t] <= 0 && x[t] <= 1e-12 * fabs(z[t])) {
            x[t] = 0;
            passive &= ~(1U << t);
        }
    }
    return passive;
}

/* Lawson and Hanson, Solving Least Squares Problems, chapter 23. */
static void solve_nonnegative(const equations *e, unsigned allowed, double x[TLP_N_TERMS])
{
    unsigned passive = 0;
    memset(x, 0, TLP_N_TERMS * sizeof *x);
    for (int i = 0; i < 3 * TLP_N_TERMS; i++) {
        const int t = find_descent(e, allowed, passive, x);
        if (t < 0)
            return;
        passive |= 1U << t;
        for (int j = 0; j < TLP_N_TERMS; j++) {
            double z[TLP_N_TERMS];
            if (!solve(e, passive, z))
                return;
            bool is_inside = 1;
            for (int u = 0; u < TLP_N_TERMS; u++)
                is_inside &= !(passive & 1U << u) || z[u] > 0;
            if (is_inside) {
                memcpy(x, z, sizeof z);
                break;
            }
            passive = move_towards(x, z, passive);
        }
    }
}

/* ---- weights ---- */

static void scale_of(const tlp_points *p, double scale[TLP_N_TERMS])
{
    for (int t = 0; t < TLP_N_TERMS; t++)
        scale[t] = 0;
    for (size_t i = 0; i < p->n; i++)
        for (int t = 0; t < TLP_N_TERMS; t++)
            scale[t] = fmax(scale[t], p->at[i].terms[t]);
}

static void make_equations(const tlp_points *p, const double *weights,
                           const double scale[TLP_N_TERMS], equations *e)
{
    memset(e, 0, sizeof *e);
    for (size_t i = 0; i < p->n; i++) {
        double row[TLP_N_TERMS];
        for (int t = 0; t < TLP_N_TERMS; t++)
            row[t] = scale[t] > 0 ? p->at[i].terms[t] / scale[t] : 0;
        for (int t = 0; t < TLP_N_TERMS; t++) {
            const double weighted = weights[i] * row[t];
            e->right[t] += weighted * p->at[i].seconds;
            for (int u = 0; u <= t; u++)
                e->gram[t][u] += weighted * row[u];
        }
    }
    for (int t = 0; t < TLP_N_TERMS; t++)
        for (int u = t + 1; u < TLP_N_TERMS; u++)
            e->gram[t][u] = e->gram[u][t];
}

/* 1 / predicted, less for outliers. */
static void reweigh(const tlp_points *p, const double coefficients[TLP_N_TERMS], double *weights,
                    double *errors)
{
    for (size_t i = 0; i < p->n; i++) {
        /* If a polynomial has none of a call's terms, the call keeps its own time. */
        const double predicted = tlp_sum_terms(coefficients, p->at[i].terms);
        weights[i] = 1 / (predicted > 0 ? predicted : p->at[i].seconds);
        errors[i] = fabs(p->at[i].seconds * weights[i] - 1);
    }
    double *sorted = errors + p->n;
    memcpy(sorted, errors, p->n * sizeof *sorted);
    /* 1.4826 median|x| estimates the standard deviation of x. */
    const double limit = HUBER_LIMIT * 1.4826 * tlp_median(sorted, p->n) + 1e-9;
    for (size_t i = 0; i < p->n; i++)
        weights[i] *= fmin(1, limit / errors[i]);
}

tl_status tlp_fit_terms(const tlp_points *points, unsigned terms, double out[TLP_N_TERMS])
{
    if (!points->n)
        return TL_ERR_USAGE;
    double *weights = calloc(3 * points->n, sizeof *weights), scale[TLP_N_TERMS];
    if (!weights)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < points->n; i++)
        weights[i] = 1 / points->at[i].seconds;
    scale_of(points, scale);
    for (int round = 0; round < N_ROUNDS; round++) {
        equations e;
        make_equations(points, weights, scale, &e);
        solve_nonnegative(&e, terms, out);
        for (int t = 0; t < TLP_N_TERMS; t++)
            out[t] = scale[t] > 0 ? out[t] / scale[t] : 0;
        reweigh(points, out, weights, weights + points->n);
    }
    free(weights);
    return TL_OK;
}
