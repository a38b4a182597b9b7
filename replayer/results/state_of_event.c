/* state_of_event.c - the call, its communicator and its bytes. */
#include "config.h"

#include "state_of_event.h"

#include "actions.h"

static int64_t sent_bytes(const tlr_plan *plan, uint32_t rank, const tl_event *e,
                          const tl_call_info *info, const tlr_plan_comm *comm)
{
    if (info->slots & TL_SLOT_COUNT)
        return e->count * (info->slots & TL_SLOT_TYPE ? e->type_bytes : 1);
    if (!(info->traits & TL_TRAIT_SIZED))
        return 0;
    const tl_comm *defined = plan->ranks[rank]->definitions[e->comm];
    uint32_t n = e->list_len;
    if (defined && defined->n_sources + defined->n_destinations == n)
        n = defined->n_destinations;
    else if (comm && n == 2 * comm->n_members)
        n = comm->n_members;
    int64_t elements = 0;
    for (uint32_t i = 0; i < n; i++)
        elements += e->list[i];
    return elements * (info->slots & TL_SLOT_TYPE ? e->type_bytes : 1);
}

void tlr_state_of_event(const tlr_plan *plan, uint32_t rank, const tl_event *e,
                        const tl_call_info *info, tlr_state *state)
{
    state->call = e->call;
    state->site = e->site;
    state->tag = e->tag;
    if (!(info->slots & TL_SLOT_COMM))
        return;
    const int32_t index = tlr_plan_find_comm(plan, rank, e->comm);
    state->comm = index < 0 ? 0 : (uint32_t)index + 1;
    state->bytes = sent_bytes(plan, rank, e, info, index < 0 ? NULL : &plan->comms[index]);
    if (info->slots & TL_SLOT_PEER && e->peer == TL_PROC_NULL)
        state->bytes = 0; /* no message */
}

/* Every count of the list is data for which some rank waits. If there is no list, both sides of the
 * event are such data. */
static bool has_data(const tl_event *e)
{
    if (!e->list_len)
        return e->count * e->type_bytes > 0 || e->recv_count * e->recv_type_bytes > 0;
    for (uint32_t i = 0; i < e->list_len; i++)
        if (e->list[i] <= 0)
            return 0;
    return 1;
}

bool tlr_needs_certainly(const tl_event *e, const tl_call_info *info)
{
    if (tl_meaning_of(info->action)->kind == TL_KIND_CONSTRUCTOR)
        return 0;
    return !tl_is_collective(info->action) || !tl_moves_data(info->action) || has_data(e);
}
