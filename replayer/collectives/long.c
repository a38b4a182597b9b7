/* long.c - collective algorithms that halve, double or rotate their data.
 *
 * Thakur, Rabenseifner, Gropp, IJHPCA 2005, sections 3 and 4: recursive halving and doubling,
 * Rabenseifner's allreduce, scatter and ring allgather for a broadcast; Bruck et al., IEEE TPDS 8
 * (11), 1997. Partners, order and sizes are those of SMPI's algorithms with the same names, with
 * one exception: SMPI divides a buffer by elements, but here only its bytes are known. */
#include "collectives/message.h"

/* ---- barrier ---- */

/* A rank beyond the largest power of two sends to the rank that many places before it, and waits.
 */
tlr_message tlr_barrier_doubling(uint32_t me, uint32_t size, uint32_t number)
{
    const tlr_core k = core_of(size);
    const uint32_t n_core = size - k.n_extra;
    if (me >= n_core) {
        const int32_t peer = (int32_t)(me - n_core);
        return number < EXCHANGE_STEPS ? exchange(number, peer, peer, 0) : at_end;
    }
    const bool has_extra = me < k.n_extra;
    if (has_extra && number < 2)
        return alone(number, receive_from((int32_t)(me + n_core), 0));
    number -= has_extra ? 2 : 0;
    if (number < k.rounds * EXCHANGE_STEPS) {
        const int32_t peer = (int32_t)(me ^ (UINT32_C(1) << number / EXCHANGE_STEPS));
        return exchange(number, peer, peer, 0);
    }
    number -= k.rounds * EXCHANGE_STEPS;
    return has_extra ? alone(number, send_to((int32_t)(me + n_core), 0)) : at_end;
}

/* ---- broadcast ---- */

/* The bytes of `n` pieces, beginning with piece `first`, of a buffer that is cut into `size`
 * pieces. */
uint64_t tlr_pieces(uint64_t bytes, uint32_t size, uint64_t first, uint64_t n)
{
    const uint64_t piece = (bytes + size - 1) / size;
    const uint64_t from = first * piece < bytes ? first * piece : bytes;
    const uint64_t to = (first + n) * piece < bytes ? (first + n) * piece : bytes;
    return to - from;
}

/* Half of the pieces of rank v go to each child in turn, if there are any. */
tlr_message tlr_scatter_pieces(const tlr_collective *op, uint32_t v, uint32_t size,
                               uint32_t *number)
{
    const uint32_t width = (uint32_t)tree_width(v, size);
    if (v) {
        if (!tlr_pieces(op->amount, size, v, 1))
            return at_end;
        if (*number == 0)
            return receive_from(from_root(op, v - width, size), 0);
        if (*number == 1)
            return until_done;
        *number -= 2;
    }
    for (uint32_t half = width / 2; half; half /= 2) {
        if (v + half >= size || !tlr_pieces(op->amount, size, v + half, 1))
            continue;
        if (*number == 0)
            return send_to(from_root(op, v + half, size),
                           tlr_pieces(op->amount, size, v + half, half));
        if (*number == 1)
            return until_done;
        *number -= 2;
    }
    return at_end;
}

tlr_message tlr_bcast_scatter_ring(const tlr_collective *op, uint32_t me, uint32_t size,
                                   uint32_t number)
{
    const uint32_t v = relative_to_root(op, me, size);
    const tlr_message step = tlr_scatter_pieces(op, v, size, &number);
    const uint32_t round = number / EXCHANGE_STEPS;
    if (step.kind != TLR_MESSAGE_END || round + 1 >= size)
        return step;
    return exchange(number, (int32_t)((me + 1) % size), (int32_t)((me + size - 1) % size),
                    tlr_pieces(op->amount, size, (v + size - round) % size, 1));
}

/* ---- allreduce ---- */

/* The bytes of parts of a buffer that the core divides. The last part has the remainder. */
uint64_t tlr_parts(uint64_t bytes, unsigned rounds, uint32_t first, uint32_t n)
{
    const uint64_t part = bytes >> rounds;
    const bool has_last = first + n == UINT32_C(1) << rounds;
    return n * part + (has_last ? bytes - (part << rounds) : 0);
}

/* The first of the parts that remain for number c after this number of rounds of halving. */
uint32_t tlr_first_part(uint32_t c, unsigned rounds, unsigned round)
{
    uint32_t first = 0;
    for (unsigned j = 0; j < round; j++)
        first += (c >> j & 1) << (rounds - 1 - j);
    return first;
}

tlr_message tlr_allreduce_rabenseifner(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    const tlr_core k = core_of(size);
    const tlr_pair_bytes pair = {bytes, bytes, bytes};
    uint32_t c;
    tlr_message m;
    if (!in_core(me, &k, 2 * k.rounds * EXCHANGE_STEPS, &pair, &number, &c, &m))
        return m;
    const unsigned round = number / EXCHANGE_STEPS;
    const int halves = round < k.rounds; /* halving, then doubling */
    const unsigned bit = halves ? round : 2 * k.rounds - 1 - round;
    const uint32_t n = UINT32_C(1) << (k.rounds - 1 - bit);
    const uint32_t other = c ^ (UINT32_C(1) << bit);
    const uint32_t first = tlr_first_part(halves ? other : c, k.rounds, bit + 1);
    const int32_t peer = (int32_t)core_rank(&k, other);
    return exchange(number, peer, peer, tlr_parts(bytes, k.rounds, first, n));
}

/* ---- allgather ---- */

/* The bytes of the blocks of n ranks, beginning with that of one rank. */
uint64_t tlr_blocks(const tlr_collective *op, const int64_t *list, uint64_t first, uint32_t n,
                    uint32_t size)
{
    if (!list)
        return n * op->amount;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += block_of(op, list, (int64_t)((first + i) % size));
    return sum;
}

/* Round k: a rank sends its blocks to the rank at distance -2^k, as far as that rank lacks them. */
tlr_message tlr_allgather_bruck(const tlr_collective *op, const int64_t *list, uint32_t me,
                                uint32_t size, uint32_t number)
{
    const unsigned round = number / EXCHANGE_STEPS;
    if (round >= ceil_log2(size))
        return at_end;
    const uint32_t distance = UINT32_C(1) << round, lacks = size - distance;
    return exchange(number, (int32_t)(((uint64_t)me + size - distance) % size),
                    (int32_t)(((uint64_t)me + distance) % size),
                    tlr_blocks(op, list, me, distance < lacks ? distance : lacks, size));
}

tlr_message tlr_allgather_doubling(const tlr_collective *op, const int64_t *list, uint32_t me,
                                   uint32_t size, uint32_t number)
{
    const unsigned round = number / EXCHANGE_STEPS;
    if (size & (size - 1))
        return tlr_allgather_bruck(op, list, me, size, number);
    if (round >= floor_log2(size))
        return at_end;
    const uint32_t n = UINT32_C(1) << round;
    const int32_t peer = (int32_t)(me ^ n);
    return exchange(number, peer, peer, tlr_blocks(op, list, me & ~(n - 1), n, size));
}

/* ---- alltoall ---- */

/* How many numbers from 1 to n - 1 have this bit. */
static uint32_t with_bit(uint32_t n, unsigned bit)
{
    const uint64_t one = UINT64_C(1) << bit, rest = n & (2 * one - 1);
    return (uint32_t)((n >> (bit + 1)) * one + (rest > one ? rest - one : 0));
}

/* Round k: the blocks whose distance has bit k go to the rank at distance 2^k. */
tlr_message tlr_alltoall_bruck(uint32_t me, uint32_t size, uint32_t number, uint64_t bytes)
{
    const unsigned round = number / EXCHANGE_STEPS;
    if (round >= ceil_log2(size))
        return at_end;
    const uint32_t distance = UINT32_C(1) << round;
    return exchange(number, (int32_t)(((uint64_t)me + distance) % size),
                    (int32_t)(((uint64_t)me + size - distance) % size),
                    with_bit(size, round) * bytes);
}

/* Round k: exchanges with the rank whose number differs in bit k. */
tlr_message tlr_alltoall_pair(const tlr_collective *op, const int64_t *list, uint32_t me,
                              uint32_t size, uint32_t number)
{
    const uint32_t k = number / EXCHANGE_STEPS + 1;
    if (k >= size)
        return at_end;
    const int32_t peer = (int32_t)(me ^ k);
    return exchange(number, peer, peer, block_of(op, list, peer));
}

/* ---- reduction and scatter ---- */

/* The bytes of the blocks of n numbers of the core: two blocks for each of the first numbers. */
static uint64_t core_blocks(const tlr_collective *op, const int64_t *list, const tlr_core *k,
                            uint32_t first, uint32_t n, uint32_t size)
{
    const uint32_t last = first + n;
    const uint32_t from = first < k->n_extra ? 2 * first : first + k->n_extra;
    const uint32_t to = last < k->n_extra ? 2 * last : last + k->n_extra;
    return tlr_blocks(op, list, from, to - from, size);
}

tlr_message tlr_reduce_scatter_halving(const tlr_collective *op, const int64_t *list, uint32_t me,
                                       uint32_t size, uint32_t number)
{
    const tlr_core k = core_of(size);
    const bool is_outside = me < 2 * k.n_extra && !(me & 1);
    const tlr_pair_bytes pair = {.sent = is_outside ? tlr_blocks(op, list, 0, size, size) : 0,
                                 .result = me ? block_of(op, list, (int64_t)me - 1) : 0};
    uint32_t c;
    tlr_message m;
    if (!in_core(me, &k, k.rounds * EXCHANGE_STEPS, &pair, &number, &c, &m))
        return m;
    const unsigned round = number / EXCHANGE_STEPS;
    const uint32_t half = UINT32_C(1) << (k.rounds - 1 - round), other = c ^ half;
    const int32_t peer = (int32_t)core_rank(&k, other);
    return exchange(number, peer, peer, core_blocks(op, list, &k, other & ~(half - 1), half, size));
}
