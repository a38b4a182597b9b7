/* demand.h - what the messages of a run ask of links that several nodes use, and of the memory of
 * nodes. The engine gives each message these for itself, so what they lack is a warning. */
#ifndef TLR_LOGGOPS_DEMAND_H
#define TLR_LOGGOPS_DEMAND_H

#include "folder.h"
#include "replayer.h"

/* For a run of so many threads on these places; `factors`: of the bandwidth of links, by size. Both
 * are the caller's. NULL without memory. */
loggops_demand *loggops_demand_open(const loggops_places *places, const tlr_segments *factors,
                                    unsigned n_threads);
void loggops_demand_close(loggops_demand *demand);
/* Writes into the prediction, whose makespan is known, which links and memories are overloaded. */
tl_status loggops_demand_judge(loggops_demand *demand, tlr_prediction *out);

#endif
