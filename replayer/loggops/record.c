/* record.c - the states of the ranks, for a timeline: recorder.h. */
#include "config.h"

#include "goal.h"
#include "recorder.h"
#include "simulate.h"

#include "core/room.h"
#include "results/state_of_event.h"
#include "results/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double s_per_ps = 1e-12;

/* What is known of a rank. */
typedef struct recorded_rank {
    uint64_t last_ps; /* the end of its last state */
    size_t label;     /* the next one of its program */
    uint32_t op;      /* that has begun, if is_open */
    uint32_t is_open;
    uint32_t n_now;
    size_t room;
    tlr_half **now;       /* what the call at hand completes */
    uint64_t *n_meetings; /* by its id of a communicator; NULL: none yet */
    double alone_s;       /* computation without noise */
    tlr_clocks clocks;
    tlr_phase_place place;
    tlr_walked walked; /* what leads to last_ps */
} recorded_rank;

struct loggops_recorder {
    const loggops_run *run;
    const tlr_plan *plan;               /* NULL: a graph, which has the next three */
    tlr_clocks *op_clocks, *cpu_clocks; /* by operation; by CPU */
    tlr_clocks start_clocks;            /* of the operation that has begun last */
    tlr_timeline *timeline;
    tlr_halves halves;
    recorded_rank *ranks;
    tlr_phases *programs; /* the computation of each in balance; NULL: unknown */
    size_t n_phases;
    tlr_half **by_request; /* as simulation.requests */
    uint64_t n_requests;
    int failed; /* no memory */
};

/* ---- start and end ---- */

static bool is_of_call(const loggops_label *label)
{
    return label->call && label->kind != TLR_STATE_KERNEL && label->kind != TLR_STATE_MESSAGE;
}

static bool has_all(const loggops_recorder *rec, const loggops_label *label)
{
    return label->plan_comm > 0 &&
           rec->plan->comms[label->plan_comm - 1].n_members == rec->run->n_ranks;
}

/* The phases of a program; a sleep is a call, and computes nothing. */
static int find_phases(const loggops_recorder *rec, uint32_t program, tlr_phases *phases)
{
    const loggops_labels *labels = &rec->run->labels[program];
    const loggops_op *ops = rec->run->programs[program].ops;
    bool is_kept = 1;
    for (uint64_t i = 0, at = 0; is_kept && ops[i].kind != LOGGOPS_END; i++) {
        uint64_t computed_ps = ops[i].kind == LOGGOPS_COMPUTE ? ops[i].amount : 0;
        size_t next = at;
        for (; next < labels->n && labels->of[next].op == i; next++)
            if (labels->of[next].flags & LOGGOPS_TAKES_TIME)
                computed_ps = 0;
        is_kept = tlr_phases_compute(phases, (double)computed_ps * s_per_ps);
        for (; at < next && is_kept; at++)
            if (is_of_call(&labels->of[at]))
                is_kept =
                    tlr_phases_call(phases, labels->of[at].call, has_all(rec, &labels->of[at]));
    }
    return is_kept;
}

/* What programs that are made compute is known only at the end. */
static int find_balance(loggops_recorder *rec)
{
    const loggops_run *run = rec->run;
    bool is_kept = (rec->programs = calloc(run->n_programs, sizeof *rec->programs)) != NULL;
    for (uint32_t i = 0; i < run->n_programs && is_kept; i++)
        is_kept = find_phases(rec, i, &rec->programs[i]);
    for (uint32_t r = 0; r < run->n_ranks && is_kept; r++)
        rec->programs[run->program_of[r]].n_ranks++;
    if (!is_kept || !tlr_phases_balance(rec->programs, run->n_programs, &rec->n_phases))
        return 0;
    for (uint32_t r = 0; r < run->n_ranks; r++)
        tlr_phases_start(&rec->programs[run->program_of[r]], &rec->ranks[r].clocks);
    return 1;
}

tl_status loggops_recorder_open(const loggops_run *run, const tlr_plan *plan,
                                tlr_timeline *timeline, loggops_recorder **out, tl_error *err)
{
    loggops_recorder *rec = calloc(1, sizeof *rec);
    if (!rec)
        return tl_no_memory(err, "timeline");
    rec->run = run;
    rec->plan = plan;
    rec->timeline = timeline;
    rec->halves.allocate = calloc;
    rec->ranks = calloc(run->n_ranks, sizeof *rec->ranks);
    for (uint32_t r = 0; r < run->n_ranks; r++)
        rec->n_requests += run->programs[run->program_of[r]].n_requests;
    if (run->graph) {
        rec->n_requests = run->graph->n_ops;
        rec->op_clocks = calloc(run->graph->n_ops + 1U, sizeof *rec->op_clocks);
        rec->cpu_clocks = calloc(run->graph->n_streams + 1U, sizeof *rec->cpu_clocks);
    }
    rec->by_request = calloc(rec->n_requests + 1, sizeof *rec->by_request);
    *out = rec;
    if (!rec->ranks || !rec->by_request || (run->graph && (!rec->op_clocks || !rec->cpu_clocks)) ||
        (!run->graph && !run->feed && !find_balance(rec)))
        return tl_no_memory(err, "timeline");
    return TL_OK;
}

/* Operations have clocks of their own. What a CPU computes, it computes on any network. */
static void find_graph_what_if(const loggops_recorder *rec, tlr_what_if *to)
{
    const goal_run *graph = rec->run->graph;
    for (uint32_t i = 0; i < graph->n_ops + graph->n_streams; i++) {
        const tlr_clocks *clocks =
            i < graph->n_ops ? &rec->op_clocks[i] : &rec->cpu_clocks[i - graph->n_ops];
        to->ideal_network_s = fmax(to->ideal_network_s, clocks->s[CLOCK_NETWORK]);
        to->twice_the_cpu_s = fmax(to->twice_the_cpu_s, clocks->s[CLOCK_CPU]);
    }
}

static void find_what_if(const loggops_recorder *rec, tlr_what_if *to)
{
    const uint32_t n_ranks = rec->run->n_ranks;
    *to = (tlr_what_if){0};
    for (uint32_t r = 0; r < n_ranks; r++) {
        const recorded_rank *own = &rec->ranks[r];
        to->ideal_network_s = fmax(to->ideal_network_s, own->clocks.s[CLOCK_NETWORK]);
        to->mean_compute_s += own->alone_s / n_ranks;
        to->balanced_s = fmax(to->balanced_s, own->clocks.s[CLOCK_BALANCE]);
        to->twice_the_cpu_s = fmax(to->twice_the_cpu_s, own->clocks.s[CLOCK_CPU]);
    }
    to->n_phases = rec->n_phases;
    if (!rec->programs)
        to->balanced_s = NAN;
    if (rec->run->graph)
        find_graph_what_if(rec, to);
}

tl_status loggops_recorder_finish(loggops_recorder *recorder, tlr_what_if *what_if, tl_error *err)
{
    if (recorder->failed)
        return tl_no_memory(err, "timeline");
    if (what_if)
        find_what_if(recorder, what_if);
    const tl_status status = tlr_timeline_finish(recorder->timeline, err);
    return status == TL_OK ? tlr_timeline_sort(recorder->timeline, err) : status;
}

void loggops_recorder_close(loggops_recorder *recorder)
{
    if (!recorder)
        return;
    tlr_halves *halves = &recorder->halves;
    for (uint32_t r = 0; recorder->ranks && r < recorder->run->n_ranks; r++) {
        recorded_rank *own = &recorder->ranks[r];
        for (uint32_t i = 0; i < own->n_now; i++)
            tlr_release_half(halves, own->now[i]);
        free(own->now);
        free(own->n_meetings);
    }
    for (uint64_t i = 0; recorder->by_request && i < recorder->n_requests; i++)
        if (recorder->by_request[i])
            tlr_release_half(halves, recorder->by_request[i]);
    tlr_halves_close(halves);
    free(recorder->by_request);
    free(recorder->op_clocks);
    free(recorder->cpu_clocks);
    tlr_phases_free(recorder->programs, recorder->run->n_programs);
    free(recorder->ranks);
    free(recorder);
}

/* ---- what begins ---- */

/* The half belongs to the call at hand, or to the request in this place. */
static void hold(loggops_recorder *rec, recorded_rank *own, tlr_half *half, tlr_half **request)
{
    if (!half) {
        rec->failed = 1;
        return;
    }
    if (request) {
        if (*request)
            tlr_release_half(&rec->halves, *request);
        *request = half;
        return;
    }
    if (tl_make_room(&own->now, own->n_now, &own->room, sizeof *own->now)) {
        own->now[own->n_now++] = half;
    } else {
        tlr_release_half(&rec->halves, half);
        rec->failed = 1;
    }
}

/* The half of one side of a message. */
static tlr_half *half_of(loggops_recorder *rec, uint32_t r, const sim_step *step, bool is_send,
                         double at_s, const tlr_clocks *clocks)
{
    const tlr_half half = {.rank = r,
                           .at_s = at_s,
                           .bytes = (int64_t)step->amount,
                           .is_send = is_send,
                           .is_bound = is_send && step->is_rendezvous && !step->op->is_buffered,
                           .is_eager = is_send && !step->is_rendezvous,
                           .is_certain = 1,
                           .clocks = *clocks,
                           .walked = rec->ranks[r].walked};
    return tlr_post_half(&rec->halves, &half, (int32_t)step->op->comm, step->partner, step->tag);
}

static tlr_half **place_of(const simulation *s, uint32_t r, uint32_t request)
{
    return request ? &s->recorder->by_request[s->ranks[r].requests + request] : NULL;
}

static void post(simulation *s, uint32_t r, const sim_step *step, bool is_send)
{
    loggops_recorder *rec = s->recorder;
    recorded_rank *own = &rec->ranks[r];
    if (step->partner < 0 || step->tag == LOGGOPS_ANY)
        return;
    hold(rec, own, half_of(rec, r, step, is_send, (double)own->last_ps * s_per_ps, &own->clocks),
         place_of(s, r, step->op->request));
}

static void complete(const simulation *s, uint32_t r, const loggops_op *op)
{
    const int64_t *list = s->run->programs[s->ranks[r].program].lists + op->list;
    for (int64_t i = 1; i <= list[0]; i++) {
        tlr_half **place = place_of(s, r, (uint32_t)list[i]);
        tlr_half *half = *place;
        *place = NULL;
        if (half)
            hold(s->recorder, &s->recorder->ranks[r], half, NULL);
    }
}

static const loggops_labels *labels_of(const simulation *s, uint32_t r)
{
    return &s->run->labels[s->ranks[r].program];
}

/* The label of the call to which the operation belongs. */
static const loggops_label *label_of(const simulation *s, uint32_t r)
{
    const recorded_rank *own = &s->recorder->ranks[r];
    const loggops_labels *labels = labels_of(s, r);
    for (size_t i = own->label; i < labels->n; i++)
        if (labels->of[i].op >= own->op && (labels->of[i].flags & LOGGOPS_TAKES_TIME))
            return &labels->of[i];
    return NULL;
}

static void enter(simulation *s, uint32_t r, const loggops_op *op)
{
    loggops_recorder *rec = s->recorder;
    recorded_rank *own = &rec->ranks[r];
    const tlr_plan_rank *planned = rec->plan->ranks[r];
    const loggops_label *label = label_of(s, r);
    if (!label || op->comm >= rec->plan->n_comms || label->own_comm >= planned->n_comms)
        return;
    tlr_half half = {.rank = r,
                     .at_s = (double)own->last_ps * s_per_ps,
                     .needs = (tl_needs)tl_meaning_of(tl_call_by_code(label->call)->action)->needs,
                     .other = -1,
                     .is_certain = (label->flags & LOGGOPS_IS_CERTAIN) != 0,
                     .topology = planned->definitions[label->own_comm],
                     .clocks = own->clocks,
                     .walked = own->walked};
    if (!own->n_meetings &&
        !(own->n_meetings = calloc(planned->n_comms, sizeof *own->n_meetings))) {
        rec->failed = 1;
        return;
    }
    if (half.needs == TL_NEEDS_NOTHING)
        return;
    if (label->flags & LOGGOPS_TO_ROOT)
        half.other = rec->plan->comms[op->comm].members[label->peer];
    hold(rec, own,
         tlr_enter_meeting(&rec->halves, &half, rec->plan, (int32_t)op->comm,
                           own->n_meetings[label->own_comm]++),
         place_of(s, r, op->request));
}

void loggops_record_begin(simulation *s, uint32_t r, const sim_step *step)
{
    recorded_rank *own = &s->recorder->ranks[r];
    if (own->is_open)
        return;
    own->is_open = 1;
    own->op = s->ranks[r].position;
    switch (step->op->kind) {
    case LOGGOPS_SEND: post(s, r, step, 1); break;
    case LOGGOPS_RECV: post(s, r, step, 0); break;
    case LOGGOPS_WAIT: complete(s, r, step->op); break;
    case LOGGOPS_COLLECTIVE: enter(s, r, step->op); break;
    default: break;
    }
}

/* ---- what ends ---- */

/* The side of a rank. */
typedef struct side {
    const simulation *s;
    uint32_t rank;
} side;

/* What messages of so many bytes cost: in SMPI, standard calls that wait for the other side have no
 * overhead. */
static loggops_costs costs_of(const side *at, const tlr_half *half)
{
    const uint64_t bytes = (uint64_t)half->bytes;
    loggops_costs c = *loggops_costs_of(at->s, (uint32_t)half->other, at->rank, bytes);
    if (at->s->nodes && bytes >= at->s->params.S_bytes &&
        loggops_path_of(at->s, (uint32_t)half->other, at->rank)->charges_as_smpi) {
        c.o_ps = c.o_receive_ps = 0;
        c.O_ps_byte = c.O_receive_ps_byte = 0;
    }
    return c;
}

static double overhead_s(const void *context, const tlr_half *half)
{
    const side *at = context;
    const uint64_t bytes = (uint64_t)half->bytes;
    const loggops_costs c = costs_of(at, half);
    const uint64_t ps = at->s->moves_bytes && !half->is_send
                            ? c.o_receive_ps + loggops_per_bytes(c.O_receive_ps_byte, bytes)
                            : c.o_ps + loggops_per_bytes(fmax(c.O_ps_byte, c.G_ps_byte), bytes);
    return (double)ps * s_per_ps;
}

static double message_s(const void *context, const tlr_half *half)
{
    const side *at = context;
    const uint64_t bytes = (uint64_t)half->bytes;
    const loggops_costs c = costs_of(at, half);
    const uint64_t moved_ps =
        at->s->moves_bytes ? loggops_per_bytes(fmax(c.B_ps_byte, c.G_ps_byte), bytes) : 0;
    return (double)(c.o_ps + c.L_ps + c.late_ps + moved_ps) * s_per_ps + overhead_s(context, half);
}

static void set_times(const simulation *s, uint32_t r, uint64_t end_ps, tlr_state *state)
{
    recorded_rank *own = &s->recorder->ranks[r];
    state->rank = r;
    state->begin_s = (double)own->last_ps * s_per_ps;
    state->end_s = (double)end_ps * s_per_ps;
    own->last_ps = end_ps;
}

static tlr_state state_of(const simulation *s, uint32_t r, const loggops_label *label)
{
    tlr_state state = {.call = label->call,
                       .site = label->site,
                       .before = label->before,
                       .after = label->after,
                       .tag = label->tag,
                       .comm = label->plan_comm,
                       .bytes = label->bytes,
                       .peer = -1,
                       .cause_rank = -1,
                       .kind = label->kind};
    if (label->peer == LOGGOPS_NOBODY)
        return state;
    const loggops_comm *comm = &s->run->comms[label->comm];
    if (label->flags & LOGGOPS_TO_ROOT)
        state.peer = comm->members ? comm->members[label->peer] : label->peer;
    else
        state.peer = loggops_partner(comm, r, label->peer);
    return state;
}

static void put_label(const simulation *s, uint32_t r, const loggops_label *label, uint64_t end_ps)
{
    tlr_state state = state_of(s, r, label);
    set_times(s, r, end_ps, &state);
    tlr_walk_on(&s->recorder->ranks[r].walked, &state);
    tlr_timeline_put(s->recorder->timeline, &state);
}

/* The call of this label has ended. */
static void end_call(simulation *s, uint32_t r, const loggops_label *label, uint64_t end_ps)
{
    loggops_recorder *rec = s->recorder;
    recorded_rank *own = &rec->ranks[r];
    const side here = {s, r};
    const tlr_message_times times = {message_s, overhead_s, &here};
    const int on_any_network = tl_call_by_code(label->call)->action == TL_ACTION_SLEEP;
    tlr_state state = state_of(s, r, label);
    set_times(s, r, end_ps, &state);
    if (!tlr_end_waits(own->now, own->n_now, &times, on_any_network, &own->clocks, &own->walked,
                       &state))
        rec->failed = 1;
    for (uint32_t i = 0; i < own->n_now; i++)
        tlr_release_half(&rec->halves, own->now[i]);
    own->n_now = 0;
    tlr_timeline_put(rec->timeline, &state);
}

static double shares_of(const loggops_labels *labels, size_t first, uint32_t op)
{
    double sum_s = 0;
    for (size_t i = first; i < labels->n && labels->of[i].op == op; i++)
        sum_s += labels->of[i].share_s;
    return sum_s;
}

/* Bursts and kernels that were simulated as one share its time, in their order. */
static void end_computation(simulation *s, uint32_t r, const loggops_op *op, uint64_t end_ps)
{
    loggops_recorder *rec = s->recorder;
    recorded_rank *own = &rec->ranks[r];
    const loggops_labels *labels = labels_of(s, r);
    const double alone_s = (double)op->amount * s_per_ps,
                 all_s = shares_of(labels, own->label, own->op);
    const uint64_t from_ps = own->last_ps, took_ps = end_ps - from_ps;
    const double took_s = (double)took_ps * s_per_ps;
    double done_s = 0;
    own->alone_s += alone_s;
    own->clocks.s[CLOCK_NETWORK] += alone_s;
    if (rec->programs)
        tlr_phases_computed(&rec->programs[s->run->program_of[r]], &own->place, took_s,
                            &own->clocks);
    own->clocks.s[CLOCK_CPU] += took_s / 2;
    for (; own->label < labels->n && labels->of[own->label].op == own->op; own->label++) {
        const loggops_label *label = &labels->of[own->label];
        done_s += label->share_s;
        put_label(s, r, label,
                  done_s < all_s ? from_ps + (uint64_t)((double)took_ps * (done_s / all_s))
                                 : end_ps);
    }
}

/* The labels of an operation of a call; what has no operation takes no time. */
static void end_operation(simulation *s, uint32_t r, uint64_t end_ps)
{
    const loggops_recorder *rec = s->recorder;
    recorded_rank *own = &rec->ranks[r];
    const loggops_labels *labels = labels_of(s, r);
    for (; own->label < labels->n && labels->of[own->label].op == own->op; own->label++) {
        const loggops_label *label = &labels->of[own->label];
        if (label->flags & LOGGOPS_TAKES_TIME)
            end_call(s, r, label, end_ps);
        else
            put_label(s, r, label, own->last_ps);
        if (rec->programs && is_of_call(label))
            tlr_phases_called(&rec->programs[s->run->program_of[r]], &own->place, label->call,
                              has_all(rec, label), &own->clocks);
    }
}

/* The last event, MPI_Finalize, waits until the CPU has handled what has come. */
static void end_rank(simulation *s, uint32_t r, uint64_t end_ps)
{
    recorded_rank *own = &s->recorder->ranks[r];
    const loggops_labels *labels = labels_of(s, r);
    while (own->label < labels->n) {
        const loggops_label *label = &labels->of[own->label++];
        put_label(s, r, label, own->label < labels->n ? own->last_ps : end_ps);
    }
    const loggops_label rest = {
        .call = TL_MPI_Finalize, .kind = TLR_STATE_OTHER, .peer = LOGGOPS_NOBODY};
    if (own->last_ps < end_ps)
        put_label(s, r, &rest, end_ps);
    if (tlr_timeline_chosen(s->recorder->timeline))
        tlr_chosen_end(tlr_timeline_chosen(s->recorder->timeline), (double)end_ps * s_per_ps,
                       &own->walked);
}

void loggops_record_end(simulation *s, uint32_t r)
{
    const sim_rank *rank = &s->ranks[r];
    recorded_rank *own = &s->recorder->ranks[r];
    if (!own->is_open || (rank->position == own->op && rank->state != FINISHED))
        return;
    own->is_open = 0;
    if (rank->state == FINISHED) {
        end_rank(s, r, rank->ready_ps);
        return;
    }
    const loggops_labels *labels = labels_of(s, r);
    const loggops_op *op = &s->run->programs[rank->program].ops[own->op];
    if (op->kind == LOGGOPS_COMPUTE && shares_of(labels, own->label, own->op) > 0)
        end_computation(s, r, op, rank->ready_ps);
    else
        end_operation(s, r, rank->ready_ps);
    /* Operations after a poll that did not happen. */
    while (own->label < labels->n && labels->of[own->label].op < rank->position)
        own->label++;
}

void loggops_record_more(simulation *s, uint32_t r)
{
    s->recorder->ranks[r].label = 0;
}

/* ---- operations of a graph ---- */

/* The receives of a rank that takes what comes first meet other messages than their halves would.
 */
static bool has_half(const goal_run *graph, const goal_op *op)
{
    return op->kind != GOAL_CALC && graph->ranks[graph->slots[op->slot].to].lists == GOAL_NONE;
}

void loggops_record_start(simulation *s, uint32_t i)
{
    s->recorder->start_clocks = s->recorder->op_clocks[i];
}

void loggops_record_post(simulation *s, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    loggops_recorder *rec = s->recorder;
    const goal_run *graph = s->run->graph;
    const uint32_t i = step->request;
    if (has_half(graph, &graph->ops[i]))
        hold(rec, &rec->ranks[r],
             half_of(rec, r, step, graph->ops[i].kind == GOAL_SEND, (double)at_ps * s_per_ps,
                     &rec->op_clocks[i]),
             &rec->by_request[i]);
}

void loggops_record_release(simulation *s, uint32_t i, uint32_t to, bool is_end)
{
    loggops_recorder *rec = s->recorder;
    tlr_clock_join(&rec->op_clocks[to], is_end ? &rec->op_clocks[i] : &rec->start_clocks);
}

/* A state of what the CPUs of a rank do, or of the message for which they wait. What ends while
 * another CPU works takes no time of its own, or the time by which it ends later. */
static tlr_state state_of_operation(const simulation *s, uint32_t r, uint32_t i, uint64_t end_ps)
{
    const goal_op *op = &s->run->graph->ops[i];
    const uint64_t last_ps = s->recorder->ranks[r].last_ps;
    tlr_state state = {.peer = -1, .cause_rank = -1, .kind = TLR_STATE_COMPUTE};
    if (op->kind != GOAL_CALC) {
        const goal_slot *slot = &s->run->graph->slots[op->slot];
        const bool is_send = op->kind == GOAL_SEND;
        state.call = is_send ? TL_MPI_Send : TL_MPI_Recv;
        state.kind = is_send ? TLR_STATE_SEND : TLR_STATE_RECEIVE;
        state.bytes = (int64_t)op->amount;
        state.tag = slot->tag <= INT32_MAX ? (int32_t)slot->tag : TL_ANY_TAG;
        state.peer = (int32_t)(is_send ? slot->to : slot->from); /* GOAL_NONE: -1 */
        state.comm = 1;
    } else if (end_ps < last_ps + op->amount && end_ps > last_ps) {
        state.cause_rank = (int32_t)r;
        state.cause_s = (double)(end_ps - op->amount) * s_per_ps;
    }
    set_times(s, r, end_ps > last_ps ? end_ps : last_ps, &state);
    return state;
}

/* The clocks of a computation, on its CPU. */
static void compute_on(simulation *s, uint32_t i)
{
    const goal_op *op = &s->run->graph->ops[i];
    tlr_clocks *of_op = &s->recorder->op_clocks[i],
               *of_cpu = &s->recorder->cpu_clocks[s->run->graph->groups[op->group].stream];
    const double alone_s = (double)op->amount * s_per_ps;
    of_op->s[CLOCK_NETWORK] += alone_s;
    of_cpu->s[CLOCK_NETWORK] += alone_s;
    of_op->s[CLOCK_CPU] = fmax(of_op->s[CLOCK_CPU], of_cpu->s[CLOCK_CPU]) + alone_s / 2;
    of_cpu->s[CLOCK_CPU] = of_op->s[CLOCK_CPU];
}

void loggops_record_operation(simulation *s, uint32_t r, uint32_t i, uint64_t end_ps)
{
    loggops_recorder *rec = s->recorder;
    recorded_rank *own = &rec->ranks[r];
    const goal_op *op = &s->run->graph->ops[i];
    if (op->kind == GOAL_CALC && !op->amount)
        return;
    tlr_half *half = rec->by_request[i];
    tlr_state state = state_of_operation(s, r, i, end_ps);
    if (op->kind == GOAL_CALC) {
        own->alone_s += (double)op->amount * s_per_ps;
        compute_on(s, i);
        tlr_walk_on(&own->walked, &state);
    } else {
        const side here = {s, r};
        const tlr_message_times times = {message_s, overhead_s, &here};
        if (!tlr_end_waits(&half, half != NULL, &times, 0, &rec->op_clocks[i], &own->walked,
                           &state))
            rec->failed = 1;
    }
    rec->by_request[i] = NULL;
    if (half)
        tlr_release_half(&rec->halves, half);
    tlr_timeline_put(rec->timeline, &state);
}

void loggops_record_graph_end(simulation *s, uint32_t r)
{
    const recorded_rank *own = &s->recorder->ranks[r];
    tlr_chosen *chosen = tlr_timeline_chosen(s->recorder->timeline);
    if (chosen)
        tlr_chosen_end(chosen, (double)own->last_ps * s_per_ps, &own->walked);
}
