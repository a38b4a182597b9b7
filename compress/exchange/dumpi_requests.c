/* dumpi_requests.c - the requests of a rank that DUMPI recorded.
 *
 * Several requests with the same number may be under way at the same time, because an MPI library
 * may use one handle for all sends that are already complete. Such requests are completed in the
 * order in which they began. */
#include "config.h"

#include "dumpi_convert.h"

#include "core/error.h"

tl_status tl_dumpi_put(tl_dumpi_convert *m, const tl_event *e)
{
    tl_status status = tl_writer_put(m->w, e);
    return status ? tl_dumpi_wrong(m->f, status, "the trace cannot be written: %s",
                                   tl_status_text(status))
                  : TL_OK;
}

/* The source from a status. Negative values are MPI_PROC_NULL of some library. */
tl_status tl_dumpi_put_match(tl_dumpi_convert *m, uint32_t request, const tl_dumpi_status *s)
{
    tl_event e = {.call = TL_MPI_Match,
                  .request = request,
                  .peer = s->source < 0 ? TL_PROC_NULL : s->source,
                  .tag = s->source < 0 ? TL_ANY_TAG : s->tag};
    return tl_dumpi_put(m, &e);
}

bool tl_dumpi_status_at(const tl_dumpi_convert *m, size_t i, tl_dumpi_status *s)
{
    const tl_dumpi_record *r = &m->f->record;
    if (i >= r->n_statuses)
        return false;
    memcpy(s, r->statuses.data + i * sizeof *s, sizeof *s);
    return true;
}

static uint32_t free_request(const tl_dumpi_convert *m)
{
    uint32_t id = 1;
    for (size_t i = 0; i < m->n_requests;)
        if (m->requests[i++].request == id) {
            id++;
            i = 0;
        }
    return id;
}

static tl_status begin_request(tl_dumpi_convert *m, tl_event *e, const tl_call_info *row)
{
    if (m->n_requests >= 1 << 14)
        return tl_dumpi_refuse(m, "more than 16384 requests are under way; the file is damaged");
    if (!tl_make_room(&m->requests, m->n_requests, &m->requests_capacity, sizeof *m->requests))
        return tl_dumpi_out_of_memory(m);
    e->request = free_request(m);
    m->requests[m->n_requests++] = (tl_dumpi_pending){
        .number = m->f->record.value['r'],
        .request = e->request,
        .persistent = row->action == TL_ACTION_SEND_INIT || row->action == TL_ACTION_RECV_INIT,
        .is_wildcard = (row->action == TL_ACTION_IRECV || row->action == TL_ACTION_RECV_INIT) &&
                       (e->peer == TL_ANY_SOURCE || e->tag == TL_ANY_TAG)};
    return TL_OK;
}

static tl_dumpi_pending *find_request(tl_dumpi_convert *m, int64_t number)
{
    for (size_t i = 0; i < m->n_requests; i++)
        if (m->requests[i].number == number)
            return &m->requests[i];
    return NULL;
}

static void drop_request(tl_dumpi_convert *m, tl_dumpi_pending *p)
{
    size_t i = (size_t)(p - m->requests);
    memmove(p, p + 1, (--m->n_requests - i) * sizeof *p);
}

enum { DUMPI_REQUEST_NULL = 1 };

/* *request is 0 for MPI_REQUEST_NULL. */
static tl_status complete(tl_dumpi_convert *m, int64_t number, size_t status_index,
                          uint32_t *request)
{
    *request = 0;
    if (number == DUMPI_REQUEST_NULL)
        return TL_OK;
    tl_dumpi_pending *p = find_request(m, number);
    if (!p)
        return tl_dumpi_refuse(
            m, "its request was begun by no call that is known; record the program with "
               "'timeless record'");
    *request = p->request;
    tl_dumpi_status s;
    tl_status status = TL_OK;
    if (tl_dumpi_status_at(m, status_index, &s)) {
        if (p->is_cancelled && s.cancelled)
            status = tl_dumpi_put_match(m, p->request, &(tl_dumpi_status){.source = -1});
        else if (p->is_wildcard)
            status = tl_dumpi_put_match(m, p->request, &s);
    }
    if (!p->persistent)
        drop_request(m, p);
    return status;
}

static tl_status list_request(tl_dumpi_convert *m, uint32_t request)
{
    const int64_t value = request;
    return tl_buffer_put(&m->list, &value, sizeof value) ? TL_OK : tl_dumpi_out_of_memory(m);
}

static tl_status complete_listed(tl_dumpi_convert *m, size_t at, size_t status_index)
{
    const tl_dumpi_array *requests = &m->f->record.requests;
    uint32_t request = 0;
    if (at >= requests->n)
        return tl_dumpi_refuse(m, "names a request beyond its array; the file is damaged");
    TL_TRY(complete(m, tl_dumpi_element(requests, at), status_index, &request));
    return list_request(m, request);
}

tl_status tl_dumpi_complete_some(tl_dumpi_convert *m)
{
    const tl_dumpi_record *r = &m->f->record;
    switch (r->function) {
    case TL_DUMPI_Waitall:
    case TL_DUMPI_Testall:
        for (size_t i = 0; i < r->requests.n; i++)
            TL_TRY(complete_listed(m, i, i));
        return TL_OK;
    case TL_DUMPI_Waitany:
    case TL_DUMPI_Testany: /* MPI_UNDEFINED is negative */
        return r->value['i'] < 0 ? TL_OK : complete_listed(m, (size_t)r->value['i'], 0);
    case TL_DUMPI_Waitsome:
    case TL_DUMPI_Testsome:
        for (size_t i = 0; i < r->indices.n; i++)
            TL_TRY(complete_listed(m, (size_t)tl_dumpi_element(&r->indices, i), i));
        return TL_OK;
    default: /* MPI_Startall */
        for (size_t i = 0; i < r->requests.n; i++) {
            const tl_dumpi_pending *p = find_request(m, tl_dumpi_element(&r->requests, i));
            TL_TRY(p ? list_request(m, p->request)
                     : tl_dumpi_refuse(m, "of a request that is not known"));
        }
        return TL_OK;
    }
}

tl_status tl_dumpi_take_request(tl_dumpi_convert *m, tl_event *e, const tl_call_info *row)
{
    if (row->traits & TL_TRAIT_NB)
        return begin_request(m, e, row);
    if (row->action == TL_ACTION_WAIT)
        return complete(m, m->f->record.value['r'], 0, &e->request);
    tl_dumpi_pending *p = find_request(m, m->f->record.value['r']); /* start, cancel, free */
    if (!p)
        return tl_dumpi_refuse(
            m, "of a request that is not known; record the program with 'timeless record'");
    e->request = p->request;
    if (row->action == TL_ACTION_CANCEL)
        p->is_cancelled = true;
    if (row->action == TL_ACTION_REQUEST_FREE)
        drop_request(m, p);
    return TL_OK;
}
