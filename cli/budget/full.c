/* full.c - Sobol indices of a makespan: replays with all inputs drawn from their
 * uncertainties at once.
 *
 * A factor is drawn from a normal distribution around 1, of which 90 % are within the uncertainty;
 * an order is that of the recorded run or the other one, each in half of the replays; the noise has
 * a seed of its own in each row. */
#include "budget/full.h"

#include "budget/batch.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <study/normal.h>
#include <timeless_files.h>

static const double LEAST_FACTOR = 0.01; /* assumed: a time or a bandwidth is positive */

typedef struct full {
    budget_inputs *b;
    size_t n, d;
    size_t varied[TLR_SOBOL_MOST]; /* inputs */
    double *points;
} full;

/* Orders count only where the other one makes a difference. */
static int is_varied(const budget_inputs *b, size_t i, double makespan_s)
{
    const tlr_budget_input *input = &b->inputs[i];
    switch (b->changes[i].kind) {
    case INPUT_FACTOR:
    case INPUT_PARAMETER: return input->uncertainty > 0;
    case INPUT_ORDER: return input->low_s != makespan_s;
    case INPUT_BOUND: return input->low_s != makespan_s || input->high_s != makespan_s;
    case INPUT_NOISE: return 1;
    case INPUT_FIXED: break;
    }
    return 0;
}

/* An input to begin with if there are too many: one that has no effect alone. */
static const char *name_without_effect(const budget_inputs *b, double makespan_s)
{
    for (size_t i = 0; i < b->n; i++)
        if (is_varied(b, i, makespan_s) && b->inputs[i].low_s == makespan_s &&
            b->inputs[i].high_s == makespan_s)
            return b->inputs[i].name;
    return "NAME";
}

static tl_status choose_inputs(full *f, double makespan_s, tl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < f->b->n; i++)
        n += (size_t)is_varied(f->b, i, makespan_s);
    if (n > TLR_SOBOL_MOST)
        return tl_fail(err, TL_ERR_USAGE,
                       "--full varies at most %d inputs, and this prediction has %zu; hold those "
                       "without effect: --uncertain %s=0",
                       TLR_SOBOL_MOST, n, tl_printable(name_without_effect(f->b, makespan_s)));
    for (size_t i = 0; i < f->b->n; i++)
        if (is_varied(f->b, i, makespan_s))
            f->varied[f->d++] = i;
    return f->d ? TL_OK
                : tl_fail(err, TL_ERR_USAGE,
                          "--full: no input is uncertain; give --uncertain NAME=PERCENT");
}

/* The assumed bound and the others are equally likely. */
static double bound_of(const input_change *change, double number)
{
    unsigned n = 1;
    while (budget_other_bound(change, n - 1) > 0)
        n++;
    const unsigned k = (unsigned)fmin(number * n, n - 1);
    return k ? budget_other_bound(change, k - 1) : 0;
}

/* Where an input is for a number between 0 and 1. `row`: of the table A the even ones. */
static double position_of(const budget_inputs *b, size_t input, double number, size_t row)
{
    const double u = b->inputs[input].uncertainty;
    switch (b->changes[input].kind) {
    case INPUT_FACTOR:
    case INPUT_PARAMETER:
        return fmax(LEAST_FACTOR, 1 + u * gsl_cdf_ugaussian_Pinv(number) / TLR_DEVIATIONS_90);
    case INPUT_ORDER: return number >= 0.5;
    case INPUT_BOUND: return bound_of(&b->changes[input], number);
    case INPUT_NOISE: return (double)(row + 1);
    case INPUT_FIXED: break;
    }
    return 0;
}

static void describe(const void *arg, size_t i, budget_variant *variant)
{
    const full *f = arg;
    const size_t row = i / (f->d + 2), table = i % (f->d + 2);
    for (size_t k = 0; k < f->d; k++) {
        const int is_b = table == 1 || table == k + 2;
        const size_t at = row * 2 * f->d + k + (is_b ? f->d : 0);
        variant->positions[f->varied[k]] =
            position_of(f->b, f->varied[k], f->points[at], 2 * row + (size_t)is_b);
    }
}

static tl_status take_indices(full *f, const budget_batch *batch, tlr_budget *out, tl_error *err)
{
    tlr_sobol_index indices[TLR_SOBOL_MOST];
    double *results = calloc(batch->n, sizeof *results);
    if (!results)
        return tl_no_memory(err, "results of --full");
    for (size_t i = 0; i < batch->n; i++)
        results[i] = batch->points[i].makespan_s;
    tlr_sobol_indices(results, f->n, f->d, indices, &out->mean_s, &out->sd_s);
    for (size_t k = 0; k < f->d; k++) {
        f->b->inputs[f->varied[k]].is_varied = 1;
        f->b->inputs[f->varied[k]].sobol = indices[k];
    }
    out->n_rows = f->n;
    out->n_varied = f->d;
    out->sobol_seed = f->b->base.options.seed;
    free(results);
    return TL_OK;
}

tl_status budget_full(budget_inputs *b, size_t n_rows, tlr_budget *out, tl_error *err)
{
    full f = {.b = b, .n = n_rows};
    tl_status status = choose_inputs(&f, out->makespan_s, err);
    if (status != TL_OK)
        return status;
    f.points = calloc(f.n * 2 * f.d, sizeof *f.points);
    budget_batch batch = {
        .inputs = b, .what = "draws", .n = f.n * (f.d + 2), .arg = &f, .describe = describe};
    status = f.points ? tlr_sobol_points(f.n, f.d, b->base.options.seed, f.points, err)
                      : tl_no_memory(err, "draws of --full");
    if (status == TL_OK)
        status = budget_batch_run(&batch, err);
    if (status == TL_OK)
        status = take_indices(&f, &batch, out, err);
    budget_batch_free(&batch);
    free(f.points);
    return status;
}
