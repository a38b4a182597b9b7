/* skeleton_walk.c - the events of one rank of a skeleton, one at a time. */
#include "config.h"

#include "skeleton.h"

#include "actions.h"
#include "core/error.h"
#include "core/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block that the rank is in. */
typedef struct open_block {
    uint32_t next; /* statement */
    uint32_t loop; /* the statement that repeats it; 0: none */
    uint64_t left; /* passes after this one */
    int64_t step;
} open_block;

/* A request under way. */
typedef struct pending {
    uint32_t name, id, line;
    int64_t index; /* SKEL_NULL: none */
} pending;

typedef struct skel_walk {
    const skeleton *s;
    uint32_t rank;
    int64_t *slots;
    enum { AT_INIT, AT_BODY, AT_END } phase;
    int n_blocks;
    open_block blocks[SKEL_MAX_BLOCKS + 2];
    uint64_t n_quiet; /* statements since the last event */
    uint64_t volume;
    skel_array requests; /* pending, in the order of their start */
    skel_array used;     /* bool by id - 1 */
    size_t lowest;       /* no id before is free */
    struct comm_state {
        uint32_t n_made, n_freed;
    } * comms;
    tl_map draws; /* how many, by distribution and partner or communicator */
    int64_t *list;
    size_t list_room;
    tl_error error;
} walk;

/* Statements between two events, or of a schedule: what takes longer is taken for a mistake. */
enum { MAX_QUIET = 100000000 };

static const skel_statement *statement_at(const walk *w, uint32_t number)
{
    return (const skel_statement *)w->s->statements.items + number;
}

tl_status skel_walk_wrong(walk *w, uint32_t line, const char *format, ...)
{
    char text[300], of[30] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (w->s->language->names_size)
        snprintf(of, sizeof of, " of %" PRId64, w->s->n_ranks);
    return skel_fail(&w->error, w->s, line, "rank %" PRIu32 "%s: %s", w->rank, of, text);
}

tl_status skel_walk_value(walk *w, uint32_t expression, int64_t *out)
{
    return skel_evaluate(w->s, w->slots, expression, w->rank, out, &w->error);
}

tl_status skel_walk_number(walk *w, uint32_t line, uint32_t expression, int64_t *out)
{
    TL_TRY(skel_walk_value(w, expression, out));
    return *out == SKEL_NULL
               ? skel_walk_wrong(w, line, "null is not a number; only a peer can be null")
               : TL_OK;
}

/* ---- blocks ---- */

/* At most one block for each level of the text, and the whole. */
static void enter(walk *w, open_block block)
{
    w->blocks[w->n_blocks++] = block;
}

void skel_walk_enter(walk *w, uint32_t first)
{
    if (first)
        enter(w, (open_block){.next = first});
}

static tl_status enter_loop(walk *w, uint32_t number)
{
    const skel_statement *st = statement_at(w, number);
    const uint32_t *expressions = st->expressions;
    int64_t first = 1, last = 0, step = 1;
    TL_TRY(skel_walk_number(w, st->line, expressions[1], &last));
    if (expressions[0])
        TL_TRY(skel_walk_number(w, st->line, expressions[0], &first));
    if (expressions[2])
        TL_TRY(skel_walk_number(w, st->line, expressions[2], &step));
    if (!step)
        return skel_walk_wrong(w, st->line,
                               "the step of the loop is 0, so it has no end; give another step");
    if (!expressions[0] && last < 0)
        return skel_walk_wrong(
            w, st->line, "repeat %" PRId64 " is not possible; give a number of at least 0", last);
    if (step > 0 ? first > last : first < last)
        return TL_OK;
    const uint64_t span =
        step > 0 ? (uint64_t)last - (uint64_t)first : (uint64_t)first - (uint64_t)last;
    const uint64_t left = span / (step > 0 ? (uint64_t)step : 0 - (uint64_t)step);
    if (!st->body)
        return left < MAX_QUIET
                   ? TL_OK
                   : skel_walk_wrong(w, st->line, "the loop has too many passes; correct its end");
    w->slots[st->slot] = first;
    enter(w, (open_block){st->body, number, left, step});
    return TL_OK;
}

/* The end of a block: back to the start of the loop, or out of it. */
static void leave(walk *w)
{
    open_block *b = &w->blocks[w->n_blocks - 1];
    if (!b->left) {
        w->n_blocks--;
        return;
    }
    b->left--;
    w->slots[statement_at(w, b->loop)->slot] += b->step;
    b->next = statement_at(w, b->loop)->body;
}

tl_status skel_walk_on(walk *w, const skel_statement **st)
{
    int64_t value = 0;
    for (*st = NULL; w->n_blocks; w->n_quiet++) {
        open_block *b = &w->blocks[w->n_blocks - 1];
        const uint32_t number = b->next;
        if (!number) {
            leave(w);
            continue;
        }
        const skel_statement *next = statement_at(w, number);
        if (w->n_quiet > MAX_QUIET)
            return skel_walk_wrong(w, next->line, "%s", w->s->language->endless);
        b->next = next->next;
        switch (next->kind) {
        case SKEL_LET:
            TL_TRY(skel_walk_value(w, next->expressions[0], &w->slots[next->slot]));
            break;
        case SKEL_FOR: TL_TRY(enter_loop(w, number)); break;
        case SKEL_IF:
            TL_TRY(skel_walk_number(w, next->line, next->expressions[0], &value));
            skel_walk_enter(w, value ? next->body : next->other);
            break;
        default: *st = next; return TL_OK;
        }
    }
    return TL_OK;
}

/* ---- requests ---- */

/* The least id that is free, as MPI libraries and patterns take them; 0 without memory. */
static uint32_t take_id(walk *w)
{
    bool *used = w->used.items;
    while (w->lowest < w->used.n && used[w->lowest])
        w->lowest++;
    if (w->lowest == w->used.n && !skel_push(&w->used, sizeof *used))
        return 0;
    ((bool *)w->used.items)[w->lowest] = true;
    return (uint32_t)w->lowest + 1;
}

static void free_id(walk *w, uint32_t id)
{
    ((bool *)w->used.items)[id - 1] = false;
    if (id - 1 < w->lowest)
        w->lowest = id - 1;
}

static tl_status start_request(walk *w, const skel_statement *st, int64_t index, tl_event *e)
{
    enum { MAX_REQUESTS = 1 << 24 };
    if (w->requests.n == MAX_REQUESTS)
        return skel_walk_wrong(w, st->line, "more than %d requests are under way; wait for some",
                               MAX_REQUESTS);
    pending *made = skel_push(&w->requests, sizeof *made);
    e->request = take_id(w);
    if (!made || !e->request)
        return tl_no_memory(&w->error, w->s->path);
    *made = (pending){.name = st->request, .id = e->request, .line = st->line, .index = index};
    return TL_OK;
}

static bool is_meant(const pending *p, const skel_statement *st, int64_t index)
{
    return !st->request || (p->name == st->request && (!st->index || p->index == index));
}

static tl_status reserve_list(walk *w, size_t n)
{
    return tl_make_room(&w->list, n, &w->list_room, sizeof *w->list)
               ? TL_OK
               : tl_no_memory(&w->error, w->s->path);
}

/* Takes the oldest requests that are meant, at most n, into the list. */
static tl_status complete_requests(walk *w, const skel_statement *st, int64_t index, size_t n,
                                   tl_event *e)
{
    pending *all = w->requests.items;
    size_t n_left = 0;
    TL_TRY(reserve_list(w, w->requests.n));
    for (size_t i = 0; i < w->requests.n; i++) {
        if (e->list_len == n || !is_meant(&all[i], st, index)) {
            all[n_left++] = all[i];
            continue;
        }
        w->list[e->list_len++] = all[i].id;
        free_id(w, all[i].id);
    }
    w->requests.n = n_left;
    e->list = w->list;
    return TL_OK;
}

static tl_status wait_for_one(walk *w, const skel_statement *st, int64_t index, tl_event *e)
{
    TL_TRY(complete_requests(w, st, index, 1, e));
    if (!e->list_len)
        return skel_walk_wrong(w, st->line,
                               "no request of this name is under way; start one before");
    e->request = (uint32_t)w->list[0];
    e->list = NULL;
    e->list_len = 0;
    return TL_OK;
}

static tl_status do_request(walk *w, const skel_statement *st, tl_event *e)
{
    int64_t index = SKEL_NULL;
    if (st->index)
        TL_TRY(skel_walk_number(w, st->line, st->index, &index));
    if (st->row->code == TL_MPI_Waitall)
        return complete_requests(w, st, index, SIZE_MAX, e);
    if (st->row->code == TL_MPI_Wait)
        return wait_for_one(w, st, index, e);
    return st->row->slots & TL_SLOT_REQUEST ? start_request(w, st, index, e) : TL_OK;
}

/* ---- communicators ---- */

/* How many ranks the communicator of a call has. */
static int64_t comm_size(const walk *w, uint32_t number)
{
    const skel_comm *c = skel_comm_at(w->s, number);
    return c ? c->size[w->rank] : number == SKEL_SELF ? 1 : w->s->n_ranks;
}

static int32_t comm_rank(const walk *w, uint32_t number)
{
    const skel_comm *c = skel_comm_at(w->s, number);
    return c ? c->place[w->rank] : number == SKEL_SELF ? 0 : (int32_t)w->rank;
}

/* Refuses one that the rank does not have, and notes what the call makes and frees. */
static tl_status set_comms(walk *w, const skel_statement *st, tl_event *e)
{
    const skel_comm *c = skel_comm_at(w->s, st->comm);
    struct comm_state *own = c ? &w->comms[st->comm - SKEL_FIRST_COMM] : NULL;
    if (!(st->row->slots & TL_SLOT_COMM))
        return TL_OK;
    if (c && (!c->size[w->rank] || own->n_made == own->n_freed))
        return skel_walk_wrong(w, st->line, "%s: the rank %s %s; guard the call by a condition",
                               st->row->name,
                               !c->size[w->rank] ? "is not in"
                               : !own->n_made    ? "has not made"
                                                 : "has freed",
                               c->name);
    e->comm = skel_comm_id(w->s, st->comm, w->rank);
    if (own && (st->row->action == TL_ACTION_COMM_FREE || st->row->action == TL_ACTION_WIN_FREE))
        own->n_freed++;
    if (!st->new_comm)
        return TL_OK;
    w->comms[st->new_comm - SKEL_FIRST_COMM].n_made++;
    e->new_comm = skel_comm_id(w->s, st->new_comm, w->rank);
    return TL_OK;
}

/* ---- calls ---- */

static tl_status set_size(walk *w, const skel_statement *st, const char *name, int64_t value,
                          int64_t *out)
{
    if (value < 0)
        return skel_walk_wrong(w, st->line, "%s: %s is %" PRId64 "; give a size of at least 0",
                               st->row->name, name, value);
    *out = value;
    return TL_OK;
}

static tl_status set_peer(walk *w, const skel_statement *st, int64_t value, int32_t *out)
{
    const int64_t n = comm_size(w, st->comm);
    const bool is_root = st->row->action >= TL_ACTION_BARRIER;
    if (value == SKEL_NULL && !is_root) {
        *out = TL_PROC_NULL;
        return TL_OK;
    }
    if (value == SKEL_NULL)
        return skel_walk_wrong(w, st->line, "%s: the root is null; give a rank", st->row->name);
    if (value < 0 || value >= n)
        return skel_walk_wrong(w, st->line,
                               "%s: there is no peer %" PRId64 " among %" PRId64
                               " ranks; give one from 0 to %" PRId64 ", or null",
                               st->row->name, value, n, n - 1);
    *out = (int32_t)value;
    return TL_OK;
}

static tl_status set_tag(walk *w, const skel_statement *st, int64_t value, int32_t *out)
{
    const int64_t least = st->row->action == TL_ACTION_REGION ? INT32_MIN : 0;
    if (value < least || value > INT32_MAX)
        return skel_walk_wrong(w, st->line,
                               "%s: a tag or level is %" PRId64 "; give one from %" PRId64 " to %d",
                               st->row->name, value, least, INT32_MAX);
    *out = (int32_t)value;
    return TL_OK;
}

static tl_status set_field(walk *w, const skel_statement *st, int slot, int64_t value, tl_event *e)
{
    const bool is_peer = slot == TL_SLOT_PEER || slot == TL_SLOT_RECV_PEER;
    if (value == SKEL_NULL && !is_peer)
        return skel_walk_wrong(w, st->line, "%s: null is not a number; only a peer can be null",
                               st->row->name);
    switch (slot) {
    case TL_SLOT_COUNT: return set_size(w, st, "count", value, &e->count);
    case TL_SLOT_TYPE: return set_size(w, st, "type_bytes", value, &e->type_bytes);
    case TL_SLOT_RECV_COUNT: return set_size(w, st, "recv_count", value, &e->recv_count);
    case TL_SLOT_RECV_TYPE: return set_size(w, st, "recv_type_bytes", value, &e->recv_type_bytes);
    case TL_SLOT_PEER: return set_peer(w, st, value, &e->peer);
    case TL_SLOT_RECV_PEER: return set_peer(w, st, value, &e->recv_peer);
    case TL_SLOT_TAG: return set_tag(w, st, value, &e->tag);
    case TL_SLOT_RECV_TAG: return set_tag(w, st, value, &e->recv_tag);
    case SKEL_SLOT_IN_PLACE: e->flags |= value ? TL_IN_PLACE : 0; return TL_OK;
    case SKEL_SLOT_NONCOMMUTATIVE: e->flags |= value ? TL_NONCOMMUTATIVE : 0; return TL_OK;
    default: return set_size(w, st, "a size of the kernel", value, &w->list[e->list_len++]);
    }
}

/* The fields that are left out: one byte for each element, and the receiving side as the sending
 * one. */
static void complete(const skel_statement *st, int seen, tl_event *e)
{
    const int open = (int)st->row->slots & ~seen;
    if (open & TL_SLOT_TYPE)
        e->type_bytes = 1;
    if (open & TL_SLOT_RECV_COUNT)
        e->recv_count = e->count;
    if (open & TL_SLOT_RECV_TYPE)
        e->recv_type_bytes = e->type_bytes;
}

static tl_role role_of(const walk *w, const skel_statement *st, const tl_event *e)
{
    return tl_is_rooted(st->row->action) ? tl_role_within(e->peer, comm_rank(w, st->comm))
                                         : TL_ROLE_OTHER;
}

static skel_draw draw_of(walk *w, const skel_statement *st, const tl_event *e)
{
    return (skel_draw){w->s, st, e, w->rank, w->slots, &w->draws, 0};
}

/* The counts for all members of the communicator: those to them, then those from them. */
static tl_status set_counts(walk *w, const skel_statement *st, tl_event *e)
{
    const skel_field *fields = (const skel_field *)w->s->fields.items + st->first_field;
    const tl_meaning *m = tl_meaning_of(st->row->action);
    const tl_role role = role_of(w, st, e);
    const size_t n = (size_t)comm_size(w, st->comm);
    skel_draw draw = draw_of(w, st, e);
    TL_TRY(reserve_list(w, 2 * n));
    for (int slot = SKEL_SLOT_COUNTS; slot <= SKEL_SLOT_RECV_COUNTS; slot *= 2)
        for (size_t i = 0; i < st->n_fields; i++) {
            if (fields[i].slot != slot ||
                !(slot == SKEL_SLOT_COUNTS ? tl_fills_sent(m, 0, role)
                                           : tl_fills_received(m, 0, role)))
                continue;
            if (!skel_draw_start(&draw, &fields[i]))
                return tl_no_memory(&w->error, w->s->path);
            for (size_t k = 0; k < n; k++) {
                int64_t value = 0;
                w->slots[SKEL_EACH] = (int64_t)k;
                skel_draw_key(&draw, &fields[i], (int32_t)k);
                TL_TRY(skel_walk_number(w, st->line, fields[i].expression, &value));
                TL_TRY(set_size(w, st, "a count", value, &w->list[e->list_len++]));
            }
        }
    e->list = w->list;
    return TL_OK;
}

/* As in a recorded trace, a size of a collective that MPI ignores on this rank is 0: what the root
 * alone sends or receives. */
static void drop_ignored(const walk *w, const skel_statement *st, tl_event *e)
{
    const tl_meaning *m = tl_meaning_of(st->row->action);
    if (!tl_is_collective(st->row->action) ||
        !(st->row->slots & (TL_SLOT_RECV_COUNT | TL_SLOT_RECV_TYPE)))
        return;
    const tl_role role = role_of(w, st, e);
    if (!tl_fills_sent(m, 0, role))
        e->count = e->type_bytes = 0;
    if (!tl_fills_received(m, 0, role))
        e->recv_count = e->recv_type_bytes = 0;
}

/* The fields with one number that are drawn, or those that are not. *others: there are fields
 * left. */
static tl_status set_fields(walk *w, const skel_statement *st, bool drawn, int *seen, bool *others,
                            tl_event *e)
{
    const skel_field *fields = (const skel_field *)w->s->fields.items + st->first_field;
    skel_draw draw = draw_of(w, st, e);
    for (size_t i = 0; i < st->n_fields; i++) {
        int64_t value;
        if (fields[i].slot == SKEL_SLOT_COUNTS || fields[i].slot == SKEL_SLOT_RECV_COUNTS)
            continue;
        if ((fields[i].draw > 0) != drawn) {
            *others = true;
            continue;
        }
        if (!skel_draw_start(&draw, &fields[i]))
            return tl_no_memory(&w->error, w->s->path);
        skel_draw_key(&draw, &fields[i], 0);
        TL_TRY(skel_walk_value(w, fields[i].expression, &value));
        TL_TRY(set_field(w, st, fields[i].slot, value, e));
        *seen |= fields[i].slot;
    }
    return TL_OK;
}

static tl_status make_call(walk *w, const skel_statement *st, tl_event *e)
{
    const int recv_tag = (int)(st->row->slots & TL_SLOT_RECV_TAG);
    int seen = 0;
    bool has_drawn = false;
    int64_t bytes;
    TL_TRY(reserve_list(w, st->n_fields));
    *e = (tl_event){.call = st->row->code, .site = st->site};
    TL_TRY(set_comms(w, st, e));
    TL_TRY(set_fields(w, st, false, &seen, &has_drawn, e));
    if (recv_tag & ~seen) /* draws depend on it */
        e->recv_tag = e->tag;
    if (has_drawn)
        TL_TRY(set_fields(w, st, true, &seen, &has_drawn, e));
    if (tl_is_collective(st->row->action) && st->row->slots & TL_SLOT_LIST)
        TL_TRY(set_counts(w, st, e));
    const skel_draw draw = draw_of(w, st, e);
    if (!skel_draw_done(&draw))
        return tl_no_memory(&w->error, w->s->path);
    if (e->list_len)
        e->list = w->list;
    complete(st, seen, e);
    drop_ignored(w, st, e);
    if (__builtin_mul_overflow(e->count, e->type_bytes, &bytes) ||
        __builtin_mul_overflow(e->recv_count, e->recv_type_bytes, &bytes))
        return skel_walk_wrong(w, st->line,
                               "%s: a message has more than %" PRId64 " bytes; give smaller sizes",
                               st->row->name, INT64_MAX);
    return do_request(w, st, e);
}

static tl_status compute(walk *w, const skel_statement *st)
{
    int64_t volume = 0;
    TL_TRY(skel_walk_number(w, st->line, st->expressions[0], &volume));
    if (volume < 0)
        return skel_walk_wrong(w, st->line,
                               "compute %" PRId64 " is not possible; give a volume of at least 0",
                               volume);
    w->volume += (uint64_t)volume;
    if (w->volume > INT64_MAX)
        return skel_walk_wrong(w, st->line,
                               "the computation before a call is above %" PRId64
                               "; give smaller volumes, or a larger unit",
                               INT64_MAX);
    return TL_OK;
}

/* ---- the walk ---- */

static tl_status finish(walk *w, tl_event *e)
{
    const pending *first = w->requests.items;
    if (w->requests.n)
        return skel_walk_wrong(w, first->line,
                               "the request that starts here is never completed; wait for it "
                               "by MPI_Wait or MPI_Waitall");
    *e = (tl_event){.call = TL_MPI_Finalize, .volume = w->volume};
    w->phase = AT_END;
    return TL_OK;
}

tl_status skel_next(void *state, tl_event *event)
{
    walk *w = state;
    if (w->phase == AT_END)
        return TL_END;
    if (w->phase == AT_INIT) {
        *event = (tl_event){.call = TL_MPI_Init};
        w->phase = AT_BODY;
        return TL_OK;
    }
    w->n_quiet = 0;
    const skel_statement *st;
    TL_TRY(skel_walk_on(w, &st));
    for (; st && st->kind == SKEL_COMPUTE; w->n_quiet++) {
        TL_TRY(compute(w, st));
        TL_TRY(skel_walk_on(w, &st));
    }
    if (!st)
        return finish(w, event);
    TL_TRY(make_call(w, st, event));
    event->volume = w->volume;
    w->volume = 0;
    return TL_OK;
}

void skel_restart(walk *w, uint32_t rank)
{
    memcpy(w->slots, w->s->values.items, w->s->values.n * sizeof *w->slots);
    w->slots[0] = w->rank = rank;
    w->n_blocks = 0;
    enter(w, (open_block){.next = w->s->first});
}

tl_status skel_start(const void *program, uint32_t rank, void **state)
{
    const skeleton *s = program;
    walk *w = calloc(1, sizeof *w);
    *state = w;
    if (!w || !(w->slots = calloc(s->n_slots + 1, sizeof *w->slots)) ||
        !(w->comms = calloc(s->comms.n + 1, sizeof *w->comms)))
        return TL_ERR_MEMORY;
    w->s = s;
    skel_restart(w, rank);
    return TL_OK;
}

const tl_error *skel_error(const void *state)
{
    return &((const walk *)state)->error;
}

void skel_stop(void *state)
{
    walk *w = state;
    if (!w)
        return;
    free(w->slots);
    free(w->comms);
    tl_map_free(&w->draws);
    free(w->requests.items);
    free(w->used.items);
    free(w->list);
    free(w);
}
