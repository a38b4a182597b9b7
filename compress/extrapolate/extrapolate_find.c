/* extrapolate_find.c - finds the grid of a trace's ranks, which all their partners and
 * communicators must fit. */
#include "extrapolate.h"

#include "actions.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_PARTNERS = 64 };

/* ---- partners ---- */

static tl_status add_partner(tl_extrapolating *x, tl_map *seen, const tl_partner *p)
{
    uint64_t *known = tl_map_at(seen, p->peer);
    if (known && !*known) {
        *known = 1;
        if (tl_make_room(&x->partners, x->n_partners, &x->partners_capacity, sizeof *x->partners)) {
            x->partners[x->n_partners++] = *p;
            return TL_OK;
        }
        known = NULL;
    }
    return known ? TL_OK : tl_no_memory(x->err, tl_reader_path(x->r));
}

/* A peer of an event. Peers of matches are ranks in MPI_COMM_WORLD (see extrapolate_walk.c). */
static tl_status see_peer(tl_extrapolating *x, tl_map *seen, tl_partner p, const tl_event *e,
                          int32_t peer)
{
    if (peer < 0) {
        x->has_null |= peer == TL_PROC_NULL;
        return TL_OK;
    }
    const tl_comm *comm = tl_reader_comm(x->r, p.rank, e->comm);
    p.peer = (uint32_t)peer;
    p.call = e->call;
    if (e->comm == TL_COMM_SELF)
        p.peer = p.rank;
    else if (comm)
        p.peer = (uint32_t)peer < comm->n_members ? (uint32_t)comm->members[peer] : UINT32_MAX;
    if (p.peer >= x->n_ranks)
        return tl_fail(x->err, TL_ERR_CORRUPT,
                       "%s: rank %" PRIu32 ", event %" PRIu64 ": %s: there is no rank %" PRId32,
                       tl_reader_path(x->r), p.rank, p.event, tl_call_by_code(e->call)->name, peer);
    if (seen->n > MAX_PARTNERS)
        return tl_refuse_event(
            x, p.rank, p.event,
            "more than %d ranks exchange messages with this one: this is not a stencil or sweep",
            MAX_PARTNERS);
    return add_partner(x, seen, &p);
}

static bool has_peers(const tl_call_info *row)
{
    if (!(row->slots & TL_SLOT_PEER))
        return false;
    return tl_is_message(row->action) || tl_is_on_window(row->action);
}

static tl_status see_event(tl_extrapolating *x, tl_map *seen, const tl_partner *at,
                           const tl_event *e)
{
    const tl_call_info *row = tl_call_by_code(e->call);
    const char *refusal = tl_refusal_of(row);
    if (refusal)
        return tl_refuse_event(x, at->rank, at->event, "%s is not extrapolated: %s", row->name,
                               refusal);
    if (has_peers(row))
        TL_TRY(see_peer(x, seen, *at, e, e->peer));
    return row->slots & TL_SLOT_RECV_PEER ? see_peer(x, seen, *at, e, e->recv_peer) : TL_OK;
}

static tl_status find_partners_of(tl_extrapolating *x, uint32_t rank)
{
    tl_cursor *cursor = NULL;
    tl_map seen = {0};
    tl_event e;
    tl_status status = tl_cursor_open(x->r, rank, &cursor, x->err);
    for (uint64_t event = 0; !status; event++) {
        status = tl_cursor_next(cursor, &e);
        if (!status)
            status = see_event(x, &seen, &(tl_partner){.rank = rank, .event = event}, &e);
        else if (status != TL_END && x->err)
            *x->err = *tl_cursor_error(cursor);
    }
    tl_map_free(&seen);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

tl_status tl_partners_find(tl_extrapolating *x)
{
    for (uint32_t rank = 0; rank < x->n_ranks; rank++)
        TL_TRY(find_partners_of(x, rank));
    return TL_OK;
}

/* ---- one grid ---- */

/* The periods of a Cartesian communicator of all ranks. False: there is none, or it has other
 * dimensions. */
static bool take_periods(const tl_extrapolating *x, tl_grid *g)
{
    const tl_comm *comms;
    const size_t n = tl_reader_comms(x->r, 0, &comms);
    for (size_t i = 0; i < n; i++) {
        const tl_comm *c = &comms[i];
        if (c->call != TL_MPI_Cart_create || c->n_members != x->n_ranks ||
            c->n_sources != 2 * (uint32_t)g->n_dims)
            continue;
        for (int d = 0; d < g->n_dims; d++)
            g->periodic[d] = c->sources[2 * (size_t)d] != TL_PROC_NULL;
        return true;
    }
    return false;
}

/* Dimensions around which messages go. */
static void see_periods(const tl_extrapolating *x, tl_grid *g)
{
    for (size_t i = 0; i < x->n_partners; i++) {
        const tl_coords a = tl_grid_coords(g, x->partners[i].rank),
                        b = tl_grid_coords(g, x->partners[i].peer);
        for (int d = 0; d < g->n_dims; d++)
            if (g->size[d] > 2 && abs(a.at[d] - b.at[d]) == g->size[d] - 1)
                g->periodic[d] = true;
    }
}

/* If nothing names the grid, diagonal neighbours count only if they are not simply all ranks. */
static bool is_neighbour(const tl_grid *g, const tl_partner *p, bool is_told, tl_way *way)
{
    if (!tl_grid_way(g, p->rank, p->peer, way))
        return false;
    int n = 0;
    bool diagonals = true;
    for (int d = 0; d < g->n_dims; d++) {
        n += way->step[d] != 0;
        diagonals &= g->size[d] > 2 + g->periodic[d];
    }
    return n <= 1 || diagonals || is_told;
}

/* Bits of the ways to a partner. */
static uint32_t ways_to(tl_way way)
{
    for (int d = 0; d < TL_MAX_DIMS; d++)
        if (way.step[d] == TL_EITHER) {
            tl_way below = way, above = way;
            below.step[d] = -1;
            above.step[d] = 1;
            return ways_to(below) | ways_to(above);
        }
    return UINT32_C(1) << tl_way_index(way);
}

static tl_status refuse_class(const tl_extrapolating *x, const tl_grid *g, uint32_t a, uint32_t b)
{
    char text[TL_GRID_TEXT_BYTES];
    tl_grid_text(g, text);
    return tl_refuse(x,
                     "ranks %" PRIu32 " and %" PRIu32
                     " have like places in a %s grid, but different neighbours",
                     a, b, text);
}

/* Ranks with like places have like neighbours. */
static tl_status check_classes(const tl_extrapolating *x, const tl_grid *g)
{
    tl_common common = {0};
    const tl_partner *partners = x->partners;
    size_t i = 0;
    for (uint32_t rank = 0; rank < x->n_ranks; rank++) {
        uint32_t ways = 0, other;
        for (; partners && i < x->n_partners && partners[i].rank == rank; i++) {
            tl_way way;
            tl_grid_way(g, rank, partners[i].peer, &way);
            ways |= ways_to(way);
        }
        if (!tl_is_common(&common, g, rank, ways, &other))
            return refuse_class(x, g, other, rank);
    }
    return TL_OK;
}

/* Whether a Cartesian communicator of all ranks gives the number of dimensions. */
static bool is_cart_known(const tl_extrapolating *x, int n_dims)
{
    tl_grid g = {.n_dims = n_dims};
    return take_periods(x, &g);
}

/* Whether everything fits the grid; *n_fit: the number of partners that fit. */
static tl_status check_grid(tl_extrapolating *x, const tl_grid *g, bool is_given, size_t *n_fit)
{
    const tl_partner *misfit = NULL;
    char text[TL_GRID_TEXT_BYTES];
    tl_grid_text(g, text);
    *n_fit = 0;
    const bool is_told = is_given || is_cart_known(x, g->n_dims);
    for (size_t i = 0; i < x->n_partners; i++) {
        tl_way way;
        if (is_neighbour(g, &x->partners[i], is_told, &way))
            ++*n_fit;
        else if (!misfit)
            misfit = &x->partners[i];
    }
    if (misfit)
        return tl_refuse_event(x, misfit->rank, misfit->event,
                               "the partner of %s is rank %" PRIu32
                               ", which is not a neighbour in a %s grid%s",
                               tl_call_by_code(misfit->call)->name, misfit->peer, text,
                               is_given ? "" : "; no other grid fits better");
    x->from = *g;
    TL_TRY(check_classes(x, g));
    return tl_comm_kinds_find(x);
}

/* ---- all grids ---- */

typedef struct search {
    tl_extrapolating *x;
    tl_grid found, other;
    int n_found;
    size_t best_fit; /* partners */
    tl_error why;    /* what is wrong with the best one */
} search;

static void try_grid(search *s, tl_grid g)
{
    tl_error *err = s->x->err, why;
    s->x->err = &why;
    if (!take_periods(s->x, &g))
        see_periods(s->x, &g);
    size_t n_fit;
    if (!check_grid(s->x, &g, false, &n_fit)) {
        s->other = g;
        if (!s->n_found++)
            s->found = g;
    } else if (!s->why.status || n_fit > s->best_fit) {
        s->best_fit = n_fit;
        s->why = why;
    }
    s->x->err = err;
}

/* A dimension has one rank only if a communicator shows it. */
static void try_grids(search *s, tl_grid g, int n_dims, int64_t rest)
{
    if (g.n_dims == n_dims - 1) {
        g.size[g.n_dims++] = (int32_t)rest;
        try_grid(s, g);
        return;
    }
    const int64_t least = is_cart_known(s->x, n_dims) ? 1 : 2;
    for (int64_t size = least; size <= rest / least; size++)
        if (rest % size == 0) {
            tl_grid larger = g;
            larger.size[larger.n_dims++] = (int32_t)size;
            try_grids(s, larger, n_dims, rest / size);
        }
}

/* Whether the two ranks along a dimension make the same calls. The dimension may then be periodic
 * or not. */
static tl_status check_pair(tl_extrapolating *x, int dim)
{
    const tl_grid found = x->from;
    tl_difference d;
    tl_coords place = {{0}};
    place.at[dim] = 1;
    for (int i = 0; i < x->from.n_dims; i++)
        x->from.periodic[i] |= x->from.size[i] == 2;
    const tl_status status = tl_ranks_compare(x, 0, tl_grid_rank(&found, place), false, &d);
    x->from = found;
    if (status || !d.is_none)
        return status;
    char text[TL_GRID_TEXT_BYTES], folded[TL_GRID_TEXT_BYTES];
    tl_grid other = found;
    other.periodic[dim] = true;
    tl_grid_text(&found, text);
    tl_grid_text(&other, folded);
    return tl_refuse(x,
                     "both ranks along dimension %d of a %s grid make the same calls: the trace "
                     "does not show whether it is periodic; if it is, give --process-grid %s",
                     dim + 1, text, folded);
}

/* The things that the partners do not show: messages of ranks to themselves, dimensions with two
 * ranks. */
static tl_status check_folds(tl_extrapolating *x)
{
    bool used[TL_MAX_DIMS] = {false};
    if (is_cart_known(x, x->from.n_dims))
        return TL_OK;
    for (size_t i = 0; i < x->n_partners; i++) {
        const tl_partner *p = &x->partners[i];
        tl_way way;
        tl_grid_way(&x->from, p->rank, p->peer, &way);
        for (int d = 0; d < x->from.n_dims; d++)
            used[d] |= way.step[d] != 0;
        if (p->rank == p->peer)
            return tl_refuse_event(
                x, p->rank, p->event,
                "the partner of %s is the rank itself: the trace does not show whether a "
                "periodic dimension has one rank; give the grid, as in --process-grid 2px2px1p",
                tl_call_by_code(p->call)->name);
    }
    for (int d = 0; d < x->from.n_dims; d++)
        if (used[d] && x->from.size[d] == 2)
            TL_TRY(check_pair(x, d));
    return TL_OK;
}

tl_status tl_grid_find(tl_extrapolating *x, const tl_grid *given)
{
    size_t n_fit;
    if (given)
        return check_grid(x, given, true, &n_fit);
    search s = {.x = x};
    for (int n_dims = 1; n_dims <= TL_MAX_DIMS && !s.n_found; n_dims++)
        try_grids(&s, (tl_grid){.size = {1, 1, 1}}, n_dims, x->n_ranks);
    if (!s.n_found) {
        if (x->err)
            *x->err = s.why;
        return s.why.status;
    }
    if (s.n_found > 1) {
        char a[TL_GRID_TEXT_BYTES], b[TL_GRID_TEXT_BYTES];
        tl_grid_text(&s.found, a);
        tl_grid_text(&s.other, b);
        return tl_refuse(
            x, "both a %s and a %s grid fit; give one of them, as in --process-grid %s", a, b, a);
    }
    TL_TRY(check_grid(x, &s.found, false, &n_fit));
    return check_folds(x);
}
