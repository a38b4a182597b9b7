/* goal.c - what a rank whose operations are a graph does in a window.
 *
 * An operation has a CPU (its stream) and, if it is a message, an interface. It takes them as a
 * rank's program does in loggops.h: what a CPU has to do is done in the order in which it became
 * possible, messages before operations where both became possible at once. A message is received by
 * the CPU and interface of the receive that takes it. If all receives from that rank with that tag
 * have the same ones, they receive a short message when it arrives, posted or not; otherwise it
 * lies until its receive is posted.
 *
 * If the adapters of nodes move the bytes, they are the interfaces of their ranks. The CPU of a
 * receive pays its overhead when the last byte has arrived. */
#include "goal.h"
#include "program.h"
#include "simulate.h"

#include <stdlib.h>

/* A message that the CPUs move shares no adapters and links. Its takes_turns is one of these until
 * a receive takes it; its flow is the next message in the queue of a CPU. */
enum { LIES = 0, IS_QUEUED, IS_TAKEN };

/* ---- the operations that may begin later ---- */

static bool is_before(const goal_op *ops, uint32_t a, uint32_t b)
{
    return ops[a].ready_ps != ops[b].ready_ps ? ops[a].ready_ps < ops[b].ready_ps : a < b;
}

/* Joins two heaps. The children of an operation are a list; the root has no `next`. */
static uint32_t join(goal_op *ops, uint32_t a, uint32_t b)
{
    if (a == NONE || b == NONE)
        return a == NONE ? b : a;
    const uint32_t root = is_before(ops, a, b) ? a : b, child = root == a ? b : a;
    ops[child].next = ops[root].child;
    ops[root].child = child;
    return root;
}

static uint32_t take_next(goal_op *ops, uint32_t list, uint32_t *rest)
{
    *rest = list == NONE ? NONE : ops[list].next;
    return list;
}

/* Takes the root out: joins its children by pairs, then the pairs from the last one. */
static uint32_t without_root(goal_op *ops, uint32_t root)
{
    uint32_t pairs = NONE, heap = NONE;
    for (uint32_t list = ops[root].child; list != NONE;) {
        const uint32_t a = take_next(ops, list, &list), b = take_next(ops, list, &list),
                       pair = join(ops, a, b);
        ops[pair].next = pairs;
        pairs = pair;
    }
    while (pairs != NONE)
        heap = join(ops, heap, take_next(ops, pairs, &pairs));
    return heap;
}

static void add_pending(goal_run *run, uint32_t r, uint32_t i)
{
    run->ops[i].child = NONE;
    run->ranks[r].pending = join(run->ops, run->ranks[r].pending, i);
}

/* ---- begin and end of operations ---- */

/* What waits for the begin, or for the end, of an operation. On the same CPU, what waits for the
 * begin comes behind it, as the next call of a program. */
static void release(simulation *s, uint32_t r, uint32_t i, uint32_t ends, uint64_t at_ps)
{
    goal_run *run = s->run->graph;
    const uint32_t stream = run->groups[run->ops[i].group].stream;
    const uint64_t free_ps = run->streams[stream].free_ps;
    for (uint64_t k = run->first_edge[i]; k < run->first_edge[i + 1]; k++) {
        if ((run->edges[k] & 1) != ends)
            continue;
        goal_op *to = &run->ops[run->edges[k] / 2];
        const uint64_t ready_ps =
            !ends && at_ps < free_ps && run->groups[to->group].stream == stream ? free_ps : at_ps;
        if (to->ready_ps < ready_ps)
            to->ready_ps = ready_ps;
        if (s->recorder)
            loggops_record_release(s, i, run->edges[k] / 2, ends);
        if (--to->n_open == 0)
            add_pending(run, r, run->edges[k] / 2);
    }
}

static void finish(simulation *s, block *b, uint32_t r, uint32_t i, uint64_t at_ps)
{
    goal_run *run = s->run->graph;
    goal_rank *own = &run->ranks[r];
    run->ops[i].is_done = 1;
    if (own->end_ps < at_ps)
        own->end_ps = at_ps;
    if (s->recorder)
        loggops_record_operation(s, r, i, at_ps);
    release(s, r, i, 1, at_ps);
    if (--own->n_open)
        return;
    if (s->recorder)
        loggops_record_graph_end(s, r);
    s->ranks[r].state = FINISHED;
    s->ranks[r].ready_ps = own->end_ps;
    b->n_finished++;
}

/* The time that detours have taken from the CPUs of a rank. */
static uint64_t detours_ps(const simulation *s, uint32_t r)
{
    return s->noise ? s->result->ranks[r].noise_ps : 0;
}

/* A message has taken the CPU from that moment on, and detours from it. Returns the end. */
static uint64_t end_transfer(simulation *s, uint32_t r, goal_stream *cpu, uint64_t at_ps,
                             uint64_t earlier_ps)
{
    cpu->free_ps = s->ranks[r].cpu_free_ps;
    s->ranks[r].p2p_ps += cpu->free_ps - at_ps - (detours_ps(s, r) - earlier_ps);
    return cpu->free_ps;
}

static sim_step step_of(const simulation *s, uint32_t i)
{
    static const loggops_op any = {.kind = LOGGOPS_SEND, .request = 1};
    const goal_op *op = &s->run->graph->ops[i];
    const goal_slot *slot = &s->run->graph->slots[op->slot];
    const int sends = op->kind == GOAL_SEND;
    const uint32_t partner = sends ? slot->to : slot->from;
    return (sim_step){.op = &any,
                      .kind = sends ? LOGGOPS_SEND : LOGGOPS_RECV,
                      .tag = slot->number,
                      .partner = partner == GOAL_NONE ? LOGGOPS_ANY : (int32_t)partner,
                      .request = i,
                      .amount = op->amount,
                      .starts = 1,
                      .is_rendezvous = sends && op->amount >= s->params.S_bytes,
                      .then_to = LOGGOPS_NOBODY};
}

static void send(simulation *s, block *b, uint32_t r, uint32_t i, uint64_t at_ps)
{
    goal_run *run = s->run->graph;
    const goal_group *g = &run->groups[run->ops[i].group];
    const sim_step step = step_of(s, i);
    const uint64_t earlier_ps = detours_ps(s, r);
    if (s->recorder)
        loggops_record_post(s, r, &step, at_ps);
    loggops_start_send(s, b, r, &step, at_ps);
    if (!s->moves_bytes)
        run->side_free_ps[g->side] = s->ranks[r].next_send_ps;
    const uint64_t end_ps = end_transfer(s, r, &run->streams[g->stream], at_ps, earlier_ps);
    if (!step.is_rendezvous)
        finish(s, b, r, i, end_ps);
}

static void compute(simulation *s, block *b, uint32_t r, uint32_t i, uint64_t at_ps)
{
    goal_stream *cpu = goal_stream_of(s->run->graph, s->run->graph->ops[i].group);
    const uint64_t work_ps = s->run->graph->ops[i].amount;
    s->run->compute_ps[r] += work_ps;
    cpu->free_ps = loggops_occupy(s, r, TLR_WORK_APPLICATION, at_ps, work_ps);
    finish(s, b, r, i, cpu->free_ps);
}

/* The adapters have moved a message; its receive pays the overhead. */
static void end_receive(simulation *s, block *b, uint32_t r, uint32_t i, uint64_t at_ps)
{
    goal_stream *cpu = goal_stream_of(s->run->graph, s->run->graph->ops[i].group);
    s->ranks[r].p2p_ps += s->owed_ps[i];
    cpu->free_ps = loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps, s->owed_ps[i]);
    finish(s, b, r, i, cpu->free_ps);
}

/* The CPU receives a message. */
static void receive_message(simulation *s, block *b, uint32_t r, const goal_group *g, uint32_t i,
                            uint64_t at_ps)
{
    goal_run *run = s->run->graph;
    const message m = s->messages[i];
    const uint64_t earlier_ps = detours_ps(s, r);
    loggops_take_in(s, b, r, &m, at_ps);
    run->side_free_ps[g->side] = s->ranks[r].next_recv_ps;
    const uint64_t end_ps = end_transfer(s, r, &run->streams[g->stream], at_ps, earlier_ps);
    if (m.context != MATCHED) {
        s->messages[i].takes_turns = IS_TAKEN;
        return;
    }
    loggops_drop_message(s, b, i);
    finish(s, b, r, (uint32_t)m.tag, end_ps);
}

/* Where the messages and receives of a rank with a tag wait for each other. */
static goal_slot *lists_of(goal_run *run, uint32_t r, int32_t tag)
{
    const uint32_t lists = run->ranks[r].lists;
    return &run->slots[lists == GOAL_NONE ? (uint32_t)tag : lists];
}

static void bind(message *m, uint32_t operation)
{
    m->context = MATCHED;
    m->tag = (int32_t)operation;
}

static void post(simulation *s, block *b, uint32_t r, uint32_t i, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const sim_step step = step_of(s, i);
    const receive wanted = {.source = step.partner, .tag = step.tag};
    if (s->recorder)
        loggops_record_post(s, r, &step, at_ps);
    if (s->moves_bytes) {
        if (loggops_start_receive(s, b, r, &step, at_ps))
            loggops_graph_complete(s, b, r, i, at_ps);
        return;
    }
    goal_slot *lists = lists_of(s->run->graph, r, step.tag);
    const uint32_t k = loggops_match_message(s, &lists->unexpected, &wanted);
    if (k == NONE) {
        loggops_post_receive(s, b, &lists->posted, &step, at_ps);
    } else if (s->messages[k].takes_turns == IS_TAKEN) {
        loggops_drop_message(s, b, k);
        finish(s, b, r, i, at_ps);
    } else {
        bind(&s->messages[k], i);
        if (s->messages[k].takes_turns != LIES)
            return;
        s->messages[k].time_ps = at_ps; /* it arrives now */
        s->messages[k].next = NONE;
        rank->arrivals = loggops_merge(s->messages, k, rank->arrivals);
    }
}

/* ---- the CPUs of a rank ---- */

static int takes_messages(const goal_group *g)
{
    return g->side != GOAL_NONE && g->side & 1;
}

static uint64_t side_free_ps(const goal_run *run, const goal_group *g)
{
    return g->side == GOAL_NONE ? 0 : run->side_free_ps[g->side];
}

static uint64_t ready_ps(const simulation *s, const goal_group *g, uint32_t task)
{
    return takes_messages(g) ? s->messages[task].time_ps : s->run->graph->ops[task / 2].ready_ps;
}

static uint32_t *next_of(const simulation *s, const goal_group *g, uint32_t task)
{
    return takes_messages(g) ? &s->messages[task].flow : &s->run->graph->ops[task / 2].next;
}

static void execute(simulation *s, block *b, uint32_t r, const goal_group *g, uint32_t task,
                    uint64_t at_ps)
{
    const uint32_t i = task / 2;
    b->n_operations++;
    if (takes_messages(g)) {
        receive_message(s, b, r, g, task, at_ps);
        return;
    }
    if (task & 1) {
        end_receive(s, b, r, i, at_ps);
        return;
    }
    const goal_op *op = &s->run->graph->ops[i];
    if (s->recorder)
        loggops_record_start(s, i);
    if (op->kind == GOAL_SEND)
        send(s, b, r, i, at_ps);
    else if (op->kind == GOAL_RECV)
        post(s, b, r, i, at_ps);
    else if (op->amount)
        compute(s, b, r, i, at_ps);
    else /* it only joins others, and needs no CPU */
        finish(s, b, r, i, at_ps);
    release(s, r, i, 0, at_ps);
}

static void wake_at(goal_stream *cpu, uint64_t at_ps)
{
    if (cpu->wake_ps > at_ps)
        cpu->wake_ps = at_ps;
}

/* Work that is possible but for its CPU and interface. */
static void offer(simulation *s, block *b, uint32_t r, uint32_t group, uint32_t task,
                  uint64_t at_ps)
{
    goal_run *run = s->run->graph;
    goal_group *g = &run->groups[group];
    goal_stream *cpu = &run->streams[g->stream];
    const uint64_t side_ps = side_free_ps(run, g);
    if (!cpu->n_waiting && cpu->free_ps <= at_ps && side_ps <= at_ps) {
        execute(s, b, r, g, task, at_ps);
        return;
    }
    if (takes_messages(g))
        s->messages[task].time_ps = at_ps;
    else
        run->ops[task / 2].ready_ps = at_ps;
    *next_of(s, g, task) = NONE;
    *(g->queue.first == NONE ? &g->queue.first : next_of(s, g, g->queue.last)) = task;
    g->queue.last = task;
    cpu->n_waiting++;
    const uint64_t later_ps = side_ps > cpu->free_ps ? side_ps : cpu->free_ps;
    wake_at(cpu, later_ps > at_ps ? later_ps : at_ps);
}

/* What orders work that became possible at the same time: messages first, by their sends. */
static uint64_t order_of(const simulation *s, const goal_group *g, uint32_t task)
{
    return takes_messages(g) ? s->messages[task].operation
                             : (uint64_t) !(task & 1) << 32 | task / 2;
}

/* The group whose first work became possible first, and when. */
static goal_group *choose(const simulation *s, const goal_stream *cpu, uint64_t *at_ps)
{
    goal_run *run = s->run->graph;
    goal_group *best = NULL;
    for (uint32_t i = cpu->first_group; i != GOAL_NONE; i = run->groups[i].next) {
        goal_group *g = &run->groups[i];
        const uint32_t task = g->queue.first;
        if (task == NONE)
            continue;
        const uint64_t own_ps = ready_ps(s, g, task), side_ps = side_free_ps(run, g),
                       possible_ps = own_ps > side_ps ? own_ps : side_ps;
        if (best &&
            (possible_ps > *at_ps || (possible_ps == *at_ps &&
                                      order_of(s, g, task) > order_of(s, best, best->queue.first))))
            continue;
        best = g;
        *at_ps = possible_ps;
    }
    return best;
}

/* A CPU does what it can do at this moment. */
static void run_stream(simulation *s, block *b, uint32_t r, goal_stream *cpu, uint64_t at_ps)
{
    cpu->wake_ps = UINT64_MAX;
    while (cpu->n_waiting) {
        uint64_t possible_ps = 0;
        goal_group *g = choose(s, cpu, &possible_ps);
        if (cpu->free_ps > at_ps || possible_ps > at_ps) {
            wake_at(cpu, cpu->free_ps > possible_ps ? cpu->free_ps : possible_ps);
            return;
        }
        const uint32_t task = g->queue.first;
        g->queue.first = *next_of(s, g, task);
        cpu->n_waiting--;
        execute(s, b, r, g, task, at_ps);
    }
}

/* ---- what happens next ---- */

/* A message that the CPUs move has come, or matches a receive that has just been posted. */
static void arrive(simulation *s, block *b, uint32_t r, uint64_t at_ps)
{
    goal_run *run = s->run->graph;
    sim_rank *rank = &s->ranks[r];
    const uint32_t i = rank->arrivals;
    message *m = &s->messages[i];
    rank->arrivals = m->next;
    if (m->context == REPLY) {
        finish(s, b, r, m->request, at_ps);
        loggops_drop_message(s, b, i);
        return;
    }
    if (m->context != MATCHED) {
        goal_slot *lists = lists_of(run, r, m->tag);
        const uint32_t k = loggops_match_receive(s->receives, &lists->posted, m);
        if (k == NONE) {
            loggops_append_message(s->messages, &lists->unexpected, i);
            m->takes_turns = m->request != EAGER || lists->group == GOAL_NONE ? LIES : IS_QUEUED;
            if (m->takes_turns == IS_QUEUED)
                offer(s, b, r, lists->group, i, at_ps);
            return;
        }
        bind(m, s->receives[k].request);
        loggops_pool_drop(&s->receive_pool, &b->worker->receives, k);
    }
    offer(s, b, r, run->ops[m->tag].message_group, i, at_ps);
}

void loggops_graph_complete(simulation *s, block *b, uint32_t r, uint32_t i, uint64_t at_ps)
{
    const goal_op *op = &s->run->graph->ops[i];
    if (op->kind == GOAL_RECV && s->owed_ps[i])
        offer(s, b, r, op->group, 2 * i + 1, at_ps);
    else
        finish(s, b, r, i, at_ps);
}

static void begin_operation(simulation *s, block *b, uint32_t r, uint64_t at_ps)
{
    goal_run *run = s->run->graph;
    const uint32_t i = run->ranks[r].pending;
    const goal_op *op = &run->ops[i];
    run->ranks[r].pending = without_root(run->ops, i);
    if (op->kind == GOAL_CALC && !op->amount)
        execute(s, b, r, &run->groups[op->group], 2 * i, at_ps);
    else
        offer(s, b, r, op->group, 2 * i, at_ps);
}

static goal_stream *first_to_wake(const goal_run *run, uint32_t r)
{
    goal_stream *first = &run->streams[run->ranks[r].first_stream];
    const goal_stream *end = &run->streams[run->ranks[r + 1].first_stream];
    for (goal_stream *cpu = first + 1; cpu < end; cpu++)
        if (cpu->wake_ps < first->wake_ps)
            first = cpu;
    return first;
}

/* What happens at one moment: first the messages, then the operations that become possible. So a
 * CPU chooses when it knows all that is possible. */
void loggops_run_graph(simulation *s, block *b, uint32_t r, uint64_t end_ps)
{
    const goal_run *run = s->run->graph;
    sim_rank *rank = &s->ranks[r];
    loggops_sort_arrivals(s->messages, rank);
    if (rank->state == RUNNING) {
        rank->state = run->ranks[r].n_open ? IN_CALL : FINISHED;
        b->n_finished += rank->state == FINISHED;
    }
    while (!(b->failures & NO_MEMORY)) {
        goal_stream *cpu = first_to_wake(run, r);
        const uint32_t pending = run->ranks[r].pending;
        const uint64_t arrival_ps =
                           rank->arrivals == NONE ? NEVER : s->messages[rank->arrivals].time_ps,
                       begins_ps = pending == NONE ? NEVER : run->ops[pending].ready_ps,
                       event_ps = arrival_ps <= begins_ps ? arrival_ps : begins_ps,
                       at_ps = event_ps <= cpu->wake_ps ? event_ps : cpu->wake_ps;
        if (at_ps == NEVER)
            return;
        if (at_ps >= LOGGOPS_MOST_PS) {
            b->failures |= TOO_LATE;
            return;
        }
        if (at_ps >= end_ps) {
            loggops_sleep_until(s, b, r, at_ps);
            return;
        }
        if (event_ps > cpu->wake_ps)
            run_stream(s, b, r, cpu, at_ps);
        else if (arrival_ps > begins_ps)
            begin_operation(s, b, r, at_ps);
        else if (s->moves_bytes)
            loggops_take_arrival(s, b, r, at_ps);
        else
            arrive(s, b, r, at_ps);
    }
}

/* ---- the run ---- */

loggops_run *goal_make_run(goal_run *graph)
{
    const uint32_t n_ranks = graph->n_ranks;
    loggops_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    *run = (loggops_run){.n_ranks = n_ranks,
                         .graph = graph,
                         .program_of = calloc(n_ranks, sizeof *run->program_of),
                         .programs = calloc(1, sizeof *run->programs),
                         .sums = calloc(n_ranks, sizeof *run->sums),
                         .compute_ps = calloc(n_ranks, sizeof *run->compute_ps)};
    if (!run->program_of || !run->programs || !run->sums || !run->compute_ps) {
        loggops_run_free(run);
        return NULL;
    }
    for (uint32_t r = 0; r < n_ranks; r++)
        for (uint32_t i = graph->first_op[r]; i < graph->first_op[r + 1]; i++)
            if (!graph->ops[i].n_open)
                add_pending(graph, r, i);
    return run;
}
