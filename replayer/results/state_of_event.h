/* state_of_event.h - what an event of the trace says of its state on a timeline. */
#ifndef TLR_STATE_OF_EVENT_H
#define TLR_STATE_OF_EVENT_H

#include "plan.h"
#include "timeline.h"

#include <stdbool.h>

/* Sets call, site, tag, comm and bytes of the state; all else is as it was. */
void tlr_state_of_event(const tlr_plan *plan, uint32_t rank, const tl_event *e,
                        const tl_call_info *info, tlr_state *state);
/* Nonzero if a collective waits for the ranks that it needs by any algorithm and on any network. */
bool tlr_needs_certainly(const tl_event *e, const tl_call_info *info);

#endif
