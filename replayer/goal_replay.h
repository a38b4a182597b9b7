/* goal_replay.h - replays GOAL's schedules as graphs, in the LogGOPS model. */
#ifndef TLR_GOAL_REPLAY_H
#define TLR_GOAL_REPLAY_H

#include "replayer.h"

#include <stdbool.h>

/* Whether a path is a file of GOAL. */
bool tlr_is_goal(const char *path);
/* `platform` may be NULL. */
tl_status tlr_replay_goal(const char *path, const tlr_platform *platform,
                          const tlr_options *options, tlr_prediction **out, tl_error *err);
/* The replay itself, in engine.c: fills in the part of the prediction that it finds. */
tl_status loggops_replay_goal(const char *path, const tlr_platform *platform,
                              const tlr_options *options, tlr_prediction *out, tl_error *err);

/* tlr_prediction.changes of these options, which the caller frees: replay.c. NULL without memory.
 */
char *tlr_join_changes(const tlr_options *options);

#endif
