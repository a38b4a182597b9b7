/* one_sided.c - accesses to windows and their synchronisation, as SMPI makes them.
 *
 * SMPI 3.32: an access leaves at once, whatever its target does, and takes the way of one message.
 * A fence is a barrier, or two with the end of all accesses between them. Post and complete send an
 * empty message to each rank of the group, for which start and wait wait. A lock takes no time.
 * An accumulate is at its end when it returns. What gets and accumulates gets first.
 *
 * What differs: the origin waits for its puts before it says that they are complete, or between the
 * barriers of a fence; in SMPI their target does. Exclusive locks do not exclude each other. */
#include "actions.h"
#include "reading.h"

#include <stdlib.h>
#include <string.h>

enum { POSTED_TAG = 1, COMPLETED_TAG };
enum { ANY_TARGET = -1 };
void loggops_close_windows(loggops_reading *t)
{
    for (size_t i = 0; i < t->windows_room; i++) {
        free(t->windows[i].posted.ranks);
        free(t->windows[i].started.ranks);
    }
    free(t->windows);
    free(t->accesses);
    free(t->unused);
    free(t->split);
    t->windows = NULL;
    t->accesses = NULL;
    t->unused = t->split = NULL;
    t->windows_room = t->accesses_room = t->unused_room = t->split_room = 0;
    t->n_accesses = t->n_unused = t->n_own = 0;
}

/* ---- accesses ---- */

/* What is waited for: accesses of a window, to one rank or all. */
enum { GETS = 1, PUTS = 2, BOTH = GETS | PUTS };
typedef struct selection {
    uint32_t window; /* 0: all */
    int32_t target;
    int kinds;
    size_t most; /* of those that began first */
} selection;

static void finish(loggops_reading *t, selection of)
{
    size_t n = 0, n_left = 0;
    int64_t *requests = malloc((t->n_accesses + 1) * sizeof *requests);
    if (!requests) {
        loggops_out_of_memory(t);
        return;
    }
    for (size_t i = 0; i < t->n_accesses; i++) {
        const loggops_access *a = &t->accesses[i];
        if (n < of.most && (!of.window || a->window == of.window) &&
            (of.target == ANY_TARGET || a->target == of.target) &&
            (of.kinds & (a->is_put ? PUTS : GETS)))
            requests[n++] = a->request;
        else
            t->accesses[n_left++] = *a;
    }
    t->n_accesses = n_left;
    loggops_wait_for(t, requests, n);
    free(requests);
}

static void finish_all(loggops_reading *t, uint32_t window, int32_t target, int kinds)
{
    finish(t, (selection){window, target, kinds, SIZE_MAX});
}

static loggops_op access_op(const loggops_reading *t, const tl_event *e, uint8_t kind,
                            int64_t bytes)
{
    const uint32_t comm = loggops_comm_of(t, e);
    return (loggops_op){.kind = kind,
                        .comm = comm,
                        .peer = loggops_partner_in(t, comm, e->peer),
                        .amount = (uint64_t)bytes};
}

static void access_window(loggops_reading *t, const tl_event *e, uint8_t kind, int64_t bytes)
{
    loggops_op op = access_op(t, e, kind, bytes);
    if (t->n_accesses == LOGGOPS_MOST_ACCESSES)
        finish(t, (selection){0, ANY_TARGET, BOTH, LOGGOPS_MOST_ACCESSES / 2});
    if (!loggops_has_room(t, &t->accesses, t->n_accesses + 1, &t->accesses_room,
                          sizeof *t->accesses))
        return;
    op.request = loggops_own_request(t);
    t->accesses[t->n_accesses++] =
        (loggops_access){e->comm, op.request, e->peer, kind == LOGGOPS_PUT};
    loggops_add(t, op);
}

static bool is_own(const loggops_reading *t, const tl_event *e)
{
    const loggops_comm *c = &t->run->comms[loggops_comm_of(t, e)];
    return !c->n_members || loggops_rank_in(c, t->rank) == (uint32_t)e->peer;
}

/* What a rank gets from itself is a copy, and so is what it puts there. */
static void access_other(loggops_reading *t, const tl_event *e, uint8_t kind, int64_t bytes)
{
    if (!is_own(t, e))
        access_window(t, e, kind, bytes);
}

static void accumulate(loggops_reading *t, const tl_event *e, int64_t bytes)
{
    access_window(t, e, LOGGOPS_PUT, bytes);
    finish_all(t, e->comm, e->peer, BOTH);
}

/* In one go, whether or not it has a request. */
static void get_accumulate(loggops_reading *t, const tl_event *e)
{
    const int64_t bytes = e->count * e->type_bytes, back = e->recv_count * e->recv_type_bytes;
    const int swaps = e->call == TL_MPI_Compare_and_swap;
    access_other(t, e, LOGGOPS_GET, swaps ? e->recv_type_bytes : back);
    if (t->status == TL_OK && !is_own(t, e)) {
        const int64_t request = t->accesses[--t->n_accesses].request;
        loggops_wait_for(t, &request, 1);
    }
    if (swaps && !(e->flags & TL_NOT_SWAPPED))
        access_other(t, e, LOGGOPS_PUT, e->recv_type_bytes);
    else if (!swaps && e->count)
        accumulate(t, e, bytes);
}

static void add_access(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    const int64_t bytes = e->count * e->type_bytes;
    if (e->peer < 0) /* MPI_PROC_NULL */
        return;
    if (info->action == TL_ACTION_PUT) /* its request is done at once */
        access_other(t, e, LOGGOPS_PUT, bytes);
    else if (info->action == TL_ACTION_ACCUMULATE)
        accumulate(t, e, bytes);
    else if (info->action == TL_ACTION_GET_ACCUMULATE)
        get_accumulate(t, e);
    else if (!(info->traits & TL_TRAIT_NB) || is_own(t, e))
        access_other(t, e, LOGGOPS_GET, bytes);
    else
        loggops_add_started(t, access_op(t, e, LOGGOPS_GET, bytes), e->request);
}

/* ---- groups ---- */

static loggops_window *window_of(loggops_reading *t, const tl_event *e)
{
    return loggops_has_room(t, &t->windows, (size_t)e->comm + 1, &t->windows_room,
                            sizeof *t->windows)
               ? &t->windows[e->comm]
               : &t->no_window;
}

static void keep_group(loggops_reading *t, loggops_group *group, const tl_event *e)
{
    if (t->status != TL_OK || !loggops_has_room(t, &group->ranks, e->list_len + (size_t)1,
                                                &group->room, sizeof *group->ranks))
        return;
    if (e->list_len)
        memcpy(group->ranks, e->list, e->list_len * sizeof *e->list);
    group->n = e->list_len;
}

/* An empty message to or from each rank of the group; waits for all. */
static void meet(loggops_reading *t, const tl_event *e, const loggops_group *group, uint8_t kind,
                 int32_t tag)
{
    const uint32_t comm = loggops_comm_of(t, e);
    int64_t *requests = malloc((group->n + 1) * sizeof *requests);
    size_t n = 0;
    if (!requests)
        loggops_out_of_memory(t);
    for (size_t i = 0; requests && i < group->n; i++) {
        const int32_t peer = loggops_partner_in(t, comm, group->ranks[i]);
        if (!peer)
            continue;
        requests[n] = loggops_own_request(t);
        loggops_add(t, (loggops_op){.kind = kind,
                                    .comm = comm,
                                    .peer = peer,
                                    .tag = tag,
                                    .is_persistent = 1,
                                    .request = (uint32_t)requests[n]});
        n++;
    }
    loggops_wait_for(t, requests, n);
    free(requests);
}

static void post(loggops_reading *t, const tl_event *e)
{
    loggops_group *posted = &window_of(t, e)->posted;
    keep_group(t, posted, e);
    meet(t, e, posted, LOGGOPS_SEND, POSTED_TAG);
}

static void add_win_start(loggops_reading *t, const tl_event *e)
{
    loggops_group *started = &window_of(t, e)->started;
    keep_group(t, started, e);
    meet(t, e, started, LOGGOPS_RECV, POSTED_TAG);
}

static void complete(loggops_reading *t, const tl_event *e)
{
    finish_all(t, e->comm, ANY_TARGET, PUTS);
    meet(t, e, &window_of(t, e)->started, LOGGOPS_SEND, COMPLETED_TAG);
    finish_all(t, e->comm, ANY_TARGET, GETS);
}

static void wait_exposed(loggops_reading *t, const tl_event *e)
{
    meet(t, e, &window_of(t, e)->posted, LOGGOPS_RECV, COMPLETED_TAG);
    finish_all(t, e->comm, ANY_TARGET, GETS);
}

/* ---- calls of all ranks ---- */

static void barrier(loggops_reading *t, uint32_t comm)
{
    loggops_add_small(t, TL_ACTION_BARRIER, comm, 0, 1);
}

/* Each rank gets an address of every other one. */
static void create(loggops_reading *t, const tl_event *e)
{
    enum { ADDRESS_BYTES = 8 };
    tl_event on_new = *e;
    on_new.comm = e->new_comm;
    const uint32_t comm = loggops_comm_of(t, &on_new);
    if (e->call == TL_MPI_Win_allocate_shared) {
        loggops_add_small(t, TL_ACTION_BCAST, comm, ADDRESS_BYTES, 1);
        barrier(t, comm);
    }
    loggops_add_small(t, TL_ACTION_ALLGATHER, comm, ADDRESS_BYTES, 1);
}

static void fence(loggops_reading *t, const tl_event *e, bool has_accesses)
{
    const uint32_t comm = loggops_comm_of(t, e);
    if (has_accesses) {
        barrier(t, comm);
        finish_all(t, e->comm, ANY_TARGET, BOTH);
    }
    barrier(t, comm);
}

void loggops_add_one_sided(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    switch (info->action) {
    case TL_ACTION_WIN_CREATE: create(t, e); break;
    case TL_ACTION_WIN_FENCE: fence(t, e, !(e->tag & TL_MODE_NOPRECEDE)); break;
    case TL_ACTION_WIN_FREE: fence(t, e, 1); break;
    case TL_ACTION_WIN_POST: post(t, e); break;
    case TL_ACTION_WIN_START: add_win_start(t, e); break;
    case TL_ACTION_WIN_COMPLETE: complete(t, e); break;
    case TL_ACTION_WIN_WAIT: wait_exposed(t, e); break;
    case TL_ACTION_WIN_SYNC: break;
    case TL_ACTION_WIN_LOCK:
    case TL_ACTION_WIN_UNLOCK:
    case TL_ACTION_WIN_FLUSH:
    case TL_ACTION_WIN_FLUSH_LOCAL:
        if (e->peer >= 0)
            finish_all(t, e->comm, e->peer,
                       info->action == TL_ACTION_WIN_FLUSH_LOCAL ? GETS : BOTH);
        break;
    case TL_ACTION_WIN_LOCK_ALL:
    case TL_ACTION_WIN_UNLOCK_ALL:
    case TL_ACTION_WIN_FLUSH_ALL: finish_all(t, e->comm, ANY_TARGET, BOTH); break;
    case TL_ACTION_WIN_FLUSH_LOCAL_ALL: finish_all(t, e->comm, ANY_TARGET, GETS); break;
    default: add_access(t, e, info);
    }
}
