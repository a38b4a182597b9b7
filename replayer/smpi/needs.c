/* needs.c - whom a rank waits for in a collective. */
#include "config.h"

#include "halves.h"

smpi_needs smpi_needs_of(const tl_event *e, const tl_call_info *info)
{
    switch (info->action) {
    case TL_ACTION_BCAST:
    case TL_ACTION_IBCAST:
    case TL_ACTION_SCATTER:
    case TL_ACTION_ISCATTER:
    case TL_ACTION_SCATTERV:
    case TL_ACTION_ISCATTERV: return NEEDS_ROOT;
    case TL_ACTION_REDUCE:
    case TL_ACTION_IREDUCE:
    case TL_ACTION_GATHER:
    case TL_ACTION_IGATHER:
    case TL_ACTION_GATHERV:
    case TL_ACTION_IGATHERV: return NEEDS_ALL_AT_ROOT;
    case TL_ACTION_SCAN:
    case TL_ACTION_ISCAN:
    case TL_ACTION_EXSCAN:
    case TL_ACTION_IEXSCAN: return NEEDS_LOWER;
    case TL_ACTION_FILE_READ_ALL:
    case TL_ACTION_FILE_WRITE_ALL: return info->traits & TL_TRAIT_NB ? NEEDS_NOTHING : NEEDS_ALL;
    case TL_ACTION_FILE_OPEN:
    case TL_ACTION_FILE_CLOSE:
    case TL_ACTION_FILE_SETUP:
    case TL_ACTION_FILE_PREALLOCATE:
    case TL_ACTION_FILE_SYNC:
    case TL_ACTION_FILE_READ_END:
    case TL_ACTION_FILE_WRITE_END:
    case TL_ACTION_WIN_CREATE:
    case TL_ACTION_WIN_FREE:
    case TL_ACTION_WIN_FENCE:
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_INTERCOMM_MERGE: return NEEDS_ALL;
    case TL_ACTION_COMM_SPLIT:
    case TL_ACTION_COMM_CREATE: /* those in which the parent's members exchange something */
        return e->call == TL_MPI_Comm_split_type || e->call == TL_MPI_Comm_create_group
                   ? NEEDS_NOTHING
                   : NEEDS_ALL;
    case TL_ACTION_FINALIZE: return replay.finalize_barrier ? NEEDS_ALL : NEEDS_NOTHING;
    default: break;
    }
    if (info->action >= TL_ACTION_NEIGHBOR_ALLGATHER &&
        info->action <= TL_ACTION_INEIGHBOR_ALLTOALLW)
        return NEEDS_NEIGHBOURS;
    return tlr_plan_is_collective(info->action) ? NEEDS_ALL : NEEDS_NOTHING;
}

/* Every count of the list, or both sides where there is none, is data that someone waits for. */
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
    switch (info->action) {
    case TL_ACTION_BARRIER:
    case TL_ACTION_IBARRIER:
    case TL_ACTION_FINALIZE: return 1;
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_COMM_CREATE:
    case TL_ACTION_INTERCOMM_MERGE: return 0;
    case TL_ACTION_COMM_SPLIT: return e->new_comm != TL_COMM_NULL && !smpi_comm_is_entered(r);
    default: return !tlr_plan_is_collective(info->action) || has_data(e);
    }
}
