/* noise.h - noise: detours of the operating system, which take the CPU from a rank. */
#ifndef TLR_NOISE_H
#define TLR_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timeless.h>

/* The word that selects the noise of messages (network_noise.h), alone or after detours. */
#define TLR_NETWORK_NOISE "network"

typedef struct tlr_detour {
    uint64_t start_ps, duration_ps;
    uint64_t free_before_ps, taken_before_ps; /* sums from the begin of the period to its start */
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

/* The detours of a period, which repeats. */
typedef struct tlr_noise {
    uint64_t period_ps, total_ps; /* length of the period; sum of its detours */
    size_t n;
    tlr_detour *detours; /* in order, without overlap */
    uint64_t seed;       /* of the times at which the periods of the ranks begin */
    bool is_coscheduled; /* the periods of all ranks begin at the same time */
    bool has_random_durations, has_random_intervals;
    unsigned disturbs; /* bits: tlr_work */
    size_t n_ranges;
    tlr_rank_range *ranges; /* the ranks with noise, in order; none: all ranks */
} tlr_noise;

/* Reads a description of noise. `text` is "1000Hz:100us" (one detour in each period), or the name
 * of a file, also of one in the folder `noise` of the platforms. The file has a line for each
 * detour, in order: its start and its duration in ns. # begins a comment. The file repeats after
 * the end of its last detour. The following may be appended:
 *   ",coscheduled"
 *   ",ranks=0-3,8,12-15"
 *   ",application", ",overheads", ",reductions": only these kinds of work are disturbed
 *   ",durations=exponential", ",intervals=exponential": after a frequency; the means are the
 * duration and the period
 *   ",network": is ignored here */
tl_status tlr_noise_read(const char *text, uint64_t seed, tlr_noise **out, tl_error *err);
void tlr_noise_free(tlr_noise *noise);
/* Whether ",network" is appended to such a text. */
bool tlr_noise_has_network(const char *text);
/* The path of a file of detours: `name` itself if it exists, otherwise noise/NAME of the platforms.
 */
void tlr_noise_find(const char *name, char *path, size_t size);

/* When the CPU of a rank ends work of busy_ps that it begins at start_ps. Added are the rest of a
 * detour in progress at start_ps, and every detour that begins before the work ends. */
uint64_t tlr_noise_end(const tlr_noise *noise, uint32_t rank, uint64_t start_ps, uint64_t busy_ps);

#endif
