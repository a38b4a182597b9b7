/* skeleton_copy.c - values that are copied from a capture, because no expression has them. A rank
 * gets the values of one rank of the capture with the nearest sizes, one after the other and again
 * from the first one. More ranks than those of the capture repeat them, block by block. */
#include "config.h"

#include "skeleton.h"

#include "core/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A value, up to this index of the row. */
typedef struct copy_run {
    int64_t value;
    uint64_t end;
} copy_run;

typedef struct copy_row {
    size_t first, n; /* of the runs */
} copy_row;

/* ---- capture NAME = NUMBER, ... ---- */

static int64_t own_value(skel_parser *p)
{
    char text[64];
    const skel_name *name = p->token.kind == SKEL_T_NAME ? skel_find_name(p, &p->token) : NULL;
    const bool is_number = name && name->is_constant && !name->is_grid && !name->is_comm &&
                           !name->is_distribution && !name->is_copies;
    if (!is_number)
        skel_wrong(p, p->token.line, "%s instead of a parameter; write capture ranks = NUMBER, ...",
                   skel_found(p, text));
    skel_advance(p);
    return is_number ? ((int64_t *)p->s->values.items)[name->slot] : 0;
}

void skel_read_capture(skel_parser *p)
{
    skeleton *s = p->s;
    const uint32_t line = p->token.line;
    double distance = 0;
    int64_t n_ranks = 0;
    do {
        const bool are_ranks = skel_is(p, "ranks");
        const int64_t own = own_value(p);
        skel_expect(p, "=", "capture ranks = NUMBER, NAME = NUMBER, ...");
        const int64_t there = skel_constant(p);
        distance += fabs(log((1 + fabs((double)own)) / (1 + fabs((double)there))));
        n_ranks = are_ranks ? there : n_ranks;
    } while (skel_accept(p, ","));
    if (p->status == TL_OK && (n_ranks < 1 || n_ranks > TL_MAX_RANKS))
        skel_wrong(p, line, "a capture without ranks; write capture ranks = NUMBER, ...");
    if (!s->n_captures++ || distance < s->distance) {
        s->nearest = s->n_captures - 1;
        s->distance = distance;
        s->captured_ranks = n_ranks;
    }
}

/* ---- copies NAME = VALUE [* TIMES], ... | ... : ... ---- */

/* [* TIMES] */
static uint64_t read_times(skel_parser *p)
{
    if (!skel_accept(p, "*"))
        return 1;
    const int64_t n = p->token.kind == SKEL_T_NUMBER ? p->token.number : 0;
    if (n < 1)
        skel_wrong(p, p->token.line, "* without a number of times; write VALUE * TIMES");
    skel_advance(p);
    return n < 1 ? 1 : (uint64_t)n;
}

static void read_run(skel_parser *p, skel_array *runs, uint64_t *end)
{
    char text[64];
    const bool is_negative = skel_accept(p, "-"), is_null = !is_negative && skel_is(p, "null");
    const int64_t value = is_null ? SKEL_NULL : is_negative ? -p->token.number : p->token.number;
    if (!is_null && p->token.kind != SKEL_T_NUMBER)
        skel_wrong(p, p->token.line, "%s instead of a number; write copies NAME = NUMBER, ...",
                   skel_found(p, text));
    skel_advance(p);
    const uint64_t n = read_times(p);
    copy_run *made = p->status == TL_OK ? skel_push(runs, sizeof *made) : NULL;
    if (!made) {
        skel_out_of_memory(p);
        return;
    }
    *end += n;
    *made = (copy_run){value, *end};
}

/* A row, or "=": the same as the row before. */
static void read_row(skel_parser *p, skel_copies *c)
{
    const copy_row *last = c->rows.n ? (copy_row *)c->rows.items + c->rows.n - 1 : NULL;
    copy_row row = {.first = c->runs.n};
    uint64_t n = 1, end = 0;
    if (last && skel_accept(p, "=")) {
        row = *last;
        n = read_times(p);
    } else if (p->token.kind == SKEL_T_NUMBER || skel_is(p, "-") || skel_is(p, "null")) {
        do
            read_run(p, &c->runs, &end);
        while (skel_accept(p, ","));
        row.n = c->runs.n - row.first;
    }
    for (; n && p->status == TL_OK; n--) {
        copy_row *made = c->rows.n < TL_MAX_RANKS ? skel_push(&c->rows, sizeof *made) : NULL;
        if (made)
            *made = row;
        else
            skel_out_of_memory(p);
    }
}

static void clear(skel_copies *c)
{
    free(c->rows.items);
    free(c->runs.items);
    c->rows = c->runs = (skel_array){0};
}

/* Keeps the rows of the nearest capture. */
uint32_t skel_read_copies(skel_parser *p, uint32_t line)
{
    skel_copies read = {0}, kept = {0};
    uint32_t n = 0;
    do {
        do
            read_row(p, &read);
        while (skel_accept(p, "|"));
        if (n == p->s->nearest) {
            kept = read;
            read = (skel_copies){0};
        }
        clear(&read);
        n++;
    } while (skel_accept(p, ":"));
    if (p->status == TL_OK &&
        (n != p->s->n_captures || (int64_t)kept.rows.n != p->s->captured_ranks))
        skel_wrong(p, line,
                   "copies has no row for each rank of each capture; write capture ranks = NUMBER "
                   "for each capture before, and copies NAME = ROW | ROW ... : ROW | ROW ...");
    skel_copies *made = p->status == TL_OK ? skel_push(&p->s->copies, sizeof *made) : NULL;
    if (!made) {
        clear(&kept);
        skel_out_of_memory(p);
        return 0;
    }
    *made = kept;
    return (uint32_t)p->s->copies.n - 1;
}

void skel_free_copies(skeleton *s)
{
    skel_copies *all = s->copies.items;
    for (size_t i = 0; i < s->copies.n; i++)
        clear(&all[i]);
    free(all);
}

/* ---- evaluation ---- */

/* The value of a row at an index, which goes on from the first one behind the end. */
static int64_t value_at(const skel_copies *c, const copy_row *row, uint64_t index)
{
    const copy_run *runs = (const copy_run *)c->runs.items + row->first;
    size_t low = 0, high = row->n - 1;
    index %= runs[high].end;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (runs[middle].end > index)
            high = middle;
        else
            low = middle + 1;
    }
    return runs[low].value;
}

int64_t skel_copied(const skeleton *s, int64_t *slots, int64_t number, bool is_partner)
{
    const skel_copies *c = (const skel_copies *)s->copies.items + number;
    const copy_row *row = (const copy_row *)c->rows.items + slots[0] % s->captured_ranks;
    const int64_t none = is_partner ? SKEL_NULL : 0;
    const int64_t value = row->n ? value_at(c, row, (uint64_t)slots[c->slot]++) : none;
    if (!is_partner || value == SKEL_NULL)
        return value;
    return slots[0] + value < s->n_ranks ? slots[0] + value : SKEL_NULL;
}
