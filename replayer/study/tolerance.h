/* tolerance.h - how much more of something costs how much time. */
#ifndef TLR_TOLERANCE_H
#define TLR_TOLERANCE_H

#include <timeless.h>

typedef struct tlr_tolerance {
    double growth;     /* of the makespan: 0.01 */
    double factor;     /* the greatest that costs no more; exceeds every limit: HUGE_VAL */
    double makespan_s; /* with it */
    double low, high;  /* of the factor less 1: costs no more, costs more (HUGE_VAL: unknown) */
} tlr_tolerance;

/* Makespans with these factors, all at once. */
typedef tl_status tlr_makespans(void *arg, const double *factors, double *makespans_s, size_t n,
                                tl_error *err);

/* Finds the factors of all by doubling and then bisection, until what is above 1 is known to this
 * precision (relative), or less than 1e-12.  Factors beyond 1e6 are not tried. */
tl_status tlr_tolerance_find(tlr_tolerance *all, size_t n, double makespan_s, double precision,
                             tlr_makespans *makespans, void *arg, tl_error *err);

#endif
