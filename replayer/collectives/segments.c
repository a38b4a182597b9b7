/* segments.c - broadcasts along chains and trees, in segments.
 *
 * Trees and order are those of Open MPI (ompi/mca/coll/base/coll_base_topo.c, coll_base_bcast.c).
 * Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", Cluster Computing
 * 10, 2007, section 3, describes them. A rank posts the receive of the next segment before it
 * passes the present one on. If an algorithm has SMPI's name, the sizes of the segments are SMPI's.
 * The fixed decisions of Open MPI 4.1 send one segment only. */
#include "collectives/message.h"

enum { RADIX = 4, MOST_CHILDREN = (RADIX - 1) * 16 };

/* The place of a rank in a tree: numbers counted from the root. */
typedef struct place {
    uint32_t parent;
    uint32_t n_children, children[MOST_CHILDREN];
} place;

static void add_child(place *p, uint64_t child, uint32_t size)
{
    if (child < size)
        p->children[p->n_children++] = (uint32_t)child;
}

static place in_chain(uint32_t v, uint32_t size)
{
    place p = {.parent = v - 1};
    add_child(&p, v + UINT64_C(1), size);
    return p;
}

/* Level l has 2^l ranks. Those with an odd number are below the root's first child. */
static place in_binary_tree(uint32_t v, uint32_t size)
{
    const unsigned level = floor_log2(v + 1);
    const uint64_t delta = UINT64_C(1) << level;
    place p = {0};
    if (v) {
        p.parent = v - (uint32_t)(delta / 2);
        if (p.parent + 1 >= delta)
            p.parent -= (uint32_t)(delta / 2);
    }
    add_child(&p, v + delta, size);
    add_child(&p, v + 2 * delta, size);
    return p;
}

/* The parent is the number without its highest bit. */
static place in_binomial_tree(uint32_t v, uint32_t size)
{
    place p = {.parent = v ? v - (UINT32_C(1) << floor_log2(v)) : 0};
    for (unsigned k = v ? floor_log2(v) + 1 : 0; k < 32 && v + (UINT64_C(1) << k) < size; k++)
        add_child(&p, v + (UINT64_C(1) << k), size);
    return p;
}

/* Like a binomial tree, but with digits to the base RADIX; the largest subtrees come first. */
static place in_knomial_tree(uint32_t v, uint32_t size)
{
    place p = {0};
    uint64_t mask = 1;
    for (; mask < size; mask *= RADIX)
        if (v % (RADIX * mask)) {
            p.parent = (uint32_t)(v / (RADIX * mask) * (RADIX * mask));
            break;
        }
    for (mask /= RADIX; mask; mask /= RADIX)
        for (uint32_t digit = 1; digit < RADIX; digit++)
            add_child(&p, v + digit * mask, size);
    return p;
}

static place place_in(const loggops_op *op, uint32_t v, uint32_t size)
{
    switch (op->algorithm) {
    case LOGGOPS_BCAST_CHAIN:
    case LOGGOPS_BCAST_PIPELINE: return in_chain(v, size);
    case LOGGOPS_BCAST_KNOMIAL: return in_knomial_tree(v, size);
    case LOGGOPS_BCAST_BINOMIAL_AT_ONCE: return in_binomial_tree(v, size);
    default: return in_binary_tree(v, size);
    }
}

/* SMPI's bcast-ompi-pipeline, bcast-ompi-split-bintree; 0: one segment. SMPI took the numbers from
 * the fixed decisions of Open MPI (coll_tuned_decision_fixed.c): lines a bytes + b for segments of
 * 128 (a_p128, b_p128), 64 and 16 KiB, and intermediate_message_size. */
static uint64_t segment_bytes(const loggops_op *op, uint32_t size)
{
    const uint64_t KIB = 1024, intermediate = 370728;
    const double bytes = (double)op->amount;
    switch (op->algorithm) {
    case LOGGOPS_BCAST_PIPELINE:
        if (size < 1.6134e-6 * bytes + 2.1102)
            return 128 * KIB;
        if (size < 2.3679e-6 * bytes + 1.1787)
            return 64 * KIB;
        return size < 3.2118e-6 * bytes + 8.7936 ? 16 * KIB : 128 * KIB;
    case LOGGOPS_BCAST_SPLIT_SEGMENTS: return op->amount < intermediate ? KIB : 8 * KIB;
    default: return 0;
    }
}

/* A segment of a buffer. */
typedef struct segments {
    uint64_t bytes, each;
    uint32_t n;
} segments;

static segments cut(uint64_t bytes, uint64_t each)
{
    if (!each || each >= bytes)
        return (segments){bytes, bytes, 1};
    return (segments){bytes, each, (uint32_t)((bytes + each - 1) / each)};
}

static uint64_t bytes_of(const segments *s, uint32_t number)
{
    return number + 1 < s->n ? s->each : s->bytes - (s->n - 1) * s->each;
}

/* Rank v passes the segments on. *number continues after its last step. */
static loggops_step pass_down(const loggops_op *op, uint32_t v, uint32_t size, const place *p,
                              const segments *s, uint32_t *number)
{
    if (v) {
        if (*number < 2)
            return *number ? until_done : receive_from(from_root(op, p->parent, size), 0);
        *number -= 2;
    }
    const uint32_t n_received = v ? s->n - 1 : 0; /* after the first */
    if (!p->n_children) {
        if (*number < 2 * n_received)
            return *number % 2 ? until_done : receive_from(from_root(op, p->parent, size), 0);
        *number -= 2 * n_received;
        return at_end;
    }
    /* For all segments except the last: the receive of the next one, the sends, a wait. */
    const uint32_t each = (v ? 1 : 0) + p->n_children + 1, all = each * (s->n - 1);
    const int is_last = *number >= all;
    const uint32_t segment = is_last ? s->n - 1 : *number / each;
    uint32_t step = is_last ? *number - all : *number % each;
    if (v && !is_last && step-- == 0)
        return receive_from(from_root(op, p->parent, size), 0);
    if (step < p->n_children) {
        const int32_t child = from_root(op, p->children[step], size);
        const int is_split =
            op->algorithm == LOGGOPS_BCAST_SPLIT || op->algorithm == LOGGOPS_BCAST_SPLIT_SEGMENTS;
        return is_split ? send_to(child, bytes_of(s, segment))
                        : start_to(child, bytes_of(s, segment));
    }
    if (step == p->n_children)
        return until_done;
    *number = step - p->n_children - 1;
    return at_end;
}

loggops_step loggops_bcast_tree(const loggops_op *op, uint32_t me, uint32_t size, uint32_t number)
{
    const uint32_t v = relative_to_root(op, me, size);
    const place p = place_in(op, v, size);
    const segments s = cut(op->amount, segment_bytes(op, size));
    return pass_down(op, v, size, &p, &s, &number);
}

/* ---- halves ---- */

/* The root sends the segments of both halves in turn, each half to its own child. */
static loggops_step send_halves(const loggops_op *op, uint32_t size, const place *p,
                                const segments halves[2], uint32_t *number)
{
    /* The first half has as many segments as the second one, or one more. */
    const uint32_t all =
        (p->n_children > 0 ? halves[0].n : 0) + (p->n_children > 1 ? halves[1].n : 0);
    if (*number >= 2 * all) {
        *number -= 2 * all;
        return at_end;
    }
    if (*number % 2)
        return until_done;
    const uint32_t sent = *number / 2, child = sent % p->n_children;
    return send_to(from_root(op, p->children[child], size),
                   bytes_of(&halves[child], sent / p->n_children));
}

/* The left side of the tree receives the first half, the right side the second half. The pairs of
 * both sides exchange their halves; the root replaces a missing partner of the last rank. A message
 * that cannot be divided uses a chain. A rank starts all sends of one segment together. */
loggops_step loggops_bcast_split(const loggops_op *op, uint32_t me, uint32_t size, uint32_t number)
{
    const uint32_t v = relative_to_root(op, me, size);
    const uint64_t each = segment_bytes(op, size), second = op->amount / 2;
    const segments halves[2] = {cut(op->amount - second, each), cut(second, each)};
    if (!second || each > second) {
        const place p = in_chain(v, size);
        const segments s = cut(op->amount, each);
        return pass_down(op, v, size, &p, &s, &number);
    }
    const place p = in_binary_tree(v, size);
    const unsigned side = v % 2 ? 0 : 1;
    const loggops_step step = v ? pass_down(op, v, size, &p, &halves[side], &number)
                                : send_halves(op, size, &p, halves, &number);
    if (step.kind != LOGGOPS_END)
        return step;
    if (size % 2 && !v)
        return at_end;
    if (size % 2 == 0 && (!v || v + 1 == size)) {
        if (number > 1)
            return at_end;
        return number ? until_done
               : v    ? receive_from(op->peer, 0)
                      : send_to(from_root(op, size - 1, size), second);
    }
    if (number >= EXCHANGE_STEPS)
        return at_end;
    const int32_t pair = from_root(op, side ? v - 1 : v + 1, size);
    return exchange(number, pair, pair, halves[side].bytes);
}
