/* hpl_pivots.c - the rows that pivoting moves, drawn from a seed that all ranks share.
 *
 * At column i of a panel, each row from the diagonal on is the pivot with the same probability. As
 * in HPL_pipid, rows outside the panel's block count once. Messages and kernels depend only on the
 * number of these rows on each process row. */
#include "hpl.h"

#include "draw.h"
#include "core/error.h"
#include "core/frame.h"

#include <stdio.h>

/* If the pivots fit into memory, they are computed once for all ranks. */
enum { MAX_KEPT_BYTES = 32 << 20 };

static uint32_t words_of(int32_t n_rows)
{
    return 5 * (uint32_t)n_rows + 2;
}

static hpl_pivots lay_out(uint16_t *words, int32_t n_rows)
{
    return (hpl_pivots){.moved = words,
                        .sums = words + n_rows,
                        .start = words + (ptrdiff_t)2 * n_rows + 1,
                        .order = words + (ptrdiff_t)3 * n_rows + 2,
                        .place = words + (ptrdiff_t)4 * n_rows + 2};
}

/* ---- drawing ---- */

/* The rows that have been drawn: open addressing, with twice as many places as rows. */
typedef struct row_set {
    int64_t *rows; /* -1: free */
    uint64_t mask;
} row_set;

static size_t set_places(int32_t nb)
{
    size_t places = 4;
    while (places < 2 * (size_t)nb)
        places *= 2;
    return places;
}

/* Whether the row is new. */
static int insert(row_set *set, int64_t row)
{
    uint64_t at = tl_draw(0, (uint64_t)row) & set->mask;
    while (set->rows[at] >= 0) {
        if (set->rows[at] == row)
            return 0;
        at = (at + 1) & set->mask;
    }
    set->rows[at] = row;
    return 1;
}

/* The row of the pivot of a column. */
static int64_t pivot_at(const hpl_program *p, int64_t column)
{
    if (p->rows)
        return p->rows[column];
    const uint64_t left = (uint64_t)(p->o.n - column);
    return column + (int64_t)tl_draw_below((uint64_t)p->o.seed, (uint64_t)column, left);
}

static void draw_rows(const hpl_program *p, int64_t panel, int64_t *scratch, uint16_t *moved)
{
    const tl_hpl *o = &p->o;
    const int64_t first = panel * o->nb, block = o->n - first < o->nb ? o->n - first : o->nb;
    row_set set = {.rows = scratch, .mask = set_places(o->nb) - 1};
    memset(moved, 0, (size_t)o->p * sizeof *moved);
    for (uint64_t i = 0; i <= set.mask; i++)
        set.rows[i] = -1;
    for (int64_t i = 0; i < block; i++) {
        const int64_t row = pivot_at(p, first + i);
        if (row < first + block || !insert(&set, row))
            continue;
        moved[(row / o->nb - panel) % o->p]++;
    }
}

/* ---- what follows from them ---- */

/* The sums of LLEN that HPL_pdlaswp00* uses; the sum of a subcube of the binary exchange is the
 * difference of two of them. The process row of the panel has no rows to give. The process rows
 * beyond the power of two have given theirs to their twins. */
static void sum_subcubes(hpl_pivots *v, int32_t n_rows)
{
    const int32_t ip2 = hpl_power_of_two(n_rows);
    v->sums[0] = 0;
    for (int32_t i = 0; i < ip2; i++) {
        const int own = i ? v->moved[i] : 0;
        const int twin = i && i + ip2 < n_rows ? v->moved[i + ip2] : 0;
        v->sums[i + 1] = (uint16_t)(v->sums[i] + own + twin);
    }
}

static int count_bits(int32_t v)
{
    int n = 0;
    for (; v; v >>= 1)
        n += v & 1;
    return n;
}

/* One level of HPL_logsort: the process rows that k steps of the spreading reach take the most rows
 * of those behind them. At most NB of these have rows at all, so a long column of processes does
 * not take a time that grows with its square. */
static void sort_level(hpl_pivots *v, int32_t n_rows, int k, uint16_t *lengths)
{
    int32_t n_behind = 0; /* with rows */
    for (int32_t i = 2; i < n_rows; i++)
        n_behind += v->place[i] > k && lengths[i];
    for (int32_t j = 1; j < n_rows && n_behind; j++) {
        if (v->place[j] != k)
            continue;
        const int had_rows = lengths[j] != 0;
        for (int32_t i = 2; i < n_rows; i++) {
            if (k >= v->place[i] || lengths[j] >= lengths[i])
                continue;
            const uint16_t length = lengths[i], row = v->order[i];
            lengths[i] = lengths[j];
            lengths[j] = length;
            v->order[i] = v->order[j];
            v->order[j] = row;
        }
        n_behind -= !had_rows; /* it has taken the rows of one of them */
    }
}

/* HPL_logsort: process rows that the spreading reaches late have few rows. */
static void sort_rows(hpl_pivots *v, int32_t n_rows, int32_t current, uint16_t *lengths)
{
    int most = 0;
    for (int32_t i = 0; i < n_rows; i++) {
        v->order[i] = (uint16_t)hpl_add(i, current, n_rows);
        v->place[i] = (uint16_t)count_bits(i);
        most = v->place[i] > most ? v->place[i] : most;
    }
    for (int k = 1; k <= most; k++)
        sort_level(v, n_rows, k, lengths);
    for (int32_t i = 0; i < n_rows; i++)
        v->place[v->order[i]] = (uint16_t)i;
}

/* HPL_plindx10. */
static void order_rows(hpl_pivots *v, const tl_hpl *o, int64_t panel)
{
    const int64_t first = panel * o->nb, block = o->n - first < o->nb ? o->n - first : o->nb;
    uint16_t *lengths = v->start + 1;
    v->start[0] = 0;
    lengths[0] = (uint16_t)block;
    for (int32_t i = 1; i < o->p; i++) {
        lengths[i] = v->moved[i];
        lengths[0] = (uint16_t)(lengths[0] - v->moved[i]);
    }
    sort_rows(v, o->p, (int32_t)(panel % o->p), lengths);
    for (int32_t i = 1; i <= o->p; i++)
        v->start[i] = (uint16_t)(v->start[i] + v->start[i - 1]);
}

static void work_out(const hpl_program *p, int64_t panel, int64_t *scratch, uint16_t *words)
{
    const tl_hpl *o = &p->o;
    hpl_pivots v = lay_out(words, o->p);
    draw_rows(p, panel, scratch, v.moved);
    if (o->swap != HPL_SWAP_LONG)
        sum_subcubes(&v, o->p);
    if (o->swap != HPL_SWAP_EXCHANGE)
        order_rows(&v, o, panel);
}

static tl_status read_rows(hpl_program *p, tl_error *err)
{
    FILE *in = fopen(p->o.pivots, "r");
    if (!in)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened; check the path", p->o.pivots);
    p->rows = malloc((size_t)p->o.n * sizeof *p->rows);
    tl_status status = p->rows ? TL_OK : TL_ERR_MEMORY;
    char line[64];
    for (int64_t i = 0; i < p->o.n && status == TL_OK; i++) {
        char *end = line;
        if (fgets(line, sizeof line, in))
            p->rows[i] = strtoll(line, &end, 10);
        if (end == line || p->rows[i] < i || p->rows[i] >= p->o.n)
            status = tl_fail(
                err, TL_ERR_INPUT,
                "%s:%lld: is not a row from %lld to %lld; write the row of a pivot for each of "
                "the N columns",
                p->o.pivots, (long long)i + 1, (long long)i, (long long)p->o.n - 1);
    }
    fclose(in);
    if (status == TL_OK)
        p->rows_hash = tl_hash_of(p->rows, (size_t)p->o.n * sizeof *p->rows, 0);
    return status;
}

static tl_status keep_all(hpl_program *p)
{
    int64_t *scratch = malloc(set_places(p->o.nb) * sizeof *scratch);
    p->pivots = malloc((size_t)p->n_panels * p->n_pivot_words * sizeof *p->pivots);
    for (int64_t i = 0; i < p->n_panels && scratch && p->pivots; i++)
        work_out(p, i, scratch, p->pivots + (size_t)i * p->n_pivot_words);
    const tl_status status = scratch && p->pivots ? TL_OK : TL_ERR_MEMORY;
    free(scratch);
    return status;
}

tl_status hpl_pivots_prepare(hpl_program *p, tl_error *err)
{
    p->n_pivot_words = words_of(p->o.p);
    const uint64_t bytes = (uint64_t)p->n_panels * p->n_pivot_words * sizeof *p->pivots;
    tl_status status = p->o.pivots ? read_rows(p, err) : TL_OK;
    if (status == TL_OK && p->o.p > 1 && bytes <= MAX_KEPT_BYTES)
        status = keep_all(p);
    return status == TL_ERR_MEMORY ? tl_fail(err, status, "%s: out of memory", p->text) : status;
}

/* ---- of a rank ---- */

tl_status hpl_pivots_open(hpl_rank *r)
{
    const size_t n_rows = (size_t)r->p->o.p;
    const size_t own = r->p->pivots || n_rows == 1 ? 0 : r->p->n_pivot_words;
    r->own = malloc((own + 2 * (n_rows + 1)) * sizeof *r->own);
    if (own)
        r->drawn = malloc(set_places(r->p->o.nb) * sizeof *r->drawn);
    if (!r->own || (own && !r->drawn))
        return TL_ERR_MEMORY;
    r->starts = r->own + own;
    r->work = r->starts + n_rows + 1;
    return TL_OK;
}

void hpl_pivots_close(hpl_rank *r)
{
    free(r->own);
    free(r->drawn);
}

void hpl_pivots_find(hpl_rank *r, const hpl_panel *panel)
{
    const hpl_program *p = r->p;
    uint16_t *words = r->own;
    if (p->pivots)
        words = p->pivots + (size_t)panel->index * p->n_pivot_words;
    else
        work_out(p, panel->index, r->drawn, words);
    r->pivots = lay_out(words, p->o.p);
}
