/* loggops_program.c - translate a trace into programs.
 *
 * Persistent requests are resolved, wildcards take their recorded outcome, computation in a row
 * becomes one operation.  Partners are relative to the rank, so that the ranks of a regular code
 * have equal programs, which are kept once. */
#include "config.h"

#include "loggops_program.h"
#include "rank_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The trace's requests follow these. */
enum { FOR_SENDRECV_SEND = 1, FOR_SENDRECV_RECV, DETACHED, FIRST_OF_TRACE };

/* What is known of one request while a rank's events are read. */
typedef struct request_state {
    size_t op;           /* 1 + the operation that started it last; 0: none */
    loggops_op on_start; /* of a persistent request; kind LOGGOPS_END if it is none */
} request_state;

typedef struct reading {
    tl_reader *trace;
    tlr_plan *plan;
    const tlr_model *model;
    const loggops_choice *choice;
    const tlr_options *options;
    tlr_rank_model rates; /* of this rank */
    double *measured_s;
    loggops_run *run;
    tl_error *err;

    uint32_t rank;
    uint64_t n_read;
    double compute_s; /* not yet an operation */
    int64_t match_source, match_tag;
    int has_match; /* the outcome of the receive that follows */

    loggops_op *ops; /* of this rank */
    size_t n_ops, ops_room;
    int64_t *list;
    size_t n_list, list_room;
    request_state *requests;
    size_t requests_room;
    uint32_t n_requests;
    int32_t *n_started; /* by communicator: collectives that do not block */
    size_t n_started_room;
    loggops_table programs; /* those of the ranks before */
} reading;

static tl_status out_of_memory(const reading *t)
{
    return tl_fail(t->err, TL_ERR_MEMORY, "out of memory for the programs of %s",
                   tl_reader_path(t->trace));
}

static tl_status refuse(const reading *t, const tl_event *e)
{
    return tl_fail(t->err, TL_ERR_UNSUPPORTED,
                   "%s: rank %" PRIu32 ", event %" PRIu64
                   ": the loggops engine does not know %s%s; use --engine smpi",
                   tl_reader_path(t->trace), t->rank, t->n_read, tl_call_by_code(e->call)->name,
                   e->call == TL_MPI_Thread || e->call == TL_MPI_Enter
                       ? " (several threads of a rank called MPI)"
                       : "");
}

/* ---- operations ---- */

static tl_status add(reading *t, loggops_op op)
{
    if (!loggops_grow((void **)&t->ops, t->n_ops + 1, &t->ops_room, sizeof *t->ops))
        return out_of_memory(t);
    t->ops[t->n_ops++] = op;
    return TL_OK;
}

static tl_status add_list(reading *t, const int64_t *values, size_t n, uint32_t *offset)
{
    if (!loggops_grow((void **)&t->list, t->n_list + n + 1, &t->list_room, sizeof *t->list))
        return out_of_memory(t);
    *offset = (uint32_t)t->n_list;
    t->list[t->n_list++] = (int64_t)n;
    memcpy(t->list + t->n_list, values, n * sizeof *values);
    t->n_list += n;
    return TL_OK;
}

static tl_status add_compute(reading *t)
{
    const double ps = t->compute_s * 1e12;
    t->compute_s = 0;
    if (ps < 0.5)
        return TL_OK;
    return add(t, (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = (uint64_t)(ps + 0.5)});
}

static request_state *request_of(reading *t, int64_t id)
{
    const size_t i = (size_t)id + FIRST_OF_TRACE - 1;
    if (!loggops_grow((void **)&t->requests, i + 1, &t->requests_room, sizeof *t->requests))
        return NULL;
    if (t->n_requests <= i)
        t->n_requests = (uint32_t)i + 1;
    return &t->requests[i];
}

/* ---- who and how much ---- */

static uint32_t comm_of(const reading *t, const tl_event *e)
{
    const int32_t comm = tlr_plan_find_comm(t->plan, t->rank, e->comm);
    return comm >= 0 ? (uint32_t)comm : t->run->n_comms - 1;
}

static int32_t partner_of(const reading *t, uint32_t comm, int64_t peer)
{
    if (peer == TL_ANY_SOURCE)
        return LOGGOPS_ANY;
    if (peer < 0)
        return LOGGOPS_NOBODY;
    const loggops_comm *c = &t->run->comms[comm];
    if (!c->n_members)
        return 0;
    const uint32_t me = loggops_rank_in(c, t->rank);
    return (int32_t)(((uint64_t)peer + c->n_members - me) % c->n_members);
}

static loggops_op send_op(const reading *t, const tl_event *e)
{
    const uint32_t comm = comm_of(t, e);
    return (loggops_op){.kind = LOGGOPS_SEND,
                        .comm = comm,
                        .peer = partner_of(t, comm, e->peer),
                        .tag = e->tag,
                        .amount = (uint64_t)(e->count * e->type_bytes),
                        .is_synchronous = e->call == TL_MPI_Ssend || e->call == TL_MPI_Issend ||
                                          e->call == TL_MPI_Ssend_init};
}

static loggops_op receive_op(const reading *t, const tl_event *e, int64_t peer, int32_t tag)
{
    const uint32_t comm = comm_of(t, e);
    return (loggops_op){.kind = LOGGOPS_RECV,
                        .comm = comm,
                        .peer = partner_of(t, comm, peer),
                        .tag = tag == TL_ANY_TAG ? LOGGOPS_ANY : tag};
}

/* What a wildcard receive met in the run. */
static void settle(const reading *t, loggops_op *op, int64_t source, int64_t tag)
{
    op->peer = partner_of(t, op->comm, source);
    op->tag = (int32_t)tag;
}

/* ---- point to point ---- */

static tl_status add_started(reading *t, loggops_op op, int64_t request)
{
    request_state *state = request_of(t, request);
    if (!state)
        return out_of_memory(t);
    op.request = (uint32_t)(request + FIRST_OF_TRACE - 1);
    state->op = t->n_ops + 1;
    return add(t, op);
}

static tl_status add_persistent(reading *t, loggops_op op, int64_t request)
{
    request_state *state = request_of(t, request);
    if (!state)
        return out_of_memory(t);
    state->on_start = op;
    state->op = 0;
    return TL_OK;
}

static tl_status start_one(reading *t, int64_t request)
{
    const request_state *state = request_of(t, request);
    if (!state)
        return out_of_memory(t);
    return state->on_start.kind == LOGGOPS_END ? TL_OK : add_started(t, state->on_start, request);
}

static tl_status add_receive(reading *t, const tl_event *e)
{
    loggops_op op = receive_op(t, e, e->peer, e->tag);
    if (t->has_match)
        settle(t, &op, t->match_source, t->match_tag);
    t->has_match = 0;
    return add(t, op);
}

static tl_status add_sendrecv(reading *t, const tl_event *e)
{
    loggops_op receive = receive_op(t, e, e->recv_peer, e->recv_tag);
    if (t->has_match)
        settle(t, &receive, t->match_source, t->match_tag);
    t->has_match = 0;
    receive.request = FOR_SENDRECV_RECV;
    loggops_op send = send_op(t, e);
    send.request = FOR_SENDRECV_SEND;
    static const int64_t both[] = {FOR_SENDRECV_SEND, FOR_SENDRECV_RECV};
    loggops_op wait = {.kind = LOGGOPS_WAIT};
    tl_status status = add_list(t, both, 2, &wait.list);
    if (status == TL_OK)
        status = add(t, receive);
    if (status == TL_OK)
        status = add(t, send);
    return status == TL_OK ? add(t, wait) : status;
}

static tl_status add_wait(reading *t, const int64_t *requests, size_t n)
{
    loggops_op wait = {.kind = LOGGOPS_WAIT};
    tl_status status = add_list(t, requests, n, &wait.list);
    if (status != TL_OK)
        return status;
    int64_t *list = t->list + wait.list;
    list[0] = 0;
    for (size_t i = 0; i < n; i++)
        if (requests[i] > 0)
            list[++list[0]] = requests[i] + FIRST_OF_TRACE - 1;
    t->n_list = wait.list + (size_t)list[0] + 1;
    return add(t, wait);
}

/* Calls with one request or with an array of them. */
static tl_status for_requests(reading *t, const tl_event *e, tl_status (*one)(reading *, int64_t))
{
    const int64_t single = e->request;
    const int64_t *list = e->list_len ? e->list : &single;
    const size_t n = e->list_len ? e->list_len : 1;
    tl_status status = TL_OK;
    for (size_t i = 0; i < n && status == TL_OK; i++)
        if (list[i] > 0)
            status = one(t, list[i]);
    return status;
}

/* Nobody waits for it any more, and its number may be used again. */
static tl_status detach(reading *t, int64_t request)
{
    request_state *state = request_of(t, request);
    if (!state)
        return out_of_memory(t);
    if (state->op)
        t->ops[state->op - 1].request = DETACHED;
    *state = (request_state){0};
    return TL_OK;
}

static tl_status note_match(reading *t, const tl_event *e)
{
    if (!e->request) {
        t->has_match = 1;
        t->match_source = e->peer;
        t->match_tag = e->tag;
        return TL_OK;
    }
    const request_state *state = request_of(t, e->request);
    if (!state)
        return out_of_memory(t);
    if (state->op)
        settle(t, &t->ops[state->op - 1], e->peer, e->tag);
    return TL_OK;
}

/* ---- collectives ---- */

/* The blocking collective of equal blocks that an action is a form of. */
static tl_action base_of(tl_action action)
{
    if (action >= TL_ACTION_IBARRIER && action <= TL_ACTION_IEXSCAN)
        action = (tl_action)(action - TL_ACTION_IBARRIER + TL_ACTION_BARRIER);
    switch (action) {
    case TL_ACTION_GATHERV: return TL_ACTION_GATHER;
    case TL_ACTION_SCATTERV: return TL_ACTION_SCATTER;
    case TL_ACTION_ALLGATHERV: return TL_ACTION_ALLGATHER;
    case TL_ACTION_ALLTOALLV:
    case TL_ACTION_ALLTOALLW: return TL_ACTION_ALLTOALL;
    case TL_ACTION_REDUCE_SCATTER_BLOCK: return TL_ACTION_REDUCE_SCATTER;
    case TL_ACTION_EXSCAN: return TL_ACTION_SCAN;
    default: return action;
    }
}

/* Bytes of one rank's block, if all are equal. */
static int64_t block_bytes(const reading *t, const tl_event *e, tl_action base)
{
    const int64_t sent = e->count * e->type_bytes, received = e->recv_count * e->recv_type_bytes;
    const loggops_comm *comm = &t->run->comms[comm_of(t, e)];
    const int is_root = comm->n_members && (int64_t)loggops_rank_in(comm, t->rank) == e->peer;
    switch (base) {
    case TL_ACTION_GATHER: return is_root ? received : sent;
    case TL_ACTION_SCATTER: return is_root ? sent : received;
    case TL_ACTION_ALLGATHER:
    case TL_ACTION_ALLTOALL: return e->flags & TL_IN_PLACE ? received : sent;
    default: return sent;
    }
}

/* Bytes of every rank's block where they differ; only what is sent counts. */
static tl_status add_blocks(reading *t, const tl_event *e, tl_action base, uint32_t *list)
{
    const loggops_comm *comm = &t->run->comms[comm_of(t, e)];
    const uint32_t n = comm->n_members;
    if (e->list_len < n || base == TL_ACTION_GATHER)
        return TL_OK;
    const int has_types = e->call == TL_MPI_Alltoallw || e->call == TL_MPI_Ialltoallw;
    const int takes_received =
        base == TL_ACTION_ALLGATHER ||
        (base == TL_ACTION_ALLTOALL && (e->flags & TL_IN_PLACE) && e->list_len == 2 * n);
    const int64_t *counts = takes_received ? e->list + e->list_len - n : e->list;
    const int64_t unit = has_types ? 1 : takes_received ? e->recv_type_bytes : e->type_bytes;
    tl_status status = add_list(t, counts, n, list);
    for (uint32_t i = 0; i < n && status == TL_OK; i++)
        t->list[*list + 1 + i] *= unit;
    return status;
}

/* Collectives that do not block are numbered, as each communicator's members start them in one
 * order: several may be under way at a time. */
static tl_status add_numbered(reading *t, loggops_op op, const tl_event *e)
{
    if (!loggops_grow((void **)&t->n_started, op.comm + 1u, &t->n_started_room,
                      sizeof *t->n_started))
        return out_of_memory(t);
    op.tag = ++t->n_started[op.comm];
    return add_started(t, op, e->request);
}

/* Bytes by which an algorithm is chosen. */
static uint64_t deciding_bytes(const reading *t, const loggops_op *op, tl_action base)
{
    if (base != TL_ACTION_REDUCE_SCATTER)
        return op->amount;
    if (!op->list)
        return op->amount * t->run->comms[op->comm].n_members;
    uint64_t sum = 0;
    for (int64_t i = 1; i <= t->list[op->list]; i++)
        sum += (uint64_t)t->list[op->list + i];
    return sum;
}

static tl_status add_collective(reading *t, const tl_event *e, const tl_call_info *info)
{
    const tl_action base = base_of(info->action);
    loggops_op op = {.kind = LOGGOPS_COLLECTIVE,
                     .comm = comm_of(t, e),
                     .peer = e->peer,
                     .amount = (uint64_t)block_bytes(t, e, base)};
    if (loggops_algorithm_for(base) == LOGGOPS_NONE)
        return refuse(t, e);
    const int has_sizes = (info->traits & TL_TRAIT_SIZED) != 0;
    tl_status status = has_sizes ? add_blocks(t, e, base, &op.list) : TL_OK;
    if (status != TL_OK)
        return status;
    op.algorithm = loggops_choose(t->choice, base, t->run->comms[op.comm].n_members,
                                  deciding_bytes(t, &op, base), has_sizes);
    return info->traits & TL_TRAIT_NB ? add_numbered(t, op, e) : add(t, op);
}

/* All members agree on something small. */
static tl_status add_constructor(reading *t, const tl_event *e)
{
    return add(t, (loggops_op){.kind = LOGGOPS_COLLECTIVE,
                               .algorithm = loggops_algorithm_for(TL_ACTION_BARRIER),
                               .comm = comm_of(t, e),
                               .amount = sizeof(int32_t)});
}

/* ---- events ---- */

static tl_status add_mark(reading *t, const tl_event *e)
{
    tlr_plan_site *site = tlr_plan_find_site(t->plan->ranks[t->rank], e->call, e->site);
    if (!site || !site->marks)
        return TL_OK;
    const uint64_t mark = site->marks->first + site->marks->count - site->count--;
    if (t->measured_s)
        t->measured_s[mark * t->run->n_ranks + t->rank] = (double)e->clock_ns * 1e-9;
    return add(t, (loggops_op){.kind = LOGGOPS_MARK, .amount = mark});
}

/* Events that take no time of their own: what was computed before them goes to the next one. */
static int is_local(tl_action action)
{
    switch (action) {
    case TL_ACTION_NONE:
    case TL_ACTION_MATCH:
    case TL_ACTION_KERNEL:
    case TL_ACTION_OPAQUE:
    case TL_ACTION_PROBE: /* the receive that follows waits */
    case TL_ACTION_SEND_INIT:
    case TL_ACTION_RECV_INIT:
    case TL_ACTION_REQUEST_FREE:
    case TL_ACTION_CANCEL: /* its outcome is a match with nobody */
    case TL_ACTION_COMM_FREE: return 1;
    default: return 0;
    }
}

static tl_status add_event(reading *t, const tl_event *e, const tl_call_info *info)
{
    switch (info->action) {
    case TL_ACTION_MATCH: return note_match(t, e);
    case TL_ACTION_SEND: return add(t, send_op(t, e));
    case TL_ACTION_RECV: return add_receive(t, e);
    case TL_ACTION_SENDRECV: return add_sendrecv(t, e);
    case TL_ACTION_ISEND: return add_started(t, send_op(t, e), e->request);
    case TL_ACTION_IRECV: return add_started(t, receive_op(t, e, e->peer, e->tag), e->request);
    case TL_ACTION_SEND_INIT: return add_persistent(t, send_op(t, e), e->request);
    case TL_ACTION_RECV_INIT:
        return add_persistent(t, receive_op(t, e, e->peer, e->tag), e->request);
    case TL_ACTION_START: return for_requests(t, e, start_one);
    case TL_ACTION_REQUEST_FREE: return for_requests(t, e, detach);
    case TL_ACTION_WAIT: {
        const int64_t single = e->request;
        return e->list_len ? add_wait(t, e->list, e->list_len) : add_wait(t, &single, 1);
    }
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_COMM_SPLIT:
    case TL_ACTION_COMM_CREATE: return add_constructor(t, e);
    case TL_ACTION_INIT:
    case TL_ACTION_FINALIZE:
    case TL_ACTION_ABORT:
    case TL_ACTION_REGION:
    case TL_ACTION_CLOCK: return TL_OK;
    case TL_ACTION_THREAD: /* a rank has one CPU and one program */
    case TL_ACTION_ENTER: return refuse(t, e);
    default: return is_local(info->action) ? TL_OK : add_collective(t, e, info);
    }
}

static tl_status translate(reading *t, const tl_event *e)
{
    const tl_call_info *info = tl_call_by_code(e->call);
    tl_status status = TL_OK;
    if (t->model) {
        t->compute_s += tlr_rank_burst_s(&t->rates, e, t->n_read);
        if (info->action == TL_ACTION_KERNEL)
            t->compute_s += tlr_rank_kernel_s(&t->rates, e, t->n_read);
    }
    if (!tlr_plan_is_plain(t->plan, t->rank, e, info)) {
        t->n_read++;
        return TL_OK;
    }
    if (!is_local(info->action))
        status = add_compute(t);
    if (status == TL_OK)
        status = add_event(t, e, info);
    if (status == TL_OK && (info->traits & TL_TRAIT_MARK))
        status = add_mark(t, e);
    t->n_read++;
    return status;
}

/* ---- the trace ---- */

/* There are no hosts: each rank has one to itself, whose name is its number. */
static tl_status choose_rates(reading *t)
{
    char name[16];
    snprintf(name, sizeof name, "%" PRIu32, t->rank);
    const tlr_place place = {name, 0};
    return tlr_rank_model_open(&t->rates, t->model, t->trace, 0, t->rank, &place, t->options,
                               t->err);
}

static tl_status read_rank(reading *t, uint32_t rank)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    t->rank = rank;
    t->n_read = t->n_ops = 0;
    t->n_list = 1; /* offset 0 is no list */
    t->compute_s = 0;
    t->has_match = 0;
    t->n_requests = FIRST_OF_TRACE;
    if (!loggops_grow((void **)&t->list, 1, &t->list_room, sizeof *t->list))
        return out_of_memory(t);
    if (t->n_started_room)
        memset(t->n_started, 0, t->n_started_room * sizeof *t->n_started);
    if (t->requests_room)
        memset(t->requests, 0, t->requests_room * sizeof *t->requests);
    tl_status status = choose_rates(t);
    if (status == TL_OK)
        status = tl_cursor_open(t->trace, rank, &cursor, t->err);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK)
        status = translate(t, &event);
    if (status == TL_END)
        status = TL_OK;
    else if (status != TL_OK && cursor && tl_cursor_error(cursor)->status != TL_OK && t->err)
        *t->err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    tlr_rank_model_close(&t->rates);
    if (status == TL_OK)
        status = add_compute(t);
    if (status == TL_OK)
        status = add(t, (loggops_op){.kind = LOGGOPS_END});
    const loggops_program read = {t->ops, t->list, t->n_ops, t->n_list, t->n_requests};
    if (status == TL_OK && !loggops_share_program(&t->programs, t->run, rank, &read))
        status = out_of_memory(t);
    return status;
}

/* What another rank, which does the same, has been found to do. */
static void take_from(reading *t, uint32_t rank, uint32_t other)
{
    const size_t n_ranks = t->run->n_ranks;
    t->run->program_of[rank] = t->run->program_of[other];
    for (uint64_t mark = 0; t->measured_s && mark < t->run->n_marks; mark++)
        t->measured_s[mark * n_ranks + rank] = t->measured_s[mark * n_ranks + other];
}

tl_status loggops_read_trace(tl_reader *trace, tlr_plan *plan, const tlr_model *model,
                             const tlr_options *options, const loggops_choice *choice,
                             double *measured_s, loggops_run **out, tl_error *err)
{
    reading t = {.trace = trace,
                 .plan = plan,
                 .model = model,
                 .options = options,
                 .choice = choice,
                 .measured_s = measured_s,
                 .run = calloc(1, sizeof *t.run),
                 .err = err};
    if (!t.run)
        return out_of_memory(&t);
    tl_status status = TL_OK;
    t.run->n_ranks = plan->n_ranks;
    t.run->n_marks = plan->n_marks;
    t.run->program_of = calloc(plan->n_ranks, sizeof *t.run->program_of);
    if (!t.run->program_of || !loggops_read_comms(t.run, plan))
        status = out_of_memory(&t);
    for (uint32_t r = 0; r < plan->n_ranks && status == TL_OK; r++) {
        if (plan->ranks[r]->first == r)
            status = read_rank(&t, r);
        else
            take_from(&t, r, plan->ranks[r]->first);
    }
    free(t.ops);
    free(t.list);
    free(t.requests);
    free(t.n_started);
    loggops_table_free(&t.programs);
    if (status == TL_OK)
        *out = t.run;
    else
        loggops_run_free(t.run);
    return status;
}
