/* sobol.h - Sobol indices: the part of each input in the variance of a result.
 *
 * Two tables A and B of n rows with one column for each of d inputs, and for each input i the table
 * AB_i, which is A with the column i of B: n (d + 2) replays. A. Saltelli et al., Variance based
 * sensitivity analysis of model output (2010), table 2: (b) for the first order, (f) for the total.
 */
#ifndef TLR_SOBOL_H
#define TLR_SOBOL_H

#include <timeless.h>

enum { TLR_SOBOL_MOST = 20 }; /* inputs: GSL's sequence has at most 40 dimensions */

/* n rows of 2 d numbers between 0 and 1, A before B: Sobol's sequence, shifted in each dimension by
 * a number that is drawn from the seed, modulo 1. d at most TLR_SOBOL_MOST. */
tl_status tlr_sobol_points(size_t n, size_t d, uint64_t seed, double *out, tl_error *err);

/* Indices are parts of the variance; the errors are half of a 90 % interval as if the rows were
 * drawn at random, and so too large rather than too small. */
typedef struct tlr_sobol_index {
    double first, first_error; /* what the input does alone */
    double total, total_error; /* also together with others */
} tlr_sobol_index;

/* results: n rows of d + 2: of A, of B, of AB_0, AB_1, ...; n at least 2. Fills d indices, the mean
 * and the standard deviation of all results. Without variance all indices are 0. */
void tlr_sobol_indices(const double *results, size_t n, size_t d, tlr_sobol_index *out,
                       double *mean, double *sd);

#endif
