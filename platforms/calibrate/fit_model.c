/* fit_model.c - fits the models of a kernel, from one rate to a tree of polynomials, and finds the
 * model that predicts unseen calls best. */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

enum {
    N_FOLDS = 5,
    LEAST_CALLS = 40,    /* in a piece */
    SEARCHED_CALLS = 400 /* by which a place to split is looked for */
};
/* A split must reduce the error by this share. */
#define LEAST_GAIN 0.15
/* A simpler model is taken if the best model is better by less than this share, or by less than a
 * standard error. */
#define SIMPLER_SHARE 0.05

const char *tlp_form_name(tlp_form form)
{
    static const char *const names[] = {"M-0", "M-1", "M-2", "M'"};
    return form < TLP_N_FORMS ? names[form] : "best";
}

const char *tlp_noise_name(tlp_noise noise)
{
    static const char *const names[] = {"N-0", "N-1", "N-2", "N'"};
    return noise < TLP_N_NOISES ? names[noise] : "best";
}

/* ---- pieces ---- */

/* m, n, k, work */
static const tlp_term bound_terms[TLP_N_BOUNDS] = {TLP_TERM_m, TLP_TERM_n, TLP_TERM_k,
                                                   TLP_TERM_work};

static bool is_in_piece(const tlp_piece *piece, const double terms[TLP_N_TERMS])
{
    const double k = terms[TLP_TERM_k];
    if ((piece->side == 'l' && k != terms[TLP_TERM_m]) ||
        (piece->side == 'r' && k != terms[TLP_TERM_n]))
        return 0;
    for (int b = 0; b < TLP_N_BOUNDS; b++)
        if (terms[bound_terms[b]] < piece->min[b] || terms[bound_terms[b]] > piece->max[b])
            return 0;
    return 1;
}

const tlp_piece *tlp_find_piece(const tlp_fit *fit, const double terms[TLP_N_TERMS])
{
    size_t i = 0;
    while (i + 1 < fit->n_pieces && !is_in_piece(&fit->pieces[i], terms))
        i++;
    return &fit->pieces[i];
}

static double predict(const tlp_fit *fit, const double terms[TLP_N_TERMS])
{
    return tlp_sum_terms(tlp_find_piece(fit, terms)->mean_s, terms);
}

/* Room for as many points as `from` has. */
static tl_status make_room(const tlp_points *from, tlp_points *out)
{
    *out = (tlp_points){.at = calloc(from->n + 1, sizeof *out->at)};
    return out->at ? TL_OK : TL_ERR_MEMORY;
}

static tl_status points_of_piece(const tlp_points *from, const tlp_piece *piece, tlp_points *out)
{
    TL_TRY(make_room(from, out));
    for (size_t i = 0; i < from->n; i++)
        if (is_in_piece(piece, from->at[i].terms))
            out->at[out->n++] = from->at[i];
    return TL_OK;
}

static const tlp_piece whole = {.max = {INFINITY, INFINITY, INFINITY, INFINITY}};

/* ---- splits ---- */

/* Sum of the relative errors of a fit to these points. */
static double error_of(const tlp_points *points, const double mean_s[TLP_N_TERMS])
{
    double sum = 0;
    for (size_t i = 0; i < points->n; i++)
        sum += fabs(tlp_sum_terms(mean_s, points->at[i].terms) / points->at[i].seconds - 1);
    return sum;
}

/* The same for M-2 fitted to the points of a piece; INFINITY if there are too few. */
static tl_status error_of_piece(const tlp_points *points, size_t least, tlp_piece *piece,
                                double *error)
{
    tlp_points mine;
    tl_status status = TL_OK;
    TL_TRY(points_of_piece(points, piece, &mine));
    *error = INFINITY;
    if (mine.n >= least && (status = tlp_fit_terms(&mine, TLP_M2_TERMS, piece->mean_s)) == TL_OK)
        *error = error_of(&mine, piece->mean_s);
    free(mine.at);
    return status;
}

typedef struct split {
    tlp_piece low, high; /* low is asked first */
    double error;
} split;

static tl_status try_split(const tlp_points *points, size_t least, const tlp_piece *low,
                           const tlp_piece *high, split *best)
{
    split now = {.low = *low, .high = *high};
    double low_error = INFINITY, high_error = INFINITY;
    tl_status status = error_of_piece(points, least, &now.low, &low_error);
    if (status == TL_OK && isfinite(low_error))
        status = error_of_piece(points, least, &now.high, &high_error);
    now.error = low_error + high_error;
    if (status == TL_OK && now.error < best->error)
        *best = now;
    return status;
}

static tl_status try_bound(const tlp_points *points, const tlp_piece *piece, int bound,
                           size_t least, double *scratch, split *best)
{
    for (size_t i = 0; i < points->n; i++)
        scratch[i] = points->at[i].terms[bound_terms[bound]];
    gsl_sort(scratch, 1, points->n);
    tl_status status = TL_OK;
    double before = -1;
    for (int fifth = 1; fifth < 5 && status == TL_OK; fifth++) {
        const double at = scratch[points->n * (size_t)fifth / 5];
        tlp_piece low = *piece, high = *piece;
        low.max[bound] = at;
        high.min[bound] = at + 1; /* sizes are whole numbers */
        if (at > before && at < scratch[points->n - 1])
            status = try_split(points, least, &low, &high, best);
        before = at;
    }
    return status;
}

/* Whether all calls have a square matrix on the left or on the right: trsm, trmm, symm. */
static bool have_square_matrix(const tlp_points *points)
{
    for (size_t i = 0; i < points->n; i++) {
        const double *terms = points->at[i].terms, k = terms[TLP_TERM_k];
        if (!k || (k != terms[TLP_TERM_m] && k != terms[TLP_TERM_n]))
            return 0;
    }
    return 1;
}

/* The split of a piece that reduces the error of a sample of its calls most. If no split reduces it
 * enough, best->error does not change. */
static tl_status find_split(const tlp_points *points, const tlp_piece *piece, split *best)
{
    tlp_points searched;
    TL_TRY(make_room(points, &searched));
    const size_t stride = 1 + points->n / SEARCHED_CALLS;
    for (size_t i = 0; i < points->n; i += stride)
        searched.at[searched.n++] = points->at[i];
    const size_t least = LEAST_CALLS / stride + 8;
    double *scratch = calloc(searched.n + 1, sizeof *scratch), error;
    tlp_piece undivided = *piece;
    tl_status status = scratch ? error_of_piece(&searched, 1, &undivided, &error) : TL_ERR_MEMORY;
    best->error = status == TL_OK ? (1 - LEAST_GAIN) * error : 0;
    const double enough = best->error;
    for (int b = 0; b < TLP_N_BOUNDS && status == TL_OK; b++)
        status = try_bound(&searched, piece, b, least, scratch, best);
    if (best->error == enough)
        best->error = INFINITY;
    free(scratch);
    free(searched.at);
    return status;
}

/* Splits the piece at `index`, and then its parts, while this helps and there are fewer than `most`
 * pieces. */
static tl_status grow(const tlp_points *points, size_t index, size_t most, tlp_fit *fit)
{
    tlp_points mine;
    split best = {.error = INFINITY};
    tl_status status = TL_OK;
    TL_TRY(points_of_piece(points, &fit->pieces[index], &mine));
    if (fit->n_pieces < most && mine.n >= 2 * (size_t)LEAST_CALLS)
        status = find_split(&mine, &fit->pieces[index], &best);
    const bool is_split = status == TL_OK && isfinite(best.error);
    if (status == TL_OK && !is_split && mine.n)
        status = tlp_fit_terms(&mine, TLP_M2_TERMS, fit->pieces[index].mean_s);
    free(mine.at);
    if (!is_split)
        return status;
    memmove(&fit->pieces[index + 1], &fit->pieces[index],
            (fit->n_pieces++ - index) * sizeof *fit->pieces);
    fit->pieces[index] = best.low;
    fit->pieces[index + 1] = best.high;
    TL_TRY(grow(points, index + 1, most, fit));
    return grow(points, index, most, fit);
}

/* Makes a piece for each side of a square matrix, and then the splits of these pieces that help. */
static tl_status fit_pieces(const tlp_points *points, tlp_fit *fit)
{
    size_t n_sides[2] = {0};
    for (size_t i = 0; i < points->n; i++)
        n_sides[points->at[i].terms[TLP_TERM_k] == points->at[i].terms[TLP_TERM_n]]++;
    if (!have_square_matrix(points) || n_sides[0] < LEAST_CALLS || n_sides[1] < LEAST_CALLS)
        return grow(points, 0, TLP_MAX_PIECES, fit);
    fit->pieces[0].side = 'l';
    fit->pieces[1] = whole;
    fit->pieces[1].side = 'r';
    fit->n_pieces = 2;
    TL_TRY(grow(points, 1, TLP_MAX_PIECES / 2 + 1, fit));
    return grow(points, 0, TLP_MAX_PIECES, fit);
}

static tl_status fit_form(const tlp_points *points, tlp_form form, tlp_fit *fit)
{
    static const unsigned terms[] = {TLP_M0_TERMS, TLP_M1_TERMS, TLP_M2_TERMS};
    fit->n_pieces = 1;
    fit->pieces[0] = whole;
    return form == TLP_PIECES ? fit_pieces(points, fit)
                              : tlp_fit_terms(points, terms[form], fit->pieces[0].mean_s);
}

/* ---- cross-validation ---- */

typedef struct validation {
    double *errors; /* of each call, by the model of the other folds */
    double measured_s, predicted_s;
} validation;

static tl_status validate_fold(const tlp_points *points, size_t fold, tlp_form form, validation *v)
{
    tlp_points others;
    tlp_fit fit = {0};
    TL_TRY(make_room(points, &others));
    for (size_t i = 0; i < points->n; i++)
        if (i % N_FOLDS != fold)
            others.at[others.n++] = points->at[i];
    const tl_status status = fit_form(&others, form, &fit);
    for (size_t i = fold; i < points->n && status == TL_OK; i += N_FOLDS) {
        const double predicted = predict(&fit, points->at[i].terms);
        v->errors[i] = fabs(predicted / points->at[i].seconds - 1);
        v->measured_s += points->at[i].seconds;
        v->predicted_s += predicted;
    }
    free(others.at);
    return status;
}

static tl_status validate(const tlp_points *points, tlp_form form, tlp_fit *out)
{
    validation v = {.errors = calloc(points->n, sizeof *v.errors)};
    tl_status status = v.errors ? TL_OK : TL_ERR_MEMORY;
    for (size_t fold = 0; fold < N_FOLDS && status == TL_OK; fold++)
        status = validate_fold(points, fold, form, &v);
    if (status == TL_OK) {
        out->error[form] = gsl_stats_mean(v.errors, 1, points->n);
        out->error_se[form] = gsl_stats_sd(v.errors, 1, points->n) / sqrt((double)points->n);
        out->sum_error[form] = v.predicted_s / v.measured_s - 1;
    }
    free(v.errors);
    return status;
}

/* The simplest model that is about as good as the best one. */
static tlp_form choose_form(const tlp_fit *fit)
{
    tlp_form best = TLP_M0;
    for (int form = 0; form < TLP_N_FORMS; form++)
        if (fit->error[form] < fit->error[best])
            best = (tlp_form)form;
    const double enough =
        fit->error[best] + fmax(fit->error_se[best], SIMPLER_SHARE * fit->error[best]);
    for (int form = 0; form < (int)best; form++)
        if (fit->error[form] <= enough)
            return (tlp_form)form;
    return best;
}

static tl_status median_error(const tlp_points *points, tlp_fit *fit)
{
    double *errors = calloc(points->n, sizeof *errors);
    if (!errors)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < points->n; i++)
        errors[i] = fabs(points->at[i].seconds / predict(fit, points->at[i].terms) - 1);
    fit->median_error = tlp_median(errors, points->n);
    free(errors);
    return TL_OK;
}

static tl_status fit_noises(const tlp_points *points, tlp_noise noise, tlp_fit *fit)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < fit->n_pieces && status == TL_OK; i++) {
        tlp_points mine;
        status = points_of_piece(points, &fit->pieces[i], &mine);
        if (status == TL_OK)
            status = tlp_fit_noise(&mine, noise, &fit->pieces[i]);
        free(mine.at);
    }
    return status;
}

static tl_status fit_points(const tlp_points *points, bool spread, double work, tlp_form form,
                            tlp_noise noise, tlp_fit *fit)
{
    double line[TLP_N_TERMS];
    TL_TRY(tlp_fit_terms(points, spread ? TLP_M1_TERMS : TLP_M0_TERMS, line));
    fit->slope_s = spread ? line[TLP_TERM_work] : line[TLP_TERM_one] / work;
    for (int f = 0; f < (spread ? TLP_N_FORMS : 1); f++)
        TL_TRY(validate(points, (tlp_form)f, fit));
    fit->form = form == TLP_BEST_FORM ? choose_form(fit) : form;
    TL_TRY(fit_form(points, fit->form, fit));
    TL_TRY(median_error(points, fit));
    return fit_noises(points, noise, fit);
}

tl_status tlp_fit_kernel(const tlp_sample *samples, size_t n, tlp_form form, tlp_noise noise,
                         tlp_fit *out)
{
    bool spread = 0;
    for (size_t i = 1; i < n; i++)
        spread |= samples[i].work != samples[0].work;
    if (n < 2 || (!spread && form != TLP_M0))
        return TL_ERR_USAGE;
    tlp_points points = {n, calloc(n, sizeof *points.at)};
    if (!points.at)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        points.at[i] = tlp_point_of(&samples[i]);
    tlp_fit fit = {.n = n};
    const tl_status status = fit_points(&points, spread, samples[0].work, form, noise, &fit);
    free(points.at);
    if (status == TL_OK)
        *out = fit;
    return status;
}
