/* tolerance.c - how much a factor may grow for a given growth of the makespan, by bisection. */
#include "config.h"

#include "tolerance.h"

#include <math.h>
#include <stdlib.h>

/* Limits of factors minus 1. Factors above the first limit are not tried. Below the second limit, 1
 * and the factor, which a replay rounds, are hardly different. */
static const double most = 1e6, least = 1e-12;

static bool is_found(const tlr_tolerance *t, double precision)
{
    return t->high < HUGE_VAL ? t->high - t->low <= precision * t->high || t->high < least
                              : t->low >= most;
}

/* The next factor to try, minus 1. No cost takes more than the whole makespan, so a factor below
 * the growth itself is seldom too large. */
static double next_try(const tlr_tolerance *t)
{
    if (t->high < HUGE_VAL)
        return (t->low + t->high) / 2;
    return t->low > 0 ? fmin(2 * t->low, most) : t->growth;
}

tl_status tlr_tolerance_find(tlr_tolerance *all, size_t n, double makespan_s, double precision,
                             tlr_makespans *makespans, void *arg, tl_error *err)
{
    double *factors = calloc(n, sizeof *factors), *found_s = calloc(n, sizeof *found_s);
    size_t *who = calloc(n, sizeof *who);
    tl_status status = factors && found_s && who ? TL_OK : tl_no_memory(err, "tolerances");
    for (size_t i = 0; i < n; i++) {
        all[i].low = 0;
        all[i].high = HUGE_VAL;
        all[i].makespan_s = makespan_s;
    }
    while (status == TL_OK) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++)
            if (!is_found(&all[i], precision)) {
                factors[k] = 1 + next_try(&all[i]);
                who[k++] = i;
            }
        if (!k)
            break;
        status = makespans(arg, factors, found_s, k, err);
        for (size_t j = 0; j < k && status == TL_OK; j++) {
            tlr_tolerance *t = &all[who[j]];
            if (found_s[j] > makespan_s * (1 + t->growth)) {
                t->high = factors[j] - 1;
            } else {
                t->low = factors[j] - 1;
                t->makespan_s = found_s[j];
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        all[i].factor = all[i].high < HUGE_VAL ? 1 + all[i].low : HUGE_VAL;
    free(factors);
    free(found_s);
    free(who);
    return status;
}
