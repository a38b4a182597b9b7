/* collective.c - collectives of the simulated ranks: the same call, counts, type sizes, root
 * and commutativity as in the program, so that SMPI chooses the same algorithm. */
#include "config.h"

#include "actions.h"
#include "smpi/shims/shims.h"
#include "calls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Room for n counts, valid until the rank's next collective. */
static int *room_for(smpi_rank *r, size_t n)
{
    if (n > r->n_counts) {
        free(r->counts);
        r->counts = smpi_alloc(n, sizeof *r->counts);
        r->n_counts = n;
    }
    return r->counts;
}

/* The counts of one side, and the displacements of consecutive blocks. */
typedef struct blocks {
    const int *counts; /* NULL: the rank has none */
    const int *offsets;
} blocks;

static blocks take_blocks(const smpi_rank *r, int *room, const tl_side *side)
{
    int64_t offset = 0;
    if (side->size != TL_SIZE_LIST || side->n == 0)
        return (blocks){NULL, NULL};
    for (uint32_t i = 0; i < side->n; i++) {
        /* Elements of 0 bytes count as no elements, because SMPI has no type of that size. */
        room[i] = smpi_count(r, side->type_bytes ? tl_count_at(side, i) : 0);
        /* Only a few algorithms use offsets, and none reads the data there. */
        room[side->n + i] = offset <= INT_MAX ? (int)offset : 0;
        offset += room[i];
    }
    return (blocks){room, room + side->n};
}

/* The arguments of a collective. With MPI_IN_PLACE one buffer is used for both sides, and each side
 * gets the values for which MPI_IN_PLACE stands. */
typedef struct sides {
    const char *sbuf;
    char *rbuf;
    int scount, rcount;
    blocks to, from;
    MPI_Datatype stype, rtype;
    int root;
    MPI_Op op;
    MPI_Comm comm;
    MPI_Request *request; /* NULL: a blocking call */
} sides;

static int count_of(const smpi_rank *r, const tl_side *side)
{
    return smpi_count(r, side->type_bytes ? side->count : 0);
}

static sides take_sides(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const tl_meaning *m = tl_meaning_of(r->info->action);
    const MPI_Comm comm = smpi_event_comm(r);
    int n_ranks, me;
    MPI_Comm_size(comm, &n_ranks);
    MPI_Comm_rank(comm, &me);
    const uint32_t n = (uint32_t)n_ranks;
    const tl_extent extent = {.n_own = n, .n_to = n, .n_from = n, .me = (uint32_t)me};
    tl_side sent, received;
    if (!tl_take_sides(e, m, &extent, tl_role_within(e->peer, me), &sent, &received))
        smpi_give_up_at(r, TL_ERR_CORRUPT, "%u counts for %u ranks", e->list_len, n);
    tl_fill_ignored(m, &sent, &received);
    if (m->from == TL_WHO_ROOT && m->received == TL_SIZE_AS_SENT)
        sent = received; /* one buffer */
    int *room = sent.n + received.n ? room_for(r, 2 * ((size_t)sent.n + received.n)) : NULL;
    sides s = {.sbuf = replay.send_buffer,
               .rbuf = replay.recv_buffer,
               .scount = count_of(r, &sent),
               .rcount = count_of(r, &received),
               .to = take_blocks(r, room, &sent),
               .from = take_blocks(r, received.n ? room + 2 * (size_t)sent.n : NULL, &received),
               .stype = smpi_type(smpi_count(r, sent.type_bytes)),
               .rtype = smpi_type(smpi_count(r, received.type_bytes)),
               .root = e->peer,
               .op = e->flags & TL_NONCOMMUTATIVE ? replay.noncommutative : replay.commutative,
               .comm = comm};
    if (r->info->traits & TL_TRAIT_NB)
        s.request = smpi_request(r, e->request);
    return s;
}

/* The types may differ from rank to rank, so the list contains bytes. */
static int alltoallw(const sides *s)
{
    int n, rc;
    MPI_Comm_size(s->comm, &n);
    MPI_Datatype *types = smpi_alloc((size_t)n, sizeof(MPI_Datatype));
    for (int i = 0; i < n; i++)
        types[i] = MPI_BYTE;
    if (s->request)
        rc = MPI_Ialltoallw(s->sbuf, s->to.counts, s->to.offsets, types, s->rbuf, s->from.counts,
                            s->from.offsets, types, s->comm, s->request);
    else
        rc = MPI_Alltoallw(s->sbuf, s->to.counts, s->to.offsets, types, s->rbuf, s->from.counts,
                           s->from.offsets, types, s->comm);
    free(types);
    return rc;
}

/* There is no data, or no other rank. Open MPI and Intel MPI return immediately from these calls,
 * but SimGrid 3.32's copies of their algorithms divide by zero, or send to a rank that is not
 * there.
 */
static bool is_empty_call(tl_action action, const sides *s)
{
    int n_ranks;
    MPI_Comm_size(s->comm, &n_ranks);
    if ((s->scount && n_ranks > 1) ||
        (strcmp(replay.coll_selector, "ompi") != 0 && strcmp(replay.coll_selector, "impi") != 0))
        return 0;
    return action == TL_ACTION_BCAST || action == TL_ACTION_REDUCE || action == TL_ACTION_ALLREDUCE;
}

/* How many elements the call sends, or combines if it is a reduction. */
static uint64_t n_elements(tl_action action, const sides *s)
{
    int n_ranks;
    MPI_Comm_size(s->comm, &n_ranks);
    uint64_t count = (uint64_t)s->scount;
    if (action == TL_ACTION_REDUCE_SCATTER_BLOCK)
        count *= (uint64_t)n_ranks;
    for (int i = 0; i < n_ranks && action == TL_ACTION_REDUCE_SCATTER && s->to.counts; i++)
        count += (uint64_t)s->to.counts[i];
    return count;
}

/* SimGrid 3.32's algorithms compute the bytes that they combine as an int. */
static void check_reduction(const smpi_rank *r, tl_action action, const sides *s)
{
    int type_bytes;
    switch (action) {
    case TL_ACTION_REDUCE:
    case TL_ACTION_ALLREDUCE:
    case TL_ACTION_REDUCE_SCATTER:
    case TL_ACTION_REDUCE_SCATTER_BLOCK:
    case TL_ACTION_SCAN:
    case TL_ACTION_EXSCAN: MPI_Type_size(s->stype, &type_bytes); break;
    default: return;
    }
    const double bytes = (double)n_elements(action, s) * type_bytes;
    if (bytes > INT_MAX)
        smpi_give_up_at(r, TL_ERR_UNSUPPORTED,
                        "a reduction of %.4g MB, but SimGrid's algorithms combine at most 2147 MB; "
                        "use --engine loggops",
                        1e-6 * bytes);
}

/* Calls with different blocks are left to SMPI, except reductions with scatter. The messages use
 * the twin of the communicator, where no receive of the trace can take them. */
static int call_as_ompi(const smpi_rank *r, tl_action action, const sides *s, int *rc)
{
    const MPI_Comm twin = r->twins[r->event.comm];
    const smpi_call call = {.out = s->sbuf,
                            .in = s->rbuf,
                            .count = s->scount,
                            .root = s->root,
                            .deciding_count = n_elements(action, s),
                            .type = s->stype,
                            .op = s->op,
                            .comm = twin == MPI_COMM_NULL ? s->comm : twin};
    if (action == TL_ACTION_REDUCE_SCATTER_BLOCK)
        action = TL_ACTION_REDUCE_SCATTER;
    return smpi_ompi_call(action, &call, rc);
}

/* The calls of SMPI, blocking and not, with the arguments that both have. */
/* clang-format off */
#define SENT s->sbuf, s->scount, s->stype
#define RECEIVED s->rbuf, s->rcount, s->rtype
#define SENT_BY_RANK s->sbuf, s->to.counts, s->to.offsets, s->stype
#define RECEIVED_BY_RANK s->rbuf, s->from.counts, s->from.offsets, s->rtype
#define COMBINED s->sbuf, s->rbuf, s->scount, s->stype, s->op
#define COLLECTIVES(CALL)                                                                          \
    CALL(BARRIER, Barrier, barrier, s->comm)                                                       \
    CALL(BCAST, Bcast, bcast, s->rbuf, s->scount, s->stype, s->root, s->comm)                      \
    CALL(REDUCE, Reduce, reduce, COMBINED, s->root, s->comm)                                       \
    CALL(ALLREDUCE, Allreduce, allreduce, COMBINED, s->comm)                                       \
    CALL(GATHER, Gather, gather, SENT, RECEIVED, s->root, s->comm)                                 \
    CALL(GATHERV, Gatherv, gatherv, SENT, RECEIVED_BY_RANK, s->root, s->comm)                      \
    CALL(SCATTER, Scatter, scatter, SENT, RECEIVED, s->root, s->comm)                              \
    CALL(SCATTERV, Scatterv, scatterv, SENT_BY_RANK, RECEIVED, s->root, s->comm)                   \
    CALL(ALLGATHER, Allgather, allgather, SENT, RECEIVED, s->comm)                                 \
    CALL(ALLGATHERV, Allgatherv, allgatherv, SENT, RECEIVED_BY_RANK, s->comm)                      \
    CALL(ALLTOALL, Alltoall, alltoall, SENT, RECEIVED, s->comm)                                    \
    CALL(ALLTOALLV, Alltoallv, alltoallv, SENT_BY_RANK, RECEIVED_BY_RANK, s->comm)                 \
    CALL(REDUCE_SCATTER, Reduce_scatter, reduce_scatter, s->sbuf, s->rbuf, s->to.counts, s->stype, \
         s->op, s->comm)                                                                           \
    CALL(REDUCE_SCATTER_BLOCK, Reduce_scatter_block, reduce_scatter_block, COMBINED, s->comm)      \
    CALL(SCAN, Scan, scan, COMBINED, s->comm)                                                      \
    CALL(EXSCAN, Exscan, exscan, COMBINED, s->comm)
#define BLOCKING(action, name, lower, ...)                                                         \
    case TL_ACTION_##action: return MPI_##name(__VA_ARGS__);
#define NONBLOCKING(action, name, lower, ...)                                                      \
    case TL_ACTION_##action: return MPI_I##lower(__VA_ARGS__, s->request);
/* clang-format on */

static int blocking(smpi_rank *r, tl_action action, const sides *s)
{
    if (is_empty_call(action, s))
        return MPI_SUCCESS;
    int rc;
    if (replay.ompi && call_as_ompi(r, action, s, &rc))
        return rc;
    switch (action) {
        COLLECTIVES(BLOCKING)
    case TL_ACTION_ALLTOALLW: return alltoallw(s);
    default: smpi_give_up_at(r, TL_ERR_UNSUPPORTED, "the SMPI engine does not know this call");
    }
}

static int nonblocking(smpi_rank *r, tl_action action, const sides *s)
{
    switch (action) {
        COLLECTIVES(NONBLOCKING)
    case TL_ACTION_ALLTOALLW: return alltoallw(s);
    default: smpi_give_up_at(r, TL_ERR_UNSUPPORTED, "the SMPI engine does not know this call");
    }
}

static int issue(smpi_rank *r, const sides *s)
{
    const tl_action action = (tl_action)tl_meaning_of(r->info->action)->blocking;
    check_reduction(r, action, s);
    if (!s->request) {
        replay.result->collective = r->collective = action;
        replay.result->n_inside[action]++;
        const int rc = blocking(r, action, s);
        replay.result->n_inside[action]--;
        r->collective = TL_ACTION_NONE;
        return rc;
    }
    smpi_receive_begin(replay.short_bytes);
    const int rc = nonblocking(r, action, s);
    smpi_receive_end();
    return rc;
}

int smpi_collective(smpi_rank *r)
{
    sides s = take_sides(r);
    if (r->step.entered)
        s.request = smpi_request(r, r->step.entered);
    if (s.request || !tlr_walk_is_entered(&r->walk, r->event.comm))
        return issue(r, &s);
    MPI_Request own = MPI_REQUEST_NULL;
    s.request = &own;
    const int rc = issue(r, &s);
    return rc == MPI_SUCCESS ? MPI_Wait(&own, MPI_STATUS_IGNORE) : rc;
}
