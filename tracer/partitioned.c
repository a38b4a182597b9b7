/* partitioned.c - messages in partitions, recorded as persistent ones that are sent as a whole.
 *
 * MPI_Psend_init and MPI_Precv_init are MPI_Send_init and MPI_Recv_init of all partitions.  MPI may
 * send a partition as soon as it is ready; no rank can have waited for the whole message before the
 * last one is.  There MPI_Start is recorded.  The program may know that the message has arrived
 * before it completes the request: when MPI_Parrived has reported each partition.  There MPI_Test
 * is recorded.
 */
#include "config.h"

#include "call.h"

#include <stdlib.h>

static void divide(const MPI_Request *request, int n)
{
    tlt_request *r = tlt_request_find(TLT_HANDLE(*request), tlt_variable(request, 0));
    const uint32_t n_parts = n > 0 ? (uint32_t)n : 0;
    r->partitions = malloc(sizeof *r->partitions + n_parts);
    if (!r->partitions) {
        tlt_fail("out of memory for partitions");
        return;
    }
    *r->partitions = (tlt_partitions){.n = n_parts};
}

/* An event of a partitioned message that is initialised; `peer` is the partner. */
static tl_event describe_init(uint16_t call, uint32_t site, int partitions, MPI_Count count,
                              MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
    tl_event event;
    tlt_event_init(&event, call, site);
    if (c) {
        event.comm = c->id;
        event.peer = tlt_peer(peer);
        event.tag = tlt_tag(tag);
        event.count = partitions * count;
        event.type_bytes = tlt_type_bytes(type);
    }
    return event;
}

static void put_init(tl_event *event, int partitions, uint32_t flags, const MPI_Request *request)
{
    if (event->comm != TL_COMM_NULL)
        event->request = tlt_request_made(request, flags);
    if (event->request)
        divide(request, partitions);
    tlt_put(event);
}

int TLT_WRAPPER(Psend_init)(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                            int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    if (!tlt_enter())
        return tlt_pmpi.XPsend_init(buf, partitions, count, datatype, dest, tag, comm, info,
                                    request);
    tl_event event =
        describe_init(TL_MPI_Send_init, TLT_SITE(), partitions, count, datatype, dest, tag, comm);
    int result = TLT_OUTSIDE(BEGUN(&event), tlt_pmpi.XPsend_init(buf, partitions, count, datatype,
                                                                 dest, tag, comm, info, request));
    /* Without partitions MPI_Start is all there is. */
    if (result == MPI_SUCCESS)
        put_init(&event, partitions, TLT_PERSISTENT | (partitions > 0 ? TLT_SENDS_PARTS : 0),
                 request);
    tlt_leave();
    return result;
}

int TLT_WRAPPER(Precv_init)(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                            int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    if (!tlt_enter())
        return tlt_pmpi.XPrecv_init(buf, partitions, count, datatype, source, tag, comm, info,
                                    request);
    tl_event event =
        describe_init(TL_MPI_Recv_init, TLT_SITE(), partitions, count, datatype, source, tag, comm);
    int result = TLT_OUTSIDE(BEGUN(&event), tlt_pmpi.XPrecv_init(buf, partitions, count, datatype,
                                                                 source, tag, comm, info, request));
    if (result == MPI_SUCCESS)
        put_init(&event, partitions, TLT_PERSISTENT, request);
    tlt_leave();
    return result;
}

/* ---- partitions to send ---- */

/* The event of a call that makes n partitions ready; it names the request if they are the last. */
static tl_event count_ready(MPI_Request request, int n, uint32_t site)
{
    tl_event event;
    tlt_event_init(&event, TL_MPI_Start, site);
    const tlt_request *r = tlt_request_find(TLT_HANDLE(request), NULL);
    if (!r || !(r->flags & TLT_ACTIVE) || !(r->flags & TLT_SENDS_PARTS) || n <= 0)
        return event;
    tlt_partitions *p = r->partitions;
    if ((uint32_t)n >= p->n_left && p->n_left)
        event.request = r->id;
    p->n_left -= (uint32_t)n < p->n_left ? (uint32_t)n : p->n_left;
    return event;
}

/* `call` is of the library, with these partitions. */
#define READY(n, request, call)                                                                    \
    if (!tlt_enter())                                                                              \
        return call;                                                                               \
    tl_event event = count_ready(request, n, TLT_SITE());                                          \
    int result = TLT_OUTSIDE(event.request ? &event : NULL, call);                                 \
    if (result == MPI_SUCCESS && event.request)                                                    \
        tlt_put(&event);                                                                           \
    tlt_leave();                                                                                   \
    return result;

int TLT_WRAPPER(Pready)(int partition, MPI_Request request)
{
    READY(1, request, tlt_pmpi.XPready(partition, request))
}

int TLT_WRAPPER(Pready_range)(int partition_low, int partition_high, MPI_Request request)
{
    READY(partition_high - partition_low + 1, request,
          tlt_pmpi.XPready_range(partition_low, partition_high, request))
}

int TLT_WRAPPER(Pready_list)(int length, const int *partitions, MPI_Request request)
{
    READY(length, request, tlt_pmpi.XPready_list(length, partitions, request))
}

/* ---- partitions that arrive ---- */

/* Whether the program now knows that the whole message is there, and did not before. */
static bool has_all(MPI_Request request, int partition)
{
    const tlt_request *r = tlt_request_find(TLT_HANDLE(request), NULL);
    if (!r || !(r->flags & TLT_ACTIVE) || !r->partitions || r->flags & TLT_SENDS_PARTS)
        return false;
    tlt_partitions *p = r->partitions;
    if (partition < 0 || (uint32_t)partition >= p->n || p->seen[partition])
        return false;
    p->seen[partition] = 1;
    return --p->n_left == 0;
}

/* The call that completes the request then finds it inactive. */
static void put_arrival(MPI_Request request, uint32_t site)
{
    tlt_request *r = tlt_request_find(TLT_HANDLE(request), NULL);
    tl_event event = {.call = TL_MPI_Test, .site = site, .request = r->id};
    tlt_request_set_flags(r, r->flags & ~(uint32_t)TLT_ACTIVE);
    tlt_put(&event);
}

int TLT_WRAPPER(Parrived)(MPI_Request request, int partition, int *flag)
{
    if (!tlt_enter())
        return tlt_pmpi.XParrived(request, partition, flag);
    FINISH(tlt_pmpi.XParrived(request, partition, flag), !*flag,
           result == MPI_SUCCESS && has_all(request, partition), put_arrival(request, TLT_SITE()),
           MPI_SUCCESS)
}
