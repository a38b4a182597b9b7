/* p2p.c - requests of the simulated ranks, and their messages from one rank to another. */
#include "config.h"

#include "calls.h"
#include "notes.h"

#include "core/room.h"

#include <limits.h>
#include <stdlib.h>

/* Elements and type of a message. If the number of bytes fits, the type is a byte, so that the
 * types of the two sides agree. */
int smpi_message_count(const smpi_rank *r, int64_t count, int64_t type_bytes, MPI_Datatype *type)
{
    const int64_t bytes = count * type_bytes;
    *type = bytes <= INT_MAX ? MPI_BYTE : smpi_type(smpi_count(r, type_bytes));
    return smpi_count(r, bytes <= INT_MAX ? bytes : count);
}

/* A receive below smpi/async-small-thresh waits in a mailbox of its own. A short message looks into
 * the other one first, and takes a later receive there. All receives therefore have at least the
 * size of the threshold, and wait in one mailbox, where they are matched in order. SMPI computes
 * times by the size of the message. */
int smpi_receive_count(const smpi_rank *r, int64_t count, int64_t type_bytes, MPI_Datatype *type)
{
    return count * type_bytes < replay.short_bytes
               ? smpi_message_count(r, replay.short_bytes, 1, type)
               : smpi_message_count(r, count, type_bytes, type);
}

/* The world rank of a peer, in the event's communicator or in its other group. */
static int peer_of(const smpi_rank *r, int32_t peer)
{
    if (peer >= 0)
        return peer + (int)r->peer_offset[r->event.comm];
    return peer == TL_PROC_NULL ? MPI_PROC_NULL : peer == TL_ANY_SOURCE ? MPI_ANY_SOURCE : peer;
}

static int tag_of(int32_t tag)
{
    return tag == TL_ANY_TAG ? MPI_ANY_TAG : tag;
}

/* ---- requests ---- */

MPI_Request *smpi_request(smpi_rank *r, int64_t id)
{
    size_t n = r->n_requests;
    if (!tl_reach(&r->requests, &n, (size_t)id, sizeof *r->requests) ||
        !tl_reach(&r->bundles, &r->n_requests, (size_t)id, sizeof(smpi_bundle *)))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for requests");
    return &r->requests[id];
}

static MPI_Request *room_for(smpi_rank *r, size_t n)
{
    if (n > r->n_gathered) {
        free(r->gathered);
        r->gathered = smpi_alloc(n, sizeof *r->gathered);
        r->n_gathered = n;
    }
    return r->gathered;
}

/* Waits for all requests at the same time, because SMPI computes their times together. Bundles are
 * completed after the other requests. */
static int wait_all(smpi_rank *r, const int64_t *ids, size_t n)
{
    MPI_Request *all = room_for(r, n);
    int n_all = 0, rc;
    for (size_t i = 0; i < n; i++)
        if (ids[i])
            all[n_all++] = *smpi_request(r, ids[i]);
    rc = MPI_Waitall(n_all, all, MPI_STATUSES_IGNORE);
    n_all = 0;
    for (size_t i = 0; i < n; i++) {
        if (!ids[i])
            continue;
        *smpi_request(r, ids[i]) = all[n_all++];
        if (r->bundles[ids[i]] && (rc == MPI_SUCCESS || rc == MPI_ERR_TRUNCATE))
            rc = smpi_finish_bundle(r, ids[i]);
    }
    return rc;
}

/* A request that the program found completed is waited for. */
int smpi_wait(smpi_rank *r)
{
    const tl_event *e = &r->event;
    if (e->call == TL_MPI_Waitall || e->list_len > 1)
        return wait_all(r, e->list, e->list_len);
    const int64_t id = e->list_len ? e->list[0] : e->request;
    if (!id)
        return MPI_SUCCESS;
    MPI_Request *request = smpi_request(r, id);
    if (r->bundles[id])
        return wait_all(r, &id, 1);
    return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* MPI_Startall accepts requests without a partner, MPI_Start does not. After a wait SMPI forgets
 * such a request, and there is nothing to start. */
static int start(smpi_rank *r, int64_t id)
{
    MPI_Request *request = smpi_request(r, id);
    if (r->bundles[id] && r->bundles[id]->info)
        return smpi_start_kept(r, id);
    return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Startall(1, request);
}

int smpi_start(smpi_rank *r)
{
    const tl_event *e = &r->event;
    int rc = MPI_SUCCESS;
    if (e->call != TL_MPI_Startall)
        return start(r, e->request);
    for (uint32_t i = 0; i < e->list_len && rc == MPI_SUCCESS; i++)
        if (e->list[i])
            rc = start(r, e->list[i]);
    return rc;
}

int smpi_free_request(smpi_rank *r)
{
    /* SMPI 3.32 releases a request even if its message is still on its way. The request is
     * therefore not freed. */
    *smpi_request(r, r->event.request) = MPI_REQUEST_NULL;
    if (r->bundles[r->event.request] && r->bundles[r->event.request]->info)
        smpi_close_bundle(r, r->event.request);
    return MPI_SUCCESS;
}

static int completes(const tl_event *e, uint32_t request)
{
    if (e->request == request)
        return 1;
    for (uint32_t i = 0; i < e->list_len; i++)
        if (e->list[i] == (int64_t)request)
            return 1;
    return 0;
}

/* Whether the request of the current event was really cancelled in the run: the following events
 * show it. They have the numbers of the trace, which the current event may not have. */
static bool was_taken_back(const smpi_rank *r)
{
    uint32_t request = 0;
    tl_cursor *c;
    tl_error err;
    tl_event e;
    int taken_back = -1;
    if (tl_cursor_open(r->job->trace, r->rank, &c, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
    tl_status status = tl_cursor_seek(c, r->index);
    if (!status && !(status = tl_cursor_next(c, &e)))
        request = e.request;
    while (taken_back < 0 && !status && !(status = tl_cursor_next(c, &e))) {
        const tl_action action = tl_call_by_code(e.call)->action;
        if (action == TL_ACTION_MATCH && e.request == request)
            taken_back = e.peer == TL_PROC_NULL;
        else if (action == TL_ACTION_WAIT && completes(&e, request))
            taken_back = 0;
        else if (action == TL_ACTION_REQUEST_FREE && e.request == request)
            taken_back = 1; /* unknown */
    }
    tl_cursor_close(c);
    return taken_back != 0;
}

int smpi_cancel(smpi_rank *r)
{
    MPI_Request *request = smpi_request(r, r->event.request);
    return *request == MPI_REQUEST_NULL || !was_taken_back(r) ? MPI_SUCCESS : MPI_Cancel(request);
}

/* ---- point to point ---- */

int smpi_send(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const MPI_Comm comm = smpi_event_comm(r);
    const char *buffer = replay.send_buffer;
    MPI_Datatype type;
    const int count = smpi_message_count(r, e->count, e->type_bytes, &type);
    const int to = peer_of(r, e->peer);
    switch (e->call) {
    case TL_MPI_Bsend: return MPI_Bsend(buffer, count, type, to, e->tag, comm);
    case TL_MPI_Ssend: return MPI_Ssend(buffer, count, type, to, e->tag, comm);
    default:
        if (smpi_send_is_buffered(e->count * e->type_bytes))
            return smpi_send_buffered(r, buffer, count, type, to, e->tag, comm,
                                      e->count * e->type_bytes);
        return e->call == TL_MPI_Rsend ? MPI_Rsend(buffer, count, type, to, e->tag, comm)
                                       : MPI_Send(buffer, count, type, to, e->tag, comm);
    }
}

int smpi_begin_send(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const MPI_Comm comm = smpi_event_comm(r);
    const char *buffer = replay.send_buffer;
    MPI_Datatype type;
    const int count = smpi_message_count(r, e->count, e->type_bytes, &type);
    const int to = peer_of(r, e->peer);
    MPI_Request *request = smpi_request(r, e->request);
    switch (e->call) {
    case TL_MPI_Ibsend: return MPI_Ibsend(buffer, count, type, to, e->tag, comm, request);
    case TL_MPI_Issend: return MPI_Issend(buffer, count, type, to, e->tag, comm, request);
    case TL_MPI_Irsend: return MPI_Irsend(buffer, count, type, to, e->tag, comm, request);
    case TL_MPI_Isend: return MPI_Isend(buffer, count, type, to, e->tag, comm, request);
    case TL_MPI_Bsend_init: return MPI_Bsend_init(buffer, count, type, to, e->tag, comm, request);
    case TL_MPI_Ssend_init: return MPI_Ssend_init(buffer, count, type, to, e->tag, comm, request);
    case TL_MPI_Rsend_init: return MPI_Rsend_init(buffer, count, type, to, e->tag, comm, request);
    default: return MPI_Send_init(buffer, count, type, to, e->tag, comm, request);
    }
}

/* SMPI 3.32 stores the number of a message in its request and matches by this number. If a
 * persistent send is started again before its message is taken, the message would get the number of
 * the next one. Each start therefore has a request of its own. The last of these requests exists
 * until its message is taken. */
int smpi_start_send(smpi_rank *r)
{
    MPI_Request *request = smpi_request(r, r->event.request);
    if (*request != MPI_REQUEST_NULL)
        MPI_Request_free(request);
    const int rc = smpi_begin_send(r);
    return rc == MPI_SUCCESS ? MPI_Startall(1, request) : rc;
}

bool smpi_is_open(const smpi_rank *r, const tl_event *e)
{
    return !r->walk.is_free && tlr_receive_is_open(e) && r->comms[e->comm] != MPI_COMM_NULL;
}

/* Posts the current receive, whose source or tag is open, with the source and tag that it had in
 * the run. */
int smpi_receive_match(smpi_rank *r)
{
    const tl_event *e = &r->event;
    MPI_Datatype type;
    const int count = smpi_receive_count(r, e->count, e->type_bytes, &type);
    int32_t source = e->peer, tag = e->tag;
    tl_error err;
    const tl_status status = tlr_walk_outcome(&r->walk, &source, &tag, &err);
    if (status != TL_OK)
        smpi_give_up(status, "%s", err.text);
    if (replay.options->timeline)
        smpi_wait_for_match(r, source, tag);
    return MPI_Irecv(replay.recv_buffer, count, type, peer_of(r, source), tag_of(tag),
                     smpi_event_comm(r), smpi_request(r, e->request));
}

int smpi_receive(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const MPI_Comm comm = smpi_event_comm(r);
    char *buffer = replay.recv_buffer;
    MPI_Datatype type;
    const int count = smpi_receive_count(r, e->count, e->type_bytes, &type);
    const int from = peer_of(r, e->peer), tag = tag_of(e->tag);
    if (smpi_is_open(r, e)) /* a persistent one's source is known when it is started */
        return e->call == TL_MPI_Recv_init ? smpi_keep(r) : smpi_receive_match(r);
    switch (r->info->action) {
    case TL_ACTION_IRECV:
        return MPI_Irecv(buffer, count, type, from, tag, comm, smpi_request(r, e->request));
    case TL_ACTION_RECV_INIT:
        return MPI_Recv_init(buffer, count, type, from, tag, comm, smpi_request(r, e->request));
    default: return MPI_Recv(buffer, count, type, from, tag, comm, MPI_STATUS_IGNORE);
    }
}

int smpi_sendrecv(smpi_rank *r)
{
    const tl_event *e = &r->event;
    /* MPI_Sendrecv_replace is MPI_Sendrecv and a copy, as in SMPI. */
    const int replaces = e->call == TL_MPI_Sendrecv_replace;
    MPI_Datatype send_type, recv_type;
    const int send_count = smpi_message_count(r, e->count, e->type_bytes, &send_type);
    const int recv_count =
        smpi_receive_count(r, replaces ? e->count : e->recv_count,
                           replaces ? e->type_bytes : e->recv_type_bytes, &recv_type);
    return MPI_Sendrecv(replay.send_buffer, send_count, send_type, peer_of(r, e->peer), e->tag,
                        replay.recv_buffer, recv_count, recv_type, peer_of(r, e->recv_peer),
                        tag_of(e->recv_tag), smpi_event_comm(r), MPI_STATUS_IGNORE);
}
