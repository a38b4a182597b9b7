/* tree.c - the trees that Open MPI 4.1 uses for broadcasts and reductions. */
#include "collectives/tree.h"

static void add_child(tlr_tree_place *p, uint64_t child, uint32_t size)
{
    if (child < size)
        p->children[p->n_children++] = (uint32_t)child;
}

static unsigned floor_log2(uint32_t n)
{
    return 31 - (unsigned)__builtin_clz(n);
}

/* Level l has 2^l ranks. Those with an odd number are below the root's first child. */
static void place_in_binary(tlr_tree_place *p, uint32_t v, uint32_t size)
{
    const uint64_t delta = UINT64_C(1) << floor_log2(v + 1);
    if (v) {
        p->parent = v - (uint32_t)(delta / 2);
        if (p->parent + 1 >= delta)
            p->parent -= (uint32_t)(delta / 2);
    }
    add_child(p, v + delta, size);
    add_child(p, v + 2 * delta, size);
}

/* The number of the parent is that of the child without its highest bit. */
static void place_in_binomial(tlr_tree_place *p, uint32_t v, uint32_t size)
{
    p->parent = v ? v - (UINT32_C(1) << floor_log2(v)) : 0;
    for (unsigned k = v ? floor_log2(v) + 1 : 0; k < 32 && v + (UINT64_C(1) << k) < size; k++)
        add_child(p, v + (UINT64_C(1) << k), size);
}

/* The number of the parent is that of the child without its lowest bit. */
static void place_in_order(tlr_tree_place *p, uint32_t v, uint32_t size)
{
    p->parent = v & (v - 1);
    for (uint64_t mask = 1; mask < size && !(v & mask); mask *= 2)
        add_child(p, v + mask, size);
}

/* Like a binomial tree, but with digits to the base 4; the largest subtrees come first. */
static void place_in_knomial(tlr_tree_place *p, uint32_t v, uint32_t size)
{
    uint64_t mask = 1;
    for (; mask < size; mask *= TLR_RADIX)
        if (v % (TLR_RADIX * mask)) {
            p->parent = (uint32_t)(v / (TLR_RADIX * mask) * (TLR_RADIX * mask));
            break;
        }
    for (mask /= TLR_RADIX; mask; mask /= TLR_RADIX)
        for (uint32_t digit = 1; digit < TLR_RADIX; digit++)
            add_child(p, v + digit * mask, size);
}

void tlr_find_place(tlr_tree_place *p, tlr_tree tree, uint32_t v, uint32_t size)
{
    p->parent = p->n_children = 0;
    switch (tree) {
    case TLR_TREE_CHAIN:
        p->parent = v - 1;
        add_child(p, v + UINT64_C(1), size);
        break;
    case TLR_TREE_BINARY: place_in_binary(p, v, size); break;
    case TLR_TREE_BINOMIAL: place_in_binomial(p, v, size); break;
    case TLR_TREE_IN_ORDER_BINOMIAL: place_in_order(p, v, size); break;
    case TLR_TREE_KNOMIAL: place_in_knomial(p, v, size); break;
    }
}
