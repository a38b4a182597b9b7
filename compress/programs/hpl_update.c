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

enum { BEGIN, SWAP, PIECES };

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
    default: break;
    }
    r->columns_done = t->i;
    if (t->i == t->n) {
        t->panel->nq -= t->n;
        /* When no columns are left, HPL polls until the panel is there. */
        if (r->pending)
            hpl_broadcast(r, r->pending);
        r->pending = NULL;
        return 1;
    }
    const int64_t left = t->n - t->i, piece = r->pending && left > o->nb ? o->nb : left;
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
