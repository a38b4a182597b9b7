/* event_streams.h - the events of all ranks of a trace, in the order of each rank.
 *
 * A cursor takes tens of kilobytes. Ranks with the same events (tlr_plan_rank.first) therefore
 * share one cursor. The events that it has read are kept in pieces until all ranks of the group
 * have passed them. If a rank is far ahead of its group, it continues with a cursor of its own. A
 * rank that is like no other rank also has its own cursor. The memory is therefore never more than
 * that of one cursor for each rank. */
#ifndef TLR_EVENT_STREAMS_H
#define TLR_EVENT_STREAMS_H

#include "plan.h"
#include "timeless_convert.h"

typedef struct tlr_streams tlr_streams;

/* `trace` and `plan` must exist as long as this object. */
tl_status tlr_streams_open(tl_reader *trace, const tlr_plan *plan, tlr_streams **out,
                           tl_error *err);
/* As tl_cursor_next. The list of the event is valid until the next call for this rank. */
tl_status tlr_streams_next(tlr_streams *s, uint32_t rank, tl_event *event);
/* The number of the rank's next event. */
uint64_t tlr_streams_position(const tlr_streams *s, uint32_t rank);
/* For ranks of a program: tl_cursor_set_asker. */
tl_status tlr_streams_set_asker(tlr_streams *s, uint32_t rank, tl_asker *ask, void *arg);
/* The reason why the last call for any rank failed. */
const tl_error *tlr_streams_error(const tlr_streams *s);
/* The rank needs no more events. */
void tlr_streams_leave(tlr_streams *s, uint32_t rank);
void tlr_streams_close(tlr_streams *s);

#endif
