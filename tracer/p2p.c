/* p2p.c - receives and probes, whose outcome can be more than their arguments, and what sends and
 * receives in one call. */
#include "config.h"

#include "call.h"

/* Parameters by the type of their counts, and their names. */
#define RECEIVE(T)                                                                                 \
    void *buf, T count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,                 \
        MPI_Status *status
#define RECEIVE_NAMES buf, count, datatype, source, tag, comm, status
#define SENDRECV(T)                                                                                \
    const void *sendbuf, T sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, \
        T recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm
#define SENDRECV_NAMES                                                                             \
    sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm
#define REPLACE(T)                                                                                 \
    void *buf, T count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,     \
        MPI_Comm comm
#define REPLACE_NAMES buf, count, datatype, dest, sendtag, source, recvtag, comm

static bool is_wildcard(int source, int tag)
{
    return source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
}

TLT_INLINE int receive(bool large, RECEIVE(MPI_Count))
{
    if (!tlt_enter())
        return CALL(Recv, large, RECEIVE_NAMES);
    MPI_Status own_status;
    if (is_wildcard(source, tag))
        status = STATUS_OR_OWN(status);
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
    tl_event event;
    tlt_event_init(&event, TL_MPI_Recv, TLT_SITE());
    if (c) {
        event.comm = c->id;
        event.peer = tlt_peer(source);
        event.tag = tlt_tag(tag);
        event.count = count;
        event.type_bytes = tlt_type_bytes(datatype);
    }
    int result = TLT_OUTSIDE(BEGUN(&event), CALL(Recv, large, RECEIVE_NAMES));
    if (c && source == MPI_ANY_SOURCE)
        event.peer = tlt_peer(status->MPI_SOURCE);
    if (c && tag == MPI_ANY_TAG)
        event.tag = tlt_tag(status->MPI_TAG);
    if (took_part(result)) {
        tlt_put(&event);
        put_error(result);
    }
    tlt_leave();
    return result;
}

TWINS(Recv, receive, (RECEIVE(int)), (RECEIVE(MPI_Count)), RECEIVE_NAMES)

/* Both halves, before the call. */
static void describe_sendrecv(tl_event *e, const tlt_comm *c, MPI_Count count, MPI_Datatype type,
                              int dest, int tag, int source, int recvtag)
{
    e->comm = c->id;
    e->count = count;
    e->type_bytes = tlt_type_bytes(type);
    e->peer = tlt_peer(dest);
    e->tag = tlt_tag(tag);
    e->recv_peer = tlt_peer(source);
    e->recv_tag = tlt_tag(recvtag);
}

static void describe_source(tl_event *e, int source, int tag, const MPI_Status *status)
{
    if (source == MPI_ANY_SOURCE)
        e->recv_peer = tlt_peer(status->MPI_SOURCE);
    if (tag == MPI_ANY_TAG)
        e->recv_tag = tlt_tag(status->MPI_TAG);
}

TLT_INLINE int sendrecv(bool large, SENDRECV(MPI_Count), MPI_Status *status)
{
    if (!tlt_enter())
        return CALL(Sendrecv, large, SENDRECV_NAMES, status);
    MPI_Status own_status;
    if (is_wildcard(source, recvtag))
        status = STATUS_OR_OWN(status);
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
    tl_event event;
    tlt_event_init(&event, TL_MPI_Sendrecv, TLT_SITE());
    if (c) {
        describe_sendrecv(&event, c, sendcount, sendtype, dest, sendtag, source, recvtag);
        event.recv_count = recvcount;
        event.recv_type_bytes = tlt_type_bytes(recvtype);
    }
    int result = TLT_OUTSIDE(BEGUN(&event), CALL(Sendrecv, large, SENDRECV_NAMES, status));
    if (c)
        describe_source(&event, source, recvtag, status);
    if (took_part(result)) {
        tlt_put(&event);
        put_error(result);
    }
    tlt_leave();
    return result;
}

TWINS(Sendrecv, sendrecv, (SENDRECV(int), MPI_Status *status),
      (SENDRECV(MPI_Count), MPI_Status *status), SENDRECV_NAMES, status)

TLT_INLINE int sendrecv_replace(bool large, REPLACE(MPI_Count), MPI_Status *status)
{
    if (!tlt_enter())
        return CALL(Sendrecv_replace, large, REPLACE_NAMES, status);
    MPI_Status own_status;
    if (is_wildcard(source, recvtag))
        status = STATUS_OR_OWN(status);
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
    tl_event event;
    tlt_event_init(&event, TL_MPI_Sendrecv_replace, TLT_SITE());
    if (c)
        describe_sendrecv(&event, c, count, datatype, dest, sendtag, source, recvtag);
    int result = TLT_OUTSIDE(BEGUN(&event), CALL(Sendrecv_replace, large, REPLACE_NAMES, status));
    if (c)
        describe_source(&event, source, recvtag, status);
    if (took_part(result)) {
        tlt_put(&event);
        put_error(result);
    }
    tlt_leave();
    return result;
}

TWINS(Sendrecv_replace, sendrecv_replace, (REPLACE(int), MPI_Status *status),
      (REPLACE(MPI_Count), MPI_Status *status), REPLACE_NAMES, status)

/* MPI_Isendrecv is MPI_Isend and MPI_Irecv, with two requests in place of the one that the program
 * has. */
static void put_both(tl_event *both, const MPI_Request *request)
{
    tl_event receive = tlt_receive_of(both), send = *both;
    const uint32_t begun = TLT_UNLIKELY(tlt.shared) ? tlt_thread_begun_receive() : 0;
    send.call = TL_MPI_Isend;
    if (send.comm != TL_COMM_NULL)
        send.request =
            tlt_request_made(request, request_flags(&receive, TL_ACTION_IRECV, TL_TRAIT_NB));
    if (send.request) {
        receive.request = begun ? begun : tlt_request_reserve();
        tlt_request_find(TLT_HANDLE(*request), tlt_variable(request, 0))->received =
            receive.request;
    }
    tlt_put(&send);
    if (!begun)
        tlt_put(&receive);
}

/* A wildcard whose message MPI does not name is recorded by the call's name: no replay could tell
 * from where it came. */
static bool is_told(const tl_event *both)
{
    return TLT_ISENDRECV_HAS_STATUS || both->recv_peer == TL_PROC_NULL ||
           (both->recv_peer != TL_ANY_SOURCE && both->recv_tag != TL_ANY_TAG);
}

static void put_isendrecv(uint16_t call, tl_event *both, const MPI_Request *request)
{
    if (is_told(both)) {
        put_both(both, request);
    } else {
        tl_event event;
        tlt_event_init(&event, call, both->site);
        tlt_put(&event);
    }
}

/* What others may write of it while it is under way. */
#define BOTH_BEGUN(both) (is_told(both) ? BEGUN(both) : NULL)

TLT_INLINE int isendrecv(bool large, SENDRECV(MPI_Count), MPI_Request *request)
{
    if (!tlt_enter())
        return EXTENSION_CALL(Isendrecv, large, SENDRECV_NAMES, request);
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
    tl_event both;
    tlt_event_init(&both, TL_MPI_Sendrecv, TLT_SITE());
    if (c) {
        describe_sendrecv(&both, c, sendcount, sendtype, dest, sendtag, source, recvtag);
        both.recv_count = recvcount;
        both.recv_type_bytes = tlt_type_bytes(recvtype);
    }
    int result =
        TLT_OUTSIDE(BOTH_BEGUN(&both), EXTENSION_CALL(Isendrecv, large, SENDRECV_NAMES, request));
    if (result == MPI_SUCCESS)
        put_isendrecv(TL_MPI_Isendrecv, &both, request);
    tlt_leave();
    return result;
}

TWINS(Isendrecv, isendrecv, (SENDRECV(int), MPI_Request *request),
      (SENDRECV(MPI_Count), MPI_Request *request), SENDRECV_NAMES, request)

TLT_INLINE int isendrecv_replace(bool large, REPLACE(MPI_Count), MPI_Request *request)
{
    if (!tlt_enter())
        return EXTENSION_CALL(Isendrecv_replace, large, REPLACE_NAMES, request);
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
    tl_event both;
    tlt_event_init(&both, TL_MPI_Sendrecv_replace, TLT_SITE());
    if (c)
        describe_sendrecv(&both, c, count, datatype, dest, sendtag, source, recvtag);
    int result = TLT_OUTSIDE(BOTH_BEGUN(&both),
                             EXTENSION_CALL(Isendrecv_replace, large, REPLACE_NAMES, request));
    if (result == MPI_SUCCESS)
        put_isendrecv(TL_MPI_Isendrecv_replace, &both, request);
    tlt_leave();
    return result;
}

TWINS(Isendrecv_replace, isendrecv_replace, (REPLACE(int), MPI_Request *request),
      (REPLACE(MPI_Count), MPI_Request *request), REPLACE_NAMES, request)

int TLT_WRAPPER(Probe)(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (!tlt_enter())
        return tlt_pmpi.Probe(source, tag, comm, status);
    MPI_Status own_status;
    status = STATUS_OR_OWN(status);
    FINISH(tlt_pmpi.Probe(source, tag, comm, status), false, result == MPI_SUCCESS,
           put_probe(TL_MPI_Probe, TLT_SITE(), source, tag, comm, status), MPI_SUCCESS)
}

int TLT_WRAPPER(Iprobe)(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    if (!tlt_enter())
        return tlt_pmpi.Iprobe(source, tag, comm, flag, status);
    MPI_Status own_status;
    status = STATUS_OR_OWN(status);
    FINISH(tlt_pmpi.Iprobe(source, tag, comm, flag, status), !*flag, result == MPI_SUCCESS,
           put_probe(TL_MPI_Iprobe, TLT_SITE(), source, tag, comm, status), MPI_SUCCESS)
}
