/* blocks.c - collective calls of a trace as operations of a program: the blocks of the ranks, and
 * the algorithm. */
#include "actions.h"
#include "exchange.h"
#include "ompi.h"
#include "reading.h"

#include <pthread.h>
#include <stdlib.h>

/* The selector stores which algorithms it could not choose. A lock protects it, because several
 * threads may read streams. */
static pthread_mutex_t lock_of_choice = PTHREAD_MUTEX_INITIALIZER;

void loggops_take_sides(const loggops_reading *t, const tl_event *e, const tl_meaning *m,
                        tl_side *sent, tl_side *received)
{
    const loggops_comm *comm = &t->run->comms[loggops_comm_of(t, e)];
    const uint32_t n = comm->n_members ? comm->n_members : 1;
    const uint32_t me = comm->n_members ? loggops_rank_in(comm, t->rank) : 0;
    const tl_extent extent = {.n_own = n, .n_to = n, .n_from = n, .me = me};
    tl_take_sides(e, m, &extent, tl_role_within(e->peer, (int32_t)me), sent, received);
}

/* The side that has the blocks of all ranks, if the rank has such a side; of two sides, the one
 * that is sent. */
static const tl_side *side_of_blocks(const tl_meaning *m, const tl_side *sent,
                                     const tl_side *received)
{
    const bool is_sent = m->sent != TL_SIZE_WHOLE || m->received == TL_SIZE_AS_SENT;
    const tl_side *all = is_sent ? sent : received, *own = is_sent ? received : sent;
    return all->size ? all : own;
}

/* The bytes of every rank's block, if they differ. */
static uint32_t add_blocks(loggops_reading *t, const tl_event *e, const tl_side *side)
{
    const uint32_t n = t->run->comms[loggops_comm_of(t, e)].n_members;
    const uint32_t list = side->list ? loggops_add_list(t, side->list, n) : 0;
    for (uint32_t i = 0; i < n && list; i++)
        t->list[list + 1 + i] *= side->type_bytes;
    return list;
}

/* Nonblocking collectives are numbered in the order in which all members of a communicator start
 * them, because several may be under way at the same time. */
static void number(loggops_reading *t, loggops_op *op)
{
    if (loggops_has_room(t, &t->n_started, op->comm + 1u, &t->n_started_room, sizeof *t->n_started))
        op->tag = ++t->n_started[op->comm];
}

void loggops_add_numbered(loggops_reading *t, loggops_op op, int64_t request)
{
    number(t, &op);
    loggops_add_started(t, op, request);
}

/* The number of bytes by which an algorithm is chosen. */
static uint64_t deciding_bytes(const loggops_reading *t, const loggops_op *op, tl_action base)
{
    if (base != TL_ACTION_REDUCE_SCATTER && (base != TL_ACTION_ALLGATHER || !op->list))
        return op->amount;
    if (!op->list)
        return op->amount * t->run->comms[op->comm].n_members;
    uint64_t sum = 0;
    for (int64_t i = 1; i <= t->list[op->list]; i++)
        sum += (uint64_t)t->list[op->list + i];
    return sum;
}

static bool is_even(const loggops_reading *t, const loggops_op *op)
{
    for (int64_t i = 2; op->list && i <= t->list[op->list]; i++)
        if (t->list[op->list + i] != t->list[op->list + 1])
            return 0;
    return 1;
}

/* Sets the operation's algorithm, and its list if that has one. A call beside others is not one of
 * SMPI's selectors: it has no step for hosts. */
static void choose(loggops_reading *t, loggops_op *op, loggops_call call, bool is_beside)
{
    const loggops_comm *comm = &t->run->comms[op->comm];
    int64_t parts[LOGGOPS_PARTS];
    call.size = comm->n_members;
    call.n_on_host = is_beside ? 1 : comm->is_in_blocks ? comm->n_on_host : 0;
    call.is_uneven = !comm->n_on_host;
    pthread_mutex_lock(&lock_of_choice);
    op->algorithm = loggops_choose(t->choice, &call, parts);
    pthread_mutex_unlock(&lock_of_choice);
    if (op->algorithm == TLR_NO_ALGORITHM)
        loggops_out_of_memory(t);
    if (op->algorithm == TLR_ON_HOSTS)
        op->list = loggops_add_list(t, parts, LOGGOPS_PARTS);
}

/* Open MPI's own algorithms in SimGrid's engine (replayer/smpi/ompi.c) that exchange messages do so
 * as Open MPI: by a send that blocks. SMPI's linear algorithms, which are Open MPI's, send and
 * receive one message after the other; SMPI's own choice for these collectives does not. */
static bool is_blocking(const loggops_reading *t, tl_action base, uint8_t algorithm, uint64_t bytes)
{
    const bool is_chosen = t->choice->chosen[base] != TLR_NO_ALGORITHM;
    switch (algorithm) {
    case TLR_ALLREDUCE_DOUBLING:
    case TLR_ALLGATHER_BRUCK:
    case TLR_BCAST_SPLIT: return t->choice->is_ompi && !is_chosen;
    case TLR_REDUCE_IN_ORDER: return bytes < t->choice->S_bytes;
    case TLR_GATHER_LINEAR:
    case TLR_SCATTER_LINEAR:
    case TLR_REDUCE_LINEAR:
    case TLR_ALLREDUCE_LINEAR: return is_chosen || t->choice->selector == LOGGOPS_OMPI;
    default: return 0;
    }
}

/* Open MPI returns at once from these calls if there are no data: so does SMPI, with its
 * choices. Some of SMPI's own algorithms do so, too, by a selector and where they are chosen. */
static bool is_empty(const loggops_reading *t, const loggops_op *op, tl_action base)
{
    const bool is_ompi = t->choice->selector == LOGGOPS_OMPI,
               is_mpich = t->choice->selector == LOGGOPS_MPICH;
    const uint8_t algorithm = op->algorithm;
    switch (base) {
    case TL_ACTION_BCAST: return !op->amount && is_ompi;
    case TL_ACTION_REDUCE:
        return !op->amount && (is_ompi || (is_mpich && algorithm == TLR_REDUCE_BINOMIAL) ||
                               t->choice->chosen[base] == TLR_REDUCE_BINOMIAL ||
                               t->choice->chosen[base] == TLR_REDUCE_SCATTER_GATHER);
    case TL_ACTION_ALLREDUCE: return !op->amount && (is_ompi || algorithm == TLR_ON_HOSTS);
    case TL_ACTION_ALLGATHER: return is_mpich && op->list && !deciding_bytes(t, op, base);
    case TL_ACTION_ALLTOALL: return algorithm == TLR_ALLTOALL_SCATTERED && !op->list && !op->amount;
    case TL_ACTION_REDUCE_SCATTER:
        return algorithm == TLR_REDUCE_SCATTER_HALVING && !deciding_bytes(t, op, base);
    default: return 0;
    }
}

/* If threads enter some collectives of a communicator while others communicate, all of them are as
 * nonblocking ones. */
static bool is_beside(const loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    return (info->traits & (TL_TRAIT_NB | TL_TRAIT_PERSISTENT)) || t->entered ||
           tlr_walk_is_entered(&t->walk, e->comm);
}

/* The call or the start of its request begins it; the wait for the request ends it. */
static void add_beside(loggops_reading *t, loggops_op op, const tl_event *e,
                       const tl_call_info *info)
{
    if (info->traits & TL_TRAIT_PERSISTENT) {
        loggops_add_persistent(t, op, e->request);
    } else if (info->traits & TL_TRAIT_NB) {
        loggops_add_numbered(t, op, e->request);
    } else if (t->entered) {
        loggops_add_numbered(t, op, t->entered);
    } else {
        op.request = loggops_own_request(t);
        const int64_t request = op.request;
        number(t, &op);
        loggops_add(t, op);
        loggops_wait_for(t, &request, 1);
    }
}

/* The messages of an exchange as a list (collective.c): how many it receives, from whom, then to
 * whom it sends how many bytes. */
static uint32_t list_messages(loggops_reading *t, uint32_t comm, const tlr_exchange *x)
{
    int64_t *values = malloc((1 + x->n_from + 2 * (size_t)x->n_to) * sizeof *values);
    size_t n = 1;
    if (!values) {
        loggops_out_of_memory(t);
        return 0;
    }
    for (uint32_t i = 0; i < x->n_from; i++)
        if (tlr_exchange_source(x, i) >= 0)
            values[n++] = loggops_partner_in(t, comm, tlr_exchange_source(x, i));
    values[0] = (int64_t)n - 1;
    for (uint32_t i = 0; i < x->n_to; i++)
        if (tlr_exchange_destination(x, i) >= 0) {
            values[n++] = loggops_partner_in(t, comm, tlr_exchange_destination(x, i));
            values[n++] = tl_count_at(&x->sent, i) * x->sent.type_bytes;
        }
    const uint32_t list = loggops_add_list(t, values, n);
    free(values);
    return list;
}

static void add_exchange(loggops_reading *t, const tl_event *e, const tl_call_info *info,
                         const tlr_exchange *x)
{
    loggops_op op = {
        .kind = LOGGOPS_COLLECTIVE, .comm = loggops_comm_of(t, e), .algorithm = TLR_EXCHANGE_ALL};
    op.list = list_messages(t, op.comm, x);
    if (is_beside(t, e, info))
        add_beside(t, op, e, info);
    else
        loggops_add(t, op);
}

void loggops_add_collective(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    tlr_exchange x;
    if (tlr_exchange_of(t->plan, t->rank, e, info, &x)) {
        add_exchange(t, e, info, &x);
        return;
    }
    const tl_meaning *m = tl_meaning_of(info->action);
    const tl_action base = (tl_action)m->family;
    tl_side sent, received;
    loggops_take_sides(t, e, m, &sent, &received);
    const tl_side *side = side_of_blocks(m, &sent, &received);
    loggops_op op = {.kind = LOGGOPS_COLLECTIVE,
                     .comm = loggops_comm_of(t, e),
                     .peer = e->peer,
                     .amount = (uint64_t)(side->count * side->type_bytes)};
    if (tlr_algorithm_for(base) == TLR_NO_ALGORITHM) {
        loggops_refuse(t, e);
        return;
    }
    const bool has_sizes = (info->traits & TL_TRAIT_SIZED) != 0;
    if (has_sizes && m->to != TL_WHO_ROOT)
        op.list = add_blocks(t, e, side);
    const uint64_t bytes = deciding_bytes(t, &op, base);
    const bool is_sum = bytes != op.amount && side->type_bytes;
    const loggops_call call = {.action = base,
                               .count = is_sum ? bytes / (uint64_t)side->type_bytes
                                               : (uint64_t)side->count,
                               .bytes = bytes,
                               .root = e->peer,
                               .has_sizes = has_sizes,
                               .is_even = is_even(t, &op),
                               .is_noncommutative = (e->flags & TL_NONCOMMUTATIVE) != 0};
    choose(t, &op, call, is_beside(t, e, info));
    if (op.algorithm == TLR_ALLREDUCE_LR)
        op.peer = (int32_t)(side->type_bytes < INT32_MAX ? side->type_bytes : INT32_MAX);
    if (is_beside(t, e, info)) {
        add_beside(t, op, e, info);
        return;
    }
    /* SMPI's gather and scatter of different blocks start all messages together. */
    op.is_blocking = (!has_sizes || base == TL_ACTION_REDUCE_SCATTER) &&
                     is_blocking(t, base, op.algorithm, op.amount);
    if (!is_empty(t, &op, base))
        loggops_add(t, op);
}

void loggops_add_small(loggops_reading *t, tl_action base, uint32_t comm, unsigned count,
                       unsigned type_bytes)
{
    const uint64_t bytes = (uint64_t)count * type_bytes;
    loggops_op op = {.kind = LOGGOPS_COLLECTIVE, .comm = comm, .amount = bytes};
    if (t->run->comms[comm].n_members < 2)
        return;
    choose(t, &op, (loggops_call){.action = base, .count = count, .bytes = bytes, .is_even = 1}, 0);
    op.is_blocking = is_blocking(t, base, op.algorithm, bytes);
    loggops_add(t, op);
}

/* As Open MPI makes it (ompi.h). */
static void add_making(loggops_reading *t, uint32_t comm, const tlr_ompi_making *making)
{
    const loggops_op agreement = {.kind = LOGGOPS_COLLECTIVE,
                                  .comm = comm,
                                  .amount = sizeof(int32_t),
                                  .algorithm = TLR_ALLREDUCE_TREES};
    if (making->gathers)
        loggops_add_small(t, TL_ACTION_ALLGATHER, comm, 2, sizeof(int32_t));
    else if (making->compares)
        loggops_add_small(t, TL_ACTION_ALLREDUCE, comm, 4, sizeof(int32_t));
    for (unsigned i = 0; i < making->n_agreements; i++)
        loggops_add(t, agreement);
}

/* Those who make the call: of MPI_Comm_create_group and MPI_Intercomm_create, the members of the
 * new communicator. */
static uint32_t makers(const loggops_reading *t, const tl_event *e)
{
    tl_event on_new = *e;
    on_new.comm = e->new_comm;
    return loggops_comm_of(
        t, e->call == TL_MPI_Comm_create_group || e->call == TL_MPI_Intercomm_create ? &on_new : e);
}

/* All members agree on a small value, which is an allreduce. */
void loggops_add_constructor(loggops_reading *t, const tl_event *e)
{
    const tl_call_info *info = tl_call_by_code(e->call);
    loggops_op op = {.kind = LOGGOPS_COLLECTIVE,
                     .algorithm = tlr_algorithm_for(TL_ACTION_BARRIER),
                     .comm = loggops_comm_of(t, e),
                     .amount = sizeof(int32_t)};
    if (!(info->traits & TL_TRAIT_NB) && is_beside(t, e, info)) {
        if (e->call != TL_MPI_Comm_create_group)
            add_beside(t, op, e, info);
        return;
    }
    op.comm = makers(t, e);
    const tlr_ompi_making making = tlr_ompi_making_of(e->call);
    if (info->traits & TL_TRAIT_NB)
        loggops_add_numbered(t, op, e->request);
    else if (t->choice->is_ompi && making.n_agreements && !t->run->comms[op.comm].n_first)
        add_making(t, op.comm, &making);
    else
        loggops_add(t, op);
}
