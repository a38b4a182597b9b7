/* tree.h - the trees that Open MPI 4.1 uses for broadcasts and reductions
 * (ompi/mca/coll/base/coll_base_topo.c). */
#ifndef TLR_COLLECTIVES_TREE_H
#define TLR_COLLECTIVES_TREE_H

#include <stdint.h>

typedef enum tlr_tree {
    TLR_TREE_CHAIN,
    TLR_TREE_BINARY,
    TLR_TREE_BINOMIAL,
    TLR_TREE_IN_ORDER_BINOMIAL,
    TLR_TREE_KNOMIAL /* of radix 4 */
} tlr_tree;

enum { TLR_RADIX = 4, TLR_MOST_CHILDREN = (TLR_RADIX - 1) * 16 };

/* The place of a rank in a tree whose root is 0. */
typedef struct tlr_tree_place {
    uint32_t parent; /* unless it is the root */
    uint32_t n_children;
    uint32_t children[TLR_MOST_CHILDREN]; /* in the order in which Open MPI goes through them */
} tlr_tree_place;

void tlr_find_place(tlr_tree_place *p, tlr_tree tree, uint32_t v, uint32_t size);

#endif
