/* hosts.c - collectives with a step for the ranks of a host, as SMPI's rules of mpich.
 *
 * The list has the number of ranks of each host, which follow each other in the communicator, and
 * three algorithms, each of which may be none: among the ranks of a host, among the first ranks of
 * all hosts, and again among the ranks of a host. Rank 0 of a host is the root there. */
#include "collectives/message.h"

/* Some ranks: every `stride`-th of `size`, from `first` on. */
typedef struct group {
    uint32_t first, stride, size;
} group;

/* A step of one of the algorithms. *number continues after its last step. */
static tlr_message step_among(const tlr_collective *op, uint8_t algorithm, const group *g,
                              int32_t root, uint32_t me, uint32_t *number, bool *combines)
{
    const tlr_collective part = {algorithm, algorithm == TLR_REDUCE_LINEAR, root, op->amount};
    const uint32_t at = (me - g->first) / g->stride;
    if (!algorithm)
        return at_end;
    tlr_message m = tlr_collective_step(&part, NULL, at, g->size, *number);
    if (m.kind == TLR_MESSAGE_END) {
        uint32_t n = 0;
        while (tlr_collective_step(&part, NULL, at, g->size, n).kind != TLR_MESSAGE_END)
            n++;
        *number -= n;
        return m;
    }
    int32_t *const ranks[] = {&m.peer, &m.then_to, &m.from};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        if (*ranks[i] >= 0)
            *ranks[i] = (int32_t)(g->first + (uint32_t)*ranks[i] * g->stride);
    *combines = tlr_collective_combines(&part, NULL, at, g->size, *number);
    return m;
}

/* The whole buffer. */
static tlr_message pass(const tlr_collective *op, int32_t from, int32_t to, uint32_t me,
                        uint32_t *number)
{
    if (from == to || ((int32_t)me != from && (int32_t)me != to))
        return at_end;
    if (*number < 2)
        return *number               ? until_done
               : (int32_t)me == from ? send_to(to, op->amount)
                                     : receive_from(from, op->amount);
    *number -= 2;
    return at_end;
}

tlr_message tlr_on_hosts(const tlr_collective *op, const int64_t *list, uint32_t me, uint32_t size,
                         uint32_t number, bool *combines)
{
    const uint32_t n = (uint32_t)list[1], first = me - me % n;
    const uint8_t up = (uint8_t)list[2], across = (uint8_t)list[3], down = (uint8_t)list[4];
    const group host = {first, 1, n}, firsts = {0, n, size / n};
    const bool is_bcast = !up, is_reduction = !down; /* an allreduce has all three */
    const int32_t root = op->root, first_of_root = root - root % (int32_t)n;
    *combines = 0;
    tlr_message m = is_bcast ? pass(op, root, 0, me, &number) : at_end;
    if (m.kind == TLR_MESSAGE_END)
        m = step_among(op, up, &host, 0, me, &number, combines);
    if (m.kind == TLR_MESSAGE_END && me == first)
        m = step_among(op, across, &firsts, is_reduction ? root / (int32_t)n : 0, me, &number,
                       combines);
    if (m.kind == TLR_MESSAGE_END)
        m = step_among(op, down, &host, 0, me, &number, combines);
    if (m.kind == TLR_MESSAGE_END && is_reduction)
        m = pass(op, first_of_root, root, me, &number);
    return m;
}
