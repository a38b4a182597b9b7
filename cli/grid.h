/* grid.h - replays at the points of a grid, for the commands that need many of them. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "progress.h"
#include "sweep_words.h"

typedef struct grid {
    word_list options, traces; /* of all points; no trace: an axis makes one */
    tlr_sweep sweep;           /* of tlr_sweep_create */
    int with_energy;           /* of the jobs, if the platform states watts */
    const char *out;           /* results file, from which the grid is resumed; NULL: none */
    unsigned n_jobs;
    size_t rank, n_processes; /* of a grid that mpirun or srun runs */
    /* Changes the words of a point before they are used; NULL: they stay. */
    tl_status (*change)(const void *arg, size_t point, word_list *words, tl_error *err);
    const void *change_arg;
    /* Of grid_run: */
    char *command;        /* of all points: column of the results */
    tlr_results *results; /* NULL: without a results file */
    cli_progress progress;
} grid;

/* Finds this process among those that mpirun or srun has started. */
void grid_find_processes(grid *g);
/* Replaces the value "all" of axes coll.OPERATION by the algorithms of the engine that the options
 * or another axis name. */
tl_status grid_expand(const grid *g, tlr_axis *axes, size_t n_axes, tl_error *err);
/* Runs the points without a result. The results file is not complete yet (tlr_results_write). */
tl_status grid_run(grid *g, tl_error *err);
/* Whether all points have a result. */
int grid_is_known(const grid *g);
/* Reports in a line each how many points failed or are not possible, and the first of them. Returns
 * the exit code. Of several processes, the one that has all results reports, because mpirun ends
 * the others when the first process does not exit with 0. */
int grid_tell_failures(const grid *g);
/* Warns if sampled makespans differ from the smallest one by less than their intervals. */
void grid_warn_of_intervals(const grid *g);
void grid_free(grid *g);

#endif
