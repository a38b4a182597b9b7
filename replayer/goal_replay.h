/* goal_replay.h - replays GOAL's schedules as graphs, in the LogGOPS model. */
#ifndef TLR_GOAL_REPLAY_H
#define TLR_GOAL_REPLAY_H

#include "replayer.h"

/* Whether a path is a file of GOAL. */
int tlr_is_goal(const char *path);
/* Of the options: loggops_params, order_loggopsim, noise, seed, no_compute. */
tl_status tlr_replay_goal(const char *path, const tlr_options *options, tlr_prediction **out,
                          tl_error *err);

#endif
