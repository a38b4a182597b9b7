/* halving.c - algorithms of MPICH, as SMPI has them.
 *
 * Thakur, Rabenseifner, Gropp, IJHPCA 2005, sections 4.3 to 4.5. Sizes are in bytes. Where SMPI
 * divides a buffer by elements, parts differ by less than an element; but the last part of a
 * reduction has all elements that remain, which may be as many as there are parts, less one. */
#include "collectives/message.h"

/* ---- recursive doubling among any number of ranks ---- */

/* A step: a message of the data of `n_ranks` ranks from `of_rank` on. */
typedef struct doubling_step {
    uint8_t kind;     /* tlr_message_kind; END after the last step */
    bool is_exchange; /* step `number` of an exchange */
    uint32_t number, peer, of_rank, n_ranks;
} doubling_step;

/* Of a tree whose partner is not full, the ranks without a partner: the others pass on to them what
 * they have received, by halves. Counts the steps down. */
static doubling_step pass_on(uint32_t v, uint32_t size, uint32_t n, uint32_t *number)
{
    const uint32_t upper = (v & ~(n - 1)) + n;
    doubling_step step = {.kind = TLR_MESSAGE_END, .of_rank = upper, .n_ranks = size - upper};
    for (uint32_t half = n / 2; half; half /= 2) {
        const uint32_t end = (v & ~(2 * half - 1)) + step.n_ranks, other = v ^ half;
        const bool sends = v < end && other > v && other >= end;
        if (!sends && !(other < v && other < end && v >= end))
            continue;
        if (*number < 2) {
            step.peer = other;
            step.kind = *number ? TLR_MESSAGE_WAIT : sends ? TLR_MESSAGE_SEND : TLR_MESSAGE_RECEIVE;
            return step;
        }
        *number -= 2;
    }
    return step;
}

/* Round k: trees of 2^k ranks exchange all that they have. */
static doubling_step double_among_all(uint32_t v, uint32_t size, uint32_t number)
{
    for (uint32_t n = 1; n < size; n *= 2) {
        const uint32_t tree = v & ~(n - 1), other = v ^ n;
        if (other < size && number < EXCHANGE_STEPS)
            return (doubling_step){TLR_MESSAGE_SEND, 1, number, other, tree, n};
        number -= other < size ? EXCHANGE_STEPS : 0;
        if (v & n || tree + n >= size || tree + 2 * n <= size)
            continue;
        const doubling_step step = pass_on(v, size, n, &number);
        if (step.kind != TLR_MESSAGE_END)
            return step;
    }
    return (doubling_step){.kind = TLR_MESSAGE_END};
}

static tlr_message message_of(const doubling_step *step, int32_t peer, uint64_t bytes)
{
    if (step->kind == TLR_MESSAGE_END || step->kind == TLR_MESSAGE_WAIT)
        return step->kind == TLR_MESSAGE_END ? at_end : until_done;
    return step->is_exchange                   ? exchange(step->number, peer, peer, bytes)
           : step->kind == TLR_MESSAGE_RECEIVE ? receive_from(peer, bytes)
                                               : send_to(peer, bytes);
}

tlr_message tlr_bcast_scatter_doubling(const tlr_collective *op, uint32_t me, uint32_t size,
                                       uint32_t number)
{
    const uint32_t v = relative_to_root(op, me, size);
    const tlr_message first = tlr_scatter_pieces(op, v, size, &number);
    if (first.kind != TLR_MESSAGE_END)
        return first;
    const doubling_step step = double_among_all(v, size, number);
    return message_of(&step, from_root(op, step.peer, size),
                      tlr_pieces(op->amount, size, step.of_rank, step.n_ranks));
}

static uint64_t all_but(const tlr_collective *op, const int64_t *list, uint32_t first, uint32_t n,
                        uint32_t size)
{
    const uint32_t left = first < size ? size - first : 0;
    return tlr_blocks(op, list, 0, size, size) -
           tlr_blocks(op, list, first, n < left ? n : left, size);
}

/* Round k: each rank sends all blocks but those of its tree. */
tlr_message tlr_reduce_scatter_doubling(const tlr_collective *op, const int64_t *list, uint32_t me,
                                        uint32_t size, uint32_t number)
{
    const doubling_step step = double_among_all(me, size, number);
    return message_of(&step, (int32_t)step.peer,
                      all_but(op, list, step.of_rank, step.n_ranks, size));
}

/* ---- Rabenseifner's reduction ---- */

/* The core is a power of two of ranks. Odd ranks among the first send to the even rank before them.
 * Root outside of it takes the place of number 0 when that has reduced. */
static int32_t rank_of(const tlr_core *k, uint32_t c, int32_t root, bool gathers)
{
    const bool is_outside = root < 2 * (int32_t)k->n_extra && root & 1;
    if (gathers && c == 0 && is_outside)
        return root;
    return (int32_t)(c < k->n_extra ? 2 * c : c + k->n_extra);
}

/* Along a binomial tree to number `to`: the parts that halving has put together last come first. */
static tlr_message gather_parts(const tlr_collective *op, const tlr_core *k, uint32_t c,
                                uint32_t to, uint32_t number)
{
    for (unsigned bit = k->rounds; bit-- > 0; number -= 2) {
        const uint32_t n = UINT32_C(1) << (k->rounds - 1 - bit), other = c ^ UINT32_C(1) << bit;
        const int32_t peer = rank_of(k, other, op->root, 1);
        const bool sends = other >> bit == to >> bit;
        if (number == 1)
            return until_done;
        if (!number) {
            const uint32_t first = tlr_first_part(sends ? c : other, k->rounds, bit + 1);
            const uint64_t bytes = tlr_parts(op->amount, k->rounds, first, n);
            return sends ? send_to(peer, bytes) : receive_from(peer, bytes);
        }
        if (sends)
            break;
    }
    return at_end;
}

tlr_message tlr_reduce_scatter_gather(const tlr_collective *op, uint32_t me, uint32_t size,
                                      uint32_t number)
{
    const tlr_core k = core_of(size);
    const bool is_paired = me < 2 * k.n_extra, is_root = (int32_t)me == op->root;
    const bool has_root_outside = op->root < 2 * (int32_t)k.n_extra && op->root & 1;
    const uint64_t part = tlr_parts(op->amount, k.rounds, 0, 1);
    uint32_t to = (uint32_t)op->root;
    to = has_root_outside ? 0 : to < 2 * k.n_extra ? to / 2 : to - k.n_extra;
    if (is_paired && number < 2)
        return number   ? until_done
               : me & 1 ? send_to((int32_t)me - 1, op->amount)
                        : receive_from((int32_t)me + 1, op->amount);
    number -= is_paired ? 2 : 0;
    if (is_paired && me & 1) {
        if (!is_root)
            return at_end;
        return number > 1 ? gather_parts(op, &k, 0, to, number - 2)
               : number   ? until_done
                          : receive_from(0, part);
    }
    const uint32_t c = is_paired ? me / 2 : me - k.n_extra, round = number / EXCHANGE_STEPS;
    if (round < k.rounds) {
        const uint32_t other = c ^ UINT32_C(1) << round;
        const uint32_t first = tlr_first_part(other, k.rounds, round + 1);
        const int32_t peer = rank_of(&k, other, op->root, 0);
        return exchange(
            number, peer, peer,
            tlr_parts(op->amount, k.rounds, first, UINT32_C(1) << (k.rounds - 1 - round)));
    }
    number -= k.rounds * EXCHANGE_STEPS;
    if (c || !has_root_outside)
        return gather_parts(op, &k, c, to, number);
    return number > 1 ? at_end : number ? until_done : send_to(op->root, part);
}

/* ---- alltoall ---- */

/* Four messages at a time, of which the first is one to itself. */
tlr_message tlr_alltoall_scattered(const tlr_collective *op, const int64_t *list, uint32_t me,
                                   uint32_t size, uint32_t number)
{
    enum { AT_A_TIME = 4, STEPS = 2 * AT_A_TIME + 1 };
    const uint32_t first = number / STEPS * AT_A_TIME, step = number % STEPS;
    if (first >= size)
        return at_end;
    const uint32_t n = size - first < AT_A_TIME ? size - first : AT_A_TIME;
    if (step < n)
        return receive_from((int32_t)((me + first + step) % size), 0);
    if (step < 2 * n) {
        const int32_t to = (int32_t)((me + 2 * (uint64_t)size - first - (step - n)) % size);
        return start_to(to, block_of(op, list, to));
    }
    return step == 2 * n ? until_done : at_end;
}
