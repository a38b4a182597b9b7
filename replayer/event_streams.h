/* event_streams.h - the events of all ranks of a trace, each rank's in order.
 *
 * A cursor takes tens of kilobytes.  Ranks that do the same (tlr_plan_rank.first) share one: what
 * it reads waits in pieces until all of them have passed.  A rank that is far ahead of the others
 * goes on with a cursor of its own, as do ranks that nobody is like; so the memory is never more
 * than that of a cursor for each rank.
 */
#ifndef TLR_EVENT_STREAMS_H
#define TLR_EVENT_STREAMS_H

#include "plan.h"

typedef struct tlr_streams tlr_streams;

/* `trace` and `plan` must outlive it. */
tl_status tlr_streams_open(tl_reader *trace, const tlr_plan *plan, tlr_streams **out,
                           tl_error *err);
/* As tl_cursor_next.  The event's list stays as it is until the rank's next call. */
tl_status tlr_streams_next(tlr_streams *s, uint32_t rank, tl_event *event);
/* Number of the rank's event that comes next. */
uint64_t tlr_streams_position(const tlr_streams *s, uint32_t rank);
/* For ranks of a program: tl_cursor_set_asker. */
tl_status tlr_streams_set_asker(tlr_streams *s, uint32_t rank, tl_asker *ask, void *arg);
/* Why the last call for any rank failed. */
const tl_error *tlr_streams_error(const tlr_streams *s);
/* The rank needs no more events. */
void tlr_streams_leave(tlr_streams *s, uint32_t rank);
void tlr_streams_close(tlr_streams *s);

#endif
