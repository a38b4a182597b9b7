/* fit.h - the time of all steps of a run from that of some of them.
 *
 * A regression on what is known of each step without a replay (its work, ...) carries the time of
 * the replayed steps over to the others.  Each window speaks for a stratum, consecutive steps among
 * which its own have been drawn; what the regression leaves of a window is added for its whole
 * stratum, so that a wrong form of the regression costs precision, not correctness (the
 * generalised regression estimator: Saerndal, Swensson and Wretman, "Model Assisted Survey
 * Sampling", 1992, chapter 6). */
#ifndef TLR_SAMPLE_FIT_H
#define TLR_SAMPLE_FIT_H

#include <stddef.h>

#include <timeless.h>

/* What is known of the steps, as sums: row i is of all steps before the i-th.  The last term is the
 * one that the time is mostly made of. */
typedef struct tlr_step_sums {
    size_t n_steps, n_terms;
    double *sums; /* [n_steps + 1][n_terms] */
} tlr_step_sums;

typedef struct tlr_stratum {
    size_t from, past;       /* steps */
    size_t at, past_counted; /* those of them that the window counts */
    double seconds;          /* of the counted steps, replayed */
    double estimate_s;       /* of all of its steps: filled by tlr_sample_fit */
} tlr_stratum;

typedef struct tlr_estimate {
    double seconds; /* of all strata */
    double half_s;  /* half of the 90 % interval */
} tlr_estimate;

/* What is known of the steps [from, past). */
double tlr_step_sum(const tlr_step_sums *steps, size_t term, size_t from, size_t past);

/* Strata in the order of the run, at least 3.  TL_OK or TL_ERR_MEMORY. */
tl_status tlr_sample_fit(const tlr_step_sums *steps, tlr_stratum *strata, size_t n,
                         tlr_estimate *out);

#endif
