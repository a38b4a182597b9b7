/* noise.h - measures the time that the operating system takes from a core: detours of a spinning
 * loop.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_NOISE_H
#define TLP_NOISE_H

#include <stdio.h>

#include <timeless.h>

typedef struct tlp_detour {
    double start_ns, duration_ns;
} tlp_detour;

typedef struct tlp_noise_profile {
    unsigned core;
    double threshold;    /* of tlp_noise_measure */
    double spin_ns;      /* of a pass of the loop without a detour */
    double seconds;      /* for which the loop spun */
    double lost_share;   /* of them, in detours */
    size_t n_detours;    /* in order */
    tlp_detour *detours; /* the caller's (free) */
} tlp_noise_profile;

/* Selfish detour (Hoefler, Schneider and Lumsdaine, "Characterizing the Influence of System Noise",
 * section III): a loop reads the clock. If the time between two readings is more than `threshold`
 * times the shortest one, something else ran. It reads for `seconds`, on the nth core that this
 * process may use. */
tl_status tlp_noise_measure(unsigned core, double seconds, double threshold, tlp_noise_profile *out,
                            tl_error *err);

/* A profile (tl_writing): "START\tDURATION" in ns, a line each, as timeless replay --noise reads
 * it.
 */
tl_status tlp_noise_write(const void *profile, FILE *out, tl_error *err);

#endif
