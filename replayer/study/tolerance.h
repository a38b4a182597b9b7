/* tolerance.h - how much a factor may grow for a given growth of the makespan. */
#ifndef TLR_TOLERANCE_H
#define TLR_TOLERANCE_H

#include <timeless.h>

typedef struct tlr_tolerance {
    double growth;     /* of the makespan: 0.01 */
    double factor;     /* the greatest that costs no more; exceeds every limit: HUGE_VAL */
    double makespan_s; /* with it */
    double low, high;  /* of the factor less 1: costs no more, costs more (HUGE_VAL: unknown) */
} tlr_tolerance;

/* Computes the makespans with these factors, all at the same time. */
typedef tl_status tlr_makespans(void *arg, const double *factors, double *makespans_s, size_t n,
                                tl_error *err);

/* Finds the factors for all growths, by doubling and then bisection, until the part above 1 has
 * this relative precision or is below 1e-12. Factors above 1e6 are not tried. */
tl_status tlr_tolerance_find(tlr_tolerance *all, size_t n, double makespan_s, double precision,
                             tlr_makespans *makespans, void *arg, tl_error *err);

#endif
