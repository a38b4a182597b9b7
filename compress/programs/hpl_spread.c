/* hpl_spread.c - the exchange of rows by spreading and rolling: HPL_pdlaswp01T and HPL_pdlaswp01N,
 * with HPL_spread*, HPL_equil and HPL_roll*.
 *
 * The process row of the panel sends each other process row its rows along a binomial tree. Then
 * all process rows roll their rows around. The order of the process rows is that of HPL_logsort. */
#include "hpl.h"

/* ---- HPL_spreadT, HPL_spreadN ---- */

/* To the right: from the process at t->a to all processes after it; t->starts gives the owner of
 * each row. t->b is the bit, t->c the mask, t->d the remaining distance, t->i the first process of
 * the part that is sent. */
static int spread_right(hpl_rank *r, hpl_task *t)
{
    const uint16_t *starts = t->starts;
    const int32_t size = r->p->o.p - t->a, own = r->pivots.place[r->row] - t->a, bit = t->b;
    if (!bit)
        return 1;
    t->c ^= bit;
    const int32_t partner = own ^ bit;
    if (!(own & t->c) && partner < size) {
        const int64_t to = t->i + bit < size ? t->i + bit : size;
        const int64_t rows = starts[t->a + to] - starts[t->a + t->i];
        if (rows > 0)
            hpl_message_in_column(r, own & bit ? TL_MPI_Recv : TL_MPI_Send, HPL_AT_SWAP,
                                  r->pivots.order[t->a + partner], rows * t->n, HPL_TAG_PFACT);
    }
    t->b >>= 1;
    if (t->d < bit) {
        t->i -= t->b;
    } else {
        t->d -= bit;
        t->i += t->b;
    }
    hpl_poll(r);
    return 0;
}

/* To the left: from the process at t->a to all processes before it. */
static int spread_left(hpl_rank *r, hpl_task *t)
{
    const uint16_t *starts = t->starts;
    const int32_t last = t->a, own = last - r->pivots.place[r->row], bit = t->b;
    if (!bit)
        return 1;
    t->c ^= bit;
    const int32_t partner = own ^ bit;
    if (!(own & t->c) && partner <= last) {
        const int64_t from = t->i < bit ? 0 : t->i - bit, rows = starts[t->i + 1] - starts[from];
        if (rows > 0)
            hpl_message_in_column(r, own & bit ? TL_MPI_Recv : TL_MPI_Send, HPL_AT_SWAP,
                                  r->pivots.order[last - partner], rows * t->n, HPL_TAG_PFACT);
    }
    t->b >>= 1;
    if (t->d < bit) {
        t->i += t->b;
    } else {
        t->d -= bit;
        t->i -= t->b;
    }
    hpl_poll(r);
    return 0;
}

static void spread(hpl_rank *r, int to_the_left, int32_t source, const uint16_t *starts, int64_t n)
{
    const int32_t place = r->pivots.place[r->row];
    const int32_t others = to_the_left ? source : r->p->o.p - source - 1;
    if (others == 0 || (to_the_left ? place > source : place < source))
        return;
    hpl_task *t = hpl_begin(r, to_the_left ? spread_left : spread_right);
    t->a = source;
    t->b = hpl_power_of_two(others);
    t->c = 2 * t->b - 1;
    t->d = to_the_left ? source - place : place - source;
    t->i = to_the_left ? source - t->b : t->b;
    t->starts = starts;
    t->n = n;
}

/* ---- HPL_equil: the same number of rows for all, before they are rolled ---- */

typedef struct share {
    int32_t least, most, n_most; /* the first n_most processes have `most` rows */
} share;

static share share_of(const uint16_t *starts, int32_t n_rows)
{
    const int32_t all = starts[n_rows], least = all / n_rows;
    return (share){least, (all + n_rows - 1) / n_rows, all - n_rows * least};
}

static int32_t share_start(const share *s, int32_t i)
{
    return i < s->n_most ? i * s->most : i * s->least + s->n_most;
}

/* HPL compares all lengths but the last, and then treats them as equal. */
static bool is_equal(const uint16_t *starts, int32_t n_rows, const share *s)
{
    int32_t i = 0, rows;
    do {
        rows = starts[i + 1] - starts[i];
        i++;
    } while (i < n_rows && (rows == s->least || rows == s->most));
    return i == n_rows;
}

/* The places of the rows of the i-th process: IWORK. */
static void split(hpl_rank *r, const share *s, int32_t i)
{
    const int32_t n_rows = r->p->o.p;
    int32_t at = r->starts[i], left = r->starts[i + 1] - at;
    r->work[n_rows] = r->starts[n_rows];
    for (int32_t k = 0; k < n_rows; k++) {
        const int32_t last = share_start(s, k) + (k < s->n_most ? s->most : s->least) - 1;
        int32_t rows = last >= at && left > 0 ? last - at + 1 : 0;
        rows = rows < left ? rows : left;
        left -= rows;
        r->work[k] = (uint16_t)at;
        at += rows;
        r->work[k + 1] = (uint16_t)at;
    }
}

/* t->i is the process whose rows are distributed; t->j is whether the rows to the left have been
 * distributed. */
static int equalise(hpl_rank *r, hpl_task *t)
{
    const int32_t n_rows = r->p->o.p, i = (int32_t)t->i;
    const share s = share_of(r->starts, n_rows);
    if (t->i == 0 && !t->j && (n_rows <= 2 || is_equal(r->starts, n_rows, &s)))
        return 1;
    if (i == n_rows) {
        for (int32_t k = 0; k < n_rows; k++)
            r->starts[k] = (uint16_t)share_start(&s, k);
        return 1;
    }
    const int32_t from = r->starts[i], rows = r->starts[i + 1] - from, target = share_start(&s, i);
    const int left = rows > 0 && from < target;
    const int right = rows > 0 && target + (i < s.n_most ? s.most : s.least) < from + rows;
    if (!t->j) {
        t->j = 1;
        if (left || right)
            split(r, &s, i);
        if (left)
            spread(r, 1, i, r->work, t->n);
        return 0;
    }
    t->j = 0;
    t->i++;
    if (right)
        spread(r, 0, i, r->work, t->n);
    return 0;
}

/* ---- HPL_rollT, HPL_rollN ---- */

static int64_t rows_of(const hpl_rank *r, int32_t i)
{
    return r->starts[i + 1] - r->starts[i];
}

/* t->i is the step. */
static int roll(hpl_rank *r, hpl_task *t)
{
    const int32_t size = r->p->o.p;
    if (t->i == size - 1)
        return 1;
    const hpl_turn turn = hpl_turn_of(r->pivots.place[r->row], (int32_t)t->i, size);
    const int64_t to_receive = rows_of(r, turn.received) * t->n;
    const int64_t to_send = rows_of(r, turn.sent) * t->n;
    const int32_t row = r->pivots.order[turn.partner];
    if (to_receive > 0)
        hpl_message_in_column(r, TL_MPI_Irecv, HPL_AT_SWAP, row, to_receive, HPL_TAG_PFACT);
    if (to_send > 0)
        hpl_message_in_column(r, TL_MPI_Send, HPL_AT_SWAP, row, to_send, HPL_TAG_PFACT);
    if (to_receive > 0)
        hpl_wait(r, HPL_AT_SWAP);
    t->i++;
    hpl_poll(r);
    return 0;
}

/* ---- HPL_pdlaswp01T, HPL_pdlaswp01N ---- */

enum { SPREAD, TAKE, EQUALISE, ROLL, PERMUTE };

static int swap_step(hpl_rank *r, hpl_task *t)
{
    const tl_hpl *o = &r->p->o;
    const bool is_transposed = !o->u_no_transpose, is_current = r->row == t->panel->prow;
    const int32_t distance = hpl_subtract(r->row, t->panel->prow, o->p);
    switch (t->state++) {
    case SPREAD:
        hpl_pivots_find(r, t->panel);
        memcpy(r->starts, r->pivots.start, ((size_t)o->p + 1) * sizeof *r->starts);
        if (is_current)
            hpl_move(r, is_transposed ? HPL_DLASWP01T : HPL_DLASWP01N, HPL_AT_SWAP,
                     t->panel->jb + r->pivots.moved[0], t->n);
        spread(r, 0, 0, r->starts, t->n);
        return 0;
    case TAKE:
        if (!is_current)
            hpl_move(r, is_transposed ? HPL_DLASWP06T : HPL_DLASWP06N, HPL_AT_SWAP,
                     r->pivots.moved[distance], t->n);
        return 0;
    case EQUALISE:
        if (o->equilibrate)
            hpl_begin(r, equalise)->n = t->n;
        return 0;
    case ROLL: hpl_begin(r, roll)->n = t->n; return 0;
    default:
        hpl_move(r, is_transposed ? HPL_DLASWP10N : HPL_DLASWP00N, HPL_AT_SWAP,
                 is_transposed ? t->n : t->panel->jb, is_transposed ? t->panel->jb : t->n);
        return 1;
    }
}

void hpl_swap_long(hpl_rank *r, hpl_panel *panel, int64_t n)
{
    hpl_task *t = hpl_begin(r, swap_step);
    t->panel = panel;
    t->n = n;
}
