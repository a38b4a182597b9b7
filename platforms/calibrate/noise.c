/* noise.c - measures the time that the operating system takes from a core. */
#include "config.h"

#include "noise.h"

#include "calibrate.h"
#include "machine.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DETOURS = 1 << 20 };
/* The time for finding the shortest pass. */
#define WARM_NS 2e7

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double shortest_pass_ns(void)
{
    const double end_ns = now_ns() + WARM_NS;
    double before_ns = now_ns(), shortest_ns = INFINITY;
    while (before_ns < end_ns) {
        const double at_ns = now_ns();
        if (at_ns > before_ns)
            shortest_ns = fmin(shortest_ns, at_ns - before_ns);
        before_ns = at_ns;
    }
    return shortest_ns;
}

/* Reads the clock in a loop. The results go to memory that already exists. */
static void find_detours(double seconds, double threshold, tlp_noise_profile *profile)
{
    const double limit_ns = threshold * profile->spin_ns, begin_ns = now_ns();
    double before_ns = begin_ns, lost_ns = 0;
    while (before_ns - begin_ns < seconds * 1e9 && profile->n_detours < MAX_DETOURS) {
        const double at_ns = now_ns(), gap_ns = at_ns - before_ns;
        if (gap_ns > limit_ns) {
            const double duration_ns = gap_ns - profile->spin_ns;
            profile->detours[profile->n_detours++] =
                (tlp_detour){before_ns - begin_ns, duration_ns};
            lost_ns += duration_ns;
        }
        before_ns = at_ns;
    }
    profile->seconds = (before_ns - begin_ns) * 1e-9;
    profile->lost_share = lost_ns / (before_ns - begin_ns);
}

tl_status tlp_noise_measure(unsigned core, double seconds, double threshold,
                            tlp_noise_profile *profile, tl_error *err)
{
    cpu_set_t before;
    *profile = (tlp_noise_profile){.core = core,
                                   .threshold = threshold,
                                   .detours = malloc(MAX_DETOURS * sizeof *profile->detours)};
    if (!profile->detours)
        return tl_no_memory(err, "measuring noise");
    /* Pages that are allocated during the measurement would be counted as noise. */
    memset(profile->detours, 0, MAX_DETOURS * sizeof *profile->detours);
    const bool is_pinned = sched_getaffinity(0, sizeof before, &before) == 0;
    tlp_pin(core, 1);
    profile->spin_ns = shortest_pass_ns();
    find_detours(seconds, threshold, profile);
    if (is_pinned)
        sched_setaffinity(0, sizeof before, &before);
    return TL_OK;
}

tl_status tlp_noise_write(const void *arg, FILE *out, tl_error *err)
{
    const tlp_noise_profile *profile = arg;
    char processor[128], moment[TLP_MOMENT_BYTES];
    (void)err;
    tlp_cpu_name(processor, sizeof processor);
    tlp_moment(moment);
    fprintf(out,
            "# Detours of core %u in %.3f s: start and duration in ns ('timeless calibrate noise' "
            "%s).\n"
            "# Measured on %s, until %s.\n"
            "# A pass of the loop took %.0f ns; %zu passes took more than %g times as long: "
            "%.4f%% of the time was lost.\n",
            profile->core, profile->seconds, tl_version(), processor, moment, profile->spin_ns,
            profile->n_detours, profile->threshold, 100 * profile->lost_share);
    for (size_t i = 0; i < profile->n_detours; i++)
        fprintf(out, "%.0f\t%.0f\n", profile->detours[i].start_ns, profile->detours[i].duration_ns);
    return TL_OK;
}
