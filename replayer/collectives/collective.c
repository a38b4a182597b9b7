/* collective.c - collective algorithms as functions of rank, size and step number.
 *
 * Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
 * IJHPCA 2005, describes most of them; Hensgen, Finkel, Manber 1988 the dissemination barrier.
 * Every step of a rank is computed from its number when it is needed, so a collective of a million
 * ranks needs no memory. */
#include "collectives/message.h"
#include "collectives/tree.h"

/* Round k: sends to the rank at distance 2^k, and receives from the rank at distance -2^k. */
static tlr_message dissemination(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    const unsigned round = number / EXCHANGE_STEPS;
    if (round >= ceil_log2(size))
        return at_end;
    const uint32_t distance = UINT32_C(1) << round;
    return exchange(number, (int32_t)(((uint64_t)me + distance) % size),
                    (int32_t)(((uint64_t)me + size - distance) % size), bytes);
}

/* Along a binomial tree from rank 0, the highest bits last; each message is waited for. */
static tlr_message tree_down(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    tlr_tree_place p;
    tlr_find_place(&p, TLR_TREE_BINOMIAL, me, size);
    if (me) {
        if (number < 2)
            return number ? until_done : receive_from((int32_t)p.parent, bytes);
        number -= 2;
    }
    if (number >= 2 * p.n_children)
        return at_end;
    return number % 2 ? until_done : send_to((int32_t)p.children[number / 2], bytes);
}

/* The same tree from the leaves to the root: the highest bits come first. */
static tlr_message tree_up(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    tlr_tree_place p;
    tlr_find_place(&p, TLR_TREE_BINOMIAL, me, size);
    if (number < 2 * p.n_children)
        return number % 2 ? until_done
                          : receive_from((int32_t)p.children[p.n_children - 1 - number / 2], bytes);
    number -= 2 * p.n_children;
    return me ? alone(number, send_to((int32_t)p.parent, bytes)) : at_end;
}

static uint32_t steps_up(uint32_t me, uint32_t size)
{
    tlr_tree_place p;
    tlr_find_place(&p, TLR_TREE_BINOMIAL, me, size);
    return 2 * p.n_children + (me ? 2 : 0);
}

/* The other ranks by number, from 0 on, without the root. */
static int32_t other_than_root(const tlr_collective *op, uint32_t i)
{
    return (int32_t)i + ((int32_t)i >= op->root);
}

/* The root's `number`-th step of n messages; *i gets the number of the message. Each of them is
 * waited for, or all at the end. */
static uint8_t kind_at_root(const tlr_collective *op, uint32_t n, uint32_t number, uint8_t kind,
                            uint32_t *i)
{
    const uint32_t each = op->is_blocking ? 2 : 1;
    *i = number / each;
    if (*i < n)
        return number % each ? TLR_MESSAGE_WAIT : kind;
    return number == n && !op->is_blocking ? TLR_MESSAGE_WAIT : TLR_MESSAGE_END;
}

static uint32_t steps_at_root(const tlr_collective *op, uint32_t size)
{
    return op->is_blocking ? 2 * (size - 1) : size;
}

/* The root receives from every other rank: blocks from rank 0 on, what it reduces from the last
 * rank on, as SMPI and Open MPI do. */
static tlr_message to_root(const tlr_collective *op, uint32_t me, uint32_t size, uint32_t number,
                           uint64_t bytes)
{
    uint32_t i;
    if ((int32_t)me != op->root)
        return alone(number, send_to(op->root, bytes));
    switch (kind_at_root(op, size - 1, number, TLR_MESSAGE_RECEIVE, &i)) {
    case TLR_MESSAGE_RECEIVE:
        i = op->algorithm == TLR_GATHER_LINEAR ? i : size - 2 - i;
        return receive_from(other_than_root(op, i), bytes);
    case TLR_MESSAGE_WAIT: return until_done;
    default: return at_end;
    }
}

/* The root sends to every other rank in order, from rank 0 on, as SMPI and Open MPI do. */
static tlr_message of_root(const tlr_collective *op, const int64_t *list, uint32_t me,
                           uint32_t size, uint32_t number)
{
    uint32_t i;
    if ((int32_t)me != op->root)
        return alone(number, receive_some(op->root, op->amount));
    switch (kind_at_root(op, size - 1, number, TLR_MESSAGE_SEND, &i)) {
    case TLR_MESSAGE_SEND: {
        const int32_t to = other_than_root(op, i);
        const uint64_t bytes = block_of(op, list, to);
        return op->algorithm == TLR_SCATTER_LINEAR ? send_to(to, bytes) : start_to(to, bytes);
    }
    case TLR_MESSAGE_WAIT: return until_done;
    default: return at_end;
    }
}

/* Recursive doubling among the largest power of two of ranks. */
static tlr_message doubling(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    const tlr_core k = core_of(size);
    const tlr_pair_bytes pair = {bytes, bytes, bytes};
    uint32_t c;
    tlr_message m;
    if (!in_core(me, &k, k.rounds * EXCHANGE_STEPS, &pair, &number, &c, &m))
        return m;
    const int32_t peer = (int32_t)core_rank(&k, c ^ (UINT32_C(1) << number / EXCHANGE_STEPS));
    return exchange(number, peer, peer, bytes);
}

/* Sends `n_rounds` times to the next rank, and receives from the rank before. */
static tlr_message ring(uint32_t me, uint32_t size, uint32_t number, uint32_t n_rounds,
                        uint64_t bytes)
{
    if (number / EXCHANGE_STEPS >= n_rounds)
        return at_end;
    return exchange(number, (int32_t)((me + 1) % size), (int32_t)((me + size - 1) % size), bytes);
}

/* Each block goes around the ring: in round k, a rank passes on the block of the rank at distance
 * -k. */
static tlr_message ring_of_blocks(const tlr_collective *op, const int64_t *list, uint32_t me,
                                  uint32_t size, uint32_t number)
{
    const uint32_t round = number / EXCHANGE_STEPS;
    if (round + 1 >= size)
        return at_end;
    return ring(me, size, number, size - 1, block_of(op, list, (me + size - round) % size));
}

/* Round k, from 1: sends to the rank at distance k, and receives from the rank at distance -k. */
static tlr_message pairwise(const tlr_collective *op, const int64_t *list, uint32_t me,
                            uint32_t size, uint32_t number)
{
    const uint64_t k = number / EXCHANGE_STEPS + 1;
    if (k >= size)
        return at_end;
    const int32_t to = (int32_t)((me + k) % size), from = (int32_t)((me + size - k) % size);
    return exchange(number, to, from, block_of(op, list, to));
}

/* Starts every receive and every send at the same time. */
static tlr_message all_at_once(const tlr_collective *op, const int64_t *list, uint32_t me,
                               uint32_t size, uint32_t number)
{
    const uint32_t n = size - 1;
    if (number < n)
        return receive_from((int32_t)((me + size - 1 - number) % size), 0);
    if (number == 2 * n)
        return until_done;
    if (number > 2 * n)
        return at_end;
    const int32_t to = (int32_t)(((uint64_t)me + 1 + (number - n)) % size);
    return start_to(to, block_of(op, list, to));
}

/* Starts the messages of a list: how many it receives, from whom, then to whom it sends how many
 * bytes. Partners are relative to the rank. */
static tlr_message all_of_list(const int64_t *list, uint32_t me, uint32_t size, uint32_t number)
{
    const uint32_t n_from = (uint32_t)list[1], n_to = (uint32_t)(list[0] - 1 - n_from) / 2;
    const int64_t *from = list + 2, *to = from + n_from;
    if (number < n_from)
        return receive_from((int32_t)((me + (uint64_t)from[number]) % size), 0);
    number -= n_from;
    if (number < n_to)
        return start_to((int32_t)((me + (uint64_t)to[2 * (size_t)number]) % size),
                        (uint64_t)to[2 * (size_t)number + 1]);
    return number == n_to && n_from + n_to ? until_done : at_end;
}

/* A message from each rank to the next. */
static tlr_message chain(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    if (me) {
        if (number < 2)
            return number ? until_done : receive_from((int32_t)me - 1, bytes);
        number -= 2;
    }
    return me + 1 < size ? alone(number, send_to((int32_t)me + 1, bytes)) : at_end;
}

/* SMPI's scan: a message from each rank to each later one. */
static tlr_message to_all_later(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    if (number < me)
        return receive_from((int32_t)number, bytes);
    if (number + 1 < size)
        return start_to((int32_t)number + 1, bytes);
    return number + 1 == size ? until_done : at_end;
}

/* A reduction to rank 0, and a broadcast of its result. */
static tlr_message up_and_down(const tlr_collective *op, uint32_t me, uint32_t size,
                               uint32_t number)
{
    const uint32_t n_up = steps_up(me, size);
    return number < n_up ? tree_up(me, size, number, op->amount)
                         : tree_down(me, size, number - n_up, op->amount);
}

/* All ranks send to rank 0, which sends the result to all. */
static tlr_message to_first_and_back(const tlr_collective *op, uint32_t me, uint32_t size,
                                     uint32_t number)
{
    const tlr_collective up = {.amount = op->amount, .is_blocking = op->is_blocking},
                         down = {.amount = op->amount};
    const uint32_t n_up = me ? 2 : steps_at_root(&up, size);
    return number < n_up ? to_root(&up, me, size, number, op->amount)
                         : of_root(&down, NULL, me, size, number - n_up);
}

/* SMPI's default allreduce: all ranks send to rank 0 at once, which receives from rank 1 on; then a
 * broadcast. */
static tlr_message reduce_and_broadcast(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    const tlr_collective op = {.amount = bytes, .algorithm = TLR_GATHER_LINEAR};
    const uint32_t n_up = me ? 2 : steps_at_root(&op, size);
    if (me && !number)
        return start_to(0, bytes);
    return number < n_up ? to_root(&op, me, size, number, bytes)
                         : tlr_bcast_in_order(&op, me, size, number - n_up);
}

/* What SMPI's allreduce lr divides into equal parts for a ring, and what remains. */
typedef struct division {
    uint64_t part, rest;
    uint32_t n_rounds; /* of reduction, and as many to spread the result */
} division;

static division divide(const tlr_collective *op, uint32_t size)
{
    const uint64_t each = op->root > 0 ? (uint64_t)op->root : 1, n = op->amount / each;
    return (division){n / size * each, op->amount - n / size * size * each,
                      n < size ? 0 : size - 1};
}

/* SMPI's allreduce lr: the rest has the default algorithm, as all elements if they are fewer than
 * the ranks. */
static tlr_message ring_and_rest(const tlr_collective *op, uint32_t me, uint32_t size,
                                 uint32_t number)
{
    const division d = divide(op, size);
    const uint32_t n_ring = 2 * d.n_rounds * EXCHANGE_STEPS;
    if (number < n_ring)
        return ring(me, size, number, 2 * d.n_rounds, d.part);
    return d.rest || !d.n_rounds ? reduce_and_broadcast(me, size, number - n_ring, d.rest) : at_end;
}

static int combines_in_ring_and_rest(const tlr_collective *op, uint32_t me, uint32_t size,
                                     uint32_t number)
{
    const uint32_t n_reduced = divide(op, size).n_rounds * EXCHANGE_STEPS;
    return number < n_reduced || (number >= 2 * n_reduced && !me);
}

/* A rank outside the largest power of two only receives the result. */
static int only_hears(uint32_t me, uint32_t size)
{
    const uint32_t n_extra = size - (UINT32_C(1) << floor_log2(size));
    return me < 2 * n_extra && !(me & 1);
}

int tlr_collective_combines(const tlr_collective *op, const int64_t *list, uint32_t me,
                            uint32_t size, uint32_t number)
{
    const unsigned rounds = floor_log2(size);
    bool combines;
    switch (op->algorithm) {
    case TLR_ON_HOSTS: return tlr_on_hosts(op, list, me, size, number, &combines), combines;
    case TLR_REDUCE_BINOMIAL:
    case TLR_REDUCE_IN_ORDER:
    case TLR_REDUCE_LINEAR:
    case TLR_REDUCE_SCATTER_PAIRWISE:
    case TLR_REDUCE_SCATTER_DOUBLING:
    case TLR_SCAN_LINEAR:
    case TLR_SCAN_AT_ONCE: return 1;
    case TLR_ALLREDUCE_DOUBLING:
    case TLR_REDUCE_SCATTER_HALVING: return !only_hears(me, size);
    case TLR_ALLREDUCE_RING: return number / EXCHANGE_STEPS + 1 < size;
    case TLR_ALLREDUCE_RABENSEIFNER: { /* an odd rank of a pair begins with its neighbour's */
        const uint32_t n_extra = size - (UINT32_C(1) << rounds);
        const uint32_t from_pair = me < 2 * n_extra ? 2 : 0;
        return !only_hears(me, size) && number < from_pair + rounds * EXCHANGE_STEPS;
    }
    case TLR_REDUCE_SCATTER_GATHER: { /* not what it gathers */
        const tlr_core k = core_of(size);
        const bool is_paired = me < 2 * k.n_extra;
        return !(is_paired && me & 1) && number < k.rounds * EXCHANGE_STEPS + (is_paired ? 2 : 0);
    }
    case TLR_ALLREDUCE_TREES: return number < steps_up(me, size);
    case TLR_ALLREDUCE_LR: return combines_in_ring_and_rest(op, me, size, number);
    case TLR_ALLREDUCE_REDBCAST:
    case TLR_ALLREDUCE_LINEAR: return !me;
    default: return 0;
    }
}

static tlr_message step_of(const tlr_collective *op, const int64_t *list, uint32_t me,
                           uint32_t size, uint32_t number)
{
    const uint64_t bytes = op->amount;
    bool combines;
    if (op->algorithm == TLR_EXCHANGE_ALL) /* a rank may be its own neighbour */
        return all_of_list(list, me, size, number);
    if (size < 2)
        return at_end;
    switch (op->algorithm) {
    case TLR_BARRIER_DISSEMINATION: return dissemination(me, size, number, bytes);
    case TLR_ON_HOSTS: return tlr_on_hosts(op, list, me, size, number, &combines);
    case TLR_BCAST_BINOMIAL: return tlr_bcast_in_order(op, me, size, number);
    case TLR_REDUCE_IN_ORDER: return tlr_reduce_in_order(op, me, size, number);
    case TLR_REDUCE_BINOMIAL: return tlr_reduce_in_turn(op, me, size, number);
    case TLR_BCAST_LINEAR:
    case TLR_SCATTER_LINEAR: return of_root(op, list, me, size, number);
    case TLR_REDUCE_LINEAR:
    case TLR_GATHER_LINEAR: return to_root(op, me, size, number, bytes);
    case TLR_SCATTER_BINOMIAL: return tlr_scatter_in_order(op, me, size, number);
    case TLR_GATHER_BINOMIAL: return tlr_gather_in_order(op, me, size, number);
    case TLR_ALLREDUCE_DOUBLING: return doubling(me, size, number, bytes);
    case TLR_ALLREDUCE_RABENSEIFNER: return tlr_allreduce_rabenseifner(me, size, number, bytes);
    case TLR_ALLREDUCE_REDBCAST: return reduce_and_broadcast(me, size, number, bytes);
    case TLR_ALLREDUCE_TREES: return up_and_down(op, me, size, number);
    case TLR_ALLREDUCE_LINEAR: return to_first_and_back(op, me, size, number);
    case TLR_BARRIER_DOUBLING: return tlr_barrier_doubling(me, size, number);
    case TLR_BCAST_SCATTER_RING: return tlr_bcast_scatter_ring(op, me, size, number);
    case TLR_BCAST_SCATTER_DOUBLING: return tlr_bcast_scatter_doubling(op, me, size, number);
    case TLR_REDUCE_SCATTER_GATHER: return tlr_reduce_scatter_gather(op, me, size, number);
    case TLR_REDUCE_SCATTER_DOUBLING:
        return tlr_reduce_scatter_doubling(op, list, me, size, number);
    case TLR_ALLTOALL_SCATTERED: return tlr_alltoall_scattered(op, list, me, size, number);
    case TLR_BCAST_CHAIN:
    case TLR_BCAST_PIPELINE:
    case TLR_BCAST_BINARY:
    case TLR_BCAST_KNOMIAL:
    case TLR_BCAST_BINOMIAL_AT_ONCE: return tlr_bcast_tree(op, me, size, number);
    case TLR_BCAST_SPLIT:
    case TLR_BCAST_SPLIT_SEGMENTS: return tlr_bcast_split(op, me, size, number);
    case TLR_ALLGATHER_BRUCK: return tlr_allgather_bruck(op, list, me, size, number);
    case TLR_ALLGATHER_DOUBLING: return tlr_allgather_doubling(op, list, me, size, number);
    case TLR_ALLTOALL_BRUCK:
        return list ? pairwise(op, list, me, size, number)
                    : tlr_alltoall_bruck(me, size, number, bytes);
    case TLR_ALLTOALL_PAIR:
        return size & (size - 1) ? pairwise(op, list, me, size, number)
                                 : tlr_alltoall_pair(op, list, me, size, number);
    case TLR_REDUCE_SCATTER_HALVING: return tlr_reduce_scatter_halving(op, list, me, size, number);
    case TLR_ALLREDUCE_LR: return ring_and_rest(op, me, size, number);
    case TLR_ALLREDUCE_RING:
        return ring(me, size, number, 2 * (size - 1), (bytes + size - 1) / size);
    case TLR_ALLGATHER_RING: return ring_of_blocks(op, list, me, size, number);
    case TLR_REDUCE_SCATTER_PAIRWISE:
    case TLR_ALLTOALL_RING: return pairwise(op, list, me, size, number);
    case TLR_ALLTOALL_LINEAR: return all_at_once(op, list, me, size, number);
    case TLR_SCAN_AT_ONCE: return to_all_later(me, size, number, bytes);
    case TLR_SCAN_LINEAR: return chain(me, size, number, bytes);
    default: return at_end;
    }
}

tlr_message tlr_collective_step(const tlr_collective *op, const int64_t *list, uint32_t me,
                                uint32_t size, uint32_t number)
{
    tlr_message step = step_of(op, list, me, size, number);
    if (step.call == TLR_SENDRECV &&
        (op->is_blocking || op->algorithm == TLR_REDUCE_SCATTER_HALVING))
        step.call = TLR_BLOCKING;
    return step;
}

uint8_t tlr_algorithm_for(tl_action action)
{
    static const struct {
        tl_action action;
        uint8_t algorithm;
    } table[] = {
#define TLR_ALGORITHM(id, action, name) {TL_ACTION_##action, TLR_##id},
#include "collectives/algorithms.def"
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].action == action)
            return table[i].algorithm;
    return TLR_NO_ALGORITHM;
}
