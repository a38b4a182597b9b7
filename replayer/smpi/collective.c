/* collective.c - collectives of the simulated ranks: the same call, counts, type sizes, root
 * and commutativity as in the program, so that SMPI chooses the same algorithm. */
#include "config.h"

#include "rank.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Room for n counts that stays until the rank's next collective. */
static int *room_for(smpi_rank *r, size_t n)
{
    if (n > r->n_counts) {
        free(r->counts);
        r->counts = smpi_alloc(n, sizeof *r->counts);
        r->n_counts = n;
    }
    return r->counts;
}

/* Counts of one side of the event's list, and the displacements of blocks that lie one after the
 * other. */
typedef struct blocks {
    const int *counts;
    const int *offsets;
} blocks;

static blocks take_blocks(const smpi_rank *r, int *room, size_t first, size_t n, int64_t unit)
{
    const tl_event *e = &r->event;
    int64_t offset = 0;
    for (size_t i = 0; i < n; i++) {
        room[i] = smpi_count(r, e->list[first + i] * unit);
        /* Only a few algorithms look at offsets, and none reads what is there. */
        room[n + i] = offset <= INT_MAX ? (int)offset : 0;
        offset += room[i];
    }
    return (blocks){room, room + n};
}

static size_t comm_size(const smpi_rank *r)
{
    int size;
    MPI_Comm_size(smpi_event_comm(r), &size);
    return (size_t)size;
}

/* The event's list must have `sides` counts for each rank of the communicator. */
static size_t sized(const smpi_rank *r, size_t sides)
{
    const size_t n = comm_size(r);
    if (r->event.list_len != sides * n)
        smpi_give_up_at(r, TL_ERR_CORRUPT, "%u counts for %zu ranks", r->event.list_len, n);
    return n;
}

/* The two sides of a collective.  With MPI_IN_PLACE one buffer serves for both. */
typedef struct sides {
    const char *sbuf;
    char *rbuf;
    int scount, rcount;
    MPI_Datatype stype, rtype;
    int root;
    MPI_Op op;
    MPI_Comm comm;
    MPI_Request *request; /* NULL: a blocking call */
} sides;

static sides take_sides(smpi_rank *r)
{
    const tl_event *e = &r->event;
    sides s = {.sbuf = replay.send_buffer,
               .rbuf = replay.recv_buffer,
               .scount = smpi_count(r, e->type_bytes ? e->count : 0),
               .rcount = smpi_count(r, e->recv_type_bytes ? e->recv_count : 0),
               .stype = smpi_type(smpi_count(r, e->type_bytes)),
               .rtype = smpi_type(smpi_count(r, e->recv_type_bytes)),
               .root = e->peer,
               .op = e->flags & TL_NONCOMMUTATIVE ? replay.noncommutative : replay.commutative,
               .comm = smpi_event_comm(r)};
    if (r->info->traits & TL_TRAIT_NB)
        s.request = smpi_request(r, e->request);
    return s;
}

/* MPI_IN_PLACE is replaced by what it stands for. */
static void send_what_is_received(const smpi_rank *r, sides *s)
{
    if (r->event.flags & TL_IN_PLACE) {
        s->scount = s->rcount;
        s->stype = s->rtype;
    }
}

static int gather(smpi_rank *r, sides s)
{
    int me;
    MPI_Comm_rank(s.comm, &me);
    if (me == s.root)
        send_what_is_received(r, &s);
    if (s.request)
        return MPI_Igather(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.root, s.comm,
                           s.request);
    return MPI_Gather(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.root, s.comm);
}

static int scatter(smpi_rank *r, sides s)
{
    int me;
    MPI_Comm_rank(s.comm, &me);
    if (me == s.root && (r->event.flags & TL_IN_PLACE)) {
        s.rcount = s.scount;
        s.rtype = s.stype;
    }
    if (s.request)
        return MPI_Iscatter(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.root, s.comm,
                            s.request);
    return MPI_Scatter(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.root, s.comm);
}

/* The blocks of all ranks, which the root alone knows. */
static blocks blocks_of_root(smpi_rank *r, int is_root)
{
    if (!is_root)
        return (blocks){NULL, NULL};
    const size_t n = sized(r, 1);
    return take_blocks(r, room_for(r, 2 * n), 0, n, 1);
}

static int gatherv(smpi_rank *r, sides s)
{
    int me;
    MPI_Comm_rank(s.comm, &me);
    const blocks b = blocks_of_root(r, me == s.root);
    if (me == s.root && (r->event.flags & TL_IN_PLACE)) {
        s.scount = b.counts[me];
        s.stype = s.rtype;
    }
    if (s.request)
        return MPI_Igatherv(s.sbuf, s.scount, s.stype, s.rbuf, b.counts, b.offsets, s.rtype, s.root,
                            s.comm, s.request);
    return MPI_Gatherv(s.sbuf, s.scount, s.stype, s.rbuf, b.counts, b.offsets, s.rtype, s.root,
                       s.comm);
}

static int scatterv(smpi_rank *r, sides s)
{
    int me;
    MPI_Comm_rank(s.comm, &me);
    const blocks b = blocks_of_root(r, me == s.root);
    if (me == s.root && (r->event.flags & TL_IN_PLACE)) {
        s.rcount = b.counts[me];
        s.rtype = s.stype;
    }
    if (s.request)
        return MPI_Iscatterv(s.sbuf, b.counts, b.offsets, s.stype, s.rbuf, s.rcount, s.rtype,
                             s.root, s.comm, s.request);
    return MPI_Scatterv(s.sbuf, b.counts, b.offsets, s.stype, s.rbuf, s.rcount, s.rtype, s.root,
                        s.comm);
}

static int allgatherv(smpi_rank *r, sides s)
{
    const size_t n = sized(r, 1);
    const blocks b = take_blocks(r, room_for(r, 2 * n), 0, n, 1);
    if (r->event.flags & TL_IN_PLACE) {
        int me;
        MPI_Comm_rank(s.comm, &me);
        s.scount = b.counts[me];
        s.stype = s.rtype;
    }
    if (s.request)
        return MPI_Iallgatherv(s.sbuf, s.scount, s.stype, s.rbuf, b.counts, b.offsets, s.rtype,
                               s.comm, s.request);
    return MPI_Allgatherv(s.sbuf, s.scount, s.stype, s.rbuf, b.counts, b.offsets, s.rtype, s.comm);
}

static int alltoallv(smpi_rank *r, sides s)
{
    const size_t n = sized(r, 2);
    int *room = room_for(r, 4 * n);
    const blocks to = take_blocks(r, room, 0, n, 1), from = take_blocks(r, room + 2 * n, n, n, 1);
    if (s.request)
        return MPI_Ialltoallv(s.sbuf, to.counts, to.offsets, s.stype, s.rbuf, from.counts,
                              from.offsets, s.rtype, s.comm, s.request);
    return MPI_Alltoallv(s.sbuf, to.counts, to.offsets, s.stype, s.rbuf, from.counts, from.offsets,
                         s.rtype, s.comm);
}

/* The types may differ from rank to rank: the list holds bytes. */
static int alltoallw(smpi_rank *r, sides s)
{
    const size_t n = sized(r, 2);
    int *room = room_for(r, 4 * n);
    const blocks to = take_blocks(r, room, 0, n, 1), from = take_blocks(r, room + 2 * n, n, n, 1);
    MPI_Datatype *types = smpi_alloc(n, sizeof *types);
    for (size_t i = 0; i < n; i++)
        types[i] = MPI_BYTE;
    int rc;
    if (s.request)
        rc = MPI_Ialltoallw(s.sbuf, to.counts, to.offsets, types, s.rbuf, from.counts, from.offsets,
                            types, s.comm, s.request);
    else
        rc = MPI_Alltoallw(s.sbuf, to.counts, to.offsets, types, s.rbuf, from.counts, from.offsets,
                           types, s.comm);
    free(types);
    return rc;
}

static int reduce_scatter(smpi_rank *r, sides s)
{
    const size_t n = sized(r, 1);
    const blocks b = take_blocks(r, room_for(r, 2 * n), 0, n, 1);
    if (s.request)
        return MPI_Ireduce_scatter(s.sbuf, s.rbuf, b.counts, s.stype, s.op, s.comm, s.request);
    return MPI_Reduce_scatter(s.sbuf, s.rbuf, b.counts, s.stype, s.op, s.comm);
}

/* Nothing to move.  Open MPI and Intel MPI return at once from these calls then, while
 * SimGrid 3.32's copies of their algorithms divide by zero. */
static int is_empty_call(const smpi_rank *r, const sides *s)
{
    const tl_action action = r->info->action;
    if (s->scount || !replay.coll_selector ||
        (strcmp(replay.coll_selector, "ompi") != 0 && strcmp(replay.coll_selector, "impi") != 0))
        return 0;
    return action == TL_ACTION_BCAST || action == TL_ACTION_REDUCE || action == TL_ACTION_ALLREDUCE;
}

static int blocking(smpi_rank *r, sides s)
{
    if (is_empty_call(r, &s))
        return MPI_SUCCESS;
    switch (r->info->action) {
    case TL_ACTION_BARRIER: return MPI_Barrier(s.comm);
    case TL_ACTION_BCAST:
        if (replay.is_ompi_41)
            return smpi_ompi_bcast(s.rbuf, s.scount, s.stype, s.root, s.comm);
        return MPI_Bcast(s.rbuf, s.scount, s.stype, s.root, s.comm);
    case TL_ACTION_REDUCE:
        return MPI_Reduce(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.root, s.comm);
    case TL_ACTION_ALLREDUCE:
        if (replay.is_ompi_41)
            return smpi_ompi_allreduce(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm);
        return MPI_Allreduce(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm);
    case TL_ACTION_ALLGATHER:
        return MPI_Allgather(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.comm);
    case TL_ACTION_ALLTOALL:
        return MPI_Alltoall(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.comm);
    case TL_ACTION_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm);
    case TL_ACTION_SCAN: return MPI_Scan(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm);
    case TL_ACTION_EXSCAN: return MPI_Exscan(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm);
    default: smpi_give_up_at(r, TL_ERR_UNSUPPORTED, "the SMPI engine does not know this call");
    }
}

static int nonblocking(smpi_rank *r, sides s)
{
    switch (r->info->action) {
    case TL_ACTION_BARRIER:
    case TL_ACTION_IBARRIER: return MPI_Ibarrier(s.comm, s.request);
    case TL_ACTION_BCAST:
    case TL_ACTION_IBCAST: return MPI_Ibcast(s.rbuf, s.scount, s.stype, s.root, s.comm, s.request);
    case TL_ACTION_REDUCE:
    case TL_ACTION_IREDUCE:
        return MPI_Ireduce(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.root, s.comm, s.request);
    case TL_ACTION_ALLREDUCE:
    case TL_ACTION_IALLREDUCE:
        return MPI_Iallreduce(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm, s.request);
    case TL_ACTION_ALLGATHER:
    case TL_ACTION_IALLGATHER:
        return MPI_Iallgather(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.comm,
                              s.request);
    case TL_ACTION_ALLTOALL:
    case TL_ACTION_IALLTOALL:
        return MPI_Ialltoall(s.sbuf, s.scount, s.stype, s.rbuf, s.rcount, s.rtype, s.comm,
                             s.request);
    case TL_ACTION_REDUCE_SCATTER_BLOCK:
    case TL_ACTION_IREDUCE_SCATTER_BLOCK:
        return MPI_Ireduce_scatter_block(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm,
                                         s.request);
    case TL_ACTION_SCAN:
    case TL_ACTION_ISCAN:
        return MPI_Iscan(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm, s.request);
    case TL_ACTION_EXSCAN:
    case TL_ACTION_IEXSCAN:
        return MPI_Iexscan(s.sbuf, s.rbuf, s.scount, s.stype, s.op, s.comm, s.request);
    default: return blocking(r, s);
    }
}

static int issue(smpi_rank *r, sides s)
{
    switch (r->info->action) {
    case TL_ACTION_GATHER:
    case TL_ACTION_IGATHER: return gather(r, s);
    case TL_ACTION_SCATTER:
    case TL_ACTION_ISCATTER: return scatter(r, s);
    case TL_ACTION_GATHERV:
    case TL_ACTION_IGATHERV: return gatherv(r, s);
    case TL_ACTION_SCATTERV:
    case TL_ACTION_ISCATTERV: return scatterv(r, s);
    case TL_ACTION_ALLGATHERV:
    case TL_ACTION_IALLGATHERV: return allgatherv(r, s);
    case TL_ACTION_ALLTOALLV:
    case TL_ACTION_IALLTOALLV: return alltoallv(r, s);
    case TL_ACTION_ALLTOALLW:
    case TL_ACTION_IALLTOALLW: return alltoallw(r, s);
    case TL_ACTION_REDUCE_SCATTER:
    case TL_ACTION_IREDUCE_SCATTER: return reduce_scatter(r, s);
    case TL_ACTION_ALLGATHER:
    case TL_ACTION_IALLGATHER:
    case TL_ACTION_ALLTOALL:
    case TL_ACTION_IALLTOALL: send_what_is_received(r, &s); break;
    default: break;
    }
    return s.request ? nonblocking(r, s) : blocking(r, s);
}

int smpi_comm_is_entered(const smpi_rank *r)
{
    const int32_t comm = tlr_plan_find_comm(r->job->plan, r->rank, r->event.comm);
    return comm >= 0 && r->job->plan->comms[comm].is_entered;
}

int smpi_collective(smpi_rank *r)
{
    sides s = take_sides(r);
    if (r->entering)
        s.request = smpi_request(r, r->entering);
    if (s.request || !smpi_comm_is_entered(r))
        return issue(r, s);
    MPI_Request own = MPI_REQUEST_NULL;
    s.request = &own;
    const int rc = issue(r, s);
    return rc == MPI_SUCCESS ? MPI_Wait(&own, MPI_STATUS_IGNORE) : rc;
}
