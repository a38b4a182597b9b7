/* random.c - random numbers that are functions of a key. */
#include "rank_model.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(tlr_draw_key) == 2 * sizeof(uint64_t) + 4 * sizeof(uint32_t),
               "the hash of a key must not see padding");

uint64_t tlr_hash_name(const char *name)
{
    return XXH64(name, strlen(name), 0);
}

/* Takes the upper 52 bits and adds half a step, so that the result is neither 0 nor 1. */
double tlr_draw_uniform(const tlr_draw_key *key)
{
    return ((double)(XXH64(key, sizeof *key, 0) >> 12) + 0.5) * 0x1p-52;
}

double tlr_draw_normal(const tlr_draw_key *key)
{
    return gsl_cdf_ugaussian_Pinv(tlr_draw_uniform(key));
}

double tlr_draw_half_normal(const tlr_draw_key *key)
{
    const double mean = sqrt(2 / M_PI);
    const double x = gsl_cdf_ugaussian_Pinv(0.5 + 0.5 * tlr_draw_uniform(key));
    return (x - mean) / sqrt(1 - mean * mean);
}

const tlr_mode *tlr_draw_mode(const tlr_draw_key *key, uint32_t purpose, const tlr_mode *modes,
                              size_t n)
{
    tlr_draw_key of_mode = *key;
    of_mode.purpose = purpose;
    double left = tlr_draw_uniform(&of_mode);
    size_t i = 0;
    while (i + 1 < n && (left -= modes[i].weight) > 0)
        i++;
    return &modes[i];
}
