/* exchange.c - the messages of collectives of neighbours, and of those between two groups. */
#include "config.h"

#include "exchange.h"

/* Without data the messages are empty. */
static void between_groups(const tl_comm *comm, const tl_event *e, tl_action action,
                           tlr_exchange *x)
{
    const tl_meaning *m = tl_meaning_of(action);
    const tl_role role = tl_role_between(e->peer);
    const tl_extent extent = {.n_own = comm->n_members,
                              .n_to = comm->n_remote,
                              .n_from = comm->n_remote,
                              .between_groups = 1};
    tl_take_sides(e, m, &extent, role, &x->sent, &x->received);
    if (m->received == TL_SIZE_OWN) /* as many elements in all on both sides */
        x->sent.count = x->sent.count * comm->n_members / comm->n_remote;
    const int one = tl_is_rooted(action) && role == TL_ROLE_OTHER;
    const bool has_data = tl_moves_data(action);
    x->first = one ? e->peer : 0;
    x->n_from = x->received.size || !has_data ? one ? 1 : comm->n_remote : 0;
    x->n_to = x->sent.size || !has_data ? one ? 1 : comm->n_remote : 0;
}

static void with_neighbours(const tl_comm *topology, const tl_event *e, tl_action action,
                            tlr_exchange *x)
{
    const tl_extent extent = {.n_to = topology->n_destinations, .n_from = topology->n_sources};
    tl_take_sides(e, tl_meaning_of(action), &extent, TL_ROLE_OTHER, &x->sent, &x->received);
    x->n_from = extent.n_from;
    x->n_to = extent.n_to;
    x->sources = topology->sources;
    x->destinations = topology->destinations;
}

int tlr_exchange_of(const tlr_plan *plan, uint32_t rank, const tl_event *event,
                    const tl_call_info *info, tlr_exchange *out)
{
    const tl_comm *comm = plan->ranks[rank]->definitions[event->comm];
    *out = (tlr_exchange){0};
    if (!comm || !tl_is_collective(info->action))
        return 0;
    if (tl_meaning_of(info->action)->kind == TL_KIND_NEIGHBORHOOD)
        with_neighbours(comm, event, info->action, out);
    else if (comm->n_remote)
        between_groups(comm, event, info->action, out);
    else
        return 0;
    return 1;
}
