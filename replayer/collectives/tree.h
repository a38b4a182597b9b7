/* tree.h - the trees that Open MPI 4.1 uses for broadcasts and reductions. */
#ifndef TLR_COLLECTIVES_TREE_H
#define TLR_COLLECTIVES_TREE_H

typedef enum ompi_tree {
    OMPI_TREE_CHAIN,
    OMPI_TREE_BINARY,
    OMPI_TREE_BINOMIAL,
    OMPI_TREE_IN_ORDER_BINOMIAL,
    OMPI_TREE_KNOMIAL /* of radix 4 */
} ompi_tree;

/* In a tree of 2^31 ranks, no node has more children. */
enum { OMPI_RADIX = 4, OMPI_MOST_CHILDREN = 64 };

/* The position of a rank in a tree whose root is 0. */
typedef struct ompi_place {
    int parent; /* -1: the root */
    int n_children;
    int children[OMPI_MOST_CHILDREN]; /* in the order in which Open MPI goes through them */
} ompi_place;

void ompi_find_place(ompi_place *p, ompi_tree tree, int me, int n_ranks);

#endif
