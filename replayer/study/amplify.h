/* amplify.h - a study of noise: how much of it reaches the makespan of programs.
 *
 * Hoefler, Schneider, Lumsdaine, "Characterizing the Influence of System Noise on Large-Scale
 * Applications by Simulation", SC10. */
#ifndef TLR_AMPLIFY_H
#define TLR_AMPLIFY_H

#include "study/sweep.h"

#include <stdio.h>

/* The axes of its sweep. */
enum {
    TLR_AMPLIFY_NOISE,
    TLR_AMPLIFY_PROGRAM,
    TLR_AMPLIFY_RANKS, /* "none": as in the trace */
    TLR_AMPLIFY_SEED,
    TLR_AMPLIFY_N_AXES
};

typedef struct tlr_amplify {
    const tlr_sweep *sweep;
    const char *place; /* for people */
} tlr_amplify;

/* A program on a number of ranks with a noise: means over the seeds that have a result. */
typedef struct tlr_amplified {
    size_t n_seeds;               /* 0: no seed has a result, and the rest means nothing */
    double makespan_s, without_s; /* with noise, without */
    double taken_s;               /* by detours from the CPU of a rank, mean of the ranks */
    double growth;                /* of the makespan: 0.1 is 10 %; NAN: it is 0 without noise */
    double amplification;         /* what the makespan grows by / taken_s; NAN: nothing was taken */
} tlr_amplified;

void tlr_amplify_print(const tlr_amplify *study, FILE *out);
json_t *tlr_amplify_json(const tlr_amplify *study);
/* A panel for each noise, a line for each program: amplification over the ranks. The file name ends
 * in .svg, .pdf or .png. */
tl_status tlr_amplify_draw(const tlr_amplify *study, const char *path, tl_error *err);

#endif
