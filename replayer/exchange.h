/* exchange.h - collectives that both engines make of messages between two ranks each: those of
 * neighbours, and those between the groups of an intercommunicator.
 *
 * All receives are posted, then all sends. The call, or the wait for its request, completes them.
 * In an intercommunicator each rank sends to each rank of the other group what that rank needs; no
 * group combines or distributes data among its own ranks. */
#ifndef TLR_EXCHANGE_H
#define TLR_EXCHANGE_H

#include "actions.h"
#include "plan.h"

/* Partners are neighbours, or ranks of the other group in order. */
typedef struct tlr_exchange {
    uint32_t n_from, n_to;
    const int32_t *sources, *destinations; /* NULL: from `first` on */
    int32_t first;
    tl_side received, sent;
} tlr_exchange;

/* Nonzero if the collective is made of messages: these. */
int tlr_exchange_of(const tlr_plan *plan, uint32_t rank, const tl_event *event,
                    const tl_call_info *info, tlr_exchange *out);
/* Number i of the partners; below 0: none. */
static inline int32_t tlr_exchange_source(const tlr_exchange *x, uint32_t i)
{
    return x->sources ? x->sources[i] : x->first + (int32_t)i;
}
static inline int32_t tlr_exchange_destination(const tlr_exchange *x, uint32_t i)
{
    return x->destinations ? x->destinations[i] : x->first + (int32_t)i;
}

#endif
