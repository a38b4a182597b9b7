/* draw.h - random numbers that depend on a seed and a counter only. */
#ifndef TL_DRAW_H
#define TL_DRAW_H

#include <stdint.h>

/* The i-th number of a sequence (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
 * Generators", 2014). */
static inline uint64_t tl_draw(uint64_t seed, uint64_t i)
{
    uint64_t x = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The i-th number of a sequence of numbers from 0 to n - 1. */
static inline uint64_t tl_draw_below(uint64_t seed, uint64_t i, uint64_t n)
{
    return (uint64_t)((unsigned __int128)tl_draw(seed, i) * n >> 64);
}

#endif
