/* uncounted.c - computation of a run that is in no event of its trace. */
#include "config.h"

#include "core/format.h"
#include "reader.h"
#include "timeless_files.h"

#include <inttypes.h>
#include <stdio.h>

/* The CPU time of threads whose computation is in no event; 0 if there is none. `names`: those of
 * the rank with the most. */
static uint64_t uncounted_ns(const tl_reader *r, const char **names, uint64_t *most_ns)
{
    static const char prefix[] = TL_COUNTER_UNCOUNTED_NAME;
    uint64_t sum_ns = 0;
    *most_ns = 0;
    for (uint32_t rank = 0; rank < r->header.run.n_ranks; rank++) {
        const tl_counter *counters;
        const size_t n = tl_reader_counters(r, rank, &counters);
        for (size_t i = 0; i < n; i++) {
            if (strncmp(counters[i].name, prefix, strlen(prefix)) != 0)
                continue;
            sum_ns += counters[i].value;
            if (counters[i].value > *most_ns) {
                *most_ns = counters[i].value;
                *names = counters[i].name + strlen(prefix);
            }
        }
    }
    return sum_ns;
}

size_t tl_reader_uncounted(const tl_reader *r, char *text, size_t size)
{
    const char *names = "";
    uint64_t most_ns;
    const uint64_t ns = uncounted_ns(r, &names, &most_ns);
    if (size)
        *text = '\0';
    return !ns ? 0
               : (size_t)snprintf(text, size,
                                  "all but %.3g s of CPU time (at most %.3g s on a rank) of "
                                  "threads that could not be measured%s%s",
                                  1e-9 * (double)ns, 1e-9 * (double)most_ns,
                                  *names ? ": " : " (they have ended)", names);
}
