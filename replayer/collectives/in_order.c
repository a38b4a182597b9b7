/* in_order.c - reductions, broadcasts and blocks along in-order binomial trees (Open
 * MPI's: ompi/mca/coll/base/coll_base_topo.c).
 *
 * Rank v, counted from the root, has the ranks from v up to its next sibling in its subtree: its
 * parent is v without its lowest bit. Children come in ascending order, each waited for before the
 * next one, as in SMPI's algorithms with the same names.
 *
 * Open MPI's reduction posts the receive of the next child before it waits for a child. Messages
 * that wait for their receives therefore come as if all receives were posted (is_blocking 0).
 * SMPI's reduction binomial, which is MPICH's, waits for each child before the next one; its
 * broadcast binomial_tree serves the largest subtree first. */
#include "collectives/message.h"

static uint64_t blocks_of(uint32_t v, uint32_t size)
{
    const uint64_t width = tree_width(v, size), left = size - v;
    return width < left ? width : left;
}

static uint32_t children_of(uint32_t v, uint32_t size)
{
    const uint64_t width = tree_width(v, size);
    uint32_t n = 0;
    while (UINT64_C(1) << n < width && v + (UINT64_C(1) << n) < size)
        n++;
    return n;
}

/* Receives from all children, then sends to the parent; the blocks of the subtree, or one. */
static tlr_message up(const tlr_collective *op, uint32_t me, uint32_t size, uint32_t number,
                      bool has_blocks, int waits_each)
{
    const uint32_t v = relative_to_root(op, me, size), n = children_of(v, size);
    const uint32_t n_steps = waits_each ? 2 * n : n + (n > 0);
    if (number < n_steps) {
        const uint32_t child = waits_each ? number / 2 : number;
        return child == n || (waits_each && number % 2)
                   ? until_done
                   : receive_from(from_root(op, v + (UINT32_C(1) << child), size), op->amount);
    }
    number -= n_steps;
    return v ? alone(number, send_to(from_root(op, v & (v - 1), size),
                                     op->amount * (has_blocks ? blocks_of(v, size) : 1)))
             : at_end;
}

tlr_message tlr_reduce_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                                uint32_t number)
{
    return up(op, me, size, number, 0, op->is_blocking);
}

tlr_message tlr_reduce_in_turn(const tlr_collective *op, uint32_t me, uint32_t size,
                               uint32_t number)
{
    return up(op, me, size, number, 0, 1);
}

tlr_message tlr_gather_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                                uint32_t number)
{
    return up(op, me, size, number, 1, 1);
}

/* Receives from the parent, then sends to all children; the blocks of the subtree, or one. */
static tlr_message down(const tlr_collective *op, uint32_t me, uint32_t size, uint32_t number,
                        bool has_blocks)
{
    const uint32_t v = relative_to_root(op, me, size), n = children_of(v, size);
    if (v) {
        if (number < 2)
            return number ? until_done : receive_from(from_root(op, v & (v - 1), size), 0);
        number -= 2;
    }
    if (number >= 2 * n)
        return at_end;
    const uint32_t child = v + (UINT32_C(1) << (has_blocks ? number / 2 : n - 1 - number / 2));
    return number % 2 ? until_done
                      : send_to(from_root(op, child, size),
                                op->amount * (has_blocks ? blocks_of(child, size) : 1));
}

tlr_message tlr_scatter_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                                 uint32_t number)
{
    return down(op, me, size, number, 1);
}

tlr_message tlr_bcast_in_order(const tlr_collective *op, uint32_t me, uint32_t size,
                               uint32_t number)
{
    return down(op, me, size, number, 0);
}
