/* special.c - the calls whose arguments do not follow from their row: completions, probes, and
 * those that release something.
 *
 * What a call found in the run is decided there: it waits for it. A test or a probe that found
 * something is repeated until it finds it; those that found nothing are not made. */
#include "config.h"

#include "performer.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* ---- requests ---- */

/* A persistent receive from any source is made anew for each message that it takes: as one from the
 * source that it had in the run. */
static int start_request(performer *p, uint32_t slot)
{
    perform_request *r = perform_request_of(p, slot);
    if (!r->is_open)
        return MPI_SUCCESS;
    const tl_event at_hand = p->event;
    p->event = r->event;
    perform_find_source(p);
    p->event = at_hand;
    PMPI_Request_free(&r->handle);
    return PMPI_Recv_init(p->received, (int)r->event.count, perform_type_of(p, r->event.type_bytes),
                          p->source, p->tag, p->objects[r->event.comm].comm, &r->handle);
}

/* The requests in the event's list, in an array that is valid until the next event. */
static MPI_Request *take_requests(performer *p)
{
    static MPI_Request *taken;
    static uint32_t room;
    const tl_event *e = &p->event;
    if (e->list_len > room) {
        free(taken);
        taken = calloc(e->list_len, sizeof *taken);
        room = taken ? e->list_len : 0;
        if (!taken)
            perform_give_up(p, "out of memory for requests; use fewer ranks on a host");
    }
    for (uint32_t i = 0; i < e->list_len; i++)
        taken[i] =
            e->list[i] ? perform_request_of(p, (uint32_t)e->list[i])->handle : MPI_REQUEST_NULL;
    return taken;
}

static void give_back(performer *p, const MPI_Request *taken)
{
    for (uint32_t i = 0; i < p->event.list_len; i++)
        if (p->event.list[i])
            perform_request_of(p, (uint32_t)p->event.list[i])->handle = taken[i];
}

static int complete_one(performer *p)
{
    const uint16_t call = p->event.call;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Request *request =
        p->event.request ? &perform_request_of(p, p->event.request)->handle : &none;
    int flag = 0, rc = MPI_SUCCESS;
    if (call == TL_MPI_Wait)
        return MPI_Wait(request, MPI_STATUS_IGNORE);
    while (!flag && rc == MPI_SUCCESS)
        rc = MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return rc;
}

static int complete(performer *p)
{
    const int n = (int)p->event.list_len;
    MPI_Request *r = take_requests(p);
    int index = 0, flag = 0, rc = MPI_SUCCESS;
    int *indices = p->event.call == TL_MPI_Waitsome || p->event.call == TL_MPI_Testsome
                       ? malloc(((size_t)n + 1) * sizeof *indices)
                       : NULL;
    switch (p->event.call) {
    case TL_MPI_Waitall: rc = MPI_Waitall(n, r, MPI_STATUSES_IGNORE); break;
    case TL_MPI_Waitany: rc = MPI_Waitany(n, r, &index, MPI_STATUS_IGNORE); break;
    case TL_MPI_Testall:
        while (!flag && rc == MPI_SUCCESS)
            rc = MPI_Testall(n, r, &flag, MPI_STATUSES_IGNORE);
        break;
    case TL_MPI_Testany:
        while (!flag && rc == MPI_SUCCESS)
            rc = MPI_Testany(n, r, &index, &flag, MPI_STATUS_IGNORE);
        break;
    default:
        if (!indices)
            perform_give_up(p, "out of memory for requests; use fewer ranks on a host");
        /* Waits for all. Nothing is freed, and no event is made of this. */
        for (int i = 0; i < n; i++)
            for (flag = r[i] == MPI_REQUEST_NULL; !flag;)
                MPI_Request_get_status(r[i], &flag, MPI_STATUS_IGNORE);
        rc = p->event.call == TL_MPI_Waitsome
                 ? MPI_Waitsome(n, r, &index, indices, MPI_STATUSES_IGNORE)
                 : MPI_Testsome(n, r, &index, indices, MPI_STATUSES_IGNORE);
    }
    free(indices);
    give_back(p, r);
    return rc;
}

static int start_all(performer *p)
{
    int rc = MPI_SUCCESS;
    for (uint32_t i = 0; i < p->event.list_len && rc == MPI_SUCCESS; i++)
        if (p->event.list[i])
            rc = start_request(p, (uint32_t)p->event.list[i]);
    MPI_Request *r = take_requests(p);
    if (rc == MPI_SUCCESS)
        rc = MPI_Startall((int)p->event.list_len, r);
    give_back(p, r);
    return rc;
}

/* ---- probes ---- */

static void keep_message(performer *p, MPI_Message handle)
{
    perform_message *more = realloc(p->messages, (p->n_messages + 1) * sizeof *more);
    if (!more)
        perform_give_up(p, "out of memory for messages; use fewer ranks on a host");
    p->messages = more;
    more[p->n_messages++] = (perform_message){handle, p->event.comm, p->event.peer, p->event.tag};
}

/* The message that came first of those from there. */
static MPI_Message take_message(performer *p)
{
    const tl_event *e = &p->event;
    if (e->peer == TL_PROC_NULL)
        return MPI_MESSAGE_NO_PROC;
    for (size_t i = 0; i < p->n_messages; i++) {
        const perform_message m = p->messages[i];
        if (m.comm != e->comm || m.source != e->peer || m.tag != e->tag)
            continue;
        p->n_messages--;
        for (size_t k = i; k < p->n_messages; k++)
            p->messages[k] = p->messages[k + 1];
        return m.handle;
    }
    perform_give_up(p, "no probe has taken the message that is received; check the trace");
}

static int probe(performer *p)
{
    const MPI_Comm comm = p->objects[p->event.comm].comm;
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0, rc = MPI_SUCCESS;
    switch (p->event.call) {
    case TL_MPI_Probe: return MPI_Probe(p->source, p->tag, comm, MPI_STATUS_IGNORE);
    case TL_MPI_Iprobe:
        while (!flag && rc == MPI_SUCCESS)
            rc = MPI_Iprobe(p->source, p->tag, comm, &flag, MPI_STATUS_IGNORE);
        return rc;
    case TL_MPI_Mprobe:
        rc = MPI_Mprobe(p->source, p->tag, comm, &message, MPI_STATUS_IGNORE);
        break;
    default:
        while (!flag && rc == MPI_SUCCESS)
            rc = MPI_Improbe(p->source, p->tag, comm, &flag, &message, MPI_STATUS_IGNORE);
    }
    if (rc == MPI_SUCCESS && p->event.peer != TL_PROC_NULL)
        keep_message(p, message);
    return rc;
}

/* ---- blocking receives ---- */

static int receive(performer *p)
{
    const tl_event *e = &p->event;
    const MPI_Comm comm = p->objects[e->comm].comm;
    const MPI_Datatype type = perform_type_of(p, e->type_bytes);
    const int recv_tag = e->recv_tag == TL_ANY_TAG ? MPI_ANY_TAG : e->recv_tag;
    MPI_Message message;
    switch (e->call) {
    case TL_MPI_Recv:
        return MPI_Recv(p->received, (int)e->count, type, p->source, p->tag, comm,
                        MPI_STATUS_IGNORE);
    case TL_MPI_Sendrecv:
        return MPI_Sendrecv(p->sent, (int)e->count, type, perform_peer(e->peer), e->tag,
                            p->received, (int)e->recv_count, perform_type_of(p, e->recv_type_bytes),
                            perform_peer(e->recv_peer), recv_tag, comm, MPI_STATUS_IGNORE);
    case TL_MPI_Sendrecv_replace:
        return MPI_Sendrecv_replace(p->received, (int)e->count, type, perform_peer(e->peer), e->tag,
                                    perform_peer(e->recv_peer), recv_tag, comm, MPI_STATUS_IGNORE);
    case TL_MPI_Mrecv:
        message = take_message(p);
        return MPI_Mrecv(p->received, (int)e->count, type, &message, MPI_STATUS_IGNORE);
    default:
        message = take_message(p);
        return MPI_Imrecv(p->received, (int)e->count, type, &message,
                          &perform_request_of(p, e->request)->handle);
    }
}

/* ---- windows ---- */

static int on_window(performer *p)
{
    const tl_event *e = &p->event;
    static const uint64_t other[2] = {UINT64_MAX, UINT64_MAX}; /* than what windows contain */
    perform_object *window = &p->objects[e->comm];
    const void *compared = e->flags & TL_NOT_SWAPPED ? (const void *)other : p->sent;
    int flag = 0, rc = MPI_SUCCESS;
    switch (e->call) {
    case TL_MPI_Win_test:
        while (!flag && rc == MPI_SUCCESS)
            rc = MPI_Win_test(window->win, &flag);
        return rc;
    case TL_MPI_Compare_and_swap:
        return MPI_Compare_and_swap(p->sent, compared, p->received,
                                    perform_type_of(p, e->recv_type_bytes), perform_peer(e->peer),
                                    0, window->win);
    default:
        rc = MPI_Win_free(&window->win);
        free(window->memory);
        window->memory = NULL;
        return rc;
    }
}

int perform_special(performer *p)
{
    const tl_event *e = &p->event;
    switch (tl_call_by_code(e->call)->action) {
    case TL_ACTION_REGION: return MPI_Pcontrol(e->tag);
    case TL_ACTION_CLOCK: return MPI_Wtime() < 0;
    case TL_ACTION_SLEEP:
        /* The timer of --inside ends each sleep early. */
        for (struct timespec left = {e->count / 1000000000, e->count % 1000000000};
             nanosleep(&left, &left) != 0 && errno == EINTR;)
            continue;
        return MPI_SUCCESS;
    case TL_ACTION_RECV:
    case TL_ACTION_IRECV:
    case TL_ACTION_SENDRECV: return receive(p);
    case TL_ACTION_PROBE: return probe(p);
    case TL_ACTION_WIN_FREE:
    case TL_ACTION_WIN_WAIT:
    case TL_ACTION_GET_ACCUMULATE: return on_window(p);
    case TL_ACTION_WAIT:
        return e->call == TL_MPI_Wait || e->call == TL_MPI_Test ? complete_one(p) : complete(p);
    case TL_ACTION_START: {
        if (e->call == TL_MPI_Startall)
            return start_all(p);
        const int rc = start_request(p, e->request);
        return rc != MPI_SUCCESS ? rc : MPI_Start(&perform_request_of(p, e->request)->handle);
    }
    case TL_ACTION_REQUEST_FREE:
        return MPI_Request_free(&perform_request_of(p, e->request)->handle);
    case TL_ACTION_CANCEL: return MPI_Cancel(&perform_request_of(p, e->request)->handle);
    case TL_ACTION_COMM_FREE:
        return e->call == TL_MPI_Comm_free ? MPI_Comm_free(&p->objects[e->comm].comm)
                                           : MPI_Comm_disconnect(&p->objects[e->comm].comm);
    default: return MPI_SUCCESS; /* Init, Finalize, and what the tracer wrote by itself */
    }
}
