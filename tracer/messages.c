/* messages.c - matched probes, and the receives of what they matched.
 *
 * The receive is given a message handle only; where the message comes from is known since the
 * probe.
 */
#include "config.h"

#include "call.h"

#include <stdlib.h>

typedef struct matched {
    MPI_Message handle;
    uint32_t comm;
    int32_t peer, tag;
} matched;

/* Probed and not yet received: few at any time. */
static matched *messages;
static size_t n_messages, n_reserved;

/* MPI_MESSAGE_NO_PROC, the one handle that several probes return, takes one place. */
static matched *place_for(MPI_Message handle)
{
    for (size_t i = 0; i < n_messages; i++)
        if (messages[i].handle == handle)
            return &messages[i];
    if (n_messages == n_reserved) {
        size_t size = 2 * n_reserved + 16;
        matched *larger = realloc(messages, size * sizeof *messages);
        if (!larger) {
            tlt_fail("out of memory for messages");
            return NULL;
        }
        messages = larger;
        n_reserved = size;
    }
    return &messages[n_messages++];
}

static void remember(MPI_Message handle, tl_event probe)
{
    matched *m = place_for(handle);
    if (m)
        *m = (matched){.handle = handle, .comm = probe.comm, .peer = probe.peer, .tag = probe.tag};
}

static void describe_message(tl_event *e, const matched *m, MPI_Count count, MPI_Datatype type)
{
    e->comm = m->comm;
    e->peer = m->peer;
    e->tag = m->tag;
    e->count = count;
    e->type_bytes = tlt_type_bytes(type);
}

/* Fills the event of a receive; a message from a communicator that is not recorded leaves it as it
 * is. */
static void describe_receive(tl_event *e, MPI_Message handle, MPI_Count count, MPI_Datatype type)
{
    for (size_t i = 0; i < n_messages; i++) {
        if (messages[i].handle != handle)
            continue;
        const matched m = messages[i];
        if (handle != tlt_pmpi.message_no_proc) /* others may have it, too */
            messages[i] = messages[--n_messages];
        if (m.comm != TL_COMM_NULL)
            describe_message(e, &m, count, type);
        return;
    }
    /* A constant of the program: no probe is needed. */
    if (handle == tlt_pmpi.message_no_proc)
        describe_message(e,
                         &(matched){.comm = TL_COMM_WORLD, .peer = TL_PROC_NULL, .tag = TL_ANY_TAG},
                         count, type);
}

int TLT_WRAPPER(Mprobe)(int source, int tag, MPI_Comm comm, MPI_Message *message,
                        MPI_Status *status)
{
    if (!tlt_enter())
        return tlt_pmpi.Mprobe(source, tag, comm, message, status);
    MPI_Status own_status;
    status = STATUS_OR_OWN(status);
    FINISH(tlt_pmpi.Mprobe(source, tag, comm, message, status), false, result == MPI_SUCCESS,
           remember(*message, put_probe(TL_MPI_Mprobe, TLT_SITE(), source, tag, comm, status)),
           MPI_SUCCESS)
}

int TLT_WRAPPER(Improbe)(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                         MPI_Status *status)
{
    if (!tlt_enter())
        return tlt_pmpi.Improbe(source, tag, comm, flag, message, status);
    MPI_Status own_status;
    status = STATUS_OR_OWN(status);
    FINISH(tlt_pmpi.Improbe(source, tag, comm, flag, message, status), !*flag,
           result == MPI_SUCCESS,
           remember(*message, put_probe(TL_MPI_Improbe, TLT_SITE(), source, tag, comm, status)),
           MPI_SUCCESS)
}

TLT_INLINE int receive(bool large, void *buf, MPI_Count count, MPI_Datatype type,
                       MPI_Message *message, MPI_Status *status)
{
    if (!tlt_enter())
        return CALL(Mrecv, large, buf, count, type, message, status);
    tl_event event;
    tlt_event_init(&event, TL_MPI_Mrecv, TLT_SITE());
    describe_receive(&event, *message, count, type);
    int result = TLT_OUTSIDE(BEGUN(&event), CALL(Mrecv, large, buf, count, type, message, status));
    if (took_part(result)) {
        tlt_put(&event);
        put_error(result);
    }
    tlt_leave();
    return result;
}

TWINS(Mrecv, receive,
      (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
      (void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
      buf, count, type, message, status)

TLT_INLINE int start_receive(bool large, void *buf, MPI_Count count, MPI_Datatype type,
                             MPI_Message *message, MPI_Request *request)
{
    if (!tlt_enter())
        return CALL(Imrecv, large, buf, count, type, message, request);
    tl_event event;
    tlt_event_init(&event, TL_MPI_Imrecv, TLT_SITE());
    describe_receive(&event, *message, count, type);
    int result =
        TLT_OUTSIDE(BEGUN(&event), CALL(Imrecv, large, buf, count, type, message, request));
    if (result == MPI_SUCCESS) {
        if (event.comm != TL_COMM_NULL)
            event.request = tlt_request_made(request, TLT_ACTIVE);
        tlt_put(&event);
    }
    tlt_leave();
    return result;
}

TWINS(Imrecv, start_receive,
      (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
      (void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
      buf, count, type, message, request)
