/* sample.h - replays parts of a run and predicts the whole run (doc/SAMPLING.md). */
#ifndef TLR_SAMPLE_H
#define TLR_SAMPLE_H

#include "seeds.h"

/* As tlr_replay_jobs, with options->sampled; `replay` replays the windows. */
tl_status tlr_replay_sampled(tlr_replay_function *replay, const tlr_job *jobs, size_t n_jobs,
                             const tlr_platform *platform, const char *engine,
                             const tlr_options *options, tlr_prediction **out, tl_error *err);

#endif
