/* noise.h - detours of the operating system that hold up a rank's CPU. */
#ifndef TLR_NOISE_H
#define TLR_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include <timeless.h>

typedef struct tlr_detour {
    uint64_t start_ps, duration_ps;
    uint64_t free_before_ps, taken_before_ps; /* of the period before it */
} tlr_detour;

/* What the CPU does; flags. */
typedef enum tlr_work {
    TLR_WORK_APPLICATION = 1, /* computation of the program */
    TLR_WORK_OVERHEADS = 2,   /* o and O */
    TLR_WORK_REDUCTIONS = 4,  /* R */
    TLR_WORK_ALL = 7
} tlr_work;

typedef struct tlr_rank_range {
    uint32_t first, last;
} tlr_rank_range;

typedef struct tlr_noise {
    uint64_t period_ps, total_ps; /* of a period, what detours take */
    size_t n;
    tlr_detour *detours; /* in order, none in another */
    uint64_t seed;       /* of the moments at which the ranks' periods begin */
    int is_coscheduled;  /* at one moment on all */
    int has_random_durations, has_random_intervals;
    unsigned disturbs; /* tlr_work */
    size_t n_ranges;
    tlr_rank_range *ranges; /* of the ranks that have it, in order; none: all have */
} tlr_noise;

/* From "1000Hz:100us" (one detour a period) or the name of a file: a line for each detour, start
 * and duration in ns, in order; # begins a comment; it repeats after the last one's end.  May be
 * followed by ",coscheduled"; ",ranks=0-3,8,12-15"; ",application", ",overheads", ",reductions",
 * which are then all that it disturbs; and, after a frequency, by ",durations=exponential" and
 * ",intervals=exponential", of which the frequency and the time are the means. */
tl_status tlr_noise_read(const char *text, uint64_t seed, tlr_noise **out, tl_error *err);
void tlr_noise_free(tlr_noise *noise);

/* When the CPU of a rank has done busy_ps of work that it begins at start_ps.  What is left of a
 * detour in progress is added, and every detour that begins before the work is done. */
uint64_t tlr_noise_end(const tlr_noise *noise, uint32_t rank, uint64_t start_ps, uint64_t busy_ps);

#endif
