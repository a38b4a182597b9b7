/* paraver.h - a timeline for Paraver. */
#ifndef TLR_PARAVER_H
#define TLR_PARAVER_H

#include "timeline.h"

/* FILE.prv: a state and an event of its call for each state, a communication for each message that
 * ended a call. Each job is an application, each rank a task with one thread. */
tl_status tlr_paraver_write(const tlr_state *states, size_t n, const tlr_job *jobs,
                            tlr_prediction *const *predictions, size_t n_jobs, FILE *out,
                            tl_error *err);
/* FILE.pcf and FILE.row beside FILE.prv, whose name is `path`: the names of states, calls, hosts
 * and ranks. */
tl_status tlr_paraver_write_names(const char *path, tlr_prediction *const *predictions,
                                  size_t n_jobs, tl_error *err);

#endif
