/* goal_replay.c - the prediction of a run that GOAL's schedules describe. */
#include "config.h"

#include "goal_replay.h"

#include "clock.h"
#include "text_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool tlr_is_goal(const char *path)
{
    struct stat st;
    tl_goal *goal = NULL;
    tl_error err;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    const tl_status status = tl_goal_open(path, &goal, &err);
    tl_goal_close(goal);
    return status == TL_OK || status == TL_ERR_INPUT; /* a wrong one says what is wrong */
}

static tl_status describe(const char *path, const tlr_platform *platform,
                          const tlr_options *options, tlr_prediction *p, tl_error *err)
{
    p->trace_path = strdup(path);
    p->platform_name = strdup(platform ? platform->folder : "none");
    p->platform_hash = platform ? platform->hash : 0;
    p->calibrations = strdup(platform ? platform->dated : "");
    p->engine = strdup("loggops");
    p->command = strdup("a schedule of GOAL");
    p->volume_unit = strdup("cpu-ns");
    p->clock = strdup("GOAL has no clocks");
    p->model = strdup(options->no_compute ? "none" : "the nanoseconds of GOAL");
    p->options = strdup("");
    p->changes = tlr_join_changes(options);
    p->untraced = strdup("");
    p->is_random = options->noise != NULL;
    p->seed = options->seed;
    return p->trace_path && p->platform_name && p->calibrations && p->engine && p->command &&
                   p->volume_unit && p->clock && p->model && p->options && p->changes && p->untraced
               ? TL_OK
               : tl_no_memory(err, "prediction");
}

tl_status tlr_replay_goal(const char *path, const tlr_platform *platform,
                          const tlr_options *options, tlr_prediction **out, tl_error *err)
{
    if (!options->loggops_params && !platform)
        return tl_fail(err, TL_ERR_USAGE,
                       "GOAL needs the network's parameters: --params "
                       "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536, or a --platform");
    const double begin_s = tl_now_s(CLOCK_MONOTONIC);
    tlr_prediction *p = calloc(1, sizeof *p);
    tl_status status = p ? describe(path, platform, options, p, err) : tl_no_memory(err, path);
    status = status ? status : tlr_hash_file(path, &p->trace_hash, err);
    status = status ? status : loggops_replay_goal(path, platform, options, p, err);
    if (status != TL_OK) {
        tlr_prediction_free(p);
        return status;
    }
    p->wall_s = tl_now_s(CLOCK_MONOTONIC) - begin_s;
    *out = p;
    return TL_OK;
}
