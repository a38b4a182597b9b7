/* needs.c - the ranks for which a rank waits in a collective. */
#include "config.h"

#include "results/halves.h"

/* The rule of the schema, except for calls that share their action with others. */
tl_needs smpi_needs_of(const tl_event *e, const tl_call_info *info)
{
    const tl_meaning *m = tl_meaning_of(info->action);
    /* In these calls the members of the parent exchange nothing in SMPI. */
    if (e->call == TL_MPI_Comm_split_type || e->call == TL_MPI_Comm_create_group)
        return TL_NEEDS_NOTHING;
    if (m->kind == TL_KIND_FILE && (info->traits & TL_TRAIT_NB))
        return TL_NEEDS_NOTHING;
    if (info->action == TL_ACTION_FINALIZE && !replay.finalize_barrier)
        return TL_NEEDS_NOTHING;
    return (tl_needs)m->needs;
}

/* Every count of the list is data for which some rank waits. If there is no list, both sides of the
 * event are such data. */
static int has_data(const tl_event *e)
{
    if (!e->list_len)
        return e->count * e->type_bytes > 0 || e->recv_count * e->recv_type_bytes > 0;
    for (uint32_t i = 0; i < e->list_len; i++)
        if (e->list[i] <= 0)
            return 0;
    return 1;
}

int smpi_needs_certainly(const smpi_rank *r, const tl_event *e, const tl_call_info *info)
{
    if (info->action == TL_ACTION_COMM_SPLIT)
        return e->new_comm != TL_COMM_NULL && !smpi_comm_is_entered(r);
    if (tl_meaning_of(info->action)->kind == TL_KIND_CONSTRUCTOR)
        return 0;
    return !tl_is_collective(info->action) || !tl_moves_data(info->action) || has_data(e);
}
