/* noise.h - detours of the operating system, which delay a rank's CPU. */
#ifndef TLR_NOISE_H
#define TLR_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include <timeless.h>

/* The word for the noise of messages (network_noise.h), alone or behind detours. */
#define TLR_NETWORK_NOISE "network"

typedef struct tlr_detour {
    uint64_t start_ps, duration_ps;
    uint64_t free_before_ps, taken_before_ps; /* of the period before it */
} tlr_detour;

/* Kinds of work of the CPU; flags. */
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

/* `text` is "1000Hz:100us" (one detour in each period) or the name of a file, or that of one in the
 * folder noise of the platforms. The file has a line for each detour, in order: its start and its
 * duration in ns. # begins a comment. The file repeats after the end of its last detour. The text
 * may continue with ",coscheduled"; with ",ranks=0-3,8,12-15"; with ",application", ",overheads"
 * and ",reductions", if only these are disturbed; and after a frequency with
 * ",durations=exponential" and ",intervals=exponential", whose means are the duration and the
 * period. ",network" is not looked at. */
tl_status tlr_noise_read(const char *text, uint64_t seed, tlr_noise **out, tl_error *err);
void tlr_noise_free(tlr_noise *noise);
/* Whether such a text continues with ",network". */
int tlr_noise_has_network(const char *text);
/* The file of detours that `name` means: the file itself, otherwise noise/NAME of the platforms. */
void tlr_noise_find(const char *name, char *path, size_t size);

/* The moment when the CPU of a rank has done busy_ps of work that it begins at start_ps. The rest
 * of a detour in progress is added, and every detour that begins before the work is done. */
uint64_t tlr_noise_end(const tlr_noise *noise, uint32_t rank, uint64_t start_ps, uint64_t busy_ps);

#endif
