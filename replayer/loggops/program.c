/* program.c - translate a trace into programs.
 *
 * Persistent requests are resolved, wildcards take their recorded outcome, computation in a row
 * becomes one operation.  Partners are relative to the rank, so that the ranks of a regular code
 * have equal programs, which are kept once. */
#include "config.h"

#include "reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who and how much ---- */

int32_t loggops_partner_in(const loggops_reading *t, uint32_t comm, int64_t peer)
{
    if (peer == TL_ANY_SOURCE)
        return LOGGOPS_ANY;
    if (peer < 0)
        return LOGGOPS_NOBODY;
    const loggops_comm *c = &t->run->comms[comm];
    if (!c->n_members)
        return 0;
    const uint32_t me = loggops_rank_in(c, t->rank), first = me < c->n_first ? c->n_first : 0;
    return (int32_t)(((uint64_t)peer + first + c->n_members - me) % c->n_members);
}

static loggops_op send_op(const loggops_reading *t, const tl_event *e)
{
    const uint32_t comm = loggops_comm_of(t, e);
    return (loggops_op){.kind = LOGGOPS_SEND,
                        .comm = comm,
                        .peer = loggops_partner_in(t, comm, e->peer),
                        .tag = e->tag,
                        .amount = (uint64_t)(e->count * e->type_bytes),
                        .is_synchronous = e->call == TL_MPI_Ssend || e->call == TL_MPI_Issend ||
                                          e->call == TL_MPI_Ssend_init,
                        .is_buffered = e->call == TL_MPI_Bsend || e->call == TL_MPI_Ibsend ||
                                       e->call == TL_MPI_Bsend_init};
}

static loggops_op receive_op(const loggops_reading *t, const tl_event *e, int64_t peer, int32_t tag)
{
    const uint32_t comm = loggops_comm_of(t, e);
    return (loggops_op){.kind = LOGGOPS_RECV,
                        .comm = comm,
                        .peer = loggops_partner_in(t, comm, peer),
                        .tag = tag == TL_ANY_TAG ? LOGGOPS_ANY : tag};
}

/* What a wildcard receive met in the run. */
static void settle(const loggops_reading *t, loggops_op *op, int64_t source, int64_t tag)
{
    op->peer = loggops_partner_in(t, op->comm, source);
    op->tag = (int32_t)tag;
}

/* The operation of a stream is gone when the trace tells what an open receive met. */
static void settle_ahead(loggops_reading *t, loggops_op *op)
{
    int32_t source = TL_ANY_SOURCE, tag = op->tag == LOGGOPS_ANY ? TL_ANY_TAG : op->tag;
    if (t->status == TL_OK)
        t->status = tlr_walk_outcome(&t->walk, &source, &tag, t->err);
    if (source != TL_PROC_NULL)
        settle(t, op, source, tag);
    else
        op->peer = LOGGOPS_NOBODY;
}

/* ---- point to point ---- */

static void add_irecv(loggops_reading *t, const tl_event *e)
{
    loggops_op op = receive_op(t, e, e->peer, e->tag);
    if (t->is_stream && tlr_receive_is_open(e))
        settle_ahead(t, &op);
    loggops_add_started(t, op, e->request);
}

void loggops_add_persistent(loggops_reading *t, loggops_op op, int64_t request)
{
    loggops_request *state = loggops_request_of(t, request);
    op.is_persistent = 1;
    state->on_start = op;
    state->op = 0;
}

static void start_one(loggops_reading *t, int64_t request)
{
    loggops_op op = loggops_request_of(t, request)->on_start;
    if (op.kind == LOGGOPS_END)
        return;
    if (op.kind == LOGGOPS_COLLECTIVE) {
        loggops_add_numbered(t, op, request);
        return;
    }
    const bool is_open = op.kind == LOGGOPS_RECV && op.peer != LOGGOPS_NOBODY &&
                         (op.peer == LOGGOPS_ANY || op.tag == LOGGOPS_ANY);
    if (t->is_stream && is_open)
        settle_ahead(t, &op);
    loggops_add_started(t, op, request);
    if (t->is_labelled)
        loggops_label_started(t, &op);
}

static void add_sendrecv(loggops_reading *t, const tl_event *e)
{
    loggops_op receive = receive_op(t, e, e->recv_peer, e->recv_tag);
    loggops_op send = send_op(t, e);
    const int as_smpi = t->places && t->places->nodes.between.charges_as_smpi;
    /* With one partner, SMPI's call is MPI_Send or MPI_Recv. */
    if (as_smpi && (receive.peer == LOGGOPS_NOBODY || send.peer == LOGGOPS_NOBODY)) {
        loggops_add(t, receive.peer == LOGGOPS_NOBODY ? send : receive);
        return;
    }
    receive.request = FOR_SENDRECV_RECV;
    send.request = FOR_SENDRECV_SEND;
    static const int64_t both[] = {FOR_SENDRECV_SEND, FOR_SENDRECV_RECV};
    /* SMPI sends first: what its send does to the CPU delays the receive. */
    loggops_add(t, as_smpi ? send : receive);
    loggops_add(t, as_smpi ? receive : send);
    loggops_add_wait(t, both, 2);
}

static void add_wait(loggops_reading *t, const tl_event *e)
{
    const int64_t single = e->request, *requests = e->list_len ? e->list : &single;
    const size_t n = e->list_len ? e->list_len : 1;
    loggops_add_wait(t, requests, n);
    if (t->status != TL_OK)
        return;
    int64_t *list = t->list + t->ops[t->n_ops - 1].list;
    list[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (requests[i] <= 0)
            continue;
        loggops_request_of(t, requests[i])->op = 0; /* to free it later detaches nothing */
        list[++list[0]] = requests[i] + FIRST_OF_TRACE - 1;
    }
    t->n_list = (size_t)(list - t->list) + (size_t)list[0] + 1;
}

/* Calls with one request or with an array of them. */
static void for_requests(loggops_reading *t, const tl_event *e,
                         void (*one)(loggops_reading *, int64_t))
{
    const int64_t single = e->request;
    const int64_t *list = e->list_len ? e->list : &single;
    const size_t n = e->list_len ? e->list_len : 1;
    for (size_t i = 0; i < n && t->status == TL_OK; i++)
        if (list[i] > 0)
            one(t, list[i]);
}

static void note_cancel(loggops_reading *t, int64_t request)
{
    loggops_request_of(t, request)->is_cancelled = 1;
}

/* Nobody waits for it any more, and its number may be used again.  No event states whether a
 * message came before the receive was cancelled: as in SimGrid's engine, none did. */
static void detach(loggops_reading *t, int64_t request)
{
    loggops_request *state = loggops_request_of(t, request);
    if (state->op && !t->is_stream) {
        loggops_op *op = &t->ops[state->op - 1];
        op->request = DETACHED;
        if (state->is_cancelled && op->kind == LOGGOPS_RECV)
            op->peer = LOGGOPS_NOBODY;
    }
    *state = (loggops_request){0};
}

static void note_match(loggops_reading *t, const tl_event *e)
{
    const size_t op = e->request ? loggops_request_of(t, e->request)->op : 0;
    if (op && !t->is_stream)
        settle(t, &t->ops[op - 1], e->peer, e->tag);
}

/* ---- events ---- */

static void add_sleep(loggops_reading *t, const tl_event *e)
{
    const uint64_t ps_per_ns = 1000, amount = (uint64_t)e->count * ps_per_ns;
    if (t->is_stream)
        t->compute_ps += amount;
    t->sums.slept_s += (double)e->count * 1e-9;
    loggops_add(t, (loggops_op){.kind = LOGGOPS_COMPUTE, .amount = amount});
}

/* Asked by a program: what it computes before is done by then. */
static void add_poll(loggops_reading *t, const tl_event *e)
{
    loggops_op op = receive_op(t, e, e->peer, e->tag);
    op.kind = LOGGOPS_POLL;
    loggops_add_compute(t);
    loggops_add(t, op);
}

/* An event that takes no time. */
static void note_event(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    const tl_action action = info->action;
    if (t->is_made && (action == TL_ACTION_MATCH || action == TL_ACTION_REQUEST_FREE))
        loggops_refuse(t, e);
    else if (t->is_made && action == TL_ACTION_PROBE)
        add_poll(t, e);
    else if (action == TL_ACTION_MATCH)
        note_match(t, e);
    else if (action == TL_ACTION_REQUEST_FREE)
        for_requests(t, e, detach);
    else if (action == TL_ACTION_CANCEL)
        for_requests(t, e, note_cancel);
    else if (action == TL_ACTION_SEND_INIT)
        loggops_add_persistent(t, send_op(t, e), e->request);
    else if (action == TL_ACTION_RECV_INIT)
        loggops_add_persistent(t, receive_op(t, e, e->peer, e->tag), e->request);
}

static void add_event(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    switch (info->action) {
    case TL_ACTION_SEND: loggops_add(t, send_op(t, e)); break;
    case TL_ACTION_RECV: loggops_add(t, receive_op(t, e, e->peer, e->tag)); break;
    case TL_ACTION_SENDRECV: add_sendrecv(t, e); break;
    case TL_ACTION_ISEND: loggops_add_started(t, send_op(t, e), e->request); break;
    case TL_ACTION_IRECV: add_irecv(t, e); break;
    case TL_ACTION_START: for_requests(t, e, start_one); break;
    case TL_ACTION_WAIT: add_wait(t, e); break;
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_COMM_SPLIT:
    case TL_ACTION_COMM_CREATE:
    case TL_ACTION_INTERCOMM_CREATE:
    case TL_ACTION_INTERCOMM_MERGE: loggops_add_constructor(t, e); break;
    case TL_ACTION_INIT:
    case TL_ACTION_FINALIZE:
    case TL_ACTION_ABORT:
    case TL_ACTION_REGION:
    case TL_ACTION_CLOCK: break;
    case TL_ACTION_SLEEP: add_sleep(t, e); break;
    default:
        if (tl_is_on_window(info->action))
            loggops_add_one_sided(t, e, info);
        else if (tl_is_on_file(info->action))
            loggops_add_file(t, e, info);
        else
            loggops_add_collective(t, e, info);
    }
}

/* The seconds of computation that the event tells of. */
static void add_seconds(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    const uint32_t before = t->rates.site; /* the rates move on */
    const double more_s = t->rates.sums.more_s;
    double burst_s = tlr_rank_burst_s(&t->rates, e, t->n_read) * t->s_per_s;
    double kernel_s = info->action == TL_ACTION_KERNEL
                          ? tlr_rank_kernel_s(&t->rates, e, t->n_read) * t->s_per_s
                          : 0;
    if (t->places && t->places->load) {
        const double alone_s = burst_s + kernel_s;
        burst_s = loggops_slow_down(t, before, e->site, 0, burst_s);
        kernel_s = loggops_slow_down(t, before, e->site, e->call, kernel_s);
        if (alone_s > 0)
            t->rates.sums.more_s +=
                (t->rates.sums.more_s - more_s) * ((burst_s + kernel_s) / alone_s - 1);
    }
    t->compute_s += burst_s;
    t->compute_s += kernel_s;
    t->sums.kernel_s += kernel_s;
    if (t->is_labelled)
        loggops_label_computation(t, e, 0, before, burst_s);
    if (t->is_labelled && info->action == TL_ACTION_KERNEL)
        loggops_label_computation(t, e, 1, before, kernel_s);
}

/* Local events leave the computation before them for the next operation. */
static void translate(loggops_reading *t, const tl_event *e, const tlr_step *step)
{
    const tl_call_info *info = step->info;
    if (info->action == TL_ACTION_THREAD)
        loggops_switch_thread(t, (uint32_t)e->tag);
    if (t->model)
        add_seconds(t, e, info);
    if (step->kind == TLR_STEP_CALL) {
        loggops_add_compute(t);
        t->resumed_from = 0;
    }
    const size_t n_before = t->n_ops;
    if (step->kind == TLR_STEP_CALL)
        add_event(t, e, info);
    else
        note_event(t, e, info);
    if (step->mark != TLR_NO_MARK)
        loggops_add(t, (loggops_op){.kind = LOGGOPS_MARK, .amount = step->mark});
    if (t->is_labelled && step->kind != TLR_STEP_LOCAL)
        loggops_label_event(t, e, info, n_before);
}

tl_status loggops_translate(loggops_reading *t, tl_event *e)
{
    tlr_step step;
    t->n_regions += e->call == TL_MPI_Parallel;
    t->status = tlr_walk_step(&t->walk, e, &step, t->err);
    t->entered = step.entered;
    if (t->status == TL_OK && step.kind != TLR_STEP_NOTHING)
        translate(t, e, &step);
    t->n_read += t->status == TL_OK;
    return t->status;
}

/* ---- the trace ---- */

/* Without places, each rank has a host to itself, whose name is its number. */
static tl_status choose_rates(loggops_reading *t)
{
    const loggops_places *p = t->places;
    char name[16];
    snprintf(name, sizeof name, "%" PRIu32, t->rank);
    tlr_place place = {name, 0, 0, 0, 0};
    t->s_per_s = 1;
    if (p) {
        const uint32_t host = p->host_of[t->rank];
        const tlr_host *on = &p->cluster.hosts[host];
        place =
            (tlr_place){on->name, p->core_of[t->rank],
                        tlr_cores_for_rank(on->n_cores, p->n_on[host]), on->n_cores, p->n_on[host]};
        if (t->model)
            t->s_per_s = t->model->reference_flops / p->cluster.speeds[host];
    }
    const tl_status status =
        tlr_rank_model_open(&t->rates, t->model, t->trace, 0, t->rank, &place, t->options, t->err);
    t->rates.recorded = t->plan->kernels.recorded;
    return status;
}

void loggops_note_kernels(loggops_reading *t)
{
    loggops_sums *sums = &t->run->sums[t->rank];
    *sums = t->sums;
    sums->of_model.more_s += t->rates.sums.more_s * t->s_per_s;
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        sums->of_model.estimated_s[by] = t->rates.sums.estimated_s[by] * t->s_per_s;
}

tl_status loggops_begin_rank(loggops_reading *t, uint32_t rank)
{
    t->rank = rank;
    tlr_walk_close(&t->walk);
    t->walk =
        (tlr_walk){.plan = t->plan, .trace = t->trace, .rank = rank, .measured_s = t->measured_s};
    t->n_ranks = t->run->n_ranks;
    t->n_read = t->n_regions = t->n_ops = t->compute_ps = t->io_ps = 0;
    t->sums = (loggops_sums){0};
    t->n_list = 1; /* offset 0 is no list */
    t->n_labels = 0;
    t->compute_s = 0;
    t->n_threads = t->thread = t->entered = 0;
    t->resumed_from = 0;
    if (t->threads_room)
        memset(t->threads, 0, t->threads_room * sizeof *t->threads);
    t->n_requests = FIRST_OF_TRACE;
    loggops_close_windows(t);
    if (!loggops_has_room(t, &t->list, 1, &t->list_room, sizeof *t->list))
        return t->status;
    if (t->n_started_room)
        memset(t->n_started, 0, t->n_started_room * sizeof *t->n_started);
    if (t->requests_room)
        memset(t->requests, 0, t->requests_room * sizeof *t->requests);
    return choose_rates(t);
}

void loggops_reading_free(loggops_reading *t)
{
    free(t->ops);
    free(t->list);
    free(t->requests);
    free(t->n_started);
    free(t->labels);
    free(t->threads);
    loggops_close_windows(t);
    tlr_walk_close(&t->walk);
}

static tl_status read_rank(loggops_reading *t, uint32_t rank)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    tl_status status = loggops_begin_rank(t, rank);
    if (status == TL_OK)
        status = tl_cursor_open(t->trace, rank, &cursor, t->err);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK)
        status = loggops_translate(t, &event);
    if (status == TL_END)
        status = TL_OK;
    if (status != TL_OK && cursor && tl_cursor_error(cursor)->status != TL_OK && t->err)
        *t->err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    tlr_rank_model_close(&t->rates);
    TL_TRY(status);
    loggops_add_compute(t);
    loggops_add(t, (loggops_op){.kind = LOGGOPS_END});
    loggops_note_kernels(t);
    const loggops_program read = {t->ops, t->list, t->n_ops, t->n_list, t->n_requests};
    const loggops_labels labels = {t->labels, t->n_labels};
    if (t->status == TL_OK &&
        !loggops_share_program(&t->programs, t->run, rank, &read, t->is_labelled ? &labels : NULL))
        loggops_out_of_memory(t);
    return t->status;
}

/* What another rank, which does the same, has been found to do. */
static void take_from(loggops_reading *t, uint32_t rank, uint32_t other)
{
    const size_t n_ranks = t->run->n_ranks;
    t->run->program_of[rank] = t->run->program_of[other];
    t->run->sums[rank] = t->run->sums[other];
    for (uint64_t mark = 0; t->measured_s && mark < t->run->n_marks; mark++)
        if (t->measured_s[mark * n_ranks + other] != 0)
            t->measured_s[mark * n_ranks + rank] = t->measured_s[mark * n_ranks + other];
}

/* Whether parallel regions may take another time than on the first host. */
static int regions_differ(const loggops_places *p, size_t host)
{
    return p->cluster.hosts[host].n_cores != p->cluster.hosts[0].n_cores ||
           p->n_on[host] != p->n_on[0];
}

/* Whether computation takes longer on some hosts. */
static int speeds_differ(const loggops_reading *t)
{
    const loggops_places *p = t->places;
    for (size_t i = 1; p && i < p->cluster.n_hosts; i++)
        if (p->cluster.speeds[i] != p->cluster.speeds[0] ||
            (t->plan->n_parallel && regions_differ(p, i)))
            return 1;
    return 0;
}

/* Whether ranks that do the same take the same time for it. */
static bool is_like_first(const loggops_reading *t, uint32_t rank)
{
    const tlr_plan_rank *own = t->plan->ranks[rank];
    const int hosts_differ = t->model && (t->model->is_random || t->model->n_hosts ||
                                          speeds_differ(t) || (t->places && t->places->load));
    return own->first != rank && !(own->computes && hosts_differ);
}

loggops_run *loggops_run_begin(const tlr_plan *plan, const loggops_places *places)
{
    loggops_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->n_ranks = plan->n_ranks;
    run->n_marks = plan->n_marks;
    run->program_of = calloc(plan->n_ranks, sizeof *run->program_of);
    run->sums = calloc(plan->n_ranks, sizeof *run->sums);
    if (run->program_of && run->sums && loggops_read_comms(run, plan, places))
        return run;
    loggops_run_free(run);
    return NULL;
}

loggops_reading loggops_reading_of(const loggops_source *source, tl_error *err)
{
    return (loggops_reading){.trace = source->trace,
                             .plan = source->plan,
                             .model = source->model,
                             .options = source->options,
                             .places = source->places,
                             .choice = source->choice,
                             .measured_s = source->measured_s,
                             .is_labelled = source->options->timeline != NULL,
                             .err = err};
}

tl_status loggops_read_trace(const loggops_source *source, loggops_run **out, tl_error *err)
{
    loggops_reading t = loggops_reading_of(source, err);
    t.run = loggops_run_begin(t.plan, t.places);
    if (!t.run)
        return loggops_out_of_memory(&t);
    tl_status status = TL_OK;
    for (uint32_t r = 0; r < t.plan->n_ranks && status == TL_OK; r++) {
        if (is_like_first(&t, r))
            take_from(&t, r, t.plan->ranks[r]->first);
        else
            status = read_rank(&t, r);
    }
    loggops_reading_free(&t);
    loggops_table_free(&t.programs);
    if (status == TL_OK)
        *out = t.run;
    else
        loggops_run_free(t.run);
    return status;
}
