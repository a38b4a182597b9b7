/* hpl_solve.c - the back substitution: HPL_pdtrsv, and HPL_broadcast at its end. */
#include "hpl.h"

/* The state of HPL_pdtrsv from one block of columns to the next. */
typedef struct substitution {
    int64_t n;           /* columns that are left */
    int64_t np, np_prev; /* Anp, Anpprev: local rows above the block */
    int64_t n1, n1_prev; /* n1p, n1pprev: those of them that the next blocks need first */
    int32_t row, col, row_prev, col_prev; /* Alrow, Alcol and those before */
    int64_t kb_prev;
    int32_t round; /* of the message tags */
} substitution;

/* The rows of the next npcol - 1 blocks. */
static int64_t needed_next(const hpl_rank *r, int64_t n)
{
    const tl_hpl *o = &r->p->o;
    int64_t most = (o->q - 1) * (int64_t)o->nb;
    most = most > o->nb ? most : o->nb;
    const int64_t rows = n < most ? n : most;
    return rows > 0 ? hpl_local_from(rows, n - rows, o->nb, r->row, o->p) : 0;
}

/* Odd tags are for rows, even tags for columns. */
static int32_t row_tag(const substitution *s)
{
    return HPL_TAG_TRSV + 2 * (s->round + 1) % HPL_TAGS_TRSV;
}

static int32_t column_tag(const substitution *s)
{
    return HPL_TAG_TRSV + 1 + 2 * s->round % HPL_TAGS_TRSV;
}

static void in_column(hpl_rank *r, uint16_t call, int32_t row, int64_t doubles, int32_t tag)
{
    if (doubles > 0)
        hpl_message_in_column(r, call, HPL_AT_TRSV, row, doubles, tag);
}

static void in_row(hpl_rank *r, uint16_t call, int32_t column, int64_t doubles, int32_t tag)
{
    if (doubles > 0)
        hpl_message_in_row(r, call, HPL_AT_TRSV, column, doubles, tag);
}

/* The first block, and the right-hand side to the ranks that own it. */
static void begin_substitution(hpl_rank *r, substitution *s)
{
    const tl_hpl *o = &r->p->o;
    const int64_t blocks_before = (o->n - 1) / o->nb, kb = o->n - blocks_before * o->nb;
    const int32_t b_col = (int32_t)(o->n / o->nb % o->q);
    *s = (substitution){.n = o->n - kb,
                        .row_prev = (int32_t)(blocks_before % o->p),
                        .col_prev = (int32_t)(blocks_before % o->q),
                        .np = hpl_local(o->n, o->nb, r->row, o->p),
                        .kb_prev = kb};
    if (s->col_prev != b_col) {
        if (r->col == b_col)
            in_row(r, TL_MPI_Send, s->col_prev, s->np, HPL_TAG_TRSV);
        else if (r->col == s->col_prev)
            in_row(r, TL_MPI_Recv, b_col, s->np, HPL_TAG_TRSV);
    }
    s->np_prev = s->np;
    s->n1_prev = needed_next(r, s->n);
    if (r->row == s->row_prev)
        s->np_prev = s->np -= kb;
    if (r->row == s->row_prev && r->col == s->col_prev) {
        hpl_kernel1(r, TL_KERNEL_dtrsv, HPL_AT_TRSV, kb);
        hpl_kernel1(r, TL_KERNEL_dcopy, HPL_AT_TRSV, kb);
    }
    s->row = hpl_subtract(s->row_prev, 1, o->p);
    s->col = hpl_subtract(s->col_prev, 1, o->q);
    s->n1 = needed_next(r, s->n - o->nb);
}

/* The process column that owns the block before: its part of the solution goes around. The blocks
 * to the left get the part of the product that they need next. */
static void pass_solution(hpl_rank *r, const substitution *s)
{
    const tl_hpl *o = &r->p->o;
    const int32_t up = hpl_subtract(r->row, 1, o->p), down = hpl_add(r->row, 1, o->p);
    const int32_t tag = column_tag(s);
    if (r->row != s->row_prev)
        in_column(r, TL_MPI_Recv, down, s->kb_prev, tag);
    else if (o->p > 1)
        in_column(r, TL_MPI_Send, up, s->kb_prev, tag);
    if (s->n1_prev > 0) {
        hpl_kernel2(r, TL_KERNEL_dgemv, HPL_AT_TRSV, s->n1_prev, s->kb_prev);
        if (o->q > 1)
            in_row(r, TL_MPI_Send, s->col, s->n1_prev, row_tag(s));
    }
    if (r->row != s->row_prev && r->row != hpl_add(s->row_prev, 1, o->p))
        in_column(r, TL_MPI_Send, up, s->kb_prev, tag);
}

static void solve_block(hpl_rank *r, substitution *s)
{
    const tl_hpl *o = &r->p->o;
    if (r->row == s->row)
        s->np -= o->nb;
    if (r->col == s->col_prev) {
        pass_solution(r, s);
    } else if (r->col == s->col && s->n1_prev > 0) {
        in_row(r, TL_MPI_Recv, s->col_prev, s->n1_prev, row_tag(s));
        hpl_kernel1(r, TL_KERNEL_daxpy, HPL_AT_TRSV, s->n1_prev);
    }
    if (r->col == s->col && r->row == s->row) {
        hpl_kernel1(r, TL_KERNEL_dtrsv, HPL_AT_TRSV, o->nb);
        hpl_kernel1(r, TL_KERNEL_dcopy, HPL_AT_TRSV, o->nb);
    }
    if (r->col == s->col_prev)
        hpl_kernel2(r, TL_KERNEL_dgemv, HPL_AT_TRSV, s->np_prev - s->n1_prev, s->kb_prev);
    if (r->row == s->row)
        s->np_prev -= o->nb;
    s->row_prev = s->row;
    s->col_prev = s->col;
    s->n1_prev = s->n1;
    s->kb_prev = o->nb;
    s->n -= o->nb;
    s->row = hpl_subtract(s->row, 1, o->p);
    s->col = hpl_subtract(s->col, 1, o->q);
    s->n1 = needed_next(r, s->n - o->nb);
    s->round++;
}

/* HPL_broadcast of the first block of the solution, along its process column. */
static void spread_first(hpl_rank *r, const substitution *s)
{
    const int32_t size = r->p->o.p, own = hpl_subtract(r->row, s->row_prev, size);
    if (r->col == s->col_prev && s->kb_prev > 0)
        hpl_spread_down(r, HPL_AT_TRSV, s->row_prev, own, size, s->kb_prev, HPL_TAG_COLL);
}

static int solve(hpl_rank *r, hpl_task *t)
{
    substitution *s = r->solution;
    if (!t->state++)
        begin_substitution(r, s);
    else if (s->n > 0)
        solve_block(r, s);
    else {
        spread_first(r, s);
        return 1;
    }
    return 0;
}

tl_status hpl_solve_open(hpl_rank *r)
{
    r->solution = malloc(sizeof *r->solution);
    return r->solution ? TL_OK : TL_ERR_MEMORY;
}

void hpl_solve(hpl_rank *r)
{
    hpl_begin(r, solve);
}
