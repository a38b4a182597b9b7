/* statistical_pace.c - when each block of a run would end if all messages took the same time: ranks
 * only wait for messages that have not come yet, and for each other in collectives. */
#include "statistical.h"

#include "core/error.h"

enum {
    MAX_PACED_RANKS = 256, /* a cursor for each */
    TURN_EVENTS = 1024,    /* of a rank, before others go on */
    MAX_QUEUED = 1 << 16   /* messages between two ranks; older ones are forgotten */
};

/* When the messages from one rank to another were sent. */
typedef struct queue {
    double *sent;
    size_t first, n, capacity;
} queue;

/* Ranks that meet in collectives. */
typedef struct group {
    uint32_t n_members, n_here;
    double latest, left; /* of those that are here; when the ones before left */
    uint64_t n_meetings;
} group;

typedef struct runner {
    tl_cursor *cursor;
    tl_event event;
    bool has_event, has_ended, is_here;
    uint32_t rank, site, block;
    uint64_t n_anchors, meeting;
    uint32_t n_completed; /* of the requests of the event */
    double time;
    tl_map sources; /* of receives under way, by request: 2 (source + 1), and 1 if persistent */
    tl_map groups;  /* by communicator: index in groups, and 1 */
} runner;

typedef struct pacing {
    tl_reader *r;
    const tl_sampling *s;
    double *until;
    runner *runners;
    uint32_t n_ranks;
    tl_map queue_of, group_of;
    queue *queues;
    group *groups;
    size_t n_queues, queues_capacity, n_groups, groups_capacity;
    double latency;
    bool forced; /* nobody can go on: the next one that waits does so in vain */
    tl_error *err;
} pacing;

typedef enum step { GONE_ON, BLOCKED, NO_MEMORY } step;

/* ---- messages ---- */

static queue *queue_between(pacing *p, uint32_t from, uint32_t to)
{
    return tl_map_item(&p->queue_of, (uint64_t)from << 32 | to, &p->queues, &p->n_queues,
                       &p->queues_capacity, sizeof *p->queues);
}

/* The rank in MPI_COMM_WORLD; UINT32_MAX for none. */
static uint32_t world_rank(const pacing *p, const runner *at, uint32_t comm, int32_t peer)
{
    if (peer < 0)
        return UINT32_MAX;
    const tl_comm *c = comm == TL_COMM_WORLD ? NULL : tl_reader_comm(p->r, at->rank, comm);
    const uint32_t n = !c ? p->n_ranks : c->n_remote ? c->n_remote : c->n_members;
    if ((uint32_t)peer >= n)
        return UINT32_MAX;
    return !c ? (uint32_t)peer : (uint32_t)(c->n_remote ? c->remote : c->members)[peer];
}

static step post(pacing *p, const runner *at, int32_t peer)
{
    const uint32_t to = world_rank(p, at, at->event.comm, peer);
    queue *q = to == UINT32_MAX ? NULL : queue_between(p, at->rank, to);
    if (to == UINT32_MAX)
        return GONE_ON;
    if (!q || !tl_make_room(&q->sent, q->n, &q->capacity, sizeof *q->sent))
        return NO_MEMORY;
    q->sent[q->n++] = at->time;
    if (q->n - q->first > MAX_QUEUED)
        q->first++;
    if (q->first > MAX_QUEUED) {
        memmove(q->sent, q->sent + q->first, (q->n - q->first) * sizeof *q->sent);
        q->n -= q->first;
        q->first = 0;
    }
    return GONE_ON;
}

static step take_message(pacing *p, runner *at, uint32_t from)
{
    queue *q = from == UINT32_MAX ? NULL : queue_between(p, from, at->rank);
    if (from == UINT32_MAX)
        return GONE_ON;
    if (!q)
        return NO_MEMORY;
    if (q->first == q->n) {
        const bool forced = p->forced;
        p->forced = false;
        return forced ? GONE_ON : BLOCKED;
    }
    const double here = q->sent[q->first++] + p->latency;
    at->time = here > at->time ? here : at->time;
    if (q->first == q->n)
        q->first = q->n = 0;
    return GONE_ON;
}

/* ---- requests ---- */

static step begin_receive(pacing *p, runner *at, uint32_t request, int32_t peer, bool persistent)
{
    const uint32_t from = world_rank(p, at, at->event.comm, peer);
    uint64_t *source = tl_map_at(&at->sources, request);
    if (!source)
        return NO_MEMORY;
    *source = (from == UINT32_MAX ? 0 : 2 * ((uint64_t)from + 1)) | persistent;
    return GONE_ON;
}

static step complete(pacing *p, runner *at, uint32_t request)
{
    uint64_t *source = tl_map_find(&at->sources, request);
    if (!source || *source < 2)
        return GONE_ON;
    const step s = take_message(p, at, (uint32_t)(*source / 2 - 1));
    if (s == GONE_ON && !(*source & 1))
        *source = 0;
    return s;
}

static step complete_all(pacing *p, runner *at)
{
    const tl_event *e = &at->event;
    for (; at->n_completed <= e->list_len; at->n_completed++) {
        const uint32_t i = at->n_completed;
        const step s = complete(p, at, i ? (uint32_t)e->list[i - 1] : e->request);
        if (s != GONE_ON)
            return s;
    }
    return GONE_ON;
}

/* ---- collectives ---- */

static group *find_group(pacing *p, runner *at)
{
    const uint32_t comm = at->event.comm;
    uint64_t *known = tl_map_at(&at->groups, comm);
    if (!known)
        return NULL;
    if (!*known) {
        const tl_comm *c = comm == TL_COMM_WORLD ? NULL : tl_reader_comm(p->r, at->rank, comm);
        const uint32_t n = c ? c->n_members : p->n_ranks;
        const uint64_t key =
            n == p->n_ranks ? 0 : tl_hash_of(c->members, n * sizeof *c->members, n);
        group *g = tl_map_item(&p->group_of, key, &p->groups, &p->n_groups, &p->groups_capacity,
                               sizeof *p->groups);
        if (!g)
            return NULL;
        g->n_members = n;
        *known = (uint64_t)(g - p->groups) + 1;
    }
    return &p->groups[*known - 1];
}

static step meet(pacing *p, runner *at)
{
    if (at->event.comm == TL_COMM_SELF)
        return GONE_ON;
    group *g = find_group(p, at);
    if (!g)
        return NO_MEMORY;
    if (!at->is_here) {
        at->is_here = true;
        at->meeting = g->n_meetings;
        g->latest = !g->n_here || at->time > g->latest ? at->time : g->latest;
        if (++g->n_here == g->n_members) {
            g->n_here = 0;
            g->left = g->latest + p->latency;
            g->n_meetings++;
        }
    }
    if (at->meeting == g->n_meetings) {
        const bool forced = p->forced;
        p->forced = false;
        return forced ? GONE_ON : BLOCKED;
    }
    at->time = g->left > at->time ? g->left : at->time;
    return GONE_ON;
}

/* ---- events ---- */

static step do_event(pacing *p, runner *at)
{
    const tl_event *e = &at->event;
    const tl_call_info *row = tl_call_by_code(e->call);
    step s;
    switch (row->action) {
    case TL_ACTION_SEND:
    case TL_ACTION_ISEND: return post(p, at, e->peer);
    case TL_ACTION_RECV: return take_message(p, at, world_rank(p, at, e->comm, e->peer));
    case TL_ACTION_SENDRECV:
        s = at->is_here ? GONE_ON : post(p, at, e->peer);
        at->is_here = true;
        return s == GONE_ON ? take_message(p, at, world_rank(p, at, e->comm, e->recv_peer)) : s;
    case TL_ACTION_IRECV: return begin_receive(p, at, e->request, e->peer, false);
    case TL_ACTION_RECV_INIT: return begin_receive(p, at, e->request, e->peer, true);
    case TL_ACTION_MATCH: return begin_receive(p, at, e->request, e->peer, false);
    case TL_ACTION_WAIT: return complete_all(p, at);
    default:
        return row->traits & TL_TRAIT_SYNC && row->slots & TL_SLOT_COMM ? meet(p, at) : GONE_ON;
    }
}

static void end_block(pacing *p, const runner *at)
{
    if (at->time > p->until[at->block])
        p->until[at->block] = at->time;
}

static void pass(pacing *p, runner *at)
{
    at->has_event = false;
    if (!tl_is_anchor(p->s, at->site, &at->event) || at->n_anchors++ % p->s->every)
        return;
    end_block(p, at);
    at->block++;
}

/* Goes on with a rank until it waits. *moved gets true if it did anything. */
static tl_status run(pacing *p, runner *at, bool *moved)
{
    for (int i = 0; i < TURN_EVENTS && !at->has_ended; i++) {
        if (!at->has_event) {
            const tl_status status = tl_cursor_next(at->cursor, &at->event);
            at->has_ended = status == TL_END;
            if (at->has_ended)
                end_block(p, at);
            if (status && status != TL_END && p->err)
                *p->err = *tl_cursor_error(at->cursor);
            if (status)
                return status == TL_END ? TL_OK : status;
            at->has_event = true;
            at->is_here = false;
            at->n_completed = 0;
            at->time += (double)at->event.volume;
        }
        const step s = do_event(p, at);
        if (s == NO_MEMORY)
            return tl_no_memory(p->err, tl_reader_path(p->r));
        if (s == BLOCKED)
            return TL_OK;
        pass(p, at);
        *moved = true;
    }
    return TL_OK;
}

static tl_status run_all(pacing *p)
{
    tl_status status = TL_OK;
    bool is_live = true;
    while (is_live && !status) {
        bool moved = false;
        is_live = false;
        for (uint32_t i = 0; i < p->n_ranks && !status; i++) {
            status = run(p, &p->runners[i], &moved);
            is_live = is_live || !p->runners[i].has_ended;
        }
        p->forced = !moved;
    }
    return status;
}

tl_status tl_sampling_pace(const tl_sampling *s, tl_reader *r, double latency, double *until,
                           tl_error *err)
{
    pacing p = {.r = r,
                .s = s,
                .until = until,
                .n_ranks = tl_reader_run(r)->n_ranks,
                .latency = latency,
                .err = err};
    tl_status status = TL_OK;
    if (p.n_ranks > MAX_PACED_RANKS)
        return TL_END;
    p.runners = calloc(p.n_ranks, sizeof *p.runners);
    if (!p.runners)
        status = tl_no_memory(err, tl_reader_path(r));
    for (uint32_t i = 0; i < p.n_ranks && !status; i++) {
        p.runners[i].rank = i;
        p.runners[i].site = tl_sampling_site(s, r, i);
        status = tl_cursor_open(r, i, &p.runners[i].cursor, err);
    }
    if (!status)
        status = run_all(&p);
    for (uint32_t i = 0; i < p.n_ranks && p.runners; i++) {
        tl_cursor_close(p.runners[i].cursor);
        tl_map_free(&p.runners[i].sources);
        tl_map_free(&p.runners[i].groups);
    }
    for (size_t i = 0; i < p.n_queues; i++)
        free(p.queues[i].sent);
    free(p.queues);
    free(p.groups);
    free(p.runners);
    tl_map_free(&p.queue_of);
    tl_map_free(&p.group_of);
    return status;
}
