/* extrapolate_walk.c - the events of a rank, with peers replaced by their places on the grid.
 *
 * If a periodic dimension has one or two ranks, both neighbours along it are the same rank, and the
 * trace does not show for which of them a message is. The order of the receives and the tags
 * decide: see doc/EXTRAPOLATION.md, "Folded dimensions". */
#include "actions.h"
#include "extrapolate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What is known of the messages with one tag along a folded dimension, as bits. */
enum { FROM_BELOW = 1, FROM_ABOVE = 2, FROM_BOTH = 4, IN_BATCHES = 8 };

#define refuse(w, ...) tl_refuse_event((w)->x, (w)->rank, (w)->event - 1, __VA_ARGS__)

const char *tl_refusal_of(const tl_call_info *row)
{
    switch (row->action) {
    case TL_ACTION_OPAQUE: return "it is not modelled";
    case TL_ACTION_ABORT: return "the run was aborted";
    case TL_ACTION_CANCEL: return "whether it succeeds depends on time";
    case TL_ACTION_THREAD:
    case TL_ACTION_ENTER: return "how threads share the work of more ranks is unknown";
    case TL_ACTION_INTERCOMM_CREATE:
    case TL_ACTION_INTERCOMM_MERGE: return "its groups have no place on a grid";
    case TL_ACTION_WIN_POST:
    case TL_ACTION_WIN_START: return "its group has no place on a grid";
    default: break;
    }
    return tl_is_on_file(row->action) ? "how files grow with the ranks is unknown" : NULL;
}

/* ---- peers ---- */

static bool is_send(tl_action action)
{
    const int kind = tl_meaning_of(action)->kind;
    return kind == TL_KIND_SEND || kind == TL_KIND_SENDRECV || kind == TL_KIND_ACCESS ||
           kind == TL_KIND_EPOCH;
}

/* The rank in MPI_COMM_WORLD with number `index` in a slice. */
static uint32_t rank_in_slice(const tl_grid *g, uint32_t rank, unsigned dims, uint32_t index)
{
    tl_coords place = tl_grid_coords(g, rank);
    for (int d = g->n_dims - 1; d >= 0; d--)
        if (dims & 1U << d) {
            place.at[d] = (int32_t)(index % (uint32_t)g->size[d]);
            index /= (uint32_t)g->size[d];
        }
    return tl_grid_rank(g, place);
}

static tl_status refuse_peer(const tl_walk *w, const tl_step *step, uint32_t peer)
{
    char grid[TL_GRID_TEXT_BYTES];
    tl_grid_text(&w->x->from, grid);
    return refuse(w, "%s %s rank %" PRIu32 ", which is not a neighbour in a %s grid",
                  step->row->name, is_send(step->row->action) ? "to" : "from", peer, grid);
}

static tl_status place_root(const tl_walk *w, tl_step *step)
{
    const unsigned dims = tl_comm_dims(w->x, step->event.comm);
    const uint32_t n = tl_slice_size(&w->x->from, dims);
    step->halves[0].kind = step->event.peer ? TL_HALF_LAST : TL_HALF_FIRST;
    if (step->event.peer && (n == 2 || step->event.peer != (int32_t)(n - 1)))
        return refuse(w,
                      "the root of %s is rank %" PRId32 " of %" PRIu32
                      "; only the first and, of three or more, the last rank "
                      "have a place among more ranks",
                      step->row->name, step->event.peer, n);
    return TL_OK;
}

/* The source of a match is a rank in MPI_COMM_WORLD. (place_peer refuses other receives from any
 * rank.) */
static unsigned dims_of_peers(const tl_extrapolating *x, const tl_step *step)
{
    return tl_comm_dims(x, step->row->action == TL_ACTION_MATCH ? TL_COMM_WORLD : step->event.comm);
}

static tl_status place_peer(const tl_walk *w, tl_step *step, int which, int32_t peer)
{
    tl_half *half = &step->halves[which];
    half->sends = !which && is_send(step->row->action);
    const unsigned dims = dims_of_peers(w->x, step);
    if (peer == TL_ANY_SOURCE && tl_slice_size(&w->x->from, dims) != w->x->n_ranks)
        return refuse(w, "%s from any rank is extrapolated on communicators of all ranks only",
                      step->row->name);
    if (peer < 0) {
        half->kind = peer == TL_ANY_SOURCE ? TL_HALF_ANY : TL_HALF_NULL;
        return TL_OK;
    }
    half->kind = TL_HALF_WAY;
    const uint32_t to = rank_in_slice(&w->x->from, w->rank, dims, (uint32_t)peer);
    return tl_grid_way(&w->x->from, w->rank, to, &half->way) ? TL_OK : refuse_peer(w, step, to);
}

/* Each rank of a vector collective must have the same share. */
static tl_status check_shares(const tl_walk *w, const tl_step *step)
{
    const tl_event *e = &step->event;
    const uint32_t n = tl_slice_size(&w->x->from, tl_comm_dims(w->x, e->comm));
    if (tl_meaning_of(step->row->action)->kind == TL_KIND_NEIGHBORHOOD)
        return TL_OK;
    for (uint32_t i = 0; i < e->list_len; i++)
        if (e->list_len % n || e->list[i] != e->list[i - i % n])
            return refuse(w,
                          "%s has shares of different sizes; the shares of more ranks are unknown",
                          step->row->name);
    return TL_OK;
}

static tl_status place_step(const tl_walk *w, tl_step *step)
{
    const tl_event *e = &step->event;
    memset(step->halves, 0, sizeof step->halves);
    if ((step->row->slots & TL_SLOT_COMM) && !e->comm)
        return refuse(w, "%s is not extrapolated: its communicator was not recorded",
                      step->row->name);
    if (step->row->traits & TL_TRAIT_SIZED)
        TL_TRY(check_shares(w, step));
    if (tl_is_rooted(step->row->action))
        TL_TRY(place_root(w, step));
    else if (step->row->slots & TL_SLOT_PEER)
        TL_TRY(place_peer(w, step, 0, e->peer));
    return step->row->slots & TL_SLOT_RECV_PEER ? place_peer(w, step, 1, e->recv_peer) : TL_OK;
}

/* ---- folded dimensions ---- */

/* The one dimension along which both directions are possible; -1: none, -2: several. */
static int folded_dim(tl_way way)
{
    int dim = -1;
    for (int d = 0; d < TL_MAX_DIMS; d++)
        if (way.step[d] == TL_EITHER)
            dim = dim == -1 ? d : -2;
    return dim;
}

/* Messages that go the same way except for the direction along the folded dimension, as their
 * receiver sees it; with their tag, or without. */
static uint64_t key_of(const tl_step *step, const tl_half *half, bool with_tag)
{
    const bool second = half == &step->halves[1];
    const tl_way way = half->sends ? tl_way_back(half->way) : half->way;
    uint64_t key = tl_mix(step->event.comm, 1);
    for (int d = 0; d < TL_MAX_DIMS; d++)
        key = tl_mix(key, (uint64_t)(way.step[d] + 1));
    if (with_tag)
        key = tl_mix(key, 1 + (uint32_t)(second ? step->event.recv_tag : step->event.tag));
    return key;
}

static tl_status refuse_direction(const tl_walk *w, const tl_step *step)
{
    return refuse(w,
                  "the trace does not show which neighbour %s is for, because two neighbours "
                  "are the same rank; record "
                  "with 3 ranks or more along each dimension",
                  step->row->name);
}

/* Receives come in pairs, the first from below. Tags that were in a pair before keep their side. */
static bool pair_receives(uint64_t *first, uint64_t *second)
{
    const uint64_t sides = FROM_BELOW | FROM_ABOVE;
    if (first == second) {
        *first |= FROM_BOTH;
        return !(*first & sides);
    }
    if ((*first | *second) & FROM_BOTH)
        return false;
    uint64_t side = FROM_BELOW;
    if (*first & sides)
        side = *first & sides;
    else if (*second & sides)
        side = sides ^ (*second & sides);
    *first |= side;
    *second |= sides ^ side;
    return (*first & sides) != sides && (*second & sides) != sides;
}

/* Counts a message. Many receives without sends, or many sends without receives, are a batch. */
static bool count_message(tl_walk *w, uint64_t key, uint64_t *known, bool sends)
{
    enum { ZERO = 1 << 20 };
    uint64_t *balance = tl_map_at(&w->counts, tl_mix(key, 2));
    if (!balance)
        return false;
    if (!*balance)
        *balance = ZERO;
    *balance += sends ? UINT64_MAX : 1;
    if (*balance >= ZERO + 2 || *balance <= ZERO - 2)
        *known |= IN_BATCHES;
    return true;
}

static tl_status learn_direction(tl_walk *w, const tl_step *step, const tl_half *half)
{
    if (half->kind != TL_HALF_WAY || folded_dim(half->way) == -1)
        return TL_OK;
    const uint64_t key = key_of(step, half, true);
    if (folded_dim(half->way) == -2 || tl_is_on_window(step->row->action) ||
        step->row->action == TL_ACTION_PROBE || step->row->action == TL_ACTION_MATCH)
        return refuse_direction(w, step);
    uint64_t *known = tl_map_at(&w->directions, key);
    if (!known || !count_message(w, key, known, half->sends))
        return tl_no_memory(w->x->err, tl_reader_path(w->x->r));
    if (half->sends)
        return TL_OK;
    uint64_t *pending = tl_map_at(&w->counts, key_of(step, half, false));
    if (!pending)
        return tl_no_memory(w->x->err, tl_reader_path(w->x->r));
    const uint64_t before = *pending;
    *pending = before ? 0 : key;
    if (!before)
        return TL_OK;
    return pair_receives(tl_map_find(&w->directions, before), known) ? TL_OK
                                                                     : refuse_direction(w, step);
}

/* Decides for each message along a folded dimension. */
static tl_status resolve(tl_walk *w, tl_step *step, tl_half *half)
{
    const int dim = half->kind == TL_HALF_WAY ? folded_dim(half->way) : -1;
    if (dim < 0)
        return TL_OK;
    const uint64_t key = key_of(step, half, true);
    const uint64_t *known = tl_map_find(&w->directions, key);
    uint64_t *count = tl_map_at(&w->counts, tl_mix(key, half->sends ? 4 : 3));
    if (!count)
        return tl_no_memory(w->x->err, tl_reader_path(w->x->r));
    if (!known || !(*known & (FROM_BELOW | FROM_ABOVE | FROM_BOTH)))
        return refuse_direction(w, step);
    const bool odd = (*count)++ & 1;
    bool above = *known & FROM_BOTH ? odd : (*known & FROM_ABOVE) != 0;
    if (half->sends && (*known & FROM_BOTH))
        above = *known & IN_BATCHES ? odd : !odd;
    else if (half->sends)
        above = !above;
    half->way.step[dim] = (int8_t)(above ? 1 : -1);
    return TL_OK;
}

/* ---- walking ---- */

static tl_status next_step(tl_walk *w, tl_step *out)
{
    tl_status status = tl_cursor_next(w->cursor, &out->event);
    if (status == TL_END)
        return TL_END;
    if (status) {
        if (w->x->err)
            *w->x->err = *tl_cursor_error(w->cursor);
        return status;
    }
    w->event++;
    out->row = tl_call_by_code(out->event.call);
    out->site = tl_reader_site(w->x->r, w->rank, out->event.site);
    out->event.clock_ns = 0;
    return place_step(w, out);
}

/* Reads all events once for the directions along folded dimensions. */
static tl_status learn_directions(tl_walk *w)
{
    tl_step step;
    tl_status status;
    while (!(status = next_step(w, &step)))
        for (int i = 1; i >= 0 && !status; i--) { /* what is received first */
            status = learn_direction(w, &step, &step.halves[i]);
            if (status)
                return status;
        }
    if (status != TL_END)
        return status;
    w->event = 0;
    return tl_cursor_seek(w->cursor, 0);
}

tl_status tl_walk_open(tl_walk *w, tl_extrapolating *x, uint32_t rank, bool resolve_all)
{
    *w = (tl_walk){.x = x, .rank = rank, .scale = 1};
    tl_status status = tl_cursor_open(x->r, rank, &w->cursor, x->err);
    bool folded = false;
    for (int d = 0; d < x->from.n_dims; d++)
        folded |= tl_grid_is_folded(&x->from, d);
    return !status && folded && resolve_all ? learn_directions(w) : status;
}

/* A volume times the scale. The sum stays exact. */
static uint64_t scaled(tl_walk *w, uint64_t volume)
{
    const double limit = 9e18, exact = (double)volume * w->scale + w->carry;
    if (exact >= limit)
        return (uint64_t)limit;
    const double rounded = exact > 0 ? floor(exact + 0.5) : 0;
    w->carry = exact - rounded;
    return (uint64_t)rounded;
}

tl_status tl_walk_next(tl_walk *w, tl_step *out)
{
    tl_status status = next_step(w, out);
    if (!status && w->scale != 1)
        out->event.volume = scaled(w, out->event.volume);
    for (int i = 1; i >= 0 && !status && w->directions.n; i--)
        status = resolve(w, out, &out->halves[i]);
    return status;
}

void tl_walk_close(tl_walk *w)
{
    tl_cursor_close(w->cursor);
    tl_map_free(&w->directions);
    tl_map_free(&w->counts);
    w->cursor = NULL;
}

/* ---- comparing, placing ---- */

bool tl_step_varies_at_root(const tl_step *step)
{
    return tl_varies_at_root(step->row->action);
}

/* The list of a parallel region is volumes of its threads, which may vary as other volumes do. */
static bool has_sizes(const tl_event *e)
{
    return e->call != TL_MPI_Parallel;
}

static bool has_like_sizes(const tl_event *e, const tl_event *f)
{
    if (!has_sizes(e))
        return true;
    return e->count == f->count && e->type_bytes == f->type_bytes &&
           e->recv_count == f->recv_count && e->recv_type_bytes == f->recv_type_bytes &&
           e->list_len == f->list_len &&
           (!e->list_len || !memcmp(e->list, f->list, e->list_len * sizeof *e->list));
}

bool tl_step_is(const tl_step *a, const tl_step *b)
{
    const tl_event *e = &a->event, *f = &b->event;
    for (int i = 0; i < 2; i++)
        if (a->halves[i].kind != b->halves[i].kind ||
            !tl_way_is(a->halves[i].way, b->halves[i].way))
            return false;
    return e->call == f->call && e->flags == f->flags && e->comm == f->comm &&
           e->new_comm == f->new_comm && e->request == f->request && e->tag == f->tag &&
           e->recv_tag == f->recv_tag && (tl_step_varies_at_root(a) || has_like_sizes(e, f));
}

static uint64_t hash_sizes(uint64_t hash, const tl_event *e)
{
    if (!has_sizes(e))
        return hash;
    hash = tl_mix(hash, (uint64_t)e->count);
    hash = tl_mix(hash, (uint64_t)e->type_bytes);
    hash = tl_mix(hash, (uint64_t)e->recv_count);
    hash = tl_mix(hash, (uint64_t)e->recv_type_bytes);
    for (uint32_t i = 0; i < e->list_len; i++)
        hash = tl_mix(hash, (uint64_t)e->list[i]);
    return tl_mix(hash, e->list_len);
}

uint64_t tl_step_hash(uint64_t hash, const tl_step *step)
{
    const tl_event *e = &step->event;
    hash = tl_mix(hash, (uint64_t)e->call << 16 | e->flags);
    hash = tl_mix(hash, (uint64_t)e->comm << 32 | e->new_comm);
    hash = tl_mix(hash, e->request);
    hash = tl_mix(hash, (uint64_t)(uint32_t)e->tag << 32 | (uint32_t)e->recv_tag);
    for (int i = 0; i < 2; i++) {
        hash = tl_mix(hash, step->halves[i].kind);
        for (int d = 0; d < TL_MAX_DIMS; d++)
            hash = tl_mix(hash, (uint64_t)step->halves[i].way.step[d]);
    }
    return tl_step_varies_at_root(step) ? hash : hash_sizes(hash, e);
}

bool tl_walk_at_root(const tl_walk *w, const tl_step *step)
{
    const tl_half_kind root = step->halves[0].kind;
    if (root != TL_HALF_FIRST && root != TL_HALF_LAST)
        return false;
    const unsigned dims = tl_comm_dims(w->x, step->event.comm);
    const uint32_t index = tl_slice_index(&w->x->from, w->rank, dims);
    return index == (root == TL_HALF_LAST ? tl_slice_size(&w->x->from, dims) - 1 : 0);
}

uint64_t tl_step_script(const tl_walk *w, uint64_t hash, const tl_step *step)
{
    return tl_mix(hash_sizes(tl_step_hash(hash, step), &step->event), tl_walk_at_root(w, step));
}

static int32_t peer_at(const tl_extrapolating *x, const tl_step *step, int which, uint32_t rank)
{
    const tl_half *half = &step->halves[which];
    const unsigned dims = dims_of_peers(x, step);
    switch (half->kind) {
    case TL_HALF_ANY: return TL_ANY_SOURCE;
    case TL_HALF_LAST: return (int32_t)(tl_slice_size(&x->to, dims) - 1);
    case TL_HALF_WAY: {
        const int64_t to = tl_grid_go(&x->to, rank, half->way);
        return to < 0 ? TL_PROC_NULL : (int32_t)tl_slice_index(&x->to, (uint32_t)to, dims);
    }
    case TL_HALF_NULL: return TL_PROC_NULL;
    case TL_HALF_FIRST:
    case TL_HALF_NONE: break;
    }
    return 0;
}

/* The shares of a vector collective of as many ranks. */
static tl_status put_shares(const tl_extrapolating *x, tl_buffer *list, tl_event *e)
{
    const unsigned dims = tl_comm_dims(x, e->comm);
    const uint32_t old_n = tl_slice_size(&x->from, dims), n = tl_slice_size(&x->to, dims);
    const uint32_t n_lists = e->list_len / old_n;
    list->size = 0;
    if (!tl_buffer_reserve(list, (size_t)n_lists * n * sizeof *e->list))
        return TL_ERR_MEMORY;
    int64_t *shares = (int64_t *)(void *)list->data;
    for (uint32_t i = 0; i < n_lists * n; i++)
        shares[i] = e->list[(size_t)(i / n) * old_n];
    e->list = shares;
    e->list_len = n_lists * n;
    return TL_OK;
}

tl_status tl_step_put(const tl_extrapolating *x, const tl_step *step, uint32_t rank,
                      tl_buffer *list, tl_event *out)
{
    *out = step->event;
    out->peer = peer_at(x, step, 0, rank);
    out->recv_peer = peer_at(x, step, 1, rank);
    if ((step->row->traits & TL_TRAIT_SIZED) && out->list_len &&
        tl_meaning_of(step->row->action)->kind != TL_KIND_NEIGHBORHOOD)
        return put_shares(x, list, out);
    return TL_OK;
}
