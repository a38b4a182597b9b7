/* grid.h - many replays: side by side with a line of progress, and at the points of a grid. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "cli.h"

#include <stdbool.h>
#include <study/sweep.h>

/* Runs the batch and shows its progress in `what`. */
tl_status cli_run_batch(const tlr_batch *batch, const char *what, tl_error *err);

typedef struct grid {
    tlr_scenario base;      /* what all points have in common */
    cli_texts traces;       /* of all points; no trace: an axis makes one */
    tlr_sweep sweep;        /* of tlr_sweep_create */
    const char *out;        /* results file, from which the grid is resumed; NULL: none */
    unsigned n_jobs, max_s; /* as in tlr_batch */
    int finds_efficiency;   /* as in tlr_batch */
    /* Changes the scenario of a point; NULL: it has that of its axes. */
    tl_status (*change)(const void *arg, size_t point, tlr_scenario *s, tl_error *err);
    const void *change_arg;
    /* Of grid_run: */
    char *command;        /* of all points: column of the results */
    tlr_results *results; /* NULL: without a results file */
} grid;

/* Before the options are parsed; ends the process without memory. */
grid grid_begin(void);
/* Replaces the value "all" of axes coll.OPERATION by the algorithms of the engine that the options
 * or another axis name. */
tl_status grid_expand(const grid *g, tlr_axis *axes, size_t n_axes, tl_error *err);
/* Runs the points without a result. The results file is not complete yet (tlr_results_write). */
tl_status grid_run(grid *g, tl_error *err);
/* Reports in a line each how many points are predicted too fast, failed or are not possible, and
 * the first of them. Returns the exit code. */
int grid_tell_failures(const grid *g);
/* Warns if sampled makespans differ from the smallest one by less than their intervals. */
void grid_warn_of_intervals(const grid *g);
void grid_free(grid *g);

#endif
