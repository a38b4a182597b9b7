/* ompi.c - collectives as Open MPI 4.1 sends them, where SMPI's selector "ompi" takes the same
 * decision but another algorithm.
 *
 * SMPI 3.32 breaks every broadcast into segments of 8 KiB; Open MPI's fixed decisions send along
 * the same trees in one piece, which on slow networks is another protocol and, along a chain,
 * another time.  An allreduce of fewer elements than ranks is a recursive doubling in Open MPI, a
 * reduction and a broadcast in SMPI. */
#include "config.h"

#include "rank.h"

#include <stdint.h>

/* Receives name source and tag, so that only these meet. */
enum { TAG = 32749, RADIX = 4, MOST_CHILDREN = 128 };

typedef enum tree { LINEAR, CHAIN, BINARY, BINOMIAL, KNOMIAL, OTHER } tree;

static tree tree_of(uint32_t n_ranks, uint64_t bytes)
{
    static const struct {
        uint32_t ranks, bytes;
        tree shape;
    } rules[] = {
#define OMPI_BCAST(ranks, bytes, shape) {ranks, bytes, shape},
#include "ompi_bcast.def"
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((!rules[i].ranks || n_ranks < rules[i].ranks) &&
            (!rules[i].bytes || bytes < rules[i].bytes))
            return rules[i].shape;
    return OTHER;
}

/* A rank's place in a tree whose root is 0. */
typedef struct place {
    int parent; /* -1: the root */
    int children[MOST_CHILDREN];
    int n_children;
} place;

static void add_child(place *p, int child, int n_ranks)
{
    if (child < n_ranks && p->n_children < MOST_CHILDREN)
        p->children[p->n_children++] = child;
}

/* Node i of level l has the children i + 2^l and i + 2^(l+1). */
static void place_in_binary(place *p, int me, int n_ranks)
{
    int first = 0, width = 1; /* of my level */
    while (me >= first + width) {
        first += width;
        width *= 2;
    }
    p->parent = me == 0 ? -1 : me < 3 ? 0 : first - width / 2 + (me - first) % (width / 2);
    add_child(p, me + width, n_ranks);
    add_child(p, me + 2 * width, n_ranks);
}

static void place_in_binomial(place *p, int me, int n_ranks)
{
    int mask = 1;
    while (mask <= me)
        mask *= 2;
    p->parent = me == 0 ? -1 : me ^ (mask / 2);
    for (; mask < n_ranks; mask *= 2)
        add_child(p, me ^ mask, n_ranks);
}

static void place_in_knomial(place *p, int me, int n_ranks)
{
    int mask = 1;
    p->parent = -1;
    for (; mask < n_ranks && p->parent < 0; mask *= RADIX)
        if (me % (RADIX * mask)) {
            p->parent = me / (RADIX * mask) * (RADIX * mask);
            break;
        }
    for (mask /= RADIX; mask > 0; mask /= RADIX)
        for (int i = 1; i < RADIX; i++)
            add_child(p, me + mask * i, n_ranks);
}

static void find_place(place *p, tree shape, int me, int n_ranks)
{
    p->n_children = 0;
    p->parent = me == 0 ? -1 : 0;
    switch (shape) {
    case BINARY: place_in_binary(p, me, n_ranks); break;
    case BINOMIAL: place_in_binomial(p, me, n_ranks); break;
    case KNOMIAL: place_in_knomial(p, me, n_ranks); break;
    case CHAIN:
        p->parent = me - 1;
        add_child(p, me + 1, n_ranks);
        break;
    default: break;
    }
}

static int send_to(const int *ranks, int n, const void *buffer, int count, MPI_Datatype type,
                   MPI_Comm comm)
{
    MPI_Request requests[MOST_CHILDREN];
    for (int i = 0; i < n; i++)
        MPI_Isend(buffer, count, type, ranks[i], TAG, comm, &requests[i]);
    return MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

int smpi_ompi_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int me, n_ranks, type_bytes;
    place p;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Type_size(type, &type_bytes);
    tree shape = tree_of((uint32_t)n_ranks, (uint64_t)count * (uint64_t)type_bytes);
    if (n_ranks < 2)
        return MPI_SUCCESS;
    if (shape == OTHER || n_ranks > MOST_CHILDREN)
        return MPI_Bcast(buffer, count, type, root, comm);
    find_place(&p, shape, (me - root + n_ranks) % n_ranks, n_ranks);
    if (shape == LINEAR && me == root)
        for (int i = 0; i < n_ranks; i++) { /* in the order of the ranks, not from the root on */
            if (i != root)
                add_child(&p, i, n_ranks);
        }
    else
        for (int i = 0; i < p.n_children; i++)
            p.children[i] = (p.children[i] + root) % n_ranks;
    if (p.parent >= 0)
        MPI_Recv(buffer, count, type, (p.parent + root) % n_ranks, TAG, comm, MPI_STATUS_IGNORE);
    return send_to(p.children, p.n_children, buffer, count, type, comm);
}

int smpi_ompi_allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm)
{
    int me, n_ranks;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n_ranks);
    if (count >= n_ranks || (n_ranks & (n_ranks - 1)))
        return MPI_Allreduce(send, receive, count, type, op, comm);
    for (int mask = 1; mask < n_ranks; mask *= 2)
        MPI_Sendrecv(send, count, type, me ^ mask, TAG, receive, count, type, me ^ mask, TAG, comm,
                     MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}
