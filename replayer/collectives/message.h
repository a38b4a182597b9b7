/* message.h - the building blocks of the collective algorithms.
 *
 * For collective.c, collective_long.c, collective_tree.c and collective_in_order.c only. */
#ifndef TLR_LOGGOPS_STEP_H
#define TLR_LOGGOPS_STEP_H

#include "loggops/loggops.h"

static const loggops_step at_end = {
    .kind = LOGGOPS_END, .peer = LOGGOPS_NOBODY, .then_to = LOGGOPS_NOBODY};

static inline loggops_step send_to(int32_t peer, uint64_t bytes)
{
    return (loggops_step){
        .kind = LOGGOPS_SEND, .peer = peer, .bytes = bytes, .then_to = LOGGOPS_NOBODY};
}

/* One of several sends that are waited for together. */
static inline loggops_step start_to(int32_t peer, uint64_t bytes)
{
    loggops_step step = send_to(peer, bytes);
    step.call = LOGGOPS_ISEND;
    return step;
}

static inline loggops_step receive_from(int32_t peer, uint64_t bytes)
{
    return (loggops_step){
        .kind = LOGGOPS_RECV, .peer = peer, .bytes = bytes, .then_to = LOGGOPS_NOBODY};
}

static const loggops_step until_done = {
    .kind = LOGGOPS_WAIT, .peer = LOGGOPS_NOBODY, .then_to = LOGGOPS_NOBODY};

/* Three steps: receive from one rank, send to another, wait for both. */
enum { EXCHANGE_STEPS = 3 };
static inline loggops_step exchange(uint32_t number, int32_t to, int32_t from, uint64_t bytes)
{
    loggops_step step = until_done;
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
    step.call = LOGGOPS_SENDRECV;
    return step;
}

/* The bytes of the block of (or for) one rank: from the list, if there is one. */
static inline uint64_t block_of(const loggops_op *op, const int64_t *list, int64_t rank)
{
    return list ? (uint64_t)list[1 + rank] : op->amount;
}

/* The rank of the communicator whose number, counted from the root, is given. */
static inline int32_t from_root(const loggops_op *op, uint32_t relative, uint32_t size)
{
    return (int32_t)(((uint64_t)relative + (uint32_t)op->peer) % size);
}

static inline uint32_t relative_to_root(const loggops_op *op, uint32_t me, uint32_t size)
{
    return (uint32_t)(((uint64_t)me + size - (uint32_t)op->peer) % size);
}

static inline unsigned floor_log2(uint32_t n)
{
    return 31 - (unsigned)__builtin_clz(n);
}

static inline unsigned ceil_log2(uint32_t n)
{
    return n > 1 ? floor_log2(n - 1) + 1 : 0;
}

/* ---- collective_long.c: algorithms that move less for more messages, or the reverse ----
 */

loggops_step loggops_barrier_doubling(uint32_t me, uint32_t size, uint32_t number);
loggops_step loggops_bcast_scatter_ring(const loggops_op *op, uint32_t me, uint32_t size,
                                        uint32_t number);
loggops_step loggops_allreduce_rabenseifner(uint32_t me, uint32_t size, uint32_t number,
                                            uint64_t bytes);
loggops_step loggops_allgather_bruck(const loggops_op *op, const int64_t *list, uint32_t me,
                                     uint32_t size, uint32_t number);
loggops_step loggops_allgather_doubling(const loggops_op *op, const int64_t *list, uint32_t me,
                                        uint32_t size, uint32_t number);
loggops_step loggops_alltoall_bruck(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes);
loggops_step loggops_alltoall_pair(const loggops_op *op, const int64_t *list, uint32_t me,
                                   uint32_t size, uint32_t number);
loggops_step loggops_reduce_scatter_halving(const loggops_op *op, const int64_t *list, uint32_t me,
                                            uint32_t size, uint32_t number);

/* ---- collective_tree.c: broadcasts in segments ---- */

loggops_step loggops_bcast_tree(const loggops_op *op, uint32_t me, uint32_t size, uint32_t number);
loggops_step loggops_bcast_split(const loggops_op *op, uint32_t me, uint32_t size, uint32_t number);

/* ---- collective_in_order.c: binomial trees whose subtrees are ranks that follow each other ----
 */

loggops_step loggops_reduce_in_order(const loggops_op *op, uint32_t me, uint32_t size,
                                     uint32_t number);
loggops_step loggops_gather_in_order(const loggops_op *op, uint32_t me, uint32_t size,
                                     uint32_t number);
loggops_step loggops_scatter_in_order(const loggops_op *op, uint32_t me, uint32_t size,
                                      uint32_t number);
loggops_step loggops_reduce_in_turn(const loggops_op *op, uint32_t me, uint32_t size,
                                    uint32_t number);
loggops_step loggops_bcast_in_order(const loggops_op *op, uint32_t me, uint32_t size,
                                    uint32_t number);

#endif
