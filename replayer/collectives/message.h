/* message.h - the building blocks of the collective algorithms.
 *
 * For the files of replayer/collectives/ only. */
#ifndef TLR_COLLECTIVES_STEP_H
#define TLR_COLLECTIVES_STEP_H

#include "collectives/collective.h"

#include <stdbool.h>

static const tlr_message at_end = {
    .kind = TLR_MESSAGE_END, .peer = TLR_NOBODY, .then_to = TLR_NOBODY};

static inline tlr_message send_to(int32_t peer, uint64_t bytes)
{
    return (tlr_message){
        .kind = TLR_MESSAGE_SEND, .peer = peer, .bytes = bytes, .then_to = TLR_NOBODY};
}

/* One of several sends that are waited for together. */
static inline tlr_message start_to(int32_t peer, uint64_t bytes)
{
    tlr_message step = send_to(peer, bytes);
    step.call = TLR_ISEND;
    return step;
}

static inline tlr_message receive_from(int32_t peer, uint64_t bytes)
{
    return (tlr_message){.kind = TLR_MESSAGE_RECEIVE,
                         .peer = peer,
                         .bytes = bytes,
                         .room = bytes,
                         .then_to = TLR_NOBODY};
}

/* The same, where timelines show no bytes of a receive. */
static inline tlr_message receive_some(int32_t peer, uint64_t room)
{
    tlr_message step = receive_from(peer, 0);
    step.room = room;
    return step;
}

static const tlr_message until_done = {
    .kind = TLR_MESSAGE_WAIT, .peer = TLR_NOBODY, .then_to = TLR_NOBODY};

/* Two steps: a message, and a wait for it. */
static inline tlr_message alone(uint32_t number, tlr_message message)
{
    return number == 0 ? message : number == 1 ? until_done : at_end;
}

/* Three steps: receive from one rank, send to another, wait for both. */
enum { EXCHANGE_STEPS = 3 };
static inline tlr_message exchange(uint32_t number, int32_t to, int32_t from, uint64_t bytes)
{
    tlr_message step = until_done;
    switch (number % EXCHANGE_STEPS) {
    case 0:
        step = receive_from(from, bytes);
        step.then_to = to;
        break;
    case 1:
        step = send_to(to, bytes);
        step.from = from;
        break;
    default: return step;
    }
    step.call = TLR_SENDRECV;
    return step;
}

/* The bytes of the block of (or for) one rank: from the list, if there is one. */
static inline uint64_t block_of(const tlr_collective *op, const int64_t *list, int64_t rank)
{
    return list ? (uint64_t)list[1 + rank] : op->amount;
}

/* The rank of the communicator whose number, counted from the root, is given. */
static inline int32_t from_root(const tlr_collective *op, uint32_t relative, uint32_t size)
{
    return (int32_t)(((uint64_t)relative + (uint32_t)op->root) % size);
}

static inline uint32_t relative_to_root(const tlr_collective *op, uint32_t me, uint32_t size)
{
    return (uint32_t)(((uint64_t)me + size - (uint32_t)op->root) % size);
}

static inline unsigned floor_log2(uint32_t n)
{
    return 31 - (unsigned)__builtin_clz(n);
}

static inline unsigned ceil_log2(uint32_t n)
{
    return n > 1 ? floor_log2(n - 1) + 1 : 0;
}

/* How many ranks the subtree of rank v in a binomial tree would have, were the tree full: it has
 * the ranks from v up to its next sibling. */
static inline uint64_t tree_width(uint32_t v, uint32_t size)
{
    return v ? v & -v : UINT64_C(1) << ceil_log2(size);
}

/* The core is a power of two of ranks; each of the other ranks first sends its data to one of the
 * core, with which it is a pair: the odd ranks of the first pairs are in the core. */
typedef struct tlr_core {
    uint32_t n_extra;
    unsigned rounds;
} tlr_core;

static inline tlr_core core_of(uint32_t size)
{
    const unsigned rounds = floor_log2(size);
    return (tlr_core){size - (UINT32_C(1) << rounds), rounds};
}

/* The rank with the core's number c. */
static inline uint32_t core_rank(const tlr_core *k, uint32_t c)
{
    return c < k->n_extra ? 2 * c + 1 : c + k->n_extra;
}

/* The bytes that pass between the ranks of a pair. */
typedef struct tlr_pair_bytes {
    uint64_t sent, received, result;
} tlr_pair_bytes;

/* Whether step *number of a rank is one of the n_steps of the core, where the rank has the number
 * *c; *number counts from there. Otherwise the step is *m. */
static inline bool in_core(uint32_t me, const tlr_core *k, uint32_t n_steps,
                           const tlr_pair_bytes *pair, uint32_t *number, uint32_t *c,
                           tlr_message *m)
{
    const bool is_paired = me < 2 * k->n_extra, is_odd = me & 1;
    *c = is_paired ? me / 2 : me - k->n_extra;
    if (is_paired && !is_odd) {
        const int32_t odd = (int32_t)me + 1;
        *m = *number < 2 ? alone(*number, send_to(odd, pair->sent))
                         : alone(*number - 2, receive_from(odd, pair->sent));
        return 0;
    }
    if (is_paired && *number < 2) {
        *m = alone(*number, receive_from((int32_t)me - 1, pair->received));
        return 0;
    }
    *number -= is_paired ? 2 : 0;
    if (*number < n_steps)
        return 1;
    *m = is_paired ? alone(*number - n_steps, send_to((int32_t)me - 1, pair->result)) : at_end;
    return 0;
}

/* ---- long.c: algorithms that move less for more messages, or the reverse ----
 */

tlr_message tlr_barrier_doubling(uint32_t me, uint32_t size, uint32_t number);
tlr_message tlr_bcast_scatter_ring(const tlr_collective *op, uint32_t me, uint32_t size,
                                   uint32_t number);
tlr_message tlr_allreduce_rabenseifner(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes);
tlr_message tlr_allgather_bruck(const tlr_collective *op, const int64_t *list, uint32_t me,
                                uint32_t size, uint32_t number);
tlr_message tlr_allgather_doubling(const tlr_collective *op, const int64_t *list, uint32_t me,
                                   uint32_t size, uint32_t number);
tlr_message tlr_alltoall_bruck(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes);
tlr_message tlr_alltoall_pair(const tlr_collective *op, const int64_t *list, uint32_t me,
                              uint32_t size, uint32_t number);
tlr_message tlr_reduce_scatter_halving(const tlr_collective *op, const int64_t *list, uint32_t me,
                                       uint32_t size, uint32_t number);

/* The parts of long.c that other files use. */

/* The bytes of parts of a buffer that the core divides. The last part has the remainder. */
uint64_t tlr_parts(uint64_t bytes, unsigned rounds, uint32_t first, uint32_t n);
/* The first of the parts that remain for number c after this number of rounds of halving. */
uint32_t tlr_first_part(uint32_t c, unsigned rounds, unsigned round);
/* The bytes of `n` pieces, beginning with piece `first`, of a buffer that is cut into `size`
 * pieces. */
uint64_t tlr_pieces(uint64_t bytes, uint32_t size, uint64_t first, uint64_t n);
/* Along a binomial tree, rank v gets the pieces of its subtree. Counts the steps down. */
tlr_message tlr_scatter_pieces(const tlr_collective *op, uint32_t v, uint32_t size,
                               uint32_t *number);
/* The bytes of the blocks of n ranks, beginning with that of one rank. */
uint64_t tlr_blocks(const tlr_collective *op, const int64_t *list, uint64_t first, uint32_t n,
                    uint32_t size);

/* ---- halving.c ---- */

tlr_message tlr_bcast_scatter_doubling(const tlr_collective *op, uint32_t me, uint32_t size,
                                       uint32_t number);
tlr_message tlr_reduce_scatter_gather(const tlr_collective *op, uint32_t me, uint32_t size,
                                      uint32_t number);
tlr_message tlr_reduce_scatter_doubling(const tlr_collective *op, const int64_t *list, uint32_t me,
                                        uint32_t size, uint32_t number);
tlr_message tlr_alltoall_scattered(const tlr_collective *op, const int64_t *list, uint32_t me,
                                   uint32_t size, uint32_t number);

/* ---- hosts.c ---- */

tlr_message tlr_on_hosts(const tlr_collective *op, const int64_t *list, uint32_t me, uint32_t size,
                         uint32_t number, bool *combines);

/* ---- segments.c: broadcasts in segments ---- */

tlr_message tlr_bcast_tree(const tlr_collective *op, uint32_t me, uint32_t size, uint32_t number);
tlr_message tlr_bcast_split(const tlr_collective *op, uint32_t me, uint32_t size, uint32_t number);

/* ---- in_order.c: binomial trees whose subtrees are ranks that follow each other ----
 */

tlr_message tlr_reduce_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                                uint32_t number);
tlr_message tlr_gather_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                                uint32_t number);
tlr_message tlr_scatter_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                                 uint32_t number);
tlr_message tlr_reduce_in_turn(const tlr_collective *op, uint32_t me, uint32_t size,
                               uint32_t number);
tlr_message tlr_bcast_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                               uint32_t number);

#endif
