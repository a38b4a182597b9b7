/* ompi.c - collectives as Open MPI 4.1 and 5.0 send them, where SMPI's selector "ompi" takes the
 * same decision but another algorithm.
 *
 * SMPI 3.32 breaks broadcasts and reductions into segments of 1 to 64 KiB; Open MPI's fixed
 * decisions send along the same trees in one piece, which on slow networks is another protocol and,
 * along a chain, another time.  What an algorithm of Open MPI leaves to another one is a reduction
 * and a broadcast in SMPI.  What is not here either is noted: the result names it. */
#include "config.h"

#include "actions.h"
#include "calls.h"
#include "collectives/collective.h"
#include "collectives/tree.h"
#include "smpi/algorithms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Receives name source and tag, so that only these meet. */
enum { TAG = 32749 };

/* ---- what another algorithm stands in for ---- */

/* What SMPI's selector takes where it does not have Open MPI's algorithm. */
static const char *stand_in(tlr_ompi algorithm)
{
    switch (algorithm) {
    case OMPI_REDUCE_RABENSEIFNER: return "ompi_basic_linear";
    case OMPI_REDUCE_SCATTER_BUTTERFLY: return "ompi_ring";
    default: return NULL;
    }
}

static void note(tl_action family, tlr_ompi algorithm)
{
    static char is_noted[N_OMPI];
    const char *instead = stand_in(algorithm);
    if (!instead || is_noted[algorithm])
        return;
    is_noted[algorithm] = 1;
    smpi_note_stand_in(family == TL_ACTION_REDUCE ? "reduce" : "reduce_scatter", instead,
                       tlr_ompi_name(algorithm));
}

/* ---- messages ---- */

/* A collective call under way. */
typedef struct call {
    const void *out;
    void *in;
    int count, root;
    MPI_Datatype type;
    MPI_Comm comm;
    int me, n_ranks;
} call;

static call take_call(const smpi_call *s)
{
    call c = {.out = s->out,
              .in = s->in,
              .count = s->count,
              .root = s->root,
              .type = s->type,
              .comm = s->comm};
    MPI_Comm_rank(s->comm, &c.me);
    MPI_Comm_size(s->comm, &c.n_ranks);
    return c;
}

static void send_to(const call *c, int rank)
{
    MPI_Send(c->out, c->count, c->type, rank, TAG, c->comm);
}

/* All messages of the rank, in an algorithm that both engines have. Counts elements, not bytes. */
static void send_all(const call *c, uint8_t algorithm, int waits_for_each)
{
    const tlr_collective all = {algorithm, (uint8_t)waits_for_each, c->root, (uint64_t)c->count};
    MPI_Request few[TLR_MOST_CHILDREN], *many = NULL;
    if (c->me == c->root) /* the only one that may have more */
        many = smpi_alloc((size_t)c->n_ranks, sizeof *many);
    MPI_Request *open = many ? many : few;
    int n = 0, n_in = 0;
    for (uint32_t number = 0;; number++) {
        const tlr_message m =
            tlr_collective_step(&all, NULL, (uint32_t)c->me, (uint32_t)c->n_ranks, number);
        if (m.kind == TLR_MESSAGE_END)
            break;
        if (m.kind == TLR_MESSAGE_RECEIVE) {
            MPI_Irecv(c->in, (int)m.room, c->type, m.peer, TAG, c->comm, &open[n++]);
            n_in++;
        } else if (m.kind == TLR_MESSAGE_SEND && m.call == TLR_ISEND) {
            MPI_Isend(c->out, (int)m.bytes, c->type, m.peer, TAG, c->comm, &open[n++]);
        } else if (m.kind == TLR_MESSAGE_SEND) {
            MPI_Send(c->out, (int)m.bytes, c->type, m.peer, TAG, c->comm);
        } else {
            if (n == 1 && n_in == 1) /* as MPI_Recv: MPI_Waitall updates the energy once more */
                MPI_Wait(open, MPI_STATUS_IGNORE);
            else if (n)
                MPI_Waitall(n, open, MPI_STATUSES_IGNORE);
            n = n_in = 0;
        }
    }
    free(many);
}

/* The algorithm of both engines that sends as this one of Open MPI; TLR_NO_ALGORITHM: SMPI's own
 * is the same, or the functions below have it. */
static uint8_t shared_algorithm(tlr_ompi algorithm)
{
    switch (algorithm) {
    case OMPI_BCAST_LINEAR:
    case OMPI_SCATTER_LINEAR_NB: return TLR_BCAST_LINEAR;
    case OMPI_BCAST_CHAIN: return TLR_BCAST_CHAIN;
    case OMPI_BCAST_BINARY_TREE: return TLR_BCAST_BINARY;
    case OMPI_BCAST_BINOMIAL: return TLR_BCAST_BINOMIAL_AT_ONCE;
    case OMPI_BCAST_KNOMIAL: return TLR_BCAST_KNOMIAL;
    case OMPI_BCAST_SPLIT_BINARY_TREE: return TLR_BCAST_SPLIT;
    case OMPI_REDUCE_LINEAR: return TLR_REDUCE_LINEAR;
    case OMPI_ALLREDUCE_RECURSIVE_DOUBLING: return TLR_ALLREDUCE_DOUBLING;
    case OMPI_ALLREDUCE_LINEAR: return TLR_ALLREDUCE_LINEAR;
    case OMPI_ALLGATHER_BRUCK: return TLR_ALLGATHER_BRUCK;
    case OMPI_ALLTOALL_PAIRWISE: return TLR_ALLTOALL_RING;
    default: return TLR_NO_ALGORITHM;
    }
}

/* 0: it is none of them. */
static int send_shared(const call *c, tlr_ompi algorithm)
{
    const uint8_t shared = shared_algorithm(algorithm);
    if (shared)
        send_all(c, shared, shared == TLR_REDUCE_LINEAR || shared == TLR_ALLREDUCE_LINEAR);
    return shared != TLR_NO_ALGORITHM;
}

/* A rank that counts from the root. */
static int from_root(const call *c, uint32_t v)
{
    return (int)((v + (uint32_t)c->root) % (uint32_t)c->n_ranks);
}

static uint32_t to_root(const call *c)
{
    return (uint32_t)((c->me - c->root + c->n_ranks) % c->n_ranks);
}

static int bcast(const call *c, tlr_ompi algorithm)
{
    return send_shared(c, algorithm) ? MPI_SUCCESS
                                     : MPI_Bcast(c->in, c->count, c->type, c->root, c->comm);
}

/* ---- reduction ---- */

/* The next child's receive is posted before that of the last one is waited for. */
static void reduce_tree(const call *c, tlr_tree tree)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    tlr_tree_place p;
    tlr_find_place(&p, tree, to_root(c), (uint32_t)c->n_ranks);
    for (uint32_t i = 0; i < p.n_children; i++) {
        MPI_Irecv(c->in, c->count, c->type, from_root(c, p.children[i]), TAG, c->comm,
                  &requests[i % 2]);
        MPI_Wait(&requests[(i + 1) % 2], MPI_STATUS_IGNORE);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (c->me != c->root)
        send_to(c, from_root(c, p.parent));
}

static int reduce(const call *c, tlr_ompi algorithm, MPI_Op op)
{
    if (send_shared(c, algorithm))
        return MPI_SUCCESS;
    switch (algorithm) {
    case OMPI_REDUCE_CHAIN: reduce_tree(c, TLR_TREE_CHAIN); break;
    case OMPI_REDUCE_BINARY: reduce_tree(c, TLR_TREE_BINARY); break;
    case OMPI_REDUCE_BINOMIAL: reduce_tree(c, TLR_TREE_IN_ORDER_BINOMIAL); break;
    default: return MPI_Reduce(c->out, c->in, c->count, c->type, op, c->root, c->comm);
    }
    return MPI_SUCCESS;
}

/* ---- blocks ---- */

/* The root asks each rank for its block, one after the other; behind each comes a second, empty
 * segment. */
static void gather_linear_sync(const call *c)
{
    if (c->me != c->root) {
        MPI_Recv(c->in, 0, MPI_BYTE, c->root, TAG, c->comm, MPI_STATUS_IGNORE);
        send_to(c, c->root);
        MPI_Send(c->out, 0, c->type, c->root, TAG, c->comm);
        return;
    }
    MPI_Request *seconds = smpi_alloc((size_t)c->n_ranks, sizeof(MPI_Request)), first;
    int n = 0;
    for (int i = 0; i < c->n_ranks; i++) {
        if (i == c->root)
            continue;
        MPI_Irecv(c->in, c->count, c->type, i, TAG, c->comm, &first);
        MPI_Send(c->out, 0, MPI_BYTE, i, TAG, c->comm);
        MPI_Irecv(c->in, 0, c->type, i, TAG, c->comm, &seconds[n++]);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(n, seconds, MPI_STATUSES_IGNORE);
    free(seconds);
}

/* Every receive from the next rank on, every send from the one before back, all at once. */
static void alltoall_linear_sync(const call *c)
{
    const int n = c->n_ranks, n_others = n - 1;
    MPI_Request *requests = smpi_alloc(2 * (size_t)n, sizeof(MPI_Request));
    for (int i = 0; i < n_others; i++)
        MPI_Irecv(c->in, c->count, c->type, (c->me + 1 + i) % n, TAG, c->comm, &requests[i]);
    for (int i = 0; i < n_others; i++)
        MPI_Isend(c->out, c->count, c->type, (c->me + n - 1 - i) % n, TAG, c->comm,
                  &requests[n_others + i]);
    MPI_Waitall(2 * n_others, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

/* ---- calls ---- */

static tlr_ompi choose(const call *c, tl_action family, uint64_t count)
{
    int type_bytes;
    MPI_Type_size(c->type, &type_bytes);
    return tlr_ompi_choose(family, (uint32_t)c->n_ranks, count, count * (uint64_t)type_bytes);
}

static call as_root(call c, int root)
{
    c.root = root;
    return c;
}

static int allreduce(const call *c, tlr_ompi algorithm, MPI_Op op)
{
    const call first = as_root(*c, 0);
    if (send_shared(&first, algorithm))
        return MPI_SUCCESS;
    if (algorithm != OMPI_ALLREDUCE_NONOVERLAPPING)
        return MPI_Allreduce(c->out, c->in, c->count, c->type, op, c->comm);
    const int rc = reduce(&first, choose(&first, TL_ACTION_REDUCE, (uint64_t)c->count), op);
    return rc == MPI_SUCCESS ? bcast(&first, choose(&first, TL_ACTION_BCAST, (uint64_t)c->count))
                             : rc;
}

static char is_left[TL_N_ACTIONS]; /* by action: SMPI's options say the algorithm */

void smpi_ompi_leave(tl_action action)
{
    is_left[action] = 1;
}

int smpi_ompi_call(tl_action action, const smpi_call *s, int *rc)
{
    const call c = take_call(s);
    const bool is_reduction = action == TL_ACTION_REDUCE || action == TL_ACTION_ALLREDUCE;
    if (c.n_ranks < 2 || is_left[action] || (is_reduction && s->op == replay.noncommutative))
        return 0;
    if (action == TL_ACTION_SCAN || action == TL_ACTION_EXSCAN) { /* its only algorithm */
        send_all(&c, TLR_SCAN_LINEAR, 0);
        *rc = MPI_SUCCESS;
        return 1;
    }
    const tlr_ompi algorithm = choose(&c, action, s->deciding_count);
    note(action, algorithm);
    switch (action) {
    case TL_ACTION_BCAST: *rc = bcast(&c, algorithm); return 1;
    case TL_ACTION_REDUCE: *rc = reduce(&c, algorithm, s->op); return 1;
    case TL_ACTION_ALLREDUCE: *rc = allreduce(&c, algorithm, s->op); return 1;
    default: break;
    }
    *rc = MPI_SUCCESS;
    switch (algorithm) {
    case OMPI_GATHER_LINEAR_SYNC: gather_linear_sync(&c); return 1;
    case OMPI_ALLTOALL_LINEAR_SYNC: alltoall_linear_sync(&c); return 1;
    case OMPI_ALLGATHER_BRUCK: return c.count <= INT_MAX / c.n_ranks && send_shared(&c, algorithm);
    default: return send_shared(&c, algorithm);
    }
}

/* A small blocking collective of `count` ints. */
static smpi_call of_ints(int count, MPI_Comm comm)
{
    return (smpi_call){.out = replay.send_buffer,
                       .in = replay.recv_buffer,
                       .count = count,
                       .deciding_count = (uint64_t)count,
                       .type = MPI_INT,
                       .op = replay.commutative,
                       .comm = comm};
}

int smpi_ompi_make(const tlr_ompi_making *making, MPI_Comm comm)
{
    const smpi_call pair = of_ints(2, comm), four = of_ints(4, comm), one = of_ints(1, comm);
    const call agreement = take_call(&one);
    int rc = MPI_SUCCESS;
    if (making->gathers && !smpi_ompi_call(TL_ACTION_ALLGATHER, &pair, &rc))
        rc = MPI_Allgather(pair.out, 2, MPI_INT, pair.in, 2, MPI_INT, comm);
    if (making->compares && !smpi_ompi_call(TL_ACTION_ALLREDUCE, &four, &rc))
        rc = MPI_Allreduce(four.out, four.in, 4, MPI_INT, four.op, comm);
    for (unsigned i = 0; i < making->n_agreements && rc == MPI_SUCCESS; i++) {
        reduce_tree(&agreement, TLR_TREE_IN_ORDER_BINOMIAL);
        send_all(&agreement, TLR_BCAST_BINOMIAL_AT_ONCE, 0);
    }
    return rc;
}
