/* suspects.h - which input of a prediction is wrong, judged by measured runs.
 *
 * For each input in turn, this input alone is taken to be wrong by much more than its uncertainty
 * says (TLR_SUSPECT_TIMES), the others by as much as theirs say; or none is. The logarithms of the
 * makespans are linear in those of the inputs, and all errors are normal. The likelihood of the
 * measured runs gives the probability of each input, the posterior mean its value. A single run
 * cannot separate inputs that could explain it equally well; runs in which the inputs have other
 * parts can. */
#ifndef TLR_SUSPECTS_H
#define TLR_SUSPECTS_H

#include <timeless.h>

enum { TLR_SUSPECT_TIMES = 10 }; /* chosen: an input with 2 % stated is suspected to be 20 % off */

typedef struct tlr_suspects {
    size_t n_runs, n_inputs;
    const double *log_ratios;    /* [run] ln(measured / predicted) */
    const double *log_errors;    /* [run] half of the 90 % interval of the measured time */
    const double *effects;       /* [run][input] d ln(makespan) / d ln(input) */
    const double *uncertainties; /* [input] half of the 90 % interval, relative */
} tlr_suspects;

typedef struct tlr_suspect {
    double factor;      /* what the input would have to be, of its value: 1e-6 to 1e6 */
    double probability; /* with that of none, they add up to 1 */
} tlr_suspect;

/* Fills n_inputs suspects, and the probability that none is wrong by more than stated; an input
 * without effect on any run gets probability 0. n_runs: 1 or more. TL_ERR_INPUT: errors and
 * uncertain inputs are so few that a run's time follows exactly from the others (more runs than
 * uncertain inputs, and all log_errors 0). */
tl_status tlr_suspects_find(const tlr_suspects *s, tlr_suspect *out, double *none, tl_error *err);

#endif
