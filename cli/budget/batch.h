/* batch.h - many replays of a prediction with other values of its inputs. */
#ifndef CLI_BUDGET_BATCH_H
#define CLI_BUDGET_BATCH_H

#include "budget/inputs.h"
#include "progress.h"

#include <study/sweep.h>

/* How the replay i differs from the one that was asked for. */
typedef struct budget_variant {
    double positions[BUDGET_MOST_INPUTS]; /* as asked for, when `describe` gets them */
    const word_list *words;               /* more words, perhaps with another trace before them */
    const char *trace;
} budget_variant;

typedef struct budget_batch {
    const budget_inputs *inputs;
    const char *what; /* for people: "replays" */
    size_t n;
    const void *arg;
    void (*describe)(const void *arg, size_t i, budget_variant *variant);
    /* What becomes of a replay that failed; NULL: its error is that of the batch. */
    tl_status (*fail)(const void *arg, size_t i, const tlr_point *point, tl_error *err);
    /* Of budget_batch_run: */
    tlr_sweep sweep;
    cli_progress progress;
} budget_batch;

/* Runs all replays, on all cores. Their results are the points of the sweep. */
tl_status budget_batch_run(budget_batch *batch, tl_error *err);
void budget_batch_free(budget_batch *batch);

#endif
