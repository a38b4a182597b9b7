/* extrapolation.h - how wrong the computation of a fitted skeleton may be at another size, out of
 * what its file states: the errors of captures that were left out of the fit (doc/SKELETON.md). */
#ifndef TLR_EXTRAPOLATION_H
#define TLR_EXTRAPOLATION_H

#include <stdbool.h>
#include <timeless.h>

typedef struct tlr_extrapolation {
    size_t n_errors;                /* captures left out whose computation is stated */
    double least_error, most_error; /* of them, relative */
    size_t n_differ;                /* captures left out of which the others have no skeleton */
    bool has_draws;                 /* sizes of messages are drawn */
    /* How far the prediction is beyond the captures, and the farthest capture left out beyond the
     * others: logarithms of ratios. */
    double distance, tried;
    double uncertainty; /* half of the 90 % interval of the computation, relative; -1: not stated */
    char unknown[200];  /* "N=200 (100 in all captures)": parameters without any error; "": none */
    char record[400];   /* the options of timeless record for the next capture: "-n 64 ..." */
    bool is_captured;   /* a capture has this size */
} tlr_extrapolation;

/* `program`: that of the opened skeleton, "skel:FILE,ranks=64,N=1000". With the errors e of n
 * captures left out (ln(1 + error)), of which m are at a distance d > 0 from the others, and the
 * distance D of the prediction, the uncertainty is the larger one of
 *     t(n) sqrt(mean(e^2))  and  t(m) sqrt(mean((e / d)^2)) D,
 * t being the quantile 0.95 of Student's distribution: errors of mean 0, and a power law whose
 * exponent is wrong. TL_ERR_SYSTEM: the file cannot be read. */
tl_status tlr_extrapolation_find(const char *program, tlr_extrapolation *out, tl_error *err);

#endif
