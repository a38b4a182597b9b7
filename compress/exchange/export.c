/* export.c - a trace as calls of a simpler format, for all targets. */
#include "export.h"

#include "actions.h"
#include "core/bytes.h"
#include "core/error.h"
#include "parallel.h"
#include "reader.h"

#include <sys/stat.h>
#include <unistd.h>

void tl_export_refuse(tl_export *x, const char *why)
{
    if (!tl_refusals_add(&x->refusals, x->row->name, why, x->rank, x->position))
        x->status = TL_ERR_MEMORY;
}

/* ---- requests ---- */

static tl_transfer *find_transfer(tl_export *x, int64_t request)
{
    uint64_t *index = request > 0 ? tl_map_find(&x->by_request, (uint64_t)request) : NULL;
    return index && *index ? &x->transfers[*index - 1] : NULL;
}

static tl_transfer *keep_transfer(tl_export *x, const tl_transfer *t)
{
    tl_transfer *kept = tl_map_item(&x->by_request, t->request, &x->transfers, &x->n_transfers,
                                    &x->transfers_capacity, sizeof *x->transfers);
    if (kept)
        *kept = *t;
    else
        x->status = TL_ERR_MEMORY;
    return kept;
}

static void begin_transfer(tl_export *x, tl_transfer *t)
{
    t->active = true;
    t->serial = x->next_serial++;
    if (!t->is_null)
        x->target->begin(x, t);
}

static void wait_for(tl_export *x, const int64_t *requests, uint32_t n)
{
    tl_transfer **all = malloc((n + 1) * sizeof *all);
    if (!all) {
        x->status = TL_ERR_MEMORY;
        return;
    }
    uint32_t n_active = 0;
    for (uint32_t i = 0; i < n; i++) {
        tl_transfer *t = find_transfer(x, requests[i]);
        if (requests[i] && (!t || !t->used))
            tl_export_refuse(x,
                             "of a request that was not begun or that the format cannot express");
        else if (t && t->active && !t->is_null)
            all[n_active++] = t;
    }
    if (n_active)
        x->target->wait(x, all, n_active);
    for (uint32_t i = 0; i < n; i++) {
        tl_transfer *t = find_transfer(x, requests[i]);
        if (t) {
            t->active = false;
            t->used = t->persistent;
        }
    }
    free(all);
}

/* ---- point to point ---- */

/* The message of one side of an event. A wildcard is replaced by its match. False: refused. */
static bool describe(tl_export *x, const tl_event *e, bool is_recv, bool second, tl_transfer *t)
{
    int64_t count = second ? e->recv_count : e->count;
    int64_t type_bytes = second ? e->recv_type_bytes : e->type_bytes;
    *t = (tl_transfer){.request = e->request,
                       .used = true,
                       .is_recv = is_recv,
                       .peer = second ? e->recv_peer : e->peer,
                       .tag = second ? e->recv_tag : e->tag};
    t->is_null = t->peer == TL_PROC_NULL;
    if (__builtin_mul_overflow(count, type_bytes, &t->bytes) || t->bytes < 0 ||
        t->bytes > INT64_C(1) << 53) {
        tl_export_refuse(x, "with an impossible size");
        return false;
    }
    if (t->is_null)
        return true;
    if (is_recv && (t->peer == TL_ANY_SOURCE || t->tag == TL_ANY_TAG)) {
        if (!x->matched || e->request) {
            tl_export_refuse(x, "with MPI_ANY_SOURCE or MPI_ANY_TAG");
            return false;
        }
        t->peer = x->match_peer;
        t->tag = x->match_tag;
    }
    if (!tl_export_find_rank(x, e->comm, &t->peer)) {
        tl_export_refuse(x, "with a partner that is not in the run");
        return false;
    }
    if (!tl_export_write_tag(x, e->comm, false, &t->tag))
        x->status = TL_ERR_MEMORY;
    return !x->status;
}

static void blocking(tl_export *x, const tl_event *e, bool is_recv)
{
    tl_transfer t;
    if (describe(x, e, is_recv, false, &t) && !t.is_null)
        x->target->transfer(x, &t);
}

static void nonblocking(tl_export *x, const tl_event *e, bool is_recv, bool persistent)
{
    tl_transfer t;
    if (!describe(x, e, is_recv, false, &t))
        return;
    t.persistent = persistent;
    tl_transfer *kept = keep_transfer(x, &t);
    if (kept && !persistent)
        begin_transfer(x, kept);
}

static void exchange(tl_export *x, const tl_event *e)
{
    tl_transfer send, recv;
    tl_event both = *e;
    if (e->call == TL_MPI_Sendrecv_replace) {
        both.recv_count = e->count;
        both.recv_type_bytes = e->type_bytes;
    }
    if (!describe(x, &both, false, false, &send) || !describe(x, &both, true, true, &recv))
        return;
    if (send.is_null || recv.is_null) {
        if (!send.is_null)
            x->target->transfer(x, &send);
        if (!recv.is_null)
            x->target->transfer(x, &recv);
        return;
    }
    if (x->target->exchange && x->target->exchange(x, &send, &recv))
        return;
    tl_transfer *all[] = {&send, &recv};
    begin_transfer(x, &send);
    begin_transfer(x, &recv);
    x->target->wait(x, all, 2);
}

static void start_requests(tl_export *x, const int64_t *requests, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        tl_transfer *t = find_transfer(x, requests[i]);
        if (!t || !t->persistent)
            tl_export_refuse(x,
                             "of a request that was not begun or that the format cannot express");
        else
            begin_transfer(x, t);
    }
}

static void release(tl_export *x, const tl_event *e)
{
    tl_transfer *t = find_transfer(x, e->request);
    if (!t || (t->active && !t->is_null))
        tl_export_refuse(x, "of a request that is under way");
    else
        t->used = t->persistent = t->active = false;
}

/* ---- events ---- */

double tl_rates_per_work(const tl_rates *rates, unsigned call)
{
    double per_work = 0;
    for (size_t i = 0; i < rates->n_kernels; i++)
        if (rates->kernels[i].call == call)
            per_work = rates->kernels[i].per_work;
    return per_work;
}

static void compute(tl_export *x, const tl_event *e, const tl_call_info *row)
{
    if (x->rates->no_compute)
        return;
    const double share = e->call == TL_MPI_Parallel ? tl_parallel_share(e, 0, 0, 1) : 1;
    x->computed += (double)e->volume * share * x->rates->per_unit;
    if (row->action != TL_ACTION_KERNEL)
        return;
    const double rate = tl_rates_per_work(x->rates, e->call);
    if (rate > 0)
        x->computed += rate * tl_kernel_work(e->call, e->list, e->list_len);
    else
        tl_export_refuse(x, "without a rate (--kernel)");
}

static void say_computation(tl_export *x)
{
    if (x->computed > 0)
        x->target->compute(x, x->computed);
    x->computed = 0;
}

/* Communicators: their construction is left out. Neighbourhood collectives. True: done. */
static bool resolve(tl_export *x, const tl_event *e, const tl_call_info *row)
{
    const unsigned kind = tl_meaning_of(row->action)->kind;
    if (kind == TL_KIND_CONSTRUCTOR && !x->out)
        x->n_constructions++;
    else if (kind == TL_KIND_NEIGHBORHOOD && !tl_is_nonblocking(row->action))
        tl_export_neighbours(x, e, row);
    return kind == TL_KIND_CONSTRUCTOR || kind == TL_KIND_DESTRUCTOR ||
           (kind == TL_KIND_NEIGHBORHOOD && !tl_is_nonblocking(row->action));
}

static void communicate(tl_export *x, const tl_event *e, const tl_call_info *row)
{
    const int64_t request = e->request;
    switch (e->call) {
    case TL_MPI_Send: blocking(x, e, false); return;
    case TL_MPI_Recv: blocking(x, e, true); return;
    case TL_MPI_Sendrecv:
    case TL_MPI_Sendrecv_replace: exchange(x, e); return;
    case TL_MPI_Isend: nonblocking(x, e, false, false); return;
    case TL_MPI_Irecv: nonblocking(x, e, true, false); return;
    case TL_MPI_Send_init: nonblocking(x, e, false, true); return;
    case TL_MPI_Recv_init: nonblocking(x, e, true, true); return;
    case TL_MPI_Start: start_requests(x, &request, 1); return;
    case TL_MPI_Startall: start_requests(x, e->list, e->list_len); return;
    case TL_MPI_Wait: wait_for(x, &request, 1); return;
    case TL_MPI_Waitall: wait_for(x, e->list, e->list_len); return;
    case TL_MPI_Request_free: release(x, e); return;
    default: break;
    }
    if (resolve(x, e, row))
        return;
    if (tl_meaning_of(row->action)->kind == TL_KIND_COLLECTIVE && !tl_is_nonblocking(row->action)) {
        x->target->collective(x, e, row);
        return;
    }
    tl_export_refuse(x, "");
}

static void export_event(tl_export *x, const tl_event *e, const tl_call_info *row)
{
    x->row = row;
    compute(x, e, row);
    if (e->call == TL_MPI_Parallel)
        return;
    switch (row->action) {
    case TL_ACTION_MATCH:
        if (!e->request) {
            x->matched = true;
            x->match_peer = e->peer;
            x->match_tag = e->tag;
        }
        return;
    case TL_ACTION_THREAD: tl_export_refuse(x, "several threads call MPI"); return;
    case TL_ACTION_INIT:
    case TL_ACTION_FINALIZE:
    case TL_ACTION_REGION:
    case TL_ACTION_CLOCK:
    case TL_ACTION_KERNEL: return; /* neither communicates nor waits */
    default: break;
    }
    say_computation(x);
    if (row->action == TL_ACTION_SLEEP) {
        x->target->sleep(x, e->count);
        return;
    }
    communicate(x, e, row);
    x->matched = false;
}

tl_status tl_export_rank(tl_export *x, uint32_t rank, tl_error *err)
{
    tl_cursor *c;
    TL_TRY(tl_cursor_open(x->r, rank, &c, err));
    tl_status status = TL_OK;
    x->rank = rank;
    x->computed = 0;
    x->n_transfers = 0;
    tl_map_free(&x->by_request);
    x->by_request = (tl_map){0};
    x->next_serial = 0;
    x->matched = false;
    if (!tl_export_begin_comms(x))
        x->status = TL_ERR_MEMORY;
    x->target->begin_rank(x);
    tl_event e;
    while (!x->status && !(status = tl_cursor_next(c, &e))) {
        x->position = tl_cursor_position(c) - 1;
        export_event(x, &e, tl_call_by_code(e.call));
    }
    say_computation(x);
    x->target->end_rank(x);
    if (x->status == TL_ERR_MEMORY)
        status = tl_no_memory(err, tl_reader_path(x->r));
    else
        status = x->status ? x->status : tl_cursor_end(c, status, err);
    tl_cursor_close(c);
    return status;
}

tl_status tl_export_look(tl_export *x, tl_error *err)
{
    x->n_ranks = tl_reader_run(x->r)->n_ranks;
    if (!tl_reader_complete(x->r))
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: is not complete, and %s cannot express this; record the run again",
                       tl_reader_path(x->r), x->target->name);
    for (uint32_t rank = 0; rank < x->n_ranks; rank++)
        TL_TRY(tl_export_rank(x, rank, err));
    if (!tl_export_choose_tags(x))
        return tl_no_memory(err, tl_reader_path(x->r));
    return tl_refusals_report(&x->refusals, tl_reader_path(x->r), x->target->name, err);
}

void tl_export_free(tl_export *x)
{
    tl_export_free_comms(x);
    free(x->transfers);
    free(x->refusals.list);
    tl_map_free(&x->by_request);
}
