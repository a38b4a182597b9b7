/* hpl_update.c - the update of the trailing matrix: HPL_pdupdateTT, TN, NT and NN.
 *
 * Until the next panel comes, HPL tests for it between pieces of NB columns. When it has come, the
 * rest is one piece. */
#include "hpl.h"

/* A single process row swaps its rows without messages, a piece at a time. */
static void update_piece(hpl_rank *r, const hpl_panel *panel, int64_t columns)
{
    const tl_hpl *o = &r->p->o;
    const int at = HPL_AT_UPDATE, is_current = r->row == panel->prow;
    const int on_the_left = o->p == 1 || o->u_no_transpose;
    if (o->p == 1)
        hpl_move(r, HPL_DLASWP00N, HPL_AT_SWAP, panel->jb, columns);
    hpl_kernel3(r, TL_KERNEL_dtrsm, at, on_the_left ? panel->jb : columns,
                on_the_left ? columns : panel->jb, panel->jb);
    hpl_kernel3(r, TL_KERNEL_dgemm, at, panel->mp - (is_current ? panel->jb : 0), columns,
                panel->jb);
    if (o->p > 1 && is_current)
        hpl_move(r, o->u_no_transpose ? HPL_DLACPY : HPL_DLATCPY, at, panel->jb, columns);
}

enum { BEGIN, SWAP, PIECES, ASKED };

static int64_t next_piece(const hpl_rank *r, const hpl_task *t, int64_t done)
{
    const int64_t left = t->n - done;
    return r->pending && left > r->p->o.nb ? r->p->o.nb : left;
}

/* Some pieces with a probe behind each, as if no panel came. t->j columns are done then. */
static void put_pieces(hpl_rank *r, hpl_task *t)
{
    t->j = t->i;
    for (uint32_t k = 0; k < r->ahead && t->j < t->n; k++) {
        const int64_t piece = next_piece(r, t, t->j);
        update_piece(r, t->panel, piece);
        hpl_put_probe(r);
        t->j += piece;
    }
    t->state = ASKED;
}

/* Goes on behind the piece after which the panel came, or behind the last one. */
static void take_answers(hpl_rank *r, hpl_task *t)
{
    bool has_come = 0;
    while (t->i < t->j && !has_come) {
        t->i += next_piece(r, t, t->i);
        r->columns_done = t->i;
        has_come = hpl_take_answer(r);
    }
    t->state = PIECES;
}

/* All columns are done. HPL polls until the panel is there. */
static int end_update(hpl_rank *r, hpl_task *t)
{
    t->panel->nq -= t->n;
    if (r->pending)
        hpl_broadcast(r, r->pending);
    r->pending = NULL;
    return 1;
}

/* t->n columns; t->i of them are done. */
static int update(hpl_rank *r, hpl_task *t)
{
    const tl_hpl *o = &r->p->o;
    switch (t->state) {
    case BEGIN:
        t->state = o->p > 1 ? SWAP : PIECES;
        hpl_poll(r);
        return 0;
    case SWAP:
        t->state = PIECES;
        if (o->swap == HPL_SWAP_LONG || (o->swap == HPL_SWAP_MIX && t->n > o->threshold))
            hpl_swap_long(r, t->panel, t->n);
        else
            hpl_swap_exchange(r, t->panel, t->n);
        return 0;
    case ASKED: take_answers(r, t); return 0;
    default: break;
    }
    r->columns_done = t->i;
    if (t->i == t->n)
        return end_update(r, t);
    if (hpl_polls_ahead(r)) {
        put_pieces(r, t);
        return 0;
    }
    const int64_t piece = next_piece(r, t, t->i);
    update_piece(r, t->panel, piece);
    r->columns_done = t->i += piece;
    hpl_poll(r);
    return 0;
}

void hpl_update(hpl_rank *r, hpl_panel *pending, hpl_panel *panel, int64_t n)
{
    if (n > panel->nq)
        n = panel->nq;
    if (n <= 0 || panel->jb <= 0) {
        if (pending)
            hpl_broadcast(r, pending);
        return;
    }
    r->pending = r->p->o.q > 1 ? pending : NULL;
    r->columns_done = 0;
    r->columns = n;
    hpl_task *t = hpl_begin(r, update);
    t->panel = panel;
    t->n = n;
}
