/* needs.c - the ranks for which a rank waits in a collective. */
#include "config.h"

#include "calls.h"
#include "waits.h"

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

bool smpi_needs_certainly(const smpi_rank *r, const tl_event *e, const tl_call_info *info)
{
    if (info->action == TL_ACTION_COMM_SPLIT)
        return e->new_comm != TL_COMM_NULL && !tlr_walk_is_entered(&r->walk, e->comm);
    return tlr_needs_certainly(e, info);
}
