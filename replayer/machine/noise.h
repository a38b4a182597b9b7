/* noise.h - detours of the operating system that hold up a rank's CPU. */
#ifndef TLR_LOGGOPS_NOISE_H
#define TLR_LOGGOPS_NOISE_H

#include "loggops/loggops.h"

typedef struct loggops_detour {
    uint64_t start_ps, duration_ps;
    uint64_t free_before_ps, taken_before_ps; /* of the period before it */
} loggops_detour;

/* What the CPU does; flags. */
typedef enum loggops_work {
    LOGGOPS_APPLICATION = 1, /* computation of the program */
    LOGGOPS_OVERHEADS = 2,   /* o and O */
    LOGGOPS_REDUCTIONS = 4,  /* R */
    LOGGOPS_ALL_WORK = 7
} loggops_work;

typedef struct loggops_ranks {
    uint32_t first, last;
} loggops_ranks;

struct loggops_noise {
    uint64_t period_ps, total_ps; /* of a period, what detours take */
    size_t n;
    loggops_detour *detours; /* in order, none in another */
    uint64_t seed;           /* of the moments at which the ranks' periods begin */
    int is_coscheduled;      /* at one moment on all */
    int has_random_durations, has_random_intervals;
    unsigned disturbs; /* loggops_work */
    size_t n_ranges;
    loggops_ranks *ranges; /* of the ranks that have it, in order; none: all have */
};

/* From "1000Hz:100us" (one detour a period) or the name of a file: a line for each detour, start
 * and duration in ns, in order; # begins a comment; it repeats after the last one's end.  May be
 * followed by ",coscheduled"; ",ranks=0-3,8,12-15"; ",application", ",overheads", ",reductions",
 * which are then all that it disturbs; and, after a frequency, by ",durations=exponential" and
 * ",intervals=exponential", of which the frequency and the time are the means. */
tl_status loggops_noise_read(const char *text, uint64_t seed, loggops_noise **out, tl_error *err);
void loggops_noise_free(loggops_noise *noise);

/* When the CPU of a rank has done busy_ps of work that it begins at start_ps.  What is left of a
 * detour in progress is added, and every detour that begins before the work is done. */
uint64_t loggops_noise_end(const loggops_noise *noise, uint32_t rank, uint64_t start_ps,
                           uint64_t busy_ps);

#endif
