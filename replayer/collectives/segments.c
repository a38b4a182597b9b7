/* segments.c - broadcasts along chains and trees, in segments.
 *
 * Trees and order are those of Open MPI (ompi/mca/coll/base/coll_base_topo.c, coll_base_bcast.c).
 * Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", Cluster Computing
 * 10, 2007, section 3, describes them. A rank posts the receive of the next segment before it
 * passes the present one on. If an algorithm has SMPI's name, the sizes of the segments are SMPI's.
 * The fixed decisions of Open MPI 4.1 send one segment only. */
#include "collectives/message.h"
#include "collectives/tree.h"

static tlr_tree tree_of(uint8_t algorithm)
{
    switch (algorithm) {
    case TLR_BCAST_CHAIN:
    case TLR_BCAST_PIPELINE: return TLR_TREE_CHAIN;
    case TLR_BCAST_KNOMIAL: return TLR_TREE_KNOMIAL;
    case TLR_BCAST_BINOMIAL_AT_ONCE: return TLR_TREE_BINOMIAL;
    default: return TLR_TREE_BINARY;
    }
}

/* SMPI's bcast-ompi-pipeline, bcast-ompi-split-bintree; 0: one segment. SMPI took the numbers from
 * the fixed decisions of Open MPI (coll_tuned_decision_fixed.c): lines a bytes + b for segments of
 * 128 (a_p128, b_p128), 64 and 16 KiB, and intermediate_message_size. */
static uint64_t segment_bytes(const tlr_collective *op, uint32_t size)
{
    const uint64_t KIB = 1024, intermediate = 370728;
    const double bytes = (double)op->amount;
    switch (op->algorithm) {
    case TLR_BCAST_PIPELINE:
        if (size < 1.6134e-6 * bytes + 2.1102)
            return 128 * KIB;
        if (size < 2.3679e-6 * bytes + 1.1787)
            return 64 * KIB;
        return size < 3.2118e-6 * bytes + 8.7936 ? 16 * KIB : 128 * KIB;
    case TLR_BCAST_SPLIT_SEGMENTS: return op->amount < intermediate ? KIB : 8 * KIB;
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
static tlr_message pass_down(const tlr_collective *op, uint32_t v, uint32_t size,
                             const tlr_tree_place *p, const segments *s, uint32_t *number)
{
    if (v) {
        if (*number < 2)
            return *number ? until_done
                           : receive_some(from_root(op, p->parent, size), bytes_of(s, 0));
        *number -= 2;
    }
    const uint32_t n_received = v ? s->n - 1 : 0; /* after the first */
    if (!p->n_children) {
        if (*number < 2 * n_received)
            return *number % 2
                       ? until_done
                       : receive_some(from_root(op, p->parent, size), bytes_of(s, 1 + *number / 2));
        *number -= 2 * n_received;
        return at_end;
    }
    /* For all segments except the last: the receive of the next one, the sends, a wait. */
    const uint32_t each = (v ? 1 : 0) + p->n_children + 1, all = each * (s->n - 1);
    const bool is_last = *number >= all;
    const uint32_t segment = is_last ? s->n - 1 : *number / each;
    uint32_t step = is_last ? *number - all : *number % each;
    if (v && !is_last && step-- == 0)
        return receive_some(from_root(op, p->parent, size), bytes_of(s, segment + 1));
    if (step < p->n_children) {
        const int32_t child = from_root(op, p->children[step], size);
        const bool is_split =
            op->algorithm == TLR_BCAST_SPLIT || op->algorithm == TLR_BCAST_SPLIT_SEGMENTS;
        return is_split ? send_to(child, bytes_of(s, segment))
                        : start_to(child, bytes_of(s, segment));
    }
    if (step == p->n_children)
        return until_done;
    *number = step - p->n_children - 1;
    return at_end;
}

tlr_message tlr_bcast_tree(const tlr_collective *op, uint32_t me, uint32_t size, uint32_t number)
{
    const uint32_t v = relative_to_root(op, me, size);
    tlr_tree_place p;
    tlr_find_place(&p, tree_of(op->algorithm), v, size);
    const segments s = cut(op->amount, segment_bytes(op, size));
    return pass_down(op, v, size, &p, &s, &number);
}

/* ---- halves ---- */

/* The root sends the segments of both halves in turn, each half to its own child. */
static tlr_message send_halves(const tlr_collective *op, uint32_t size, const tlr_tree_place *p,
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
tlr_message tlr_bcast_split(const tlr_collective *op, uint32_t me, uint32_t size, uint32_t number)
{
    const uint32_t v = relative_to_root(op, me, size);
    const uint64_t each = segment_bytes(op, size), second = op->amount / 2;
    const segments halves[2] = {cut(op->amount - second, each), cut(second, each)};
    tlr_tree_place p;
    if (!second || each > second) {
        tlr_find_place(&p, TLR_TREE_CHAIN, v, size);
        const segments s = cut(op->amount, each);
        return pass_down(op, v, size, &p, &s, &number);
    }
    tlr_find_place(&p, TLR_TREE_BINARY, v, size);
    const unsigned side = v % 2 ? 0 : 1;
    const tlr_message step = v ? pass_down(op, v, size, &p, &halves[side], &number)
                               : send_halves(op, size, &p, halves, &number);
    if (step.kind != TLR_MESSAGE_END)
        return step;
    if (size % 2 && !v)
        return at_end;
    if (size % 2 == 0 && (!v || v + 1 == size)) {
        if (number > 1)
            return at_end;
        return number ? until_done
               : v    ? receive_some(op->root, second)
                      : send_to(from_root(op, size - 1, size), second);
    }
    if (number >= EXCHANGE_STEPS)
        return at_end;
    const int32_t pair = from_root(op, side ? v - 1 : v + 1, size);
    tlr_message last = exchange(number, pair, pair, halves[side].bytes);
    last.room = halves[!side].bytes;
    return last;
}
