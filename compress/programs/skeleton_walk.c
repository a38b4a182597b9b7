/* skeleton_walk.c - the events of one rank of a skeleton, one at a time. */
#include "config.h"

#include "skeleton.h"

#include "actions.h"
#include "core/error.h"

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

typedef struct walk {
    const skeleton *s;
    int64_t rank;
    int64_t *slots;
    enum { AT_INIT, AT_BODY, AT_END } phase;
    int n_blocks;
    open_block blocks[SKEL_MAX_BLOCKS + 2];
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

/* Statements between two events: what takes longer is taken for a mistake. */
enum { MAX_QUIET = 100000000 };

static const skel_statement *statement_at(const walk *w, uint32_t number)
{
    return (const skel_statement *)w->s->statements.items + number;
}

static tl_status wrong(walk *w, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static tl_status wrong(walk *w, uint32_t line, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return skel_fail(&w->error, w->s, line, "rank %" PRId64 ": %s", w->rank, text);
}

/* A number, not null. */
static tl_status number_of(walk *w, uint32_t line, uint32_t expression, int64_t *out)
{
    const tl_status status = skel_evaluate(w->s, w->slots, expression, w->rank, out, &w->error);
    if (status == TL_OK && *out == SKEL_NULL)
        return wrong(w, line, "null is not a number; only a peer can be null");
    return status;
}

/* ---- blocks ---- */

/* At most one block for each level of the text, and the whole. */
static void enter(walk *w, uint32_t first, uint32_t loop, uint64_t left, int64_t step)
{
    w->blocks[w->n_blocks++] = (open_block){first, loop, left, step};
}

static tl_status enter_loop(walk *w, uint32_t number)
{
    const skel_statement *st = statement_at(w, number);
    const uint32_t *expressions = st->expressions;
    int64_t first = 1, last = 0, step = 1;
    tl_status status = number_of(w, st->line, expressions[1], &last);
    if (status == TL_OK && expressions[0])
        status = number_of(w, st->line, expressions[0], &first);
    if (status == TL_OK && expressions[2])
        status = number_of(w, st->line, expressions[2], &step);
    if (status != TL_OK)
        return status;
    if (!step)
        return wrong(w, st->line, "the step of the loop is 0, so it has no end; give another step");
    if (!expressions[0] && last < 0)
        return wrong(w, st->line, "repeat %" PRId64 " is not possible; give a number of at least 0",
                     last);
    if (!st->body || (step > 0 ? first > last : first < last))
        return TL_OK;
    const uint64_t span =
        step > 0 ? (uint64_t)last - (uint64_t)first : (uint64_t)first - (uint64_t)last;
    w->slots[st->slot] = first;
    enter(w, st->body, number, span / (step > 0 ? (uint64_t)step : 0 - (uint64_t)step), step);
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
        return wrong(w, st->line, "more than %d requests are under way; wait for some",
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

/* The oldest request that is meant. */
static tl_status wait_for_one(walk *w, const skel_statement *st, int64_t index, tl_event *e)
{
    pending *all = w->requests.items;
    size_t i = 0;
    while (i < w->requests.n && !is_meant(&all[i], st, index))
        i++;
    if (i == w->requests.n)
        return wrong(w, st->line, "no request of this name is under way; start one before");
    e->request = all[i].id;
    free_id(w, all[i].id);
    memmove(&all[i], &all[i + 1], (--w->requests.n - i) * sizeof *all);
    return TL_OK;
}

/* Room for the list of the next event. */
static bool reserve_list(walk *w, size_t n)
{
    if (n <= w->list_room)
        return true;
    int64_t *grown = realloc(w->list, n * sizeof *grown);
    if (!grown)
        return false;
    w->list = grown;
    w->list_room = n;
    return true;
}

static tl_status wait_for_all(walk *w, const skel_statement *st, int64_t index, tl_event *e)
{
    pending *all = w->requests.items;
    size_t n_left = 0;
    if (!reserve_list(w, w->requests.n + 1))
        return tl_no_memory(&w->error, w->s->path);
    for (size_t i = 0; i < w->requests.n; i++) {
        if (!is_meant(&all[i], st, index)) {
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

static tl_status do_request(walk *w, const skel_statement *st, tl_event *e)
{
    int64_t index = SKEL_NULL;
    if (st->index) {
        const tl_status status = number_of(w, st->line, st->index, &index);
        if (status != TL_OK)
            return status;
    }
    if (st->row->code == TL_MPI_Waitall)
        return wait_for_all(w, st, index, e);
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
        return wrong(w, st->line, "%s: the rank %s %s; guard the call by a condition",
                     st->row->name,
                     !c->size[w->rank] ? "is not in"
                     : !own->n_made    ? "has not made"
                                       : "has freed",
                     c->name);
    e->comm = skel_comm_id(w->s, st->comm, (uint32_t)w->rank);
    if (own && (st->row->action == TL_ACTION_COMM_FREE || st->row->action == TL_ACTION_WIN_FREE))
        own->n_freed++;
    if (!st->new_comm)
        return TL_OK;
    w->comms[st->new_comm - SKEL_FIRST_COMM].n_made++;
    e->new_comm = skel_comm_id(w->s, st->new_comm, (uint32_t)w->rank);
    return TL_OK;
}

/* ---- calls ---- */

static tl_status set_size(walk *w, const skel_statement *st, const char *name, int64_t value,
                          int64_t *out)
{
    if (value < 0)
        return wrong(w, st->line, "%s: %s is %" PRId64 "; give a size of at least 0", st->row->name,
                     name, value);
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
        return wrong(w, st->line, "%s: the root is null; give a rank", st->row->name);
    if (value < 0 || value >= n)
        return wrong(w, st->line,
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
        return wrong(w, st->line,
                     "%s: a tag or level is %" PRId64 "; give one from %" PRId64 " to %d",
                     st->row->name, value, least, INT32_MAX);
    *out = (int32_t)value;
    return TL_OK;
}

static tl_status set_field(walk *w, const skel_statement *st, int slot, int64_t value, tl_event *e)
{
    const bool is_peer = slot == TL_SLOT_PEER || slot == TL_SLOT_RECV_PEER;
    if (value == SKEL_NULL && !is_peer)
        return wrong(w, st->line, "%s: null is not a number; only a peer can be null",
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
    return (skel_draw){w->s, st, e, (uint32_t)w->rank, w->slots, &w->draws, 0};
}

/* The counts for all members of the communicator: those to them, then those from them. */
static tl_status set_counts(walk *w, const skel_statement *st, tl_event *e)
{
    const skel_field *fields = (const skel_field *)w->s->fields.items + st->first_field;
    const tl_meaning *m = tl_meaning_of(st->row->action);
    const tl_role role = role_of(w, st, e);
    const size_t n = (size_t)comm_size(w, st->comm);
    skel_draw draw = draw_of(w, st, e);
    tl_status status = reserve_list(w, 2 * n) ? TL_OK : tl_no_memory(&w->error, w->s->path);
    for (int slot = SKEL_SLOT_COUNTS; slot <= SKEL_SLOT_RECV_COUNTS; slot *= 2)
        for (size_t i = 0; i < st->n_fields; i++) {
            if (fields[i].slot != slot ||
                !(slot == SKEL_SLOT_COUNTS ? tl_fills_sent(m, 0, role)
                                           : tl_fills_received(m, 0, role)))
                continue;
            if (status == TL_OK && !skel_draw_start(&draw, &fields[i]))
                status = tl_no_memory(&w->error, w->s->path);
            for (size_t k = 0; k < n && status == TL_OK; k++) {
                int64_t value = 0;
                w->slots[SKEL_EACH] = (int64_t)k;
                skel_draw_key(&draw, &fields[i], (int32_t)k);
                status = number_of(w, st->line, fields[i].expression, &value);
                if (status == TL_OK)
                    status = set_size(w, st, "a count", value, &w->list[e->list_len++]);
            }
        }
    e->list = w->list;
    return status;
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
    tl_status status = TL_OK;
    for (size_t i = 0; i < st->n_fields && status == TL_OK; i++) {
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
        status = skel_evaluate(w->s, w->slots, fields[i].expression, w->rank, &value, &w->error);
        if (status == TL_OK)
            status = set_field(w, st, fields[i].slot, value, e);
        *seen |= fields[i].slot;
    }
    return status;
}

static tl_status make_call(walk *w, const skel_statement *st, tl_event *e)
{
    const int recv_tag = (int)(st->row->slots & TL_SLOT_RECV_TAG);
    int seen = 0;
    bool has_drawn = false;
    int64_t bytes;
    tl_status status =
        reserve_list(w, st->n_fields + 1) ? TL_OK : tl_no_memory(&w->error, w->s->path);
    *e = (tl_event){.call = st->row->code, .site = st->site};
    if (status == TL_OK)
        status = set_comms(w, st, e);
    if (status == TL_OK)
        status = set_fields(w, st, false, &seen, &has_drawn, e);
    if (recv_tag & ~seen) /* draws depend on it */
        e->recv_tag = e->tag;
    if (status == TL_OK && has_drawn)
        status = set_fields(w, st, true, &seen, &has_drawn, e);
    if (status == TL_OK && tl_is_collective(st->row->action) && st->row->slots & TL_SLOT_LIST)
        status = set_counts(w, st, e);
    const skel_draw draw = draw_of(w, st, e);
    if (status == TL_OK && !skel_draw_done(&draw))
        status = tl_no_memory(&w->error, w->s->path);
    if (status != TL_OK)
        return status;
    if (e->list_len)
        e->list = w->list;
    complete(st, seen, e);
    drop_ignored(w, st, e);
    if (__builtin_mul_overflow(e->count, e->type_bytes, &bytes) ||
        __builtin_mul_overflow(e->recv_count, e->recv_type_bytes, &bytes))
        return wrong(w, st->line,
                     "%s: a message has more than %" PRId64 " bytes; give smaller sizes",
                     st->row->name, INT64_MAX);
    return do_request(w, st, e);
}

static tl_status compute(walk *w, const skel_statement *st)
{
    int64_t volume = 0;
    tl_status status = number_of(w, st->line, st->expressions[0], &volume);
    if (status != TL_OK)
        return status;
    if (volume < 0)
        return wrong(w, st->line,
                     "compute %" PRId64 " is not possible; give a volume of at least 0", volume);
    w->volume += (uint64_t)volume;
    if (w->volume > INT64_MAX)
        return wrong(w, st->line,
                     "the computation before a call is above %" PRId64
                     "; give smaller volumes, or a larger unit",
                     INT64_MAX);
    return TL_OK;
}

/* ---- the walk ---- */

/* Does one statement; *is_event: it has filled the event. */
static tl_status do_statement(walk *w, uint32_t number, tl_event *e, bool *is_event)
{
    const skel_statement *st = statement_at(w, number);
    int64_t value = 0;
    tl_status status;
    switch (st->kind) {
    case SKEL_LET:
        return skel_evaluate(w->s, w->slots, st->expressions[0], w->rank, &w->slots[st->slot],
                             &w->error);
    case SKEL_FOR: return enter_loop(w, number);
    case SKEL_IF:
        status = number_of(w, st->line, st->expressions[0], &value);
        if (status == TL_OK && (value ? st->body : st->other))
            enter(w, value ? st->body : st->other, 0, 0, 0);
        return status;
    case SKEL_COMPUTE: return compute(w, st);
    default: *is_event = true; return make_call(w, st, e);
    }
}

static tl_status finish(walk *w, tl_event *e)
{
    const pending *first = w->requests.items;
    if (w->requests.n)
        return wrong(w, first->line,
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
    for (int64_t n = 0; w->n_blocks; n++) {
        open_block *b = &w->blocks[w->n_blocks - 1];
        const uint32_t number = b->next;
        bool is_event = false;
        if (!number) {
            leave(w);
            continue;
        }
        if (n > MAX_QUIET)
            return wrong(w, statement_at(w, number)->line,
                         "more than %d statements without a call; shorten the loops", MAX_QUIET);
        b->next = statement_at(w, number)->next;
        const tl_status status = do_statement(w, number, event, &is_event);
        if (status != TL_OK)
            return status;
        if (is_event) {
            event->volume = w->volume;
            w->volume = 0;
            return TL_OK;
        }
    }
    return finish(w, event);
}

tl_status skel_start(const void *program, uint32_t rank, void **state)
{
    const skeleton *s = program;
    walk *w = calloc(1, sizeof *w);
    *state = w;
    if (!w || !(w->slots = calloc(s->n_slots, sizeof *w->slots)) ||
        !(w->comms = calloc(s->comms.n + 1, sizeof *w->comms)))
        return TL_ERR_MEMORY;
    w->s = s;
    w->rank = rank;
    memcpy(w->slots, s->values.items, s->values.n * sizeof *w->slots);
    w->slots[0] = rank;
    enter(w, s->first, 0, 0, 0);
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
