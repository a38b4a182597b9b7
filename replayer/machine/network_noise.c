/* network_noise.c - draws the noise of messages (network_noise.h). */
#include "network_noise.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "rank_model.h"

/* A normal variable, cut at the same distance on both sides so that nothing is below `least`: the
 * mean stays exact, the deviation becomes a little smaller. Of a mean below `least`, only the mean
 * is left. */
static double draw_cut(const tlr_draw_key *key, double mean, double sd, double least)
{
    if (!(sd > 0) || mean <= least)
        return fmax(mean, least);
    const double below = gsl_cdf_ugaussian_P((least - mean) / sd);
    return mean + sd * gsl_cdf_ugaussian_Pinv(below + (1 - 2 * below) * tlr_draw_uniform(key));
}

static const tlr_noise_class *class_of(const tlr_noise_path *path, double bytes)
{
    size_t i = 0;
    while (i + 1 < path->n && bytes > path->classes[i + 1].above_bytes)
        i++;
    return &path->classes[i];
}

/* The reader refuses deviations of a run with which a factor could be negative. */
static const double most_deviations = 3;

tlr_message_noise tlr_message_noise_begin(const tlr_platform *platform, const tlr_options *options)
{
    tlr_message_noise m = {0};
    if (!options->network_noise || !platform)
        return m;
    m.noise = platform->network_noise;
    m.seed = options->seed;
    m.part = options->part;
    for (uint32_t i = 0; m.noise && i < TLR_N_PATHS; i++) {
        const tlr_draw_key key = {.seed = m.seed, .purpose = TLR_DRAW_MESSAGE_RUN, .index = i};
        m.run_deviations[i] = draw_cut(&key, 0, 1, -most_deviations);
    }
    return m;
}

/* Messages of all classes are slow in the same runs. */
static double run_factor(const tlr_message_noise *m, int path, double sd)
{
    return 1 + sd * m->run_deviations[path];
}

double tlr_message_factor(const tlr_message_noise *m, uint32_t job, uint32_t rank, uint64_t number,
                          int path, double bytes)
{
    const tlr_noise_path *of_path = &m->noise->paths[path];
    if (!of_path->n)
        return run_factor(m, path, of_path->run_sd);
    const tlr_noise_class *class = class_of(of_path, bytes);
    const tlr_draw_key key = {.seed = m->seed,
                              .purpose = TLR_DRAW_MESSAGE,
                              .job = job ^ (m->part << 8),
                              .rank = rank,
                              .index = number};
    const tlr_mode *mode = tlr_draw_mode(&key, TLR_DRAW_MESSAGE_MODE, class->modes, class->n_modes);
    return run_factor(m, path, class->run_sd) * draw_cut(&key, mode->mean, mode->sd, class->least);
}

double tlr_message_least_factor(const tlr_message_noise *m)
{
    double least = 1;
    for (int p = 0; m->noise && p < TLR_N_PATHS; p++) {
        const tlr_noise_path *path = &m->noise->paths[p];
        if (!path->n)
            least = fmin(least, run_factor(m, p, path->run_sd));
        for (size_t i = 0; i < path->n; i++)
            least = fmin(least, run_factor(m, p, path->classes[i].run_sd) * path->classes[i].least);
    }
    return least;
}

void tlr_network_noise_free(tlr_network_noise *noise)
{
    for (int p = 0; noise && p < TLR_N_PATHS; p++)
        free(noise->paths[p].classes);
    free(noise);
}
