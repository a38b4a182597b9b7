/* goal_loggopsim.c - simulates a graph of operations in the order and with the costs of LogGOPSim
 * (Hoefler, Schneider, Lumsdaine: LogGOPSim - simulating large-scale applications in the LogGOPS
 * model, 2010).
 *
 * An operation gets a number when all that it requires is done, and a number again when it has
 * become a message. What may happen at one moment happens in the order of these numbers, in all
 * ranks. What finds its CPU or its interface busy is looked at again, with its old number, when
 * both are free. Here it waits in the queue of its group, of which only the first one is in the
 * heap of events: in a group all wait for the same CPU and interface, so none behind it can be
 * possible earlier.
 *
 * An operation is done for those that require it when it begins; they find its CPU busy until it
 * ends. A message is taken in by the CPU and the interface of its receiver that have the numbers of
 * its sender's, and when it arrives, whether a receive is posted or not. */
#include "goal.h"

/* When CPU and interface are free. */
static uint64_t possible_ps(const goal_run *run, uint32_t group)
{
    const goal_group *g = &run->groups[group];
    const uint64_t cpu_ps = run->streams[g->stream].free_ps,
                   side_ps = g->side == GOAL_NONE ? 0 : run->side_free_ps[g->side];
    return cpu_ps > side_ps ? cpu_ps : side_ps;
}

static uint32_t group_of(const goal_run *run, uint32_t i)
{
    const goal_op *op = &run->ops[i];
    return op->state & GOAL_IS_SENT ? op->message_group : op->group;
}

static void look_at(goal_run *run, uint32_t i, uint64_t at_ps)
{
    goal_push(run, at_ps, (uint32_t)run->ops[i].number, i);
}

/* Waits in its group, in the order of the numbers. They grow, but where CPUs differ. */
static void wait_in_group(goal_run *run, uint32_t i)
{
    const uint32_t group = group_of(run, i);
    goal_list *queue = &run->groups[group].queue;
    uint32_t before = GOAL_NONE, after = queue->first;
    if (after != GOAL_NONE && run->ops[queue->last].number < run->ops[i].number) {
        before = queue->last;
        after = GOAL_NONE;
    }
    for (; after != GOAL_NONE && run->ops[after].number < run->ops[i].number;
         after = run->ops[after].next)
        before = after;
    run->ops[i].next = after;
    run->ops[i].state |= GOAL_WAITS;
    *(before == GOAL_NONE ? &queue->first : &run->ops[before].next) = i;
    if (after == GOAL_NONE)
        queue->last = i;
    if (before == GOAL_NONE)
        look_at(run, i, possible_ps(run, group));
}

/* Inserts what has become ready: first the lower rank, sends before receives before computations.
 */
static void insert_ready(goal_run *run)
{
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (uint32_t k = 0; k < run->n_ready; k++) {
        const uint32_t rank = goal_stream_of(run, run->ops[run->ready[k]].group)->rank;
        lowest = rank < lowest ? rank : lowest;
        highest = rank > highest ? rank : highest;
    }
    for (uint32_t pass = 0; pass < 2 * GOAL_KINDS; pass++) {
        const uint32_t rank = pass < GOAL_KINDS ? lowest : highest;
        if (pass == GOAL_KINDS && highest <= lowest)
            break;
        for (uint32_t k = 0; k < run->n_ready; k++) {
            const uint32_t i = run->ready[k];
            goal_op *op = &run->ops[i];
            const goal_stream *cpu = goal_stream_of(run, op->group);
            if (op->kind != pass % GOAL_KINDS || cpu->rank != rank)
                continue;
            op->number = run->n_numbers++;
            if (op->kind == GOAL_RECV)
                look_at(run, i, cpu->free_ps);
            else
                wait_in_group(run, i);
        }
    }
    run->n_ready = 0;
}

static void release(goal_run *run, uint32_t i, uint32_t ends)
{
    for (uint64_t k = run->first_edge[i]; k < run->first_edge[i + 1]; k++)
        if ((run->edges[k] & 1) == ends && --run->ops[run->edges[k] / 2].n_open == 0)
            run->ready[run->n_ready++] = run->edges[k] / 2;
}

static void finish(goal_run *run, uint32_t i)
{
    run->ops[i].state |= GOAL_DONE;
    run->n_done++;
    release(run, i, 1);
}

static void calculate(goal_run *run, uint32_t i, uint64_t at_ps)
{
    goal_op *op = &run->ops[i];
    op->state |= GOAL_IS_TAKEN;
    goal_occupy(run, goal_stream_of(run, op->group), TLR_WORK_APPLICATION, at_ps, op->amount);
    release(run, i, 0);
    finish(run, i);
}

static void send(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const loggops_params *p = run->params;
    goal_op *op = &run->ops[i];
    release(run, i, 0);
    goal_occupy(run, goal_stream_of(run, op->group), TLR_WORK_OVERHEADS, at_ps,
                p->o_ps + goal_per_bytes(p->O_ps_byte, op->amount));
    run->side_free_ps[run->groups[op->group].side] =
        at_ps + p->g_ps + goal_per_bytes(p->G_ps_byte, op->amount);
    op->state |= GOAL_IS_SENT;
    op->number = run->n_numbers++;
    look_at(run, i, at_ps + p->o_ps + p->L_ps);
    if (op->amount <= p->S_bytes)
        finish(run, i);
}

/* The send of a long message ends. Its rank has waited: the CPU and the interface with the numbers
 * of what came last, message or receive. */
static void answer(goal_run *run, uint32_t message, uint64_t bytes, uint32_t cpu, uint32_t nic,
                   uint64_t at_ps)
{
    const goal_op *m = &run->ops[message];
    if (bytes <= run->params->S_bytes)
        return;
    if (!(m->state & GOAL_DONE)) /* a longer receive can take a short message */
        finish(run, message);
    const uint32_t rank = goal_stream_of(run, m->group)->rank;
    uint64_t *cpu_ps = &run->streams[rank * run->n_cpus + cpu].free_ps,
             *side_ps = &run->side_free_ps[2 * ((size_t)rank * run->n_nics + nic)];
    *cpu_ps = *cpu_ps < at_ps ? at_ps : *cpu_ps;
    *side_ps = *side_ps < at_ps ? at_ps : *side_ps;
}

static void take_in(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const loggops_params *p = run->params;
    const goal_op *m = &run->ops[i];
    const goal_group *g = &run->groups[m->message_group];
    const double slowest = p->G_ps_byte > p->O_ps_byte ? p->G_ps_byte : p->O_ps_byte;
    const uint32_t cpu = g->stream % run->n_cpus, nic = g->side / 2 % run->n_nics;
    goal_occupy(run, &run->streams[g->stream], TLR_WORK_OVERHEADS, at_ps,
                p->o_ps + goal_per_bytes(slowest, m->amount));
    run->side_free_ps[g->side] = at_ps + p->g_ps + goal_per_bytes(p->G_ps_byte, m->amount);
    run->ops[i].state |= GOAL_IS_TAKEN;
    const uint32_t receive = goal_take_receive(run, i);
    if (receive == GOAL_NONE)
        return;
    answer(run, i, m->amount, cpu, nic, at_ps);
    finish(run, receive);
}

static void post(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const goal_op *op = &run->ops[i];
    release(run, i, 0);
    const uint32_t m = goal_take_message(run, i);
    if (m == GOAL_NONE)
        return;
    const uint64_t bytes = run->ops[m].amount > op->amount ? run->ops[m].amount : op->amount;
    answer(run, m, bytes, run->groups[op->group].stream % run->n_cpus,
           run->groups[op->message_group].side / 2 % run->n_nics, at_ps);
    finish(run, i);
}

static void execute(goal_run *run, uint32_t i, uint64_t at_ps)
{
    goal_op *op = &run->ops[i];
    if (op->kind == GOAL_CALC)
        calculate(run, i, at_ps);
    else if (op->state & GOAL_IS_SENT)
        take_in(run, i, at_ps);
    else
        send(run, i, at_ps);
}

/* The first one of a group, which may have to wait longer. */
static void try_first(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const uint32_t group = group_of(run, i);
    goal_list *queue = &run->groups[group].queue;
    if (queue->first != i)
        return;
    if (possible_ps(run, group) <= at_ps) {
        run->ops[i].state &= (uint8_t)~GOAL_WAITS;
        queue->first = run->ops[i].next;
        execute(run, i, at_ps);
        i = queue->first;
    }
    if (i != GOAL_NONE)
        look_at(run, i, possible_ps(run, group));
}

void goal_loggopsim_begin(goal_run *run)
{
    for (uint32_t rank = 0; rank < run->n_ranks; rank++) {
        for (uint32_t i = run->first_op[rank]; i < run->first_op[rank + 1]; i++)
            if (!run->ops[i].n_open)
                run->ready[run->n_ready++] = i;
        insert_ready(run);
    }
}

void goal_loggopsim_step(goal_run *run, const goal_event *e)
{
    const uint32_t i = e->id;
    const goal_op *op = &run->ops[i];
    if (op->kind == GOAL_RECV)
        post(run, i, e->time_ps);
    else if (op->state & GOAL_IS_TAKEN || e->kind != op->number)
        return; /* it was looked at twice, because another one had come before it in its queue */
    else if (op->state & GOAL_WAITS)
        try_first(run, i, e->time_ps);
    else if (possible_ps(run, op->message_group) <= e->time_ps)
        execute(run, i, e->time_ps);
    else
        wait_in_group(run, i);
    insert_ready(run);
}

void goal_loggopsim_end(goal_run *run)
{
    for (uint32_t i = 0; i < run->n_streams; i++) {
        loggops_rank_result *rank = &run->ranks[run->streams[i].rank];
        if (rank->end_ps < run->streams[i].free_ps)
            rank->end_ps = run->streams[i].free_ps;
    }
}
