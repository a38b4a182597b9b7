/* scaling.h - a study of scaling: how much faster more ranks are, how well they are used, and what
 * limits them. */
#ifndef TLR_SCALING_H
#define TLR_SCALING_H

#include "study/sweep.h"

#include <stdbool.h>
#include <stdio.h>

/* A parameter of the program that grows with the ranks. */
typedef struct tlr_grown {
    const char *name, *expression;
    int64_t *values; /* at each point */
} tlr_grown;

/* The points of the sweep are those of its only axis, by the number of ranks. */
typedef struct tlr_scaling {
    const tlr_sweep *sweep;
    const uint32_t *n_ranks; /* of each point */
    const char *program;     /* NULL: the axis has a trace for each number of ranks */
    const char *place;       /* for people */
    bool is_weak;            /* the problem grows with the ranks; 0: it stays the same */
    int ignores_crowd;       /* by the engine, ranks that share cores compute as if they did not */
    size_t n_grown;
    const tlr_grown *grown;
} tlr_scaling;

/* A point beside the first point that has a result. */
typedef struct tlr_scaled {
    double speed_up;    /* makespan of the first / makespan */
    double efficiency;  /* strong: speed_up / growth of the ranks; weak: speed_up */
    double computation; /* that of the first / that of this point: strong: of all ranks together;
                           weak: of the mean rank. NAN: nobody computes */
    const char *limit;  /* the smallest of its factors; NULL: all are above 99 %, or unknown */
} tlr_scaled;

/* 0: the point has no result. */
int tlr_scaling_at(const tlr_scaling *study, size_t point, tlr_scaled *out);
void tlr_scaling_print(const tlr_scaling *study, FILE *out);
json_t *tlr_scaling_json(const tlr_scaling *study);
/* Draws the speed-up (weak: the makespan) with its ideal, and the efficiencies, over the ranks
 * (replayer/study/scaling_plot.c). The file name ends in .svg, .pdf or .png. */
tl_status tlr_scaling_draw(const tlr_scaling *study, const char *path, tl_error *err);

#endif
