/* state_of_event.h - what an event of the trace says of its state on a timeline. */
#ifndef TLR_STATE_OF_EVENT_H
#define TLR_STATE_OF_EVENT_H

#include "plan.h"
#include "timeline.h"

#include <stdbool.h>

/* Sets call, site, tag, comm and bytes of the state; all else is as it was. */
void tlr_state_of_event(const tlr_plan *plan, uint32_t rank, const tl_event *e,
                        const tl_call_info *info, tlr_state *state);
/* The bytes that the start of several requests moves: add each request, and take the absolute value
 * of the sum. A request that receives is negative, and counts only if no request sends. */
static inline int64_t tlr_add_started(int64_t sum, int64_t request)
{
    if (request > 0)
        return sum > 0 ? sum + request : request;
    return sum > 0 ? sum : sum + request;
}
/* Nonzero if a collective waits for the ranks that it needs by any algorithm and on any network. */
bool tlr_needs_certainly(const tl_event *e, const tl_call_info *info);

#endif
