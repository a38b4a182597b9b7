/* skeleton_copy.c - values that are copied from a capture, because no expression has them. A rank
 * gets the values of one rank of the capture with the nearest sizes, one after the other and again
 * from the first one. More ranks than those of the capture repeat them, block by block, in the
 * order of the ranks or along the dimensions of a grid; or, by the places in a grid, a rank has the
 * row of the rank that is as far away from the edges. */
#include "config.h"

#include "skeleton.h"

#include "core/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value, up to this index of the row. */
typedef struct copy_run {
    int64_t value;
    uint64_t end;
} copy_run;

typedef struct copy_row {
    size_t first, n; /* of the runs */
} copy_row;

/* ---- capture NAME = NUMBER, ... ---- */

static int64_t own_value(skel_parser *p, uint32_t *slot, bool *is_captured)
{
    char text[64];
    const skel_name *name = skel_name_of(p, SKEL_A_NUMBER);
    const bool is_number = name && name->is_constant;
    if (!is_number)
        skel_wrong(p, p->token.line, "%s instead of a parameter; write capture ranks = NUMBER, ...",
                   skel_found(p, text));
    skel_advance(p);
    *slot = is_number ? name->slot : 0;
    *is_captured = is_number && name->is_captured;
    return is_number ? ((int64_t *)p->s->values.items)[name->slot] : 0;
}

static bool add_unknown(skel_array *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t *made = skel_push(values, sizeof *made);
        if (!made)
            return false;
        *made = SKEL_NULL;
    }
    return true;
}

/* Each capture has a value of the parameters that need one. */
static void check_captured(skel_parser *p, const skel_array *captured, uint32_t line)
{
    const skel_name *names = p->names.items;
    if (p->uses_captured)
        skel_wrong(p, line,
                   "capture is behind a statement that uses a captured parameter; write all "
                   "captures before");
    const int64_t *values = captured->items;
    for (size_t i = 0; values && p->status == TL_OK && i < p->names.n; i++)
        if (names[i].needs_value && values[names[i].slot] == SKEL_NULL)
            skel_wrong(p, line, "no value of '%.*s'; write capture ranks = NUMBER, %.*s = NUMBER",
                       (int)names[i].size, names[i].start, (int)names[i].size, names[i].start);
}

static void take_captured(skel_parser *p)
{
    const skel_name *names = p->names.items;
    skel_parameter *parameters = p->s->parameters.items;
    for (size_t i = 0; i < p->names.n; i++) {
        if (!names[i].needs_value)
            continue;
        const int64_t value = ((int64_t *)p->s->captured.items)[names[i].slot];
        ((int64_t *)p->s->values.items)[names[i].slot] = value;
        for (size_t k = 0; k < p->s->parameters.n; k++)
            if (strlen(parameters[k].name) == names[i].size &&
                !memcmp(parameters[k].name, names[i].start, names[i].size))
                parameters[k].value = value;
    }
}

void skel_read_capture(skel_parser *p)
{
    skeleton *s = p->s;
    skel_array captured = {0};
    uint32_t slot;
    bool is_captured;
    if (!add_unknown(&captured, s->values.n))
        skel_out_of_memory(p);
    const uint32_t line = p->token.line;
    if (s->copies.n)
        skel_wrong(p, line, "capture is behind copies; write all captures before");
    double distance = 0;
    int64_t n_ranks = 0;
    do {
        const bool are_ranks = skel_is(p, "ranks");
        const int64_t own = own_value(p, &slot, &is_captured);
        skel_expect(p, "=", "capture ranks = NUMBER, NAME = NUMBER, ...");
        const int64_t there = skel_constant(p);
        if (!is_captured)
            distance += fabs(log((1 + fabs((double)own)) / (1 + fabs((double)there))));
        n_ranks = are_ranks ? there : n_ranks;
        if (slot < captured.n)
            ((int64_t *)captured.items)[slot] = there;
    } while (skel_accept(p, ","));
    if (p->status == TL_OK && (n_ranks < 1 || n_ranks > TL_MAX_RANKS))
        skel_wrong(p, line, "a capture without ranks; write capture ranks = NUMBER, ...");
    if (p->status == TL_OK)
        check_captured(p, &captured, line);
    if (!s->n_captures++ || distance < s->distance) {
        s->nearest = s->n_captures - 1;
        s->distance = distance;
        s->captured_ranks = n_ranks;
        free(s->captured.items);
        s->captured = captured;
        captured = (skel_array){0};
        take_captured(p);
    }
    free(captured.items);
}

/* ---- copies NAME [by GRID | in GRID] = VALUE [* TIMES], ... | ... : ... ---- */

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
    copy_run *made = skel_new(p, runs, sizeof *made);
    if (!made)
        return;
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

/* Whether the nearest capture has all that an expression needs. */
static bool is_known_there(const skeleton *s, uint32_t number)
{
    const skel_node *node = (const skel_node *)s->nodes.items + number;
    const int64_t *there = s->captured.items;
    bool is_known = node->op != SKEL_VARIABLE ||
                    ((size_t)node->value < s->captured.n && there[node->value] != SKEL_NULL);
    for (size_t i = 0; i < sizeof node->operand / sizeof *node->operand; i++)
        is_known = is_known && (!node->operand[i] || is_known_there(s, node->operand[i]));
    return is_known;
}

/* The sizes of a grid in the nearest capture. */
static void read_sizes_there(skel_parser *p, uint32_t line, skel_copies *c)
{
    int64_t places = 1;
    c->there = c->own;
    for (uint32_t d = 0; d < c->own.n_dimensions && p->status == TL_OK; d++) {
        int64_t *size = &c->there.size[d];
        if (!is_known_there(p->s, c->own.expression[d])) {
            skel_wrong(p, line,
                       "a size of the grid needs more than the values that the capture names; "
                       "write sizes from ranks and such parameters");
            return;
        }
        p->status =
            skel_evaluate(p->s, p->s->captured.items, c->own.expression[d], -1, size, p->err);
        *size = p->status == TL_OK && *size > 0 ? *size : 1;
        places = *size <= TL_MAX_RANKS / places ? places * *size : 0;
        if (!places)
            break;
    }
    if (p->status == TL_OK && places != p->s->captured_ranks)
        skel_wrong(p, line,
                   "the grid has other places than the ranks of the capture; choose sizes "
                   "whose product is the number of ranks");
}

/* Keeps the rows of the nearest capture. */
uint32_t skel_read_copies(skel_parser *p, uint32_t line, const skel_grid *grid, bool in_blocks)
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
    skel_copies *made = skel_new(p, &p->s->copies, sizeof *made);
    if (!made) {
        clear(&kept);
        return 0;
    }
    *made = kept;
    made->by_grid = grid != NULL;
    made->in_blocks = in_blocks;
    if (grid) {
        made->own = *grid;
        read_sizes_there(p, line, made);
    }
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
    if (index >= runs[high].end)
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

/* The coordinate in the capture that is as far from the nearer edge; the middle if it is farther.
 */
static int64_t place_there(int64_t at, int64_t size, int64_t there)
{
    const int64_t behind = size - 1 - at, half = there / 2;
    if (size == there || (at < half && at <= behind))
        return at;
    return behind < half ? there - 1 - behind : half;
}

/* The rank of the capture whose row a rank has. */
static int64_t rank_there(const skeleton *s, const skel_copies *c, int64_t rank)
{
    int64_t result = 0, stride = 1;
    if (!c->by_grid)
        return rank % s->captured_ranks;
    for (uint32_t d = c->own.n_dimensions; d-- > 0;) {
        const int64_t size = c->own.size[d], there = c->there.size[d];
        result +=
            (c->in_blocks ? rank % size % there : place_there(rank % size, size, there)) * stride;
        stride *= there;
        rank /= size;
    }
    return result;
}

/* The coordinate as many steps away as two coordinates of the capture are from each other, or at
 * the second one's place in the same block. */
static int64_t move_in_grid(const skel_copies *c, uint32_t d, int64_t at, int64_t from, int64_t to)
{
    const int64_t size = c->own.size[d], there = c->there.size[d];
    if (c->in_blocks)
        return at - from + to;
    int64_t steps = to - from;
    if (c->own.periodic[d] && (steps > there / 2 || -steps > there / 2))
        steps += steps < 0 ? there : -there;
    return c->own.periodic[d] ? ((at + steps) % size + size) % size : at + steps;
}

/* The rank that is as far away from `rank` in each dimension as two ranks of the capture are from
 * each other; SKEL_NULL: beyond an edge. */
static int64_t partner_in_grid(const skel_copies *c, int64_t rank, int64_t from, int64_t to)
{
    int64_t result = 0, stride = 1;
    for (uint32_t d = c->own.n_dimensions; d-- > 0;) {
        const int64_t size = c->own.size[d], there = c->there.size[d];
        const int64_t moved = move_in_grid(c, d, rank % size, from % there, to % there);
        if (moved < 0 || moved >= size)
            return SKEL_NULL;
        result += moved * stride;
        stride *= size;
        rank /= size;
        from /= there;
        to /= there;
    }
    return result;
}

/* The next value of the row; `none` if it is empty. */
static int64_t next_value(const skel_copies *c, int64_t *slots, int64_t there, int64_t none)
{
    const copy_row *row = (const copy_row *)c->rows.items + there;
    return row->n ? value_at(c, row, (uint64_t)slots[c->slot]++) : none;
}

int64_t skel_copied(const skeleton *s, int64_t *slots, int64_t number)
{
    const skel_copies *c = (const skel_copies *)s->copies.items + number;
    return next_value(c, slots, rank_there(s, c, slots[0]), 0);
}

int64_t skel_partner(const skeleton *s, int64_t *slots, int64_t number, int64_t comm)
{
    const skel_copies *c = (const skel_copies *)s->copies.items + number;
    const int64_t own = slots[0], there = rank_there(s, c, own);
    int64_t other = next_value(c, slots, there, SKEL_NULL);
    if (other == SKEL_NULL)
        return other;
    if (c->by_grid && there + other >= 0 && there + other < s->captured_ranks)
        other = partner_in_grid(c, own, there, there + other);
    else
        other = own + other < s->n_ranks ? own + other : SKEL_NULL;
    if (!comm || other == SKEL_NULL)
        return other;
    const skel_comm *within = (const skel_comm *)s->comms.items + comm - 1;
    const bool is_member = other >= 0 && within->size[own] && within->size[other] &&
                           within->first[own] == within->first[other];
    return is_member ? within->place[other] : SKEL_NULL;
}
