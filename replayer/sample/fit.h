/* fit.h - estimates the time of all steps of a run from the time of some steps.
 *
 * A regression on properties of the steps that are known without a replay (their work, ...)
 * predicts the steps that were not replayed from those that were. Each window represents a stratum:
 * consecutive steps from which its place was drawn. The residual of a window is added for its whole
 * stratum. A wrong form of the regression therefore costs precision, not correctness. This is the
 * generalised regression estimator: Saerndal, Swensson and Wretman, "Model Assisted Survey
 * Sampling", 1992, chapter 6. */
#ifndef TLR_SAMPLE_FIT_H
#define TLR_SAMPLE_FIT_H

#include <stddef.h>

#include <timeless.h>

/* Known properties of the steps, as cumulative sums: row i is the sum over all steps before step i.
 * The last term is the one on which the time depends most. */
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

typedef struct tlr_time_estimate {
    double seconds; /* of all strata */
    double half_s;  /* half of the 90 % interval */
} tlr_time_estimate;

/* The sum of a term over the steps [from, past). */
double tlr_step_sum(const tlr_step_sums *steps, size_t term, size_t from, size_t past);

/* The strata in the order of the run, at least 3. TL_OK or TL_ERR_MEMORY. */
tl_status tlr_sample_fit(const tlr_step_sums *steps, tlr_stratum *strata, size_t n,
                         tlr_time_estimate *out);

#endif
