/* hpl_swap.c - the exchange of rows by pairs of process rows: HPL_pdlaswp00T and HPL_pdlaswp00N.
 *
 * Distances are process rows, counted from the panel's own. The process rows beyond the largest
 * power of two, ip2, give their rows to a twin. The others exchange, along a hypercube, the
 * collected rows (W) and the panel's rows (U). */
#include "hpl.h"

enum { LOCAL, TWINS, CUBE, TREE, REPLACE, BACK, END };

typedef struct swap {
    int32_t n_rows, ip2, distance, twin;
    int64_t u, row; /* doubles of U; of one row in W */
    int64_t n;
    bool has_twin, is_transposed;
} swap;

static swap describe(const hpl_rank *r, const hpl_task *t)
{
    const tl_hpl *o = &r->p->o;
    swap s = {.n_rows = o->p,
              .ip2 = hpl_power_of_two(o->p),
              .distance = hpl_subtract(r->row, t->panel->prow, o->p),
              .u = t->n * t->panel->jb,
              .row = t->n + 1,
              .n = t->n,
              .is_transposed = !o->u_no_transpose};
    s.twin = s.distance ^ s.ip2;
    s.has_twin = s.n_rows > s.ip2 && s.twin < s.n_rows;
    return s;
}

static int32_t row_at(const hpl_rank *r, const hpl_task *t, int32_t distance)
{
    return hpl_add(t->panel->prow, distance, r->p->o.p);
}

/* The rows that the subcube of 2^k process rows around a distance has collected. */
static int64_t collected(const hpl_rank *r, int32_t distance, int32_t k)
{
    const uint16_t *sums = r->pivots.sums;
    const int32_t from = distance >> k << k;
    return sums[from + (1 << k)] - sums[from];
}

static void copy_locally(hpl_rank *r, const hpl_task *t, const swap *s)
{
    const int64_t moved = r->pivots.moved[s->distance];
    if (s->distance == 0)
        hpl_move(r, s->is_transposed ? HPL_DLASWP01T : HPL_DLASWP01N, HPL_AT_SWAP,
                 t->panel->jb + moved, s->n);
    else
        hpl_move(r, HPL_DLASWP02N, HPL_AT_SWAP, moved, s->n);
}

static void meet_twin(hpl_rank *r, const hpl_task *t, const swap *s)
{
    if (!s->has_twin)
        return;
    const int64_t own = r->pivots.moved[s->distance] * s->row,
                  others = r->pivots.moved[s->twin] * s->row;
    const int32_t twin = row_at(r, t, s->twin);
    if (s->distance == 0) {
        hpl_exchange(r, HPL_AT_SWAP, twin, s->u, others);
        hpl_move(r, s->is_transposed ? HPL_DLASWP03T : HPL_DLASWP03N, HPL_AT_SWAP,
                 r->pivots.moved[s->twin], s->n);
    } else if (s->distance == s->ip2) {
        hpl_exchange(r, HPL_AT_SWAP, twin, own, s->u);
    } else if (s->distance & s->ip2) {
        hpl_exchange(r, HPL_AT_SWAP, twin, own, 0);
    } else {
        hpl_exchange(r, HPL_AT_SWAP, twin, 0, others);
    }
}

/* Exchanges along dimension k of the hypercube. */
static void meet_neighbour(hpl_rank *r, const hpl_task *t, const swap *s, int32_t k)
{
    const int32_t neighbour = s->distance ^ (1 << k), row = row_at(r, t, neighbour);
    const int64_t own = collected(r, s->distance, k), others = collected(r, neighbour, k);
    if (s->distance >> (k + 1)) {
        hpl_exchange(r, HPL_AT_SWAP, row, own * s->row, others * s->row);
    } else if (s->distance >> k == 0) {
        hpl_exchange(r, HPL_AT_SWAP, row, s->u, others * s->row);
        hpl_move(r, s->is_transposed ? HPL_DLASWP03T : HPL_DLASWP03N, HPL_AT_SWAP, others, s->n);
    } else {
        hpl_exchange(r, HPL_AT_SWAP, row, own * s->row, s->u);
        hpl_move(r, s->is_transposed ? HPL_DLASWP04T : HPL_DLASWP04N, HPL_AT_SWAP, own, s->n);
    }
}

static void give_back(hpl_rank *r, const hpl_task *t, const swap *s)
{
    if (s->has_twin)
        hpl_message_in_column(r, s->distance & s->ip2 ? TL_MPI_Recv : TL_MPI_Send, HPL_AT_SWAP,
                              row_at(r, t, s->twin), s->u, HPL_TAG_PFACT);
}

/* t->i is the next dimension or bit. */
static int swap_step(hpl_rank *r, hpl_task *t)
{
    const swap s = describe(r, t);
    switch (t->state) {
    case LOCAL:
        hpl_pivots_find(r, t->panel);
        copy_locally(r, t, &s);
        t->state = TWINS;
        break;
    case TWINS:
        meet_twin(r, t, &s);
        t->state = s.distance < s.ip2 ? CUBE : TREE;
        t->i = s.distance < s.ip2     ? 0
               : s.n_rows - s.ip2 > 1 ? hpl_power_of_two(s.n_rows - s.ip2 - 1)
                                      : 0;
        break;
    case CUBE:
        if (1 << t->i == s.ip2) {
            t->state = BACK;
            return 0;
        }
        meet_neighbour(r, t, &s, (int32_t)t->i++);
        break;
    case TREE:
        if (!t->i) {
            t->state = REPLACE;
            return 0;
        }
        hpl_pass_down(r, HPL_AT_SWAP, row_at(r, t, s.ip2), s.distance - s.ip2, s.n_rows - s.ip2,
                      (int32_t)t->i, s.u, HPL_TAG_PFACT);
        t->i /= 2;
        break;
    case REPLACE:
        hpl_move(r, s.is_transposed ? HPL_DLASWP05T : HPL_DLASWP05N, HPL_AT_SWAP,
                 r->pivots.moved[s.distance], s.n);
        t->state = BACK;
        return 0;
    case BACK:
        give_back(r, t, &s);
        t->state = END;
        break;
    default: return 1;
    }
    hpl_poll(r);
    return 0;
}

void hpl_swap_exchange(hpl_rank *r, hpl_panel *panel, int64_t n)
{
    hpl_task *t = hpl_begin(r, swap_step);
    t->panel = panel;
    t->n = n;
}
