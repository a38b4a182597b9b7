/* past.c - follows the events of one rank; saves the state, and loads it again. */
#include "config.h"

#include "past.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- messages and collectives ---- */

static bool is_wildcard(const tl_event *e)
{
    return e->peer == TL_ANY_SOURCE || (e->peer >= 0 && e->tag == TL_ANY_TAG);
}

static tl_status count_send(tl_past *p, const tl_event *e)
{
    return tl_balance_message(p->balance, p->account, true, e->comm, e->peer, e->tag, 1, p->err);
}

/* Counts a nonblocking or persistent receive. A wildcard receive counts when its match is known. */
static tl_status count_receive(tl_past *p, tl_request *request)
{
    const tl_event *e = &request->begun;
    if (is_wildcard(e)) {
        request->open = true;
        return TL_OK;
    }
    return tl_balance_message(p->balance, p->account, false, e->comm, e->peer, e->tag, 1, p->err);
}

/* Counts a blocking receive, or the receiving half of a Sendrecv. */
static tl_status count_blocking(tl_past *p, uint32_t comm, int32_t peer, int32_t tag)
{
    if (p->match.call && (peer == TL_ANY_SOURCE || tag == TL_ANY_TAG)) {
        peer = p->match.peer;
        tag = p->match.tag;
    }
    p->match.call = 0;
    if (peer == TL_ANY_SOURCE)
        return tl_fail(p->err, TL_ERR_UNSUPPORTED,
                       "%s: rank %" PRIu32 " receives from any source at the first event of the "
                       "part; begin one event earlier",
                       p->r->path, p->rank);
    return tl_balance_message(p->balance, p->account, false, comm, peer, tag, 1, p->err);
}

static tl_status count_started(tl_past *p, uint32_t id)
{
    tl_request *request = tl_requests_find(&p->requests, id);
    if (!request)
        return TL_OK;
    switch (tl_call_by_code(request->begun.call)->action) {
    case TL_ACTION_RECV_INIT: return count_receive(p, request);
    case TL_ACTION_SEND_INIT: return count_send(p, &request->begun);
    default: return tl_balance_collective(p->balance, p->account, &request->begun, p->err);
    }
}

static int account_of(const tl_request *request)
{
    return request->before ? TL_BEFORE : TL_WITHIN;
}

static tl_status count_match(tl_past *p, const tl_event *e)
{
    if (!e->request) {
        p->match = *e;
        return TL_OK;
    }
    tl_request *request = tl_requests_find(&p->requests, e->request);
    if (!request || !request->open)
        return TL_OK;
    request->open = false;
    return tl_balance_message(p->balance, account_of(request), false, request->begun.comm, e->peer,
                              e->tag, 1, p->err);
}

/* Removes a cancelled receive, because no message belongs to it. */
static tl_status count_cancel(tl_past *p, const tl_event *e)
{
    tl_request *request = tl_requests_find(&p->requests, e->request);
    if (!request || !request->active)
        return TL_OK;
    if (request->open) {
        request->open = false;
        return TL_OK;
    }
    tl_action action = tl_call_by_code(request->begun.call)->action;
    if (action != TL_ACTION_IRECV && action != TL_ACTION_RECV_INIT)
        return TL_OK;
    return tl_balance_message(p->balance, account_of(request), false, request->begun.comm,
                              request->begun.peer, request->begun.tag, -1, p->err);
}

/* Returns 1 for calls that open an epoch or a split operation, and -1 for calls that close one. */
static int64_t opens(tl_action action)
{
    switch (action) {
    case TL_ACTION_WIN_POST:
    case TL_ACTION_WIN_START:
    case TL_ACTION_WIN_LOCK:
    case TL_ACTION_WIN_LOCK_ALL:
    case TL_ACTION_FILE_READ_BEGIN:
    case TL_ACTION_FILE_WRITE_BEGIN: return 1;
    case TL_ACTION_WIN_WAIT:
    case TL_ACTION_WIN_COMPLETE:
    case TL_ACTION_WIN_UNLOCK:
    case TL_ACTION_WIN_UNLOCK_ALL:
    case TL_ACTION_FILE_READ_END:
    case TL_ACTION_FILE_WRITE_END: return -1;
    default: return 0;
    }
}

/* Counts the messages and collectives of an event. Its requests have been followed. */
static tl_status count_event(tl_past *p, const tl_event *e, const tl_call_info *row)
{
    TL_TRY(tl_balance_collective(p->balance, p->account, e, p->err));
    tl_status status = TL_OK;
    p->n_open += opens(row->action);
    switch (row->action) {
    case TL_ACTION_SEND:
    case TL_ACTION_ISEND: return count_send(p, e);
    case TL_ACTION_RECV: return count_blocking(p, e->comm, e->peer, e->tag);
    case TL_ACTION_SENDRECV:
        status = count_send(p, e);
        return status ? status : count_blocking(p, e->comm, e->recv_peer, e->recv_tag);
    case TL_ACTION_IRECV: {
        tl_request *request = tl_requests_find(&p->requests, e->request);
        return request ? count_receive(p, request) : TL_OK;
    }
    case TL_ACTION_START:
        status = count_started(p, e->request);
        for (uint32_t i = 0; i < e->list_len && !status; i++)
            status = count_started(p, (uint32_t)e->list[i]);
        return status;
    case TL_ACTION_MATCH: return count_match(p, e);
    case TL_ACTION_CANCEL: return count_cancel(p, e);
    default: return TL_OK;
    }
}

/* ---- sections and regions ---- */

static bool spans_all_ranks(const tl_reader *r, uint32_t rank, uint32_t comm)
{
    if (comm == TL_COMM_WORLD)
        return true;
    const tl_comm *defined = tl_reader_comm(r, rank, comm);
    if (defined)
        return defined->n_members == r->header.run.n_ranks;
    return comm == TL_COMM_SELF && r->header.run.n_ranks == 1;
}

bool tl_opens_section(const tl_reader *r, uint32_t rank, const tl_event *e)
{
    const tl_call_info *row = tl_call_by_code(e->call);
    return (row->traits & TL_TRAIT_SYNC) && spans_all_ranks(r, rank, e->comm);
}

/* The count of a level, which is added if it is new; NULL without memory. */
static tl_level *level_at(tl_past *p, int32_t level)
{
    tl_level *of = tl_map_item(&p->level_places, (uint64_t)(uint32_t)level, &p->levels,
                               &p->n_levels, &p->levels_capacity, sizeof *p->levels);
    if (of)
        of->level = level;
    return of;
}

/* A region of a level begins at the first of several calls with this level. */
static bool follow_level(tl_past *p, int32_t level)
{
    if (p->in_region && p->level == level)
        return true;
    tl_level *of = level_at(p, level);
    if (of)
        of->n++;
    p->in_region = true;
    p->level = level;
    return of != NULL;
}

/* ---- events ---- */

tl_status tl_past_follow(tl_past *p, const tl_event *e)
{
    const tl_call_info *row = tl_call_by_code(e->call);
    if (!tl_requests_follow(&p->requests, e, row, p->account == TL_BEFORE))
        return tl_no_memory(p->err, p->r->path);
    if (row->slots & TL_SLOT_CLOCK)
        p->clock_ns = e->clock_ns;
    if (row->action == TL_ACTION_THREAD)
        p->thread = e->tag;
    if (e->call == TL_MPI_Pcontrol && !follow_level(p, e->tag))
        return tl_no_memory(p->err, p->r->path);
    p->n_sections += tl_opens_section(p->r, p->rank, e);
    return count_event(p, e, row);
}

void tl_past_free(tl_past *p)
{
    tl_requests_free(&p->requests);
    tl_map_free(&p->level_places);
    free(p->levels);
    p->levels = NULL;
    p->n_levels = p->levels_capacity = 0;
}

/* ---- saving and loading (doc/FORMAT.md, "Index") ---- */

enum { IS_ACTIVE = 1, IS_OPEN = 2 };

static void put_signed(tl_buffer *out, int64_t v)
{
    tl_buffer_put_varint(out, tl_zigzag((uint64_t)v));
}

static int64_t get_signed(tl_input *in)
{
    return (int64_t)tl_unzigzag(tl_get_varint(in));
}

static int by_serial(const void *a, const void *b)
{
    const tl_request *x = *(tl_request *const *)a, *y = *(tl_request *const *)b;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

/* The live requests by the events that made them. */
static tl_status save_requests(const tl_requests *all, tl_buffer *out)
{
    size_t n = 0;
    uint64_t before = 0;
    const tl_request **live = malloc((all->n + 1) * sizeof *live);
    if (!live || !tl_buffer_reserve(out, (all->n + 1) * (TL_VARINT_MAX_BYTES + 1))) {
        free(live);
        return TL_ERR_MEMORY;
    }
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].live)
            live[n++] = &all->items[i];
    qsort(live, n, sizeof *live, by_serial);
    tl_buffer_put_varint(out, n);
    for (size_t i = 0; i < n; i++) {
        tl_buffer_put_varint(out, live[i]->serial - before);
        out->data[out->size++] =
            (uint8_t)((live[i]->active ? IS_ACTIVE : 0) | (live[i]->open ? IS_OPEN : 0));
        before = live[i]->serial;
    }
    free(live);
    return TL_OK;
}

tl_status tl_past_save(const tl_past *p, uint64_t number, tl_buffer *out)
{
    if (!tl_buffer_reserve(out, (8 + 2 * p->n_levels) * TL_VARINT_MAX_BYTES))
        return TL_ERR_MEMORY;
    tl_buffer_put_varint(out, number);
    tl_buffer_put_varint(out, p->n_sections);
    tl_buffer_put_varint(out, p->in_region);
    put_signed(out, p->level);
    tl_buffer_put_varint(out, p->n_levels);
    for (size_t i = 0; i < p->n_levels; i++) {
        put_signed(out, p->levels[i].level);
        tl_buffer_put_varint(out, p->levels[i].n);
    }
    tl_buffer_put_varint(out, p->clock_ns);
    put_signed(out, p->n_open);
    put_signed(out, p->thread);
    TL_TRY(tl_balance_save(p->balance, out));
    return save_requests(&p->requests, out);
}

static tl_status load_requests(tl_past *p, tl_input *in, uint64_t number)
{
    const uint64_t n = tl_get_varint(in);
    uint64_t at = 0;
    tl_cursor *c = NULL;
    tl_status status = n ? tl_cursor_open(p->r, p->rank, &c, p->err) : TL_OK;
    for (uint64_t i = 0; i < n && !status; i++) {
        tl_event e;
        const uint64_t step = tl_get_varint(in), flags = tl_get_varint(in);
        /* Each event makes one request: without this, all of them could be one that is far. */
        const bool is_ahead = step < number - at && (step || !i);
        at += step;
        status = in->bad || !is_ahead ? TL_ERR_CORRUPT : tl_cursor_seek(c, at);
        if (!status)
            status = tl_cursor_next(c, &e);
        if (!status && !(tl_call_by_code(e.call)->traits & TL_TRAIT_NB && e.request))
            status = TL_ERR_CORRUPT;
        p->requests.next_serial = at;
        if (!status && !tl_requests_follow(&p->requests, &e, tl_call_by_code(e.call), true))
            status = TL_ERR_MEMORY;
        tl_request *request = status ? NULL : tl_requests_find(&p->requests, e.request);
        if (request) {
            request->active = flags & IS_ACTIVE;
            request->open = flags & IS_OPEN;
        }
    }
    tl_cursor_close(c);
    return status;
}

tl_status tl_past_load(tl_past *p, tl_input *in)
{
    const uint64_t number = tl_get_varint(in);
    p->n_sections = tl_get_varint(in);
    p->in_region = tl_get_varint(in) != 0;
    p->level = (int32_t)get_signed(in);
    for (uint64_t n = tl_get_varint(in); n && !in->bad; n--) {
        tl_level *of = level_at(p, (int32_t)get_signed(in));
        if (!of)
            return TL_ERR_MEMORY;
        of->n = tl_get_varint(in);
    }
    p->clock_ns = tl_get_varint(in);
    p->n_open = get_signed(in);
    p->thread = (int32_t)get_signed(in);
    /* Each event opens or closes one. */
    in->bad = in->bad || p->n_open > (int64_t)number || p->n_open < -(int64_t)number;
    tl_status status = in->bad ? TL_ERR_CORRUPT : tl_balance_load(p->balance, in);
    if (!status)
        status = load_requests(p, in, number);
    return status || (!in->bad && in->p == in->end) ? status : TL_ERR_CORRUPT;
}
