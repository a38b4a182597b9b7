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
#include "smpi/algorithms.h"
#include "collectives/tree.h"

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

static void receive_from(const call *c, int rank)
{
    MPI_Recv(c->in, c->count, c->type, rank, TAG, c->comm, MPI_STATUS_IGNORE);
}

static void exchange_with(const call *c, int to, int n_out, int from, int n_in)
{
    MPI_Request request;
    MPI_Irecv(c->in, n_in, c->type, from, TAG, c->comm, &request);
    MPI_Send(c->out, n_out, c->type, to, TAG, c->comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A rank that counts from the root. */
static int from_root(const call *c, int v)
{
    return (v + c->root) % c->n_ranks;
}

static int to_root(const call *c)
{
    return (c->me - c->root + c->n_ranks) % c->n_ranks;
}

/* ---- broadcast ---- */

/* The root sends to all in the order of the ranks, not from the root on: its buffer, or to each a
 * block. */
static void bcast_linear(const call *c)
{
    if (c->me != c->root) {
        receive_from(c, c->root);
        return;
    }
    MPI_Request *requests = smpi_alloc((size_t)c->n_ranks, sizeof(MPI_Request));
    int n = 0;
    for (int i = 0; i < c->n_ranks; i++)
        if (i != c->root)
            MPI_Isend(c->out, c->count, c->type, i, TAG, c->comm, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static void bcast_tree(const call *c, ompi_tree tree)
{
    MPI_Request requests[OMPI_MOST_CHILDREN];
    ompi_place p;
    ompi_find_place(&p, tree, to_root(c), c->n_ranks);
    if (p.parent >= 0)
        receive_from(c, from_root(c, p.parent));
    for (int i = 0; i < p.n_children; i++)
        MPI_Isend(c->out, c->count, c->type, from_root(c, p.children[i]), TAG, c->comm,
                  &requests[i]);
    MPI_Waitall(p.n_children, requests, MPI_STATUSES_IGNORE);
}

/* The left side of a binary tree hears of the first half, the right side of the second; then pairs
 * of both sides exchange them.  The root stands in for the last rank's pair where it has none. */
static void bcast_split(const call *c)
{
    const int v = to_root(c), halves[2] = {c->count - c->count / 2, c->count / 2};
    const int side = v % 2 ? 0 : 1, is_last = v + 1 == c->n_ranks;
    call part = *c;
    ompi_place p;
    ompi_find_place(&p, OMPI_TREE_BINARY, v, c->n_ranks);
    part.count = halves[side];
    if (p.parent >= 0)
        receive_from(&part, from_root(c, p.parent));
    for (int i = 0; i < p.n_children; i++) {
        part.count = halves[v ? side : i % 2];
        send_to(&part, from_root(c, p.children[i]));
    }
    if (c->n_ranks % 2 && !v)
        return;
    part.count = halves[1];
    if (c->n_ranks % 2 == 0 && !v)
        send_to(&part, from_root(c, c->n_ranks - 1));
    else if (c->n_ranks % 2 == 0 && is_last)
        receive_from(&part, c->root);
    else {
        const int pair = from_root(c, side ? v - 1 : v + 1);
        exchange_with(c, pair, halves[side], pair, halves[!side]);
    }
}

static int bcast(const call *c, tlr_ompi algorithm)
{
    switch (algorithm) {
    case OMPI_BCAST_LINEAR: bcast_linear(c); break;
    case OMPI_BCAST_CHAIN: bcast_tree(c, OMPI_TREE_CHAIN); break;
    case OMPI_BCAST_BINARY_TREE: bcast_tree(c, OMPI_TREE_BINARY); break;
    case OMPI_BCAST_BINOMIAL: bcast_tree(c, OMPI_TREE_BINOMIAL); break;
    case OMPI_BCAST_KNOMIAL: bcast_tree(c, OMPI_TREE_KNOMIAL); break;
    case OMPI_BCAST_SPLIT_BINARY_TREE: bcast_split(c); break;
    default: return MPI_Bcast(c->in, c->count, c->type, c->root, c->comm);
    }
    return MPI_SUCCESS;
}

/* ---- reduction ---- */

/* The root receives from the last rank first. */
static void reduce_linear(const call *c)
{
    if (c->me != c->root) {
        send_to(c, c->root);
        return;
    }
    for (int i = c->n_ranks - 1; i >= 0; i--)
        if (i != c->root)
            receive_from(c, i);
}

/* The next child's receive is posted before that of the last one is waited for. */
static void reduce_tree(const call *c, ompi_tree tree)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    ompi_place p;
    ompi_find_place(&p, tree, to_root(c), c->n_ranks);
    for (int i = 0; i < p.n_children; i++) {
        MPI_Irecv(c->in, c->count, c->type, from_root(c, p.children[i]), TAG, c->comm,
                  &requests[i % 2]);
        MPI_Wait(&requests[(i + 1) % 2], MPI_STATUS_IGNORE);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (p.parent >= 0)
        send_to(c, from_root(c, p.parent));
}

static int reduce(const call *c, tlr_ompi algorithm, MPI_Op op)
{
    switch (algorithm) {
    case OMPI_REDUCE_LINEAR: reduce_linear(c); break;
    case OMPI_REDUCE_CHAIN: reduce_tree(c, OMPI_TREE_CHAIN); break;
    case OMPI_REDUCE_BINARY: reduce_tree(c, OMPI_TREE_BINARY); break;
    case OMPI_REDUCE_BINOMIAL: reduce_tree(c, OMPI_TREE_IN_ORDER_BINOMIAL); break;
    default: return MPI_Reduce(c->out, c->in, c->count, c->type, op, c->root, c->comm);
    }
    return MPI_SUCCESS;
}

/* Each of the ranks beyond a power of two hands its part to the next one before, and hears of the
 * result after. */
static void allreduce_doubling(const call *c)
{
    int core = 1;
    while (2 * core <= c->n_ranks)
        core *= 2;
    const int n_extra = c->n_ranks - core, is_paired = c->me < 2 * n_extra;
    if (is_paired && c->me % 2 == 0) {
        send_to(c, c->me + 1);
        receive_from(c, c->me + 1);
        return;
    }
    if (is_paired)
        receive_from(c, c->me - 1);
    const int own = is_paired ? c->me / 2 : c->me - n_extra;
    for (int mask = 1; mask < core; mask *= 2) {
        const int other = own ^ mask;
        const int peer = other < n_extra ? 2 * other + 1 : other + n_extra;
        exchange_with(c, peer, c->count, peer, c->count);
    }
    if (is_paired)
        send_to(c, c->me - 1);
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

/* In round k from the rank at distance -k, to the rank at distance k. */
static void alltoall_pairwise(const call *c)
{
    for (int k = 1; k < c->n_ranks; k++)
        exchange_with(c, (c->me + k) % c->n_ranks, c->count, (c->me - k + c->n_ranks) % c->n_ranks,
                      c->count);
}

/* Round by round twice as many blocks, from a rank twice as far. */
static void allgather_bruck(const call *c)
{
    for (int distance = 1; distance < c->n_ranks; distance *= 2) {
        const int left = c->n_ranks - distance;
        const int n = c->count * (distance < left ? distance : left);
        exchange_with(c, (c->me - distance + c->n_ranks) % c->n_ranks, n,
                      (c->me + distance) % c->n_ranks, n);
    }
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
    int rc;
    switch (algorithm) {
    case OMPI_ALLREDUCE_RECURSIVE_DOUBLING: allreduce_doubling(c); return MPI_SUCCESS;
    case OMPI_ALLREDUCE_LINEAR:
        reduce_linear(&first);
        bcast_linear(&first);
        return MPI_SUCCESS;
    case OMPI_ALLREDUCE_NONOVERLAPPING:
        rc = reduce(&first, choose(&first, TL_ACTION_REDUCE, (uint64_t)c->count), op);
        return rc == MPI_SUCCESS
                   ? bcast(&first, choose(&first, TL_ACTION_BCAST, (uint64_t)c->count))
                   : rc;
    default: return MPI_Allreduce(c->out, c->in, c->count, c->type, op, c->comm);
    }
}

static char is_left[TL_N_ACTIONS]; /* by action: SMPI's options say the algorithm */

void smpi_ompi_leave(const char *option)
{
    static const struct {
        tl_action action;
        const char *option;
    } all[] = {
        {TL_ACTION_BCAST, "smpi/bcast"},         {TL_ACTION_REDUCE, "smpi/reduce"},
        {TL_ACTION_ALLREDUCE, "smpi/allreduce"}, {TL_ACTION_GATHER, "smpi/gather"},
        {TL_ACTION_SCATTER, "smpi/scatter"},     {TL_ACTION_ALLGATHER, "smpi/allgather"},
        {TL_ACTION_ALLTOALL, "smpi/alltoall"},   {TL_ACTION_REDUCE_SCATTER, "smpi/reduce_scatter"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].option, option))
            is_left[all[i].action] = 1;
}

int smpi_ompi_call(tl_action action, const smpi_call *s, int *rc)
{
    const call c = take_call(s);
    const int is_reduction = action == TL_ACTION_REDUCE || action == TL_ACTION_ALLREDUCE;
    if (c.n_ranks < 2 || is_left[action] || (is_reduction && s->op == replay.noncommutative))
        return 0;
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
    case OMPI_SCATTER_LINEAR_NB: bcast_linear(&c); return 1;
    case OMPI_ALLTOALL_LINEAR_SYNC: alltoall_linear_sync(&c); return 1;
    case OMPI_ALLTOALL_PAIRWISE: alltoall_pairwise(&c); return 1;
    case OMPI_ALLGATHER_BRUCK:
        if (c.count > INT_MAX / c.n_ranks)
            return 0;
        allgather_bruck(&c);
        return 1;
    default: return 0;
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
        reduce_tree(&agreement, OMPI_TREE_IN_ORDER_BINOMIAL);
        bcast_tree(&agreement, OMPI_TREE_BINOMIAL);
    }
    return rc;
}
