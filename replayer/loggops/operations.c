/* operations.c - append operations to the program of the rank that is being read. */
#include "config.h"

#include "reading.h"

#include <inttypes.h>
#include <string.h>

tl_status loggops_out_of_memory(loggops_reading *t)
{
    if (t->status != TL_OK)
        return t->status;
    return t->status = tl_fail(t->err, TL_ERR_MEMORY, "out of memory for the programs of %s",
                               tl_reader_path(t->trace));
}

void loggops_refuse(loggops_reading *t, const tl_event *e)
{
    if (t->status != TL_OK)
        return;
    t->status =
        tl_fail(t->err, TL_ERR_UNSUPPORTED,
                "%s: rank %" PRIu32 ", event %" PRIu64
                ": the loggops engine does not know %s; use --engine smpi",
                tl_reader_path(t->trace), t->rank, t->n_read, tl_call_by_code(e->call)->name);
}

bool loggops_make_more_room(loggops_reading *t, void *array, size_t n, size_t *room, size_t size)
{
    if (loggops_grow_more(array, n, room, size))
        return 1;
    loggops_out_of_memory(t);
    return 0;
}

void loggops_add(loggops_reading *t, loggops_op op)
{
    if (loggops_has_room(t, &t->ops, t->n_ops + 1, &t->ops_room, sizeof *t->ops))
        t->ops[t->n_ops++] = op;
}

uint32_t loggops_add_list(loggops_reading *t, const int64_t *values, size_t n)
{
    const size_t offset = t->n_list;
    if (offset + n >= UINT32_MAX) {
        loggops_out_of_memory(t);
        return 0;
    }
    if (!loggops_has_room(t, &t->list, offset + n + 1, &t->list_room, sizeof *t->list))
        return 0;
    t->list[t->n_list++] = (int64_t)n;
    memcpy(t->list + t->n_list, values, n * sizeof *values);
    t->n_list += n;
    return (uint32_t)offset;
}

void loggops_add_wait(loggops_reading *t, const int64_t *requests, size_t n)
{
    const uint32_t list = loggops_add_list(t, requests, n);
    loggops_add(t, (loggops_op){.kind = LOGGOPS_WAIT, .list = list});
}

void loggops_add_compute(loggops_reading *t)
{
    const double ps = t->compute_s * 1e12;
    t->compute_s = 0;
    if (ps < 0.5) {
        if (t->is_labelled)
            loggops_label_none(t);
        return;
    }
    /* Beyond that the simulation ends (simulate.h). */
    const uint64_t amount = ps < (double)LOGGOPS_MOST_PS ? (uint64_t)(ps + 0.5) : LOGGOPS_MOST_PS;
    const bool is_beside = t->resumed_from && t->resumed_from <= t->n_ops;
    /* The core of a rank that polls is that of thread 0. */
    if (t->rates.waiting == TLR_WAITING_BUSY ? t->thread != 0 : is_beside)
        t->sums.of_model.more_s += ps * 1e-12;
    if (is_beside) {
        loggops_compute_beside(t, amount);
        return;
    }
    if (t->is_stream)
        t->compute_ps += amount;
    loggops_add(t, (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = amount});
}

loggops_request *loggops_request_of(loggops_reading *t, int64_t id)
{
    const size_t i = (size_t)id + FIRST_OF_TRACE - 1;
    if (!loggops_has_room(t, &t->requests, i + 1, &t->requests_room, sizeof *t->requests))
        return &t->no_request;
    if (t->n_requests <= i)
        t->n_requests = (uint32_t)i + 1;
    return &t->requests[i];
}

void loggops_add_started(loggops_reading *t, loggops_op op, int64_t request)
{
    loggops_request *state = loggops_request_of(t, request);
    op.request = (uint32_t)(request + FIRST_OF_TRACE - 1);
    state->op = t->n_ops + 1;
    state->is_cancelled = 0;
    loggops_add(t, op);
}

void loggops_wait_for(loggops_reading *t, const int64_t *requests, size_t n)
{
    if (!n || !loggops_has_room(t, &t->unused, t->n_unused + n, &t->unused_room, sizeof *t->unused))
        return;
    for (size_t i = 0; i < n; i++)
        t->unused[t->n_unused++] = (uint32_t)requests[i];
    loggops_add_wait(t, requests, n);
}

uint32_t loggops_comm_of(const loggops_reading *t, const tl_event *e)
{
    const int32_t comm = tlr_plan_find_comm(t->plan, t->rank, e->comm);
    return comm >= 0 ? (uint32_t)comm : t->run->n_comms - 1;
}

/* They follow those of the trace. */
uint32_t loggops_new_request(loggops_reading *t)
{
    const uint32_t request = t->plan->ranks[t->rank]->n_requests + FIRST_OF_TRACE + ++t->n_own;
    if (request >= t->n_requests)
        t->n_requests = request + 1;
    return request;
}

uint32_t loggops_own_request(loggops_reading *t)
{
    return t->n_unused ? t->unused[--t->n_unused] : loggops_new_request(t);
}
