/* fit_loops.c - the order of the statements, the loops around them, and the times at which a rank
 * reaches each of them.
 *
 * Where a rank's next call is not behind its last one in the order, the rank has begun another
 * iteration of a loop over the calls between the two. */
#include "config.h"

#include "fit.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order ---- */

static uint32_t count_symbols(const fitting *f, const fit_capture *c, uint32_t rank, bool *seen)
{
    uint32_t n = 0;
    memset(seen, 0, f->n_symbols * sizeof *seen);
    for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++) {
        n += !seen[c->events[i].symbol];
        seen[c->events[i].symbol] = true;
    }
    return n;
}

/* The order while it is made. */
typedef struct ordering {
    uint32_t n;
    uint32_t *at; /* position by symbol; UINT32_MAX: not in the order yet */
} ordering;

/* Inserts the symbols of a rank that are not in the order yet: behind all that the rank has called
 * before, as what follows a loop; or behind the last call, as what a later iteration calls within
 * the loop. */
static void insert_rank(fitting *f, const fit_capture *c, uint32_t rank, ordering *o)
{
    int64_t before = -1;
    for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++) {
        const uint32_t symbol = c->events[i].symbol;
        if (o->at[symbol] == UINT32_MAX) {
            const uint32_t at = (uint32_t)(before + 1);
            memmove(f->order + at + 1, f->order + at, (o->n - at) * sizeof *f->order);
            f->order[at] = symbol;
            o->n++;
            for (uint32_t k = at; k < o->n; k++)
                o->at[f->order[k]] = k;
        }
        const int64_t at = o->at[symbol];
        before = f->behind_last || at > before ? at : before;
    }
}

/* The rank with the most statements comes first. */
static bool make_order(fitting *f)
{
    uint32_t most = 0, first_rank = 0;
    size_t first_capture = 0;
    ordering o = {.at = calloc(f->n_symbols + 1, sizeof *o.at)};
    bool *seen = calloc(f->n_symbols + 1, sizeof *seen);
    f->order = calloc(f->n_symbols + 1, sizeof *f->order);
    if (!seen || !f->order || !o.at) {
        free(seen);
        free(o.at);
        fit_out_of_memory(f);
        return false;
    }
    for (size_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0; fit_uses(f, c) && rank < f->captures[c].n_ranks; rank++) {
            const uint32_t own = count_symbols(f, &f->captures[c], rank, seen);
            if (own <= most)
                continue;
            most = own;
            first_capture = c;
            first_rank = rank;
        }
    free(seen);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        o.at[i] = UINT32_MAX;
    insert_rank(f, &f->captures[first_capture], first_rank, &o);
    for (size_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0; fit_uses(f, c) && rank < f->captures[c].n_ranks; rank++)
            insert_rank(f, &f->captures[c], rank, &o);
    free(o.at);
    for (uint32_t i = 0; i < o.n; i++)
        f->symbols[f->order[i]].position = i;
    f->n_positions = o.n;
    return o.n > 0;
}

/* ---- loops ---- */

static bool overlap(const fit_interval *a, const fit_interval *b)
{
    return a->low <= b->high && b->low <= a->high;
}

static bool contains(const fit_interval *a, const fit_interval *b)
{
    return a->low <= b->low && b->high <= a->high;
}

static void add_interval(fitting *f, skel_array *list, fit_interval like)
{
    fit_interval *all = list->items;
    for (size_t i = 0; i < list->n; i++)
        if (all[i].low == like.low && all[i].high == like.high && all[i].depth == like.depth)
            return;
    fit_interval *made = skel_push(list, sizeof *made);
    if (made)
        *made = like;
    else
        fit_out_of_memory(f);
}

static void unite(skel_array *list, size_t a, size_t b)
{
    fit_interval *all = list->items;
    all[a].low = all[a].low < all[b].low ? all[a].low : all[b].low;
    all[a].high = all[a].high > all[b].high ? all[a].high : all[b].high;
    all[b] = all[--list->n];
}

/* Unites those of the same depth that overlap; `nested`: unless one contains the other. */
static void unite_all(skel_array *list, bool nested)
{
    for (size_t a = 0; a < list->n; a++)
        for (size_t b = a + 1; b < list->n; b++) {
            const fit_interval *x = (fit_interval *)list->items + a;
            const fit_interval *y = (fit_interval *)list->items + b;
            const bool same = x->low == y->low && x->high == y->high;
            if (x->depth != y->depth || !overlap(x, y) ||
                (nested && !same && (contains(x, y) || contains(y, x))))
                continue;
            unite(list, a, b);
            a = (size_t)-1;
            break;
        }
}

/* The loops that the calls of one rank show, with their depth. */
static void loops_of_rank(fitting *f, const fit_capture *c, uint32_t rank, skel_array *list)
{
    list->n = 0;
    for (size_t i = c->first[rank] + 1; i < c->first[rank + 1]; i++) {
        const uint32_t from = f->symbols[c->events[i - 1].symbol].position;
        const uint32_t to = f->symbols[c->events[i].symbol].position;
        if (to <= from)
            add_interval(f, list, (fit_interval){to, from, 0});
    }
    unite_all(list, true);
    fit_interval *all = list->items;
    for (size_t a = 0; a < list->n; a++)
        for (size_t b = 0; b < list->n; b++)
            all[a].depth += a != b && contains(&all[b], &all[a]);
}

/* Whether a loop within another one counts. */
static bool counts(const skel_array *own, const fit_interval *loop, fit_shape shape)
{
    const fit_interval *all = own->items;
    if (shape == FIT_RUNS)
        return loop->low == loop->high;
    for (size_t i = 0; shape == FIT_INNER && i < own->n; i++)
        if (&all[i] != loop && contains(loop, &all[i]))
            return false;
    return shape != FIT_FLAT;
}

static void find_loops(fitting *f, fit_shape shape)
{
    skel_array own = {0};
    for (size_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0; fit_uses(f, c) && rank < f->captures[c].n_ranks; rank++) {
            loops_of_rank(f, &f->captures[c], rank, &own);
            for (size_t i = 0; i < own.n; i++) {
                fit_interval loop = ((fit_interval *)own.items)[i];
                if (loop.depth && !counts(&own, (fit_interval *)own.items + i, shape))
                    continue;
                if (shape != FIT_NESTED && loop.depth)
                    loop.depth = 1;
                if (loop.depth < FIT_MAX_DEPTH)
                    add_interval(f, &f->intervals, loop);
            }
        }
    free(own.items);
    unite_all(&f->intervals, false);
}

/* ---- the tree ---- */

static fit_node *node_at(const fitting *f, uint32_t number)
{
    return (fit_node *)f->nodes.items + number;
}

static const fit_interval *loop_at(const fitting *f, uint32_t low, uint32_t high, uint32_t depth,
                                   const fit_interval *parent)
{
    const fit_interval *all = f->intervals.items;
    for (size_t i = 0; i < f->intervals.n; i++)
        if (all[i].depth == depth && all[i].low == low && all[i].high <= high &&
            !(parent && parent->low == all[i].low && parent->high == all[i].high))
            return &all[i];
    return NULL;
}

/* The statements from position `low` to `high`; the first node. */
static uint32_t build(fitting *f, uint32_t low, uint32_t high, uint32_t depth,
                      const fit_interval *parent)
{
    uint32_t first = 0, last = 0;
    for (uint32_t at = low; at <= high && f->status == TL_OK;) {
        const fit_interval *loop = loop_at(f, at, high, depth, parent);
        fit_node *made = skel_push(&f->nodes, sizeof *made);
        const uint32_t number = (uint32_t)f->nodes.n - 1;
        if (!made) {
            fit_out_of_memory(f);
            return 0;
        }
        *made =
            (fit_node){.is_loop = loop, .low = at, .high = loop ? loop->high : at, .depth = depth};
        if (loop) {
            const uint32_t body = build(f, at, loop->high, depth + 1, loop);
            node_at(f, number)->body = body;
        }
        at = node_at(f, number)->high + 1;
        if (last)
            node_at(f, last)->next = number;
        else
            first = number;
        last = number;
    }
    return first;
}

/* ---- the samples ---- */

typedef struct walker {
    fitting *f;
    uint32_t capture, rank;
    const fit_event *at, *end;
    int32_t index[FIT_MAX_DEPTH + 1];
} walker;

static bool is_next(const walker *w, const fit_node *node)
{
    if (w->at == w->end)
        return false;
    const uint32_t position = w->f->symbols[w->at->symbol].position;
    return position >= node->low && position <= node->high;
}

static void walk(walker *w, uint32_t first)
{
    fitting *f = w->f;
    for (uint32_t number = first; number && f->status == TL_OK; number = node_at(f, number)->next) {
        fit_node *node = node_at(f, number);
        const size_t own = node->samples.n++;
        fit_sample *made = (fit_sample *)node->samples.items + own;
        *made = (fit_sample){.capture = w->capture, .rank = w->rank};
        memcpy(made->index, w->index, FIT_MAX_DEPTH * sizeof *made->index);
        if (!node->is_loop) {
            if (is_next(w, node)) {
                ((size_t *)node->calls.items)[node->calls.n++] = own;
                made->event = w->at++;
            }
            continue;
        }
        int32_t trips = 0;
        for (; is_next(w, node); trips++) {
            w->index[node->depth] = trips;
            walk(w, node->body);
        }
        w->index[node->depth] = 0;
        made->trips = trips;
    }
}

/* Counts the samples that the rank has of these nodes, and those with a call; stops behind `most`.
 */
static void count_samples(walker *w, uint32_t first, uint64_t most, uint64_t *n)
{
    for (uint32_t number = first; number && *n <= most; number = node_at(w->f, number)->next) {
        fit_node *node = node_at(w->f, number);
        ++*n;
        node->n_samples++;
        if (!node->is_loop && is_next(w, node)) {
            node->n_calls++;
            w->at++;
        } else if (node->is_loop)
            while (is_next(w, node) && *n <= most)
                count_samples(w, node->body, most, n);
    }
}

static walker walker_of(fitting *f, uint32_t capture, uint32_t rank)
{
    const fit_capture *c = &f->captures[capture];
    return (walker){.f = f,
                    .capture = capture,
                    .rank = rank,
                    .at = c->events + c->first[rank],
                    .end = c->events + c->first[rank + 1]};
}

static bool walk_rank(fitting *f, uint32_t capture, uint32_t rank)
{
    const fit_capture *c = &f->captures[capture];
    walker w = walker_of(f, capture, rank);
    char text[300];
    walk(&w, f->top);
    if (f->status != TL_OK || w.at == w.end)
        return f->status == TL_OK;
    snprintf(f->why, sizeof f->why,
             "%s: rank %" PRIu32 ", event %zu: %s is not in the order of the other ranks' calls",
             tl_reader_path(c->reader), rank, (size_t)(w.at - c->events) - c->first[rank] + 1,
             fit_call_text(f, w.at->symbol, text));
    return false;
}

static bool find_nodes(fitting *f, fit_shape shape)
{
    const bool is_ordered = make_order(f);
    if (is_ordered)
        find_loops(f, shape);
    if (!skel_push(&f->nodes, sizeof(fit_node)))
        fit_out_of_memory(f);
    if (is_ordered && f->status == TL_OK)
        f->top = build(f, 0, f->n_positions - 1, 0, NULL);
    return is_ordered && f->status == TL_OK;
}

/* 0: the calls of a rank are not in the order. The number is only exact up to `most`. */
static uint64_t count_all_samples(fitting *f, uint64_t most)
{
    uint64_t n = 0;
    for (size_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0; fit_uses(f, c) && rank < f->captures[c].n_ranks; rank++) {
            walker w = walker_of(f, (uint32_t)c, rank);
            count_samples(&w, f->top, most, &n);
            if (n > most)
                return n;
            if (w.at != w.end)
                return 0;
        }
    return n;
}

void fit_limit_samples(fitting *f)
{
    enum { ENOUGH = 1 << 21, MANY_TIMES = 4 };
    const bool behind_last = f->behind_last;
    uint64_t n[2 * FIT_N_SHAPES] = {0}, most = 0, limit = UINT64_MAX;
    for (size_t c = 0; c < f->n_captures; c++)
        most += fit_uses(f, c) ? f->captures[c].n_events * f->n_symbols : 0;
    f->skipped = 0;
    for (unsigned i = 0; most > ENOUGH && i < 2 * FIT_N_SHAPES; i++) {
        f->behind_last = i >= FIT_N_SHAPES;
        n[i] = find_nodes(f, (fit_shape)(i % FIT_N_SHAPES)) ? count_all_samples(f, limit) : 0;
        if (n[i] && n[i] < limit / MANY_TIMES)
            limit = MANY_TIMES * n[i] > ENOUGH ? MANY_TIMES * n[i] : ENOUGH;
        fit_loops_free(f);
    }
    for (unsigned i = 0; i < 2 * FIT_N_SHAPES; i++)
        f->skipped |= n[i] > limit ? 1U << i : 0;
    f->behind_last = behind_last;
}

/* Makes room for as many elements; those that are there are not kept. */
static bool make_room(fitting *f, skel_array *pool, size_t n, size_t size)
{
    if (n <= pool->n && pool->items)
        return true;
    free(pool->items);
    *pool = (skel_array){.items = malloc((n + 1) * size)};
    if (pool->items)
        pool->n = n;
    else
        fit_out_of_memory(f);
    return pool->items != NULL;
}

/* Gives the nodes room for their samples, which all arrangements have in common: up to the first
 * rank that is not in the order, where fit_loops ends, too. */
static bool share_room(fitting *f)
{
    fit_node *nodes = f->nodes.items;
    size_t n_samples = 0, n_calls = 0;
    for (size_t i = 0; i < f->nodes.n; i++)
        nodes[i].n_samples = nodes[i].n_calls = 0;
    count_all_samples(f, UINT64_MAX);
    for (size_t i = 0; i < f->nodes.n; i++) {
        n_samples += nodes[i].n_samples;
        n_calls += nodes[i].n_calls;
    }
    if (!make_room(f, &f->sample_pool, n_samples, sizeof(fit_sample)) ||
        !make_room(f, &f->call_pool, n_calls, sizeof(size_t)))
        return false;
    n_samples = n_calls = 0;
    for (size_t i = 0; i < f->nodes.n; i++) {
        nodes[i].samples.items = (fit_sample *)f->sample_pool.items + n_samples;
        nodes[i].calls.items = (size_t *)f->call_pool.items + n_calls;
        n_samples += nodes[i].n_samples;
        n_calls += nodes[i].n_calls;
    }
    return true;
}

bool fit_loops(fitting *f, fit_shape shape)
{
    bool fits = find_nodes(f, shape) && share_room(f);
    for (size_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0;
             fits && f->status == TL_OK && fit_uses(f, c) && rank < f->captures[c].n_ranks; rank++)
            fits = walk_rank(f, (uint32_t)c, rank);
    return fits && f->status == TL_OK;
}

void fit_loops_free(fitting *f)
{
    free(f->nodes.items);
    free(f->intervals.items);
    free(f->order);
    f->nodes = f->intervals = (skel_array){0};
    f->order = NULL;
}
