/* diagnosis.c - what the ranks of a replay that cannot continue wait for.
 *
 * The events of a waiting rank are read once more from the start, to find the operations of its
 * requests. The events of its partner are read to find out whether it ever sends or receives the
 * message. */
#include "actions.h"
#include "diagnosis.h"
#include "core/room.h"
#include "request_slots.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t used, size;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (n > 0)
        w->used += (size_t)n;
    if (w->used >= w->size)
        w->used = w->size - 1;
}

/* A waiting rank: its event, and the event that made each of its requests. */
typedef struct waiter {
    uint32_t rank;
    bool has_threads; /* more than one thread of the rank has called MPI */
    tl_event event;
    int64_t *list;
    const tl_call_info *info;
    size_t n_requests;
    tl_event *requests;
} waiter;

static int note_request(waiter *w, const tl_event *e)
{
    if (!tl_reach(&w->requests, &w->n_requests, e->request, sizeof *w->requests))
        return 0;
    w->requests[e->request] = *e;
    w->requests[e->request].list = NULL;
    return 1;
}

/* Reads up to the event that the rank cannot finish. */
static int read_waiter(tl_reader *trace, const tlr_plan *plan, uint32_t rank, int64_t position,
                       waiter *w)
{
    tl_cursor *cursor = NULL;
    tlr_renumbering numbers = {0};
    *w = (waiter){.rank = rank};
    int found = 0;
    if (tl_cursor_open(trace, rank, &cursor, NULL) != TL_OK)
        return 0;
    for (int64_t i = 0; i <= position && tl_cursor_next(cursor, &w->event) == TL_OK; i++) {
        w->info = tl_call_by_code(w->event.call);
        w->has_threads |= w->info->action == TL_ACTION_THREAD;
        if (plan->ranks[rank]->is_sparse && !tlr_renumber(&numbers, &w->event))
            break;
        if ((w->info->traits & TL_TRAIT_NB) && !note_request(w, &w->event))
            break;
        found = i == position;
    }
    if (found && w->event.list_len) {
        w->list = malloc(w->event.list_len * sizeof *w->list);
        if (w->list)
            memcpy(w->list, w->event.list, w->event.list_len * sizeof *w->list);
        else
            w->event.list_len = 0;
    }
    tlr_renumbering_free(&numbers);
    tl_cursor_close(cursor);
    return found;
}

static void free_waiter(waiter *w)
{
    free(w->list);
    free(w->requests);
}

/* ---- messages ---- */

static bool is_send(tl_action action)
{
    return action == TL_ACTION_SEND || action == TL_ACTION_ISEND || action == TL_ACTION_SEND_INIT;
}

static bool is_receive(tl_action action)
{
    return action == TL_ACTION_RECV || action == TL_ACTION_IRECV || action == TL_ACTION_RECV_INIT;
}

/* Rank in MPI_COMM_WORLD of a partner; -1 for any. */
static int32_t world_rank(const tlr_plan *plan, uint32_t rank, uint32_t id, int32_t peer)
{
    const int32_t comm = tlr_plan_find_comm(plan, rank, id);
    if (peer < 0)
        return -1;
    if (comm == TLR_PLAN_SELF)
        return (int32_t)rank;
    const tlr_plan_comm *c = comm >= 0 ? &plan->comms[comm] : NULL;
    if (!c || c->n_first || (uint32_t)peer >= c->n_members)
        return -1;
    return c->members[peer];
}

/* Messages of one sender, receiver, tag and communicator. */
typedef struct channel {
    uint32_t from, to;
    int32_t tag, comm; /* index in the plan */
} channel;

/* How many of these messages the rank sends or receives in total; -1 if an event of the rank does
 * not show it. */
static int64_t count_messages(tl_reader *trace, const tlr_plan *plan, const channel *c, int sends)
{
    tl_cursor *cursor = NULL;
    tl_event e;
    int64_t n = 0;
    const uint32_t rank = sends ? c->from : c->to;
    if (tl_cursor_open(trace, rank, &cursor, NULL) != TL_OK)
        return -1;
    while (n >= 0 && tl_cursor_next(cursor, &e) == TL_OK) {
        const tl_action action = tl_call_by_code(e.call)->action;
        const int other = (int)(sends ? c->to : c->from);
        if (action == TL_ACTION_SENDRECV) {
            const int32_t peer = sends ? e.peer : e.recv_peer, tag = sends ? e.tag : e.recv_tag;
            n += tlr_plan_find_comm(plan, rank, e.comm) == c->comm && tag == c->tag &&
                 world_rank(plan, rank, e.comm, peer) == other;
        } else if (sends ? is_send(action) : is_receive(action)) {
            if (tlr_plan_find_comm(plan, rank, e.comm) != c->comm)
                continue;
            if (action == TL_ACTION_SEND_INIT || action == TL_ACTION_RECV_INIT ||
                e.peer == TL_ANY_SOURCE || (!sends && e.tag == TL_ANY_TAG))
                n = -1; /* how often, or whose, is not told by this event */
            else
                n += e.tag == c->tag && world_rank(plan, rank, e.comm, e.peer) == other;
        }
    }
    tl_cursor_close(cursor);
    return n;
}

static void put_partner(tl_reader *trace, const tlr_plan *plan, const waiter *w, int sends,
                        uint32_t comm, int32_t peer, int32_t tag, writer *out)
{
    const int32_t partner = world_rank(plan, w->rank, comm, peer);
    put(out, sends ? "for a receive" : "for a message");
    if (partner >= 0)
        put(out, sends ? " by rank %d" : " from rank %d", partner);
    if (tag != TL_ANY_TAG)
        put(out, sends ? " of tag %d" : " with tag %d", tag);
    if (partner < 0 || tag == TL_ANY_TAG)
        return;
    const channel c = {sends ? w->rank : (uint32_t)partner, sends ? (uint32_t)partner : w->rank,
                       tag, tlr_plan_find_comm(plan, w->rank, comm)};
    const int64_t n_sent = count_messages(trace, plan, &c, 1);
    const int64_t n_received = count_messages(trace, plan, &c, 0);
    if (n_sent >= 0 && n_received >= 0 && n_sent != n_received)
        put(out, " (sends %" PRId64 " of them in all, receives %" PRId64 ")", n_sent, n_received);
}

/* ---- collectives ---- */

/* The members of the communicator that wait for something else or have ended. */
static void put_absent(const tlr_plan *plan, const waiter *w, const waiter *others, size_t n_others,
                       const int64_t *waiting, writer *out)
{
    const int32_t index = tlr_plan_find_comm(plan, w->rank, w->event.comm);
    if (index < 0)
        return;
    const tlr_plan_comm *comm = &plan->comms[index];
    uint32_t n_absent = 0;
    for (uint32_t i = 0; i < comm->n_members; i++) {
        const uint32_t rank = (uint32_t)comm->members[i];
        int present = 0;
        if (waiting[rank] == TLR_NOT_WAITING)
            present = 0; /* it has ended */
        else
            for (size_t k = 0; k < n_others; k++)
                present |= others[k].rank == rank && others[k].event.call == w->event.call &&
                           tlr_plan_find_comm(plan, rank, others[k].event.comm) == index;
        if (present)
            continue;
        if (n_absent++ < 3)
            put(out, n_absent == 1 ? "for rank %u" : ", %u", rank);
    }
    if (n_absent > 3)
        put(out, " and %u more", n_absent - 3);
    if (!n_absent)
        put(out, "for the other %u members", comm->n_members - 1);
}

/* ---- all of it ---- */

static void put_request(tl_reader *trace, const tlr_plan *plan, const waiter *w, int64_t id,
                        writer *out)
{
    const tl_event *e =
        id > 0 && (size_t)id < w->n_requests && w->requests[id].call ? &w->requests[id] : NULL;
    const tl_action action = e ? tl_call_by_code(e->call)->action : TL_ACTION_NONE;
    if (is_send(action) || is_receive(action))
        put_partner(trace, plan, w, is_send(action), e->comm, e->peer, e->tag, out);
    else if (e)
        put(out, "for %s", tl_call_by_code(e->call)->name);
    else
        put(out, "for request %" PRId64, id);
}

static void put_wait(tl_reader *trace, const tlr_plan *plan, const waiter *w, const waiter *others,
                     size_t n_others, const int64_t *waiting, writer *out)
{
    const tl_event *e = &w->event;
    char site[256];
    tl_site_name(trace, w->rank, e->site, site, sizeof site);
    put(out, "rank %u in %s (event %" PRId64 ", %s) ", w->rank, w->info->name, waiting[w->rank],
        site);
    if (is_send(w->info->action) || is_receive(w->info->action)) {
        put_partner(trace, plan, w, is_send(w->info->action), e->comm, e->peer, e->tag, out);
    } else if (w->info->action == TL_ACTION_SENDRECV) {
        put_partner(trace, plan, w, 0, e->comm, e->recv_peer, e->recv_tag, out);
    } else if (w->info->action == TL_ACTION_WAIT) {
        put_request(trace, plan, w, e->list_len ? w->list[0] : e->request, out);
        if (e->list_len > 1)
            put(out, " or %u other requests", e->list_len - 1);
    } else if (w->info->slots & TL_SLOT_COMM) {
        put_absent(plan, w, others, n_others, waiting, out);
    } else {
        put(out, "for others");
    }
}

/* A call that a recording contains at its return only. Calls that other threads of the rank made in
 * the meantime may therefore precede it (doc/FORMAT.md, "Events of the tracer itself"). NULL if
 * this cannot be the reason. */
static const char *name_known_by_return(const waiter *waiters, size_t n)
{
    const char *name = NULL;
    bool has_threads = 0;
    for (size_t i = 0; i < n; i++) {
        const tl_action action = waiters[i].info->action;
        has_threads |= waiters[i].has_threads;
        if (!name && (tl_is_on_file(action) ||
                      (tl_is_on_window(action) && tl_meaning_of(action)->kind != TL_KIND_ACCESS)))
            name = waiters[i].info->name;
    }
    return has_threads ? name : NULL;
}

void tlr_diagnose(tl_reader *trace, const tlr_plan *plan, const int64_t *waiting, char *text,
                  size_t size)
{
    /* Reading a rank again takes time, and a line has no room for more. */
    enum { MAX_READ = 16, ROOM_FOR_MORE = 24, ROOM_FOR_LATE = 110 };
    waiter waiters[MAX_READ];
    size_t n = 0;
    uint32_t n_waiting = 0, n_told = 0;
    writer out = {text, 0, size};
    text[0] = '\0';
    for (uint32_t r = 0; r < plan->n_ranks; r++) {
        if (waiting[r] == TLR_NOT_WAITING)
            continue;
        n_waiting++;
        if (n < MAX_READ && read_waiter(trace, plan, r, waiting[r], &waiters[n]))
            n++;
    }
    const char *late = name_known_by_return(waiters, n);
    const size_t room = ROOM_FOR_MORE + (late ? ROOM_FOR_LATE : 0);
    for (size_t i = 0; i < n; i++) {
        char one[320];
        writer single = {one, 0, sizeof one};
        put_wait(trace, plan, &waiters[i], waiters, n, waiting, &single);
        if (out.used + single.used + 2 + room > size)
            break;
        put(&out, "%s%s", n_told++ ? "; " : "", one);
    }
    if (n_told < n_waiting)
        put(&out, "; and %u more", n_waiting - n_told);
    if (late)
        put(&out, "; %s is known by its return alone, other threads' calls may stand too early",
            late);
    for (size_t i = 0; i < n; i++)
        free_waiter(&waiters[i]);
}
