/* hpl_panel.c - a panel of HPL, and its factorisation: HPL_pdpanel_init, HPL_pdfact, HPL_pdrpan*,
 * HPL_pdpan*, HPL_pdmxswp. */
#include "hpl.h"

#include "core/room.h"

/* ---- the recursion, flattened once for all panels ---- */

typedef struct builder {
    const tl_hpl *o;
    hpl_step *steps;
    size_t n, room;
    int out_of_memory;
} builder;

static void add(builder *b, hpl_step step)
{
    if (tl_make_room(&b->steps, b->n, &b->room, sizeof *b->steps))
        b->steps[b->n++] = step;
    else
        b->out_of_memory = 1;
}

/* A triangular solve within L1, which is stored as it is or transposed. */
static void add_trsm(builder *b, int32_t order, int32_t columns)
{
    const int transposed = !b->o->l1_no_transpose;
    add(b, (hpl_step){HPL_STEP_TRSM, 0, transposed ? columns : order, transposed ? order : columns,
                      order});
}

/* HPL_pdrpanll*, HPL_pdrpancr*, HPL_pdrpanrl*: n columns, beginning at `offset`. On the process row
 * of the panel, the number of rows is smaller by the number of rows above. */
static void recurse(builder *b, int32_t n, int32_t offset) /* NOLINT(misc-no-recursion) */
{
    const tl_hpl *o = b->o;
    if (n <= o->nbmin) {
        add(b, (hpl_step){HPL_STEP_LEAF, offset, 0, n, 0});
        return;
    }
    const int32_t nb = ((n + o->nbmin - 1) / o->nbmin + o->ndiv - 1) / o->ndiv * o->nbmin;
    int32_t jb = nb;
    for (int32_t jj = 0, left = n; left > 0; jj += jb, jb = left < nb ? left : nb) {
        left -= jb;
        if (o->rfact == HPL_LEFT)
            add_trsm(b, jj, jb);
        if (o->rfact != HPL_RIGHT)
            add(b, (hpl_step){HPL_STEP_GEMM_ROWS, offset + jj, 0, jb, jj});
        recurse(b, jb, offset + jj);
        if (o->rfact == HPL_CROUT && left > 0) {
            const int transposed = !o->l1_no_transpose;
            add(b,
                (hpl_step){HPL_STEP_GEMM, 0, transposed ? left : jb, transposed ? jb : left, jj});
            add_trsm(b, jb, left);
        }
        if (o->rfact == HPL_RIGHT) {
            add_trsm(b, jb, left);
            add(b, (hpl_step){HPL_STEP_GEMM_ROWS, offset + jj + jb, 0, left, jb});
        }
        add(b, (hpl_step){HPL_STEP_COPY, 0, offset + jj, jb, 0});
    }
}

tl_status hpl_panel_prepare(hpl_program *p)
{
    const int32_t last = (int32_t)(p->o.n - (p->n_panels - 1) * p->o.nb);
    p->step_columns[0] = p->o.n < p->o.nb ? (int32_t)p->o.n : p->o.nb;
    p->step_columns[1] = last;
    for (int i = 0; i < 2; i++) {
        builder b = {.o = &p->o};
        recurse(&b, p->step_columns[i], 0);
        p->steps[i] = b.steps;
        p->n_steps[i] = b.n;
        if (b.out_of_memory)
            return TL_ERR_MEMORY;
    }
    return TL_OK;
}

/* ---- HPL_pdpanel_init ---- */

void hpl_panel_init(hpl_rank *r, hpl_panel *panel, int64_t index, int64_t ia, int32_t jb,
                    int32_t tag)
{
    const tl_hpl *o = &r->p->o;
    *panel = (hpl_panel){.index = index,
                         .ia = ia,
                         .jb = jb,
                         .tag = tag,
                         .prow = (int32_t)(ia / o->nb % o->p),
                         .pcol = (int32_t)(ia / o->nb % o->q),
                         .mp = hpl_local_from(o->n - ia, ia, o->nb, r->row, o->p),
                         .nq = hpl_local_from(o->n + 1 - ia, ia, o->nb, r->col, o->q)};
    const int64_t l2_rows = panel->mp - (r->row == panel->prow ? jb : 0);
    panel->length = (l2_rows > 0 ? l2_rows : 0) * jb + (int64_t)jb * jb + jb + 1;
}

/* ---- HPL_pdmxswp: the next pivot's row, to all ranks of the column ---- */

static int32_t column_partner(const hpl_rank *r, const hpl_panel *panel, int32_t distance)
{
    return hpl_add(panel->prow, distance, r->p->o.p);
}

static void exchange_candidates(hpl_rank *r, const hpl_panel *panel, int32_t ip2, int32_t distance)
{
    const int64_t candidate = panel->jb + 4, both = candidate + panel->jb;
    for (int32_t k = 0, bit = 1; bit < ip2; k++, bit <<= 1) {
        const int knows_current = distance >> k == 0, learns = distance >> (k + 1) == 0;
        hpl_exchange(r, HPL_AT_MXSWP, column_partner(r, panel, distance ^ bit),
                     learns && knows_current ? both : candidate,
                     learns && !knows_current ? both : candidate);
    }
}

static void find_pivot(hpl_rank *r, const hpl_panel *panel, int64_t rows)
{
    const int32_t n_rows = r->p->o.p, n0 = panel->jb, candidate = n0 + 4;
    const int32_t distance = hpl_subtract(r->row, panel->prow, n_rows);
    const int32_t ip2 = hpl_power_of_two(n_rows), twin = distance ^ ip2;
    const bool has_twin = n_rows > ip2 && twin < n_rows;
    if (rows > 0) {
        hpl_kernel1(r, TL_KERNEL_dcopy, HPL_AT_FACT, n0);
        if (distance == 0)
            hpl_kernel1(r, TL_KERNEL_dcopy, HPL_AT_FACT, n0);
    }
    if (has_twin)
        hpl_exchange(r, HPL_AT_MXSWP, column_partner(r, panel, twin),
                     distance & ip2  ? candidate
                     : distance == 0 ? n0
                                     : 0,
                     !(distance & ip2) ? candidate
                     : distance == ip2 ? n0
                                       : 0);
    if (distance < ip2)
        exchange_candidates(r, panel, ip2, distance);
    else
        hpl_spread_down(r, HPL_AT_MXSWP, column_partner(r, panel, ip2), distance - ip2,
                        n_rows - ip2, panel->jb, HPL_TAG_PFACT);
    if (has_twin)
        hpl_message_in_column(r, distance & ip2 ? TL_MPI_Recv : TL_MPI_Send, HPL_AT_MXSWP,
                              column_partner(r, panel, twin), candidate, HPL_TAG_PFACT);
}

/* ---- HPL_pdpanll*, HPL_pdpancr*, HPL_pdpanrl*: column by column ---- */

/* The work after the exchange of column `done` of a leaf, which has `left` more columns. */
static void eliminate(hpl_rank *r, int32_t done, int32_t left, int64_t below, bool is_current)
{
    const tl_hpl *o = &r->p->o;
    const int transposed = !o->l1_no_transpose, at = HPL_AT_FACT;
    if (o->pfact == HPL_CROUT) {
        hpl_kernel2(r, TL_KERNEL_dgemv, at, transposed ? left : done, transposed ? done : left);
        if (is_current && done > 0)
            hpl_kernel1(r, TL_KERNEL_dcopy, at, left);
    }
    if (o->pfact == HPL_LEFT)
        hpl_kernel1(r, TL_KERNEL_dtrsv, at, done + 1);
    hpl_kernel1(r, TL_KERNEL_dscal, at, below);
    if (o->pfact == HPL_RIGHT)
        hpl_kernel1(r, TL_KERNEL_daxpy, at, below);
    else
        hpl_kernel2(r, TL_KERNEL_dgemv, at, below, done + 1);
    hpl_kernel1(r, TL_KERNEL_idamax, at, below);
    if (o->pfact == HPL_RIGHT)
        hpl_kernel2(r, TL_KERNEL_dger, at, below, left - 1);
    if (o->pfact == HPL_LEFT && is_current)
        hpl_kernel1(r, TL_KERNEL_dcopy, at, done + 1);
}

/* One column of a leaf; t->n is the next one in the leaf. */
static void factor_column(hpl_rank *r, hpl_task *t, const hpl_step *leaf)
{
    const hpl_panel *panel = t->panel;
    const bool is_current = r->row == panel->prow;
    const int32_t done = (int32_t)t->n, left = leaf->n - 1 - done;
    const int64_t rows = panel->mp - (is_current ? leaf->offset + done : 0);
    const int64_t below = rows - is_current;
    if (done == 0)
        hpl_kernel1(r, TL_KERNEL_idamax, HPL_AT_FACT, rows);
    find_pivot(r, panel, rows);
    if (left > 0)
        eliminate(r, done, left, below, is_current);
    else
        hpl_kernel1(r, TL_KERNEL_dscal, HPL_AT_FACT, below);
}

static void factor_step(hpl_rank *r, const hpl_panel *panel, const hpl_step *s)
{
    const bool is_current = r->row == panel->prow;
    switch (s->kind) {
    case HPL_STEP_GEMM_ROWS:
        hpl_kernel3(r, TL_KERNEL_dgemm, HPL_AT_FACT, panel->mp - (is_current ? s->offset : 0), s->n,
                    s->k);
        break;
    case HPL_STEP_GEMM: hpl_kernel3(r, TL_KERNEL_dgemm, HPL_AT_FACT, s->m, s->n, s->k); break;
    case HPL_STEP_TRSM: hpl_kernel3(r, TL_KERNEL_dtrsm, HPL_AT_FACT, s->m, s->n, s->k); break;
    case HPL_STEP_COPY:
        if (is_current)
            hpl_move(r, r->p->o.l1_no_transpose ? HPL_DLACPY : HPL_DLATCPY, HPL_AT_FACT, s->m,
                     s->n);
        break;
    case HPL_STEP_LEAF: break;
    }
}

/* t->i is the next step, t->n the next column of its leaf. */
static int factor(hpl_rank *r, hpl_task *t)
{
    const hpl_program *p = r->p;
    const int which = t->panel->jb != p->step_columns[0];
    if ((size_t)t->i == p->n_steps[which])
        return 1;
    const hpl_step *s = &p->steps[which][t->i];
    if (s->kind == HPL_STEP_LEAF) {
        factor_column(r, t, s);
        if (++t->n < s->n)
            return 0;
        t->n = 0;
    } else {
        factor_step(r, t->panel, s);
    }
    t->i++;
    return 0;
}

void hpl_panel_factor(hpl_rank *r, hpl_panel *panel)
{
    if (r->col != panel->pcol || panel->jb <= 0)
        return;
    panel->nq -= panel->jb;
    hpl_begin(r, factor)->panel = panel;
}
