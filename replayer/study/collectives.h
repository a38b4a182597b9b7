/* collectives.h - all algorithms of a collective side by side: which one is the best for each
 * number of ranks and bytes, and what the rule of an MPI library loses. */
#ifndef TLR_COLLECTIVES_H
#define TLR_COLLECTIVES_H

#include "sweep.h"

/* The axes of the sweep. The first value of the axis of algorithms is "none": the rule decides. */
enum {
    TLR_STUDY_MAKE, /* one value */
    TLR_STUDY_RANKS,
    TLR_STUDY_BYTES,
    TLR_STUDY_ALGORITHM,
    TLR_STUDY_N_AXES
};

typedef struct tlr_study {
    const tlr_sweep *sweep; /* all points are known */
    const char *operation;  /* "alltoall" */
    const char *rule;       /* the selector, "ompi-4.1" */
    const char *place;      /* "graphene", "L=5us,...": for people */
} tlr_study;

/* The algorithms that a study of this operation can compare: 0 if there is no pattern of it. */
int tlr_study_has(const char *operation);

/* Text for people: for each number of ranks the best by size and the rule beside it, and all
 * algorithms as multiples of the best. */
void tlr_study_print(const tlr_study *study, FILE *out);
/* A row for each number of ranks, bytes and algorithm. */
tl_status tlr_study_write_csv(const tlr_study *study, FILE *out, tl_error *err);
json_t *tlr_study_json(const tlr_study *study);
/* Draws the makespans over the bytes: a panel for each number of ranks (plots/plot.h). */
tl_status tlr_study_draw(const tlr_study *study, const char *path, tl_error *err);

/* ---- the cases, for its tables and its picture ---- */

/* All by index on their axes; algorithm 0 is the rule. */
const tlr_point *study_point(const tlr_study *study, size_t ranks, size_t bytes, size_t algorithm);
double study_number(const tlr_study *study, int axis, size_t i);
const char *study_algorithm(const tlr_study *study, size_t algorithm);
/* For people: of a file its name without folders, unless another one has it, too. */
const char *study_shown_algorithm(const tlr_study *study, size_t algorithm);

#endif
