/* seeds.h - the same replay with several seeds. */
#ifndef TLR_SEEDS_H
#define TLR_SEEDS_H

#include "replayer.h"

/* One replay, with the seed of its options: tlr_replay_jobs without n_seeds. */
typedef tl_status tlr_replay_function(const tlr_job *jobs, size_t n_jobs,
                                      const tlr_platform *platform, const char *engine,
                                      const tlr_options *options, tlr_prediction **out,
                                      tl_error *err);

tl_status tlr_replay_seeds(tlr_replay_function *replay, const tlr_job *jobs, size_t n_jobs,
                           const tlr_platform *platform, const char *engine,
                           const tlr_options *options, tlr_prediction **out, tl_error *err);

#endif
