/* parallel.c - how long a parallel region of OpenMP takes, on as many threads as are asked for.
 *
 * The rule is in timeless-replay(1), THREADS. */
#include "config.h"

#include "rank_model.h"

#include <math.h>

/* The list of a region: validate.c has checked it. */
enum { BEFORE, ALONE, ONE_AT_A_TIME, THREADS };

/* The work of the threads, laid end to end, each evenly on a piece of length 1: what is before x.
 */
static double work_before(const int64_t *work, uint32_t n, double x)
{
    double sum = 0;
    uint32_t i = 0;
    for (; i < n && i + 1 <= x; i++)
        sum += (double)work[i];
    return i < n ? sum + (x - i) * (double)work[i] : sum;
}

/* The largest of n_threads equal pieces of it. */
static double longest_of(const int64_t *work, uint32_t n, unsigned n_threads)
{
    double longest = 0, before = 0;
    for (unsigned t = 1; t <= n_threads; t++) {
        const double up_to = work_before(work, n, (double)n * t / n_threads);
        longest = fmax(longest, up_to - before);
        before = up_to;
    }
    return longest;
}

double tlr_parallel_share(const tl_event *region, unsigned n_threads, double cores)
{
    const int64_t *list = region->list, *work = list + THREADS;
    const uint32_t n = region->list_len - THREADS;
    const double alone = (double)list[BEFORE] + (double)list[ALONE];
    double sum = 0, longest = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)work[i];
        longest = fmax(longest, (double)work[i]);
    }
    if (alone + sum <= 0)
        return 1;
    if (n_threads && n_threads != n)
        longest = longest_of(work, n, n_threads);
    if (cores > 0)
        longest = fmax(longest, sum / cores);
    return (alone + fmax(longest, (double)list[ONE_AT_A_TIME])) / (alone + sum);
}

/* With more ranks than cores, the engine lets the ranks share them. */
double tlr_cores_for_rank(unsigned n_cores, uint32_t n_ranks)
{
    return n_ranks ? fmax(1, (double)n_cores / n_ranks) : 0;
}
