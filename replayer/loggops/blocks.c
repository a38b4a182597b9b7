/* blocks.c - collective calls of a trace as operations of a program: their blocks, their
 * algorithm. */
#include "reading.h"

/* The blocking collective of equal blocks that an action is a form of. */
static tl_action base_of(tl_action action)
{
    if (action >= TL_ACTION_IBARRIER && action <= TL_ACTION_IEXSCAN)
        action = (tl_action)(action - TL_ACTION_IBARRIER + TL_ACTION_BARRIER);
    switch (action) {
    case TL_ACTION_GATHERV: return TL_ACTION_GATHER;
    case TL_ACTION_SCATTERV: return TL_ACTION_SCATTER;
    case TL_ACTION_ALLGATHERV: return TL_ACTION_ALLGATHER;
    case TL_ACTION_ALLTOALLV:
    case TL_ACTION_ALLTOALLW: return TL_ACTION_ALLTOALL;
    case TL_ACTION_REDUCE_SCATTER_BLOCK: return TL_ACTION_REDUCE_SCATTER;
    case TL_ACTION_EXSCAN: return TL_ACTION_SCAN;
    default: return action;
    }
}

/* Bytes of one rank's block, if all are equal. */
static int64_t block_bytes(const loggops_reading *t, const tl_event *e, tl_action base)
{
    const int64_t sent = e->count * e->type_bytes, received = e->recv_count * e->recv_type_bytes;
    const loggops_comm *comm = &t->run->comms[loggops_comm_of(t, e)];
    const int is_root = comm->n_members && (int64_t)loggops_rank_in(comm, t->rank) == e->peer;
    switch (base) {
    case TL_ACTION_GATHER: return is_root ? received : sent;
    case TL_ACTION_SCATTER: return is_root ? sent : received;
    case TL_ACTION_ALLGATHER:
    case TL_ACTION_ALLTOALL: return e->flags & TL_IN_PLACE ? received : sent;
    default: return sent;
    }
}

/* Bytes of every rank's block where they differ; only what is sent counts. */
static tl_status add_blocks(loggops_reading *t, const tl_event *e, tl_action base, uint32_t *list)
{
    const loggops_comm *comm = &t->run->comms[loggops_comm_of(t, e)];
    const uint32_t n = comm->n_members;
    if (e->list_len < n || base == TL_ACTION_GATHER)
        return TL_OK;
    const int has_types = e->call == TL_MPI_Alltoallw || e->call == TL_MPI_Ialltoallw;
    const int takes_received =
        base == TL_ACTION_ALLGATHER ||
        (base == TL_ACTION_ALLTOALL && (e->flags & TL_IN_PLACE) && e->list_len == 2 * n);
    const int64_t *counts = takes_received ? e->list + e->list_len - n : e->list;
    const int64_t unit = has_types ? 1 : takes_received ? e->recv_type_bytes : e->type_bytes;
    tl_status status = loggops_add_list(t, counts, n, list);
    for (uint32_t i = 0; i < n && status == TL_OK; i++)
        t->list[*list + 1 + i] *= unit;
    return status;
}

/* Collectives that do not block are numbered, as each communicator's members start them in one
 * order: several may be under way at a time. */
static tl_status add_numbered(loggops_reading *t, loggops_op op, const tl_event *e)
{
    if (!loggops_grow((void **)&t->n_started, op.comm + 1u, &t->n_started_room,
                      sizeof *t->n_started))
        return loggops_out_of_memory(t);
    op.tag = ++t->n_started[op.comm];
    return loggops_add_started(t, op, e->request);
}

/* Bytes by which an algorithm is chosen. */
static uint64_t deciding_bytes(const loggops_reading *t, const loggops_op *op, tl_action base)
{
    if (base != TL_ACTION_REDUCE_SCATTER)
        return op->amount;
    if (!op->list)
        return op->amount * t->run->comms[op->comm].n_members;
    uint64_t sum = 0;
    for (int64_t i = 1; i <= t->list[op->list]; i++)
        sum += (uint64_t)t->list[op->list + i];
    return sum;
}

tl_status loggops_add_collective(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    const tl_action base = base_of(info->action);
    loggops_op op = {.kind = LOGGOPS_COLLECTIVE,
                     .comm = loggops_comm_of(t, e),
                     .peer = e->peer,
                     .amount = (uint64_t)block_bytes(t, e, base)};
    if (loggops_algorithm_for(base) == LOGGOPS_NONE)
        return loggops_refuse(t, e);
    const int has_sizes = (info->traits & TL_TRAIT_SIZED) != 0;
    tl_status status = has_sizes ? add_blocks(t, e, base, &op.list) : TL_OK;
    if (status != TL_OK)
        return status;
    op.algorithm = loggops_choose(t->choice, base, t->run->comms[op.comm].n_members,
                                  deciding_bytes(t, &op, base), has_sizes);
    if (op.algorithm == LOGGOPS_NONE)
        return loggops_out_of_memory(t);
    return info->traits & TL_TRAIT_NB ? add_numbered(t, op, e) : loggops_add(t, op);
}

/* All members agree on something small. */
tl_status loggops_add_constructor(loggops_reading *t, const tl_event *e)
{
    return loggops_add(t, (loggops_op){.kind = LOGGOPS_COLLECTIVE,
                                       .algorithm = loggops_algorithm_for(TL_ACTION_BARRIER),
                                       .comm = loggops_comm_of(t, e),
                                       .amount = sizeof(int32_t)});
}
