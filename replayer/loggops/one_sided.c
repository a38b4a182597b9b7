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

static tl_status finish(loggops_reading *t, selection of)
{
    size_t n = 0, n_left = 0;
    int64_t *requests = malloc((t->n_accesses + 1) * sizeof *requests);
    if (!requests)
        return loggops_out_of_memory(t);
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
    const tl_status status = loggops_wait_for(t, requests, n);
    free(requests);
    return status;
}

static tl_status finish_all(loggops_reading *t, uint32_t window, int32_t target, int kinds)
{
    return finish(t, (selection){window, target, kinds, SIZE_MAX});
}

static tl_status access_window(loggops_reading *t, const tl_event *e, uint8_t kind, int64_t bytes)
{
    const uint32_t comm = loggops_comm_of(t, e);
    tl_status status = TL_OK;
    if (t->n_accesses == LOGGOPS_MOST_ACCESSES)
        status = finish(t, (selection){0, ANY_TARGET, BOTH, LOGGOPS_MOST_ACCESSES / 2});
    const uint32_t request = loggops_own_request(t);
    if (status != TL_OK)
        return status;
    if (!loggops_grow((void **)&t->accesses, t->n_accesses + 1, &t->accesses_room,
                      sizeof *t->accesses))
        return loggops_out_of_memory(t);
    t->accesses[t->n_accesses++] = (loggops_access){e->comm, request, e->peer, kind == LOGGOPS_PUT};
    return loggops_add(t, (loggops_op){.kind = kind,
                                       .comm = comm,
                                       .peer = loggops_partner_in(t, comm, e->peer),
                                       .amount = (uint64_t)bytes,
                                       .request = request});
}

static bool is_own(const loggops_reading *t, const tl_event *e)
{
    const loggops_comm *c = &t->run->comms[loggops_comm_of(t, e)];
    return !c->n_members || loggops_rank_in(c, t->rank) == (uint32_t)e->peer;
}

/* What a rank gets from itself is a copy. */
static tl_status add_get(loggops_reading *t, const tl_event *e, int64_t bytes)
{
    return is_own(t, e) ? TL_OK : access_window(t, e, LOGGOPS_GET, bytes);
}

static tl_status add_put(loggops_reading *t, const tl_event *e, int64_t bytes)
{
    return is_own(t, e) ? TL_OK : access_window(t, e, LOGGOPS_PUT, bytes);
}

static tl_status accumulate(loggops_reading *t, const tl_event *e, int64_t bytes)
{
    const tl_status status = access_window(t, e, LOGGOPS_PUT, bytes);
    return status == TL_OK ? finish_all(t, e->comm, e->peer, BOTH) : status;
}

/* In one go, whether or not it has a request. */
static tl_status get_accumulate(loggops_reading *t, const tl_event *e)
{
    const int64_t bytes = e->count * e->type_bytes, back = e->recv_count * e->recv_type_bytes;
    const int swaps = e->call == TL_MPI_Compare_and_swap;
    tl_status status = add_get(t, e, swaps ? e->recv_type_bytes : back);
    if (status == TL_OK && !is_own(t, e)) {
        const int64_t request = t->accesses[--t->n_accesses].request;
        status = loggops_wait_for(t, &request, 1);
    }
    if (status != TL_OK)
        return status;
    if (swaps)
        return e->flags & TL_NOT_SWAPPED ? TL_OK : add_put(t, e, e->recv_type_bytes);
    return e->count ? accumulate(t, e, bytes) : TL_OK;
}

static tl_status add_access(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    const int64_t bytes = e->count * e->type_bytes;
    if (e->peer < 0) /* MPI_PROC_NULL */
        return TL_OK;
    switch (info->action) {
    case TL_ACTION_PUT: return add_put(t, e, bytes); /* its request is done at once */
    case TL_ACTION_ACCUMULATE: return accumulate(t, e, bytes);
    case TL_ACTION_GET_ACCUMULATE: return get_accumulate(t, e);
    default: break;
    }
    if (!(info->traits & TL_TRAIT_NB) || is_own(t, e))
        return add_get(t, e, bytes);
    const uint32_t comm = loggops_comm_of(t, e);
    return loggops_add_started(t,
                               (loggops_op){.kind = LOGGOPS_GET,
                                            .comm = comm,
                                            .peer = loggops_partner_in(t, comm, e->peer),
                                            .amount = (uint64_t)bytes},
                               e->request);
}

/* ---- groups ---- */

static loggops_window *window_of(loggops_reading *t, const tl_event *e)
{
    return loggops_grow((void **)&t->windows, (size_t)e->comm + 1, &t->windows_room,
                        sizeof *t->windows)
               ? &t->windows[e->comm]
               : NULL;
}

static int keep_group(loggops_group *group, const tl_event *e)
{
    if (!loggops_grow((void **)&group->ranks, e->list_len + (size_t)1, &group->room,
                      sizeof *group->ranks))
        return 0;
    if (e->list_len)
        memcpy(group->ranks, e->list, e->list_len * sizeof *e->list);
    group->n = e->list_len;
    return 1;
}

/* An empty message to or from each rank of the group; waits for all. */
static tl_status meet(loggops_reading *t, const tl_event *e, const loggops_group *group,
                      uint8_t kind, int32_t tag)
{
    const uint32_t comm = loggops_comm_of(t, e);
    int64_t *requests = malloc((group->n + 1) * sizeof *requests);
    tl_status status = TL_OK;
    size_t n = 0;
    if (!requests)
        return loggops_out_of_memory(t);
    for (size_t i = 0; i < group->n && status == TL_OK; i++) {
        const int32_t peer = loggops_partner_in(t, comm, group->ranks[i]);
        if (!peer)
            continue;
        requests[n] = loggops_own_request(t);
        status = loggops_add(t, (loggops_op){.kind = kind,
                                             .comm = comm,
                                             .peer = peer,
                                             .tag = tag,
                                             .is_persistent = 1,
                                             .request = (uint32_t)requests[n]});
        n++;
    }
    if (status == TL_OK)
        status = loggops_wait_for(t, requests, n);
    free(requests);
    return status;
}

static tl_status post(loggops_reading *t, const tl_event *e)
{
    loggops_window *w = window_of(t, e);
    if (!w || !keep_group(&w->posted, e))
        return loggops_out_of_memory(t);
    return meet(t, e, &w->posted, LOGGOPS_SEND, POSTED_TAG);
}

static tl_status add_win_start(loggops_reading *t, const tl_event *e)
{
    loggops_window *w = window_of(t, e);
    if (!w || !keep_group(&w->started, e))
        return loggops_out_of_memory(t);
    return meet(t, e, &w->started, LOGGOPS_RECV, POSTED_TAG);
}

static tl_status complete(loggops_reading *t, const tl_event *e)
{
    const loggops_window *w = window_of(t, e);
    if (!w)
        return loggops_out_of_memory(t);
    tl_status status = finish_all(t, e->comm, ANY_TARGET, PUTS);
    if (status == TL_OK)
        status = meet(t, e, &w->started, LOGGOPS_SEND, COMPLETED_TAG);
    return status == TL_OK ? finish_all(t, e->comm, ANY_TARGET, GETS) : status;
}

static tl_status wait_exposed(loggops_reading *t, const tl_event *e)
{
    const loggops_window *w = window_of(t, e);
    if (!w)
        return loggops_out_of_memory(t);
    const tl_status status = meet(t, e, &w->posted, LOGGOPS_RECV, COMPLETED_TAG);
    return status == TL_OK ? finish_all(t, e->comm, ANY_TARGET, GETS) : status;
}

/* ---- calls of all ranks ---- */

static tl_status barrier(loggops_reading *t, uint32_t comm)
{
    return loggops_add_small(t, TL_ACTION_BARRIER, comm, 0, 1);
}

/* Each rank gets an address of every other one. */
static tl_status create(loggops_reading *t, const tl_event *e)
{
    enum { ADDRESS_BYTES = 8 };
    tl_event on_new = *e;
    on_new.comm = e->new_comm;
    const uint32_t comm = loggops_comm_of(t, &on_new);
    tl_status status = TL_OK;
    if (e->call == TL_MPI_Win_allocate_shared)
        status = loggops_add_small(t, TL_ACTION_BCAST, comm, ADDRESS_BYTES, 1);
    if (status == TL_OK && e->call == TL_MPI_Win_allocate_shared)
        status = barrier(t, comm);
    return status == TL_OK ? loggops_add_small(t, TL_ACTION_ALLGATHER, comm, ADDRESS_BYTES, 1)
                           : status;
}

static tl_status fence(loggops_reading *t, const tl_event *e, bool has_accesses)
{
    const uint32_t comm = loggops_comm_of(t, e);
    tl_status status = has_accesses ? barrier(t, comm) : TL_OK;
    if (has_accesses && status == TL_OK)
        status = finish_all(t, e->comm, ANY_TARGET, BOTH);
    return status == TL_OK ? barrier(t, comm) : status;
}

tl_status loggops_add_one_sided(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    switch (info->action) {
    case TL_ACTION_WIN_CREATE: return create(t, e);
    case TL_ACTION_WIN_FENCE: return fence(t, e, !(e->tag & TL_MODE_NOPRECEDE));
    case TL_ACTION_WIN_FREE: return fence(t, e, 1);
    case TL_ACTION_WIN_POST: return post(t, e);
    case TL_ACTION_WIN_START: return add_win_start(t, e);
    case TL_ACTION_WIN_COMPLETE: return complete(t, e);
    case TL_ACTION_WIN_WAIT: return wait_exposed(t, e);
    case TL_ACTION_WIN_SYNC: return TL_OK;
    case TL_ACTION_WIN_LOCK:
    case TL_ACTION_WIN_UNLOCK:
    case TL_ACTION_WIN_FLUSH: return e->peer < 0 ? TL_OK : finish_all(t, e->comm, e->peer, BOTH);
    case TL_ACTION_WIN_LOCK_ALL:
    case TL_ACTION_WIN_UNLOCK_ALL:
    case TL_ACTION_WIN_FLUSH_ALL: return finish_all(t, e->comm, ANY_TARGET, BOTH);
    case TL_ACTION_WIN_FLUSH_LOCAL:
        return e->peer < 0 ? TL_OK : finish_all(t, e->comm, e->peer, GETS);
    case TL_ACTION_WIN_FLUSH_LOCAL_ALL: return finish_all(t, e->comm, ANY_TARGET, GETS);
    default: return add_access(t, e, info);
    }
}
