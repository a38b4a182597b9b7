/* clock.h - the seconds of a clock. */
#ifndef TL_CLOCK_H
#define TL_CLOCK_H

#include <time.h>

static inline double tl_now_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
