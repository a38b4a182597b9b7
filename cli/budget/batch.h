/* batch.h - many replays of a prediction with other values of its inputs. */
#ifndef CLI_BUDGET_BATCH_H
#define CLI_BUDGET_BATCH_H

#include "budget/inputs.h"

#include <study/batch.h>

/* How the replay i differs from the one that was asked for. */
typedef struct budget_variant {
    double positions[BUDGET_MOST_INPUTS]; /* as asked for, when `describe` gets them */
    const tlr_scenario *base;             /* likewise */
    const char *trace;                    /* another recording; NULL: that of base */
    unsigned side;                        /* whose inputs they are */
} budget_variant;

typedef struct budget_batch {
    const budget_inputs *inputs;
    const char *what; /* for people: "replays" */
    size_t n;
    const void *arg;
    void (*describe)(const void *arg, size_t i, budget_variant *variant);
    /* What becomes of a replay that failed; NULL: its error is that of the batch. */
    tl_status (*fail)(const void *arg, size_t i, const tlr_point *point, tl_error *err);
    tlr_point *points; /* [n] of budget_batch_run */
} budget_batch;

/* Runs all replays, on all cores. */
tl_status budget_batch_run(budget_batch *batch, tl_error *err);
void budget_batch_free(budget_batch *batch);

#endif
