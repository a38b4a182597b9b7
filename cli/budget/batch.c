/* batch.c - many replays of a prediction with other values of its inputs. */
#include "budget/batch.h"

#include "grid.h"

#include <calibrate/calibrate.h>

static tl_status make(const void *arg, size_t i, tlr_scenario *out, tl_error *err)
{
    const budget_batch *batch = arg;
    const budget_inputs *b = batch->inputs;
    budget_variant variant = {.base = &b->sides[0]};
    for (size_t k = 0; k < b->n; k++)
        variant.positions[k] = budget_usual(b, k);
    batch->describe(batch->arg, i, &variant);
    tl_status status = tlr_scenario_copy(variant.base, out, err);
    if (status == TL_OK && variant.trace)
        status = tlr_scenario_set_source(out, variant.trace, err);
    return status == TL_OK ? budget_change(b, variant.positions, variant.side, out, err) : status;
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    const budget_batch *batch = arg;
    const tlr_point *point = &batch->points[i];
    if (!point->error[0])
        return TL_OK;
    return batch->fail ? batch->fail(batch->arg, i, point, err)
                       : tl_fail(err, point->status, "%s", point->error);
}

tl_status budget_batch_run(budget_batch *batch, tl_error *err)
{
    if (!(batch->points = tlr_points_create(batch->n, err)))
        return TL_ERR_MEMORY;
    const tlr_batch inner = {.n = batch->n,
                             .points = batch->points,
                             .make = make,
                             .done = done,
                             .arg = batch,
                             .stride = 1,
                             .n_jobs = tlp_n_cores()};
    return cli_run_batch(&inner, batch->what, err);
}

void budget_batch_free(budget_batch *batch)
{
    tlr_points_free(batch->points, batch->n);
    batch->points = NULL;
}
