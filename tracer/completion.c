/* completion.c - calls that start, complete or end requests.
 *
 * Handles are copied before the call, since MPI sets them to MPI_REQUEST_NULL; which requests have
 * completed is looked up after it.
 */
#include "config.h"

#include "call.h"

#include <stdlib.h>

/* Copies of the application's handles, and statuses where it wants none. */
#define OWN static __thread __attribute__((tls_model("initial-exec")))
OWN MPI_Request *handles;
OWN MPI_Status *own_statuses;
OWN size_t n_scratch;

void tlt_completion_free(void)
{
    free(handles);
    free(own_statuses);
    handles = NULL;
    own_statuses = NULL;
    n_scratch = 0;
}

/* Grows only when an array is longer than all before. */
static bool reserve(int n)
{
    if ((size_t)n > n_scratch) {
        size_t size = (size_t)n * 2;
        MPI_Request *h = realloc(handles, size * sizeof *h);
        if (h)
            handles = h;
        MPI_Status *s = realloc(own_statuses, size * sizeof *s);
        if (s)
            own_statuses = s;
        if (!h || !s) {
            tlt_fail("out of memory for request arrays");
            return false;
        }
        n_scratch = size;
    }
    return tlt_reserve_list(2 * (size_t)n); /* some stand for a send and a receive */
}

static bool copy_handles(int n, const MPI_Request requests[])
{
    if (!reserve(n))
        return false;
    for (int i = 0; i < n; i++)
        handles[i] = requests[i];
    return true;
}

/* One status, or n of them, to read outcomes from; the application's own where it gave some.  NULL
 * if no outcome is open and it gave none. */
static MPI_Status *statuses_for(MPI_Status *given, bool recording)
{
    bool open = recording && tlt_requests_need_status();
    return given == MPI_STATUSES_IGNORE && open ? own_statuses : given;
}

/* The statuses that MPI has filled; NULL where the application wants none. */
static const MPI_Status *filled(const MPI_Status *statuses)
{
    return statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE ? NULL : statuses;
}

/* The ids of a request that has completed or is ended. */
typedef struct ended {
    uint32_t id;       /* 0: it is null, inactive or not recorded */
    uint32_t received; /* of MPI_Isendrecv, its receive; otherwise 0 */
} ended;

/* Writes the outcome of a wildcard receive or of a cancelled request.  Without a status no outcome
 * was open: see statuses_for. */
static void put_outcome(const tlt_request *r, const MPI_Status *status)
{
    int cancelled = 0;
    if (!status)
        return;
    if (r->flags & TLT_CANCELLED)
        tlt_pmpi.Test_cancelled(status, &cancelled);
    const uint32_t receive = r->received ? r->received : r->id;
    if (cancelled && r->received)
        tlt_put_match(r->id, TL_PROC_NULL, TL_ANY_TAG);
    if (cancelled)
        tlt_put_match(receive, TL_PROC_NULL, TL_ANY_TAG);
    else if (r->flags & TLT_WILDCARD)
        tlt_put_match(receive, tlt_peer(status->MPI_SOURCE), tlt_tag(status->MPI_TAG));
}

/* The request that an event to be written ends. */
static tlt_request *find_to_end(MPI_Request handle, const void *variable)
{
    if (TLT_UNLIKELY(tlt.shared))
        tlt_thread_take_turn();
    return tlt_request_find(TLT_HANDLE(handle), variable);
}

/* The request that `handle` stood for in `variable` has completed. */
static ended complete(MPI_Request handle, const void *variable, const MPI_Status *status)
{
    if (handle == tlt_pmpi.request_null)
        return (ended){0};
    tlt_request *r = find_to_end(handle, variable);
    if (!r || !(r->flags & TLT_ACTIVE))
        return (ended){0};
    const ended ids = {r->id, r->received};
    put_outcome(r, status);
    if (r->flags & TLT_PERSISTENT)
        tlt_request_set_flags(r, r->flags & ~(uint32_t)(TLT_ACTIVE | TLT_CANCELLED));
    else
        tlt_request_remove(r);
    return ids;
}

static void append(tl_event *e, uint32_t id)
{
    if (!id)
        return;
    tlt_self.list[e->list_len++] = id;
    e->list = tlt_self.list;
}

static void append_ended(tl_event *e, ended ids)
{
    append(e, ids.id);
    append(e, ids.received);
}

/* A call that completes one request, and that is MPI_Isendrecv's, completes two. */
static uint16_t call_for_both(uint16_t call)
{
    return call == TL_MPI_Wait || call == TL_MPI_Waitany ? TL_MPI_Waitall : TL_MPI_Testall;
}

static void put_one(uint16_t call, uint32_t site, MPI_Request handle, const MPI_Request *request,
                    const MPI_Status *status)
{
    tl_event event;
    tlt_event_init(&event, call, site);
    const ended ids = complete(handle, tlt_variable(request, 0), status);
    if (ids.received) {
        event.call = call_for_both(call);
        append_ended(&event, ids);
    } else {
        event.request = ids.id;
    }
    tlt_put(&event);
}

static void put_all(uint16_t call, uint32_t site, int n, const MPI_Request requests[],
                    const MPI_Status statuses[], int result)
{
    tl_event event;
    tlt_event_init(&event, call, site);
    for (int i = 0; i < n; i++) {
        if (tlt_error_class(result) == TLT_ERR_IN_STATUS &&
            (statuses ? tlt_error_class(statuses[i].MPI_ERROR) == TLT_ERR_PENDING
                      : requests[i] == handles[i]))
            continue;
        append_ended(&event, complete(handles[i], tlt_variable(requests, i),
                                      statuses ? &statuses[i] : NULL));
    }
    tlt_put(&event);
}

static void put_any(uint16_t call, uint32_t site, const MPI_Request requests[], int index,
                    const MPI_Status *status)
{
    tl_event event;
    tlt_event_init(&event, call, site);
    ended ids = {0};
    if (index != MPI_UNDEFINED)
        ids = complete(handles[index], tlt_variable(requests, index), status);
    if (ids.received)
        event.call = call_for_both(call);
    append_ended(&event, ids);
    tlt_put(&event);
}

static void put_some(uint16_t call, uint32_t site, const MPI_Request requests[], int n_done,
                     const int indices[], const MPI_Status statuses[])
{
    tl_event event;
    tlt_event_init(&event, call, site);
    for (int i = 0; i < n_done; i++)
        append_ended(&event, complete(handles[indices[i]], tlt_variable(requests, indices[i]),
                                      statuses ? &statuses[i] : NULL));
    tlt_put(&event);
}

/* Requests complete even when one of them reports an error. */
static bool completed(int result)
{
    return took_part(result) || tlt_error_class(result) == TLT_ERR_IN_STATUS;
}

/* The first error. */
static int error_of(int result, int n, const MPI_Status statuses[])
{
    for (int i = 0; i < n && tlt_error_class(result) == TLT_ERR_IN_STATUS && statuses; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS &&
            tlt_error_class(statuses[i].MPI_ERROR) != TLT_ERR_PENDING)
            result = statuses[i].MPI_ERROR;
    return result;
}

/* The bodies of wrappers. `put` writes what the call completed. */
#define COMPLETE_ONE(name, call, is_poll)                                                          \
    if (!tlt_enter())                                                                              \
        return call;                                                                               \
    MPI_Request handle = *request;                                                                 \
    MPI_Status own_status;                                                                         \
    if (status == MPI_STATUS_IGNORE && tlt_requests_need_status())                                 \
        status = &own_status;                                                                      \
    FINISH(call, is_poll, took_part(result),                                                       \
           put_one(TL_MPI_##name, TLT_SITE(), handle, request, filled(status)), result)
#define COMPLETE_SEVERAL(call, statuses, is_poll, is_event, put, error)                            \
    if (!tlt_enter())                                                                              \
        return call;                                                                               \
    bool recording = copy_handles(count, requests);                                                \
    (statuses) = statuses_for(statuses, recording);                                                \
    FINISH(call, is_poll, recording &&is_event(result), put, error)

int TLT_WRAPPER(Wait)(MPI_Request *request, MPI_Status *status)
{
    COMPLETE_ONE(Wait, tlt_pmpi.Wait(request, status), false)
}

int TLT_WRAPPER(Test)(MPI_Request *request, int *flag, MPI_Status *status)
{
    COMPLETE_ONE(Test, tlt_pmpi.Test(request, flag, status), !*flag)
}

int TLT_WRAPPER(Waitall)(int count, MPI_Request requests[], MPI_Status statuses[])
{
    COMPLETE_SEVERAL(tlt_pmpi.Waitall(count, requests, statuses), statuses, false, completed,
                     put_all(TL_MPI_Waitall, TLT_SITE(), count, requests, filled(statuses), result),
                     error_of(result, count, filled(statuses)))
}

int TLT_WRAPPER(Testall)(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    COMPLETE_SEVERAL(tlt_pmpi.Testall(count, requests, flag, statuses), statuses, !*flag, completed,
                     put_all(TL_MPI_Testall, TLT_SITE(), count, requests, filled(statuses), result),
                     error_of(result, count, filled(statuses)))
}

int TLT_WRAPPER(Waitany)(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    COMPLETE_SEVERAL(tlt_pmpi.Waitany(count, requests, index, status), status, false, took_part,
                     put_any(TL_MPI_Waitany, TLT_SITE(), requests, *index, filled(status)), result)
}

int TLT_WRAPPER(Testany)(int count, MPI_Request requests[], int *index, int *flag,
                         MPI_Status *status)
{
    COMPLETE_SEVERAL(tlt_pmpi.Testany(count, requests, index, flag, status), status, !*flag,
                     took_part,
                     put_any(TL_MPI_Testany, TLT_SITE(), requests, *index, filled(status)), result)
}

int TLT_WRAPPER(Waitsome)(int count, MPI_Request requests[], int *n_done, int indices[],
                          MPI_Status statuses[])
{
    COMPLETE_SEVERAL(
        tlt_pmpi.Waitsome(count, requests, n_done, indices, statuses), statuses, false, completed,
        put_some(TL_MPI_Waitsome, TLT_SITE(), requests, *n_done, indices, filled(statuses)),
        error_of(result, *n_done, filled(statuses)))
}

int TLT_WRAPPER(Testsome)(int count, MPI_Request requests[], int *n_done, int indices[],
                          MPI_Status statuses[])
{
    COMPLETE_SEVERAL(
        tlt_pmpi.Testsome(count, requests, n_done, indices, statuses), statuses, *n_done == 0,
        completed,
        put_some(TL_MPI_Testsome, TLT_SITE(), requests, *n_done, indices, filled(statuses)),
        error_of(result, *n_done, filled(statuses)))
}

/* MPI_Start of a request. Returns its id, 0 if it is not recorded; *begins is false if the last
 * MPI_Pready starts the message, not this call. */
static uint32_t find_to_start(MPI_Request handle, const void *variable, bool *begins)
{
    const tlt_request *r = tlt_request_find(TLT_HANDLE(handle), variable);
    *begins = !r || !(r->flags & TLT_SENDS_PARTS);
    return r ? r->id : 0;
}

/* The request has been started; MPI may have put another handle in its place. */
static void note_started(MPI_Request before, const MPI_Request *request, const void *variable)
{
    tlt_request *r = tlt_request_find(TLT_HANDLE(before), variable);
    if (!r)
        return;
    if (*request != before)
        tlt_request_rename(r, TLT_HANDLE(*request));
    tlt_request_start(r);
}

int TLT_WRAPPER(Start)(MPI_Request *request)
{
    if (!tlt_enter())
        return tlt_pmpi.Start(request);
    MPI_Request before = *request;
    bool begins;
    tl_event event = {.call = TL_MPI_Start,
                      .site = TLT_SITE(),
                      .request = find_to_start(before, tlt_variable(request, 0), &begins)};
    int result = TLT_OUTSIDE(begins ? &event : NULL, tlt_pmpi.Start(request));
    if (result == MPI_SUCCESS) {
        note_started(before, request, tlt_variable(request, 0));
        if (begins)
            tlt_put(&event);
    }
    tlt_leave();
    return result;
}

int TLT_WRAPPER(Startall)(int count, MPI_Request requests[])
{
    if (!tlt_enter())
        return tlt_pmpi.Startall(count, requests);
    bool recording = copy_handles(count, requests);
    tl_event event;
    tlt_event_init(&event, TL_MPI_Startall, TLT_SITE());
    int n_waiting = 0;
    for (int i = 0; recording && i < count; i++) {
        bool is_begun;
        const uint32_t id = find_to_start(handles[i], tlt_variable(requests, i), &is_begun);
        if (is_begun)
            append(&event, id);
        else
            n_waiting++;
    }
    const bool begins = count == 0 || n_waiting < count;
    int result = TLT_OUTSIDE(begins ? &event : NULL, tlt_pmpi.Startall(count, requests));
    if (recording && result == MPI_SUCCESS) {
        for (int i = 0; i < count; i++)
            note_started(handles[i], &requests[i], tlt_variable(requests, i));
        if (begins)
            tlt_put(&event);
    }
    tlt_leave();
    return result;
}

/* An event of a request, or of both that it stands for. */
static void put_each(uint16_t call, uint32_t site, ended ids)
{
    tl_event event = {.call = call, .site = site, .request = ids.id};
    tl_event for_receive = {.call = call, .site = site, .request = ids.received};
    tlt_put(&event);
    if (ids.received)
        tlt_put(&for_receive);
}

/* Recorded before the call: MPI may give the handle to another request right after. */
int TLT_WRAPPER(Request_free)(MPI_Request *request)
{
    if (!tlt_enter())
        return tlt_pmpi.Request_free(request);
    ended ids = {0};
    tlt_request *r = find_to_end(*request, tlt_variable(request, 0));
    if (r) {
        ids = (ended){r->id, r->received};
        tlt_request_remove(r);
    }
    put_each(TL_MPI_Request_free, TLT_SITE(), ids);
    int result = TLT_OUTSIDE(NULL, tlt_pmpi.Request_free(request));
    tlt_leave();
    return result;
}

int TLT_WRAPPER(Cancel)(MPI_Request *request)
{
    if (!tlt_enter())
        return tlt_pmpi.Cancel(request);
    ended ids = {0};
    tlt_request *r = tlt_request_find(TLT_HANDLE(*request), tlt_variable(request, 0));
    if (r) {
        ids = (ended){r->id, r->received};
        tlt_request_set_flags(r, r->flags | TLT_CANCELLED);
    }
    put_each(TL_MPI_Cancel, TLT_SITE(), ids);
    int result = TLT_OUTSIDE(NULL, tlt_pmpi.Cancel(request));
    tlt_leave();
    return result;
}
