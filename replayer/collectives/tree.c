/* tree.c - the trees that Open MPI 4.1 uses for broadcasts and reductions. */
#include "collectives/tree.h"

#include <stdint.h>

static void add_child(ompi_place *p, int64_t child, int n_ranks)
{
    if (child < n_ranks && p->n_children < OMPI_MOST_CHILDREN)
        p->children[p->n_children++] = (int)child;
}

/* Node i of level l has the children i + 2^l and i + 2^(l+1). */
static void place_in_binary(ompi_place *p, int me, int n_ranks)
{
    int64_t first = 0, width = 1; /* of my level */
    while (me >= first + width) {
        first += width;
        width *= 2;
    }
    if (me >= 3)
        p->parent = (int)(first - width / 2 + (me - first) % (width / 2));
    add_child(p, me + width, n_ranks);
    add_child(p, me + 2 * width, n_ranks);
}

/* The number of the parent is that of the child without its highest bit. */
static void place_in_binomial(ompi_place *p, int me, int n_ranks)
{
    int64_t mask = 1;
    while (mask <= me)
        mask *= 2;
    if (me)
        p->parent = me ^ (int)(mask / 2);
    for (; mask < n_ranks; mask *= 2)
        add_child(p, me + mask, n_ranks);
}

/* The number of the parent is that of the child without its lowest bit. */
static void place_in_order(ompi_place *p, int me, int n_ranks)
{
    int64_t mask = 1;
    for (; mask < n_ranks && !(me & mask); mask *= 2)
        add_child(p, me + mask, n_ranks);
    if (me)
        p->parent = me ^ (int)mask;
}

static void place_in_knomial(ompi_place *p, int me, int n_ranks)
{
    int64_t mask = 1;
    for (; mask < n_ranks; mask *= OMPI_RADIX)
        if (me % (OMPI_RADIX * mask)) {
            p->parent = (int)(me / (OMPI_RADIX * mask) * (OMPI_RADIX * mask));
            break;
        }
    for (mask /= OMPI_RADIX; mask > 0; mask /= OMPI_RADIX)
        for (int i = 1; i < OMPI_RADIX; i++)
            add_child(p, me + mask * i, n_ranks);
}

void ompi_find_place(ompi_place *p, ompi_tree tree, int me, int n_ranks)
{
    p->n_children = 0;
    p->parent = me ? 0 : -1;
    switch (tree) {
    case OMPI_TREE_CHAIN:
        p->parent = me - 1;
        add_child(p, (int64_t)me + 1, n_ranks);
        break;
    case OMPI_TREE_BINARY: place_in_binary(p, me, n_ranks); break;
    case OMPI_TREE_BINOMIAL: place_in_binomial(p, me, n_ranks); break;
    case OMPI_TREE_IN_ORDER_BINOMIAL: place_in_order(p, me, n_ranks); break;
    case OMPI_TREE_KNOMIAL: place_in_knomial(p, me, n_ranks); break;
    }
}
