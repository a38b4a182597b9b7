/* parallel.h - how long a parallel region of OpenMP takes, on as many threads as are asked for: the
 * rule of timeless-replay(1), THREADS.
 *
 * Internal. Inline, because the replay is not part of this library. */
#ifndef TL_PARALLEL_H
#define TL_PARALLEL_H

#include "timeless.h"

#include <math.h>

/* The list of a region. */
enum { TL_PARALLEL_BEFORE, TL_PARALLEL_ALONE, TL_PARALLEL_ONE_AT_A_TIME, TL_PARALLEL_THREADS };

/* The work of the threads, laid end to end, each evenly on a piece of length 1: what is before x.
 */
static inline double tl_work_before(const int64_t *work, uint32_t n, double x)
{
    double sum = 0;
    uint32_t i = 0;
    for (; i < n && i + 1 <= x; i++)
        sum += (double)work[i];
    return i < n ? sum + (x - i) * (double)work[i] : sum;
}

/* The largest of n_threads equal pieces of it. */
static inline double tl_longest_of(const int64_t *work, uint32_t n, unsigned n_threads)
{
    double longest = 0, before = 0;
    for (unsigned t = 1; t <= n_threads; t++) {
        const double up_to = tl_work_before(work, n, (double)n * t / n_threads);
        longest = fmax(longest, up_to - before);
        before = up_to;
    }
    return longest;
}

/* The part of the volume of a region that counts as time, on n threads (0: as in the run) with so
 * many cores (0: one for each thread). Each thread takes slowdown times as long as in the run for
 * its work. */
static inline double tl_parallel_share(const tl_event *region, unsigned n_threads, double cores,
                                       double slowdown)
{
    if (region->list_len <= TL_PARALLEL_THREADS)
        return 1;
    const int64_t *list = region->list, *work = list + TL_PARALLEL_THREADS;
    const uint32_t n = region->list_len - TL_PARALLEL_THREADS;
    const double alone = (double)list[TL_PARALLEL_BEFORE] + (double)list[TL_PARALLEL_ALONE];
    double sum = 0, longest = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)work[i];
        longest = fmax(longest, (double)work[i]);
    }
    if (alone + sum <= 0)
        return 1;
    if (n_threads && n_threads != n)
        longest = tl_longest_of(work, n, n_threads);
    if (cores > 0)
        longest = fmax(longest, sum / cores);
    return (alone + fmax(slowdown * longest, (double)list[TL_PARALLEL_ONE_AT_A_TIME])) /
           (alone + sum);
}

#endif
