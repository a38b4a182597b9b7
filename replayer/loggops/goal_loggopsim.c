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

#include "core/room.h"

/* ---- events ---- */

static inline int is_before(const goal_event *a, const goal_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    return ((uint64_t)a->kind << 32 | a->id) < ((uint64_t)b->kind << 32 | b->id);
}

static void push(goal_run *run, uint64_t time_ps, uint32_t kind, uint32_t id)
{
    const goal_event e = {.time_ps = time_ps, .kind = kind, .id = id};
    if (!tl_make_room(&run->heap, run->n_events, &run->room, sizeof e)) {
        run->out_of_memory = 1;
        return;
    }
    size_t at = run->n_events++;
    for (; at && is_before(&e, &run->heap[(at - 1) / 2]); at = (at - 1) / 2)
        run->heap[at] = run->heap[(at - 1) / 2];
    run->heap[at] = e;
}

static goal_event pop(goal_run *run)
{
    const goal_event first = run->heap[0], last = run->heap[--run->n_events];
    size_t at = 0;
    for (size_t next; (next = 2 * at + 1) < run->n_events; at = next) {
        if (next + 1 < run->n_events && is_before(&run->heap[next + 1], &run->heap[next]))
            next++;
        if (!is_before(&run->heap[next], &last))
            break;
        run->heap[at] = run->heap[next];
    }
    run->heap[at] = last;
    return first;
}

/* ---- messages and receives ---- */

static void append(goal_run *run, queue *list, uint32_t i)
{
    run->ops[i].next = GOAL_NONE;
    *(list->first == GOAL_NONE ? &list->first : &run->ops[list->last].next) = i;
    list->last = i;
}

static int belong_together(const goal_slot *a, const goal_slot *b)
{
    return a == b || ((a->from == b->from || a->from == GOAL_NONE || b->from == GOAL_NONE) &&
                      (a->tag == b->tag || a->tag == UINT64_MAX || b->tag == UINT64_MAX));
}

/* Takes the message for a receive, or the receive for a message. GOAL_NONE: it waits for one. */
static uint32_t match(goal_run *run, uint32_t i, int is_message)
{
    goal_slot *lists = &run->slots[run->slots[run->ops[i].slot].lists];
    queue *others = is_message ? &lists->posted : &lists->unexpected;
    uint32_t before = GOAL_NONE, k = others->first;
    for (; k != GOAL_NONE; before = k, k = run->ops[k].next)
        if (belong_together(&run->slots[run->ops[i].slot], &run->slots[run->ops[k].slot]))
            break;
    if (k == GOAL_NONE) {
        append(run, is_message ? &lists->unexpected : &lists->posted, i);
        return GOAL_NONE;
    }
    *(before == GOAL_NONE ? &others->first : &run->ops[before].next) = run->ops[k].next;
    if (others->last == k)
        others->last = before;
    return k;
}

/* ---- the model ---- */

static uint64_t per_bytes(double ps_byte, uint64_t bytes)
{
    const double ps = bytes > 1 ? ps_byte * (double)(bytes - 1) : 0;
    return ps < (double)LOGGOPS_MOST_PS ? (uint64_t)(ps + 0.5) : LOGGOPS_MOST_PS;
}

/* A CPU works. */
static void occupy(goal_run *run, goal_stream *cpu, tlr_work kind, uint64_t from_ps,
                   uint64_t work_ps)
{
    cpu->free_ps = run->noise && (run->noise->disturbs & kind)
                       ? tlr_noise_end(run->noise, cpu->rank, from_ps, work_ps)
                       : from_ps + work_ps;
    loggops_rank_result *r = &run->results[cpu->rank];
    *(kind == TLR_WORK_APPLICATION ? &r->compute_ps : &r->p2p_ps) += work_ps;
    r->noise_ps += cpu->free_ps - from_ps - work_ps;
}

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
    push(run, at_ps, (uint32_t)run->ops[i].number, i);
}

/* Waits in its group, in the order of the numbers. They grow, but where CPUs differ. */
static void wait_in_group(goal_run *run, uint32_t i)
{
    const uint32_t group = group_of(run, i);
    queue *waiting = &run->groups[group].queue;
    uint32_t before = GOAL_NONE, after = waiting->first;
    if (after != GOAL_NONE && run->ops[waiting->last].number < run->ops[i].number) {
        before = waiting->last;
        after = GOAL_NONE;
    }
    for (; after != GOAL_NONE && run->ops[after].number < run->ops[i].number;
         after = run->ops[after].next)
        before = after;
    run->ops[i].next = after;
    run->ops[i].state |= GOAL_WAITS;
    *(before == GOAL_NONE ? &waiting->first : &run->ops[before].next) = i;
    if (after == GOAL_NONE)
        waiting->last = i;
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
    release(run, i, 1);
}

static void calculate(goal_run *run, uint32_t i, uint64_t at_ps)
{
    goal_op *op = &run->ops[i];
    op->state |= GOAL_IS_TAKEN;
    occupy(run, goal_stream_of(run, op->group), TLR_WORK_APPLICATION, at_ps, op->amount);
    release(run, i, 0);
    finish(run, i);
}

static void send(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const loggops_params *p = run->params;
    goal_op *op = &run->ops[i];
    release(run, i, 0);
    occupy(run, goal_stream_of(run, op->group), TLR_WORK_OVERHEADS, at_ps,
           p->o_ps + per_bytes(p->O_ps_byte, op->amount));
    run->side_free_ps[run->groups[op->group].side] =
        at_ps + p->g_ps + per_bytes(p->G_ps_byte, op->amount);
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
    occupy(run, &run->streams[g->stream], TLR_WORK_OVERHEADS, at_ps,
           p->o_ps + per_bytes(slowest, m->amount));
    run->side_free_ps[g->side] = at_ps + p->g_ps + per_bytes(p->G_ps_byte, m->amount);
    run->ops[i].state |= GOAL_IS_TAKEN;
    const uint32_t receive = match(run, i, 1);
    if (receive == GOAL_NONE)
        return;
    answer(run, i, m->amount, cpu, nic, at_ps);
    finish(run, receive);
}

static void post(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const goal_op *op = &run->ops[i];
    release(run, i, 0);
    const uint32_t m = match(run, i, 0);
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
    queue *waiting = &run->groups[group].queue;
    if (waiting->first != i)
        return;
    if (possible_ps(run, group) <= at_ps) {
        run->ops[i].state &= (uint8_t)~GOAL_WAITS;
        waiting->first = run->ops[i].next;
        execute(run, i, at_ps);
        i = waiting->first;
    }
    if (i != GOAL_NONE)
        look_at(run, i, possible_ps(run, group));
}

static void begin(goal_run *run)
{
    for (uint32_t rank = 0; rank < run->n_ranks; rank++) {
        for (uint32_t i = run->first_op[rank]; i < run->first_op[rank + 1]; i++)
            if (!run->ops[i].n_open)
                run->ready[run->n_ready++] = i;
        insert_ready(run);
    }
}

static void step(goal_run *run, const goal_event *e)
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

tl_status goal_simulate_as_loggopsim(goal_run *run, const loggops_params *params,
                                     const tlr_noise *noise, loggops_result *result, tl_error *err)
{
    uint64_t at_ps = 0;
    run->params = params;
    run->noise = noise;
    run->results = result->ranks;
    run->ready = calloc(run->n_ops + (size_t)1, sizeof *run->ready);
    run->out_of_memory = !run->ready;
    if (run->ready)
        begin(run);
    while (!run->out_of_memory && run->n_events && at_ps < LOGGOPS_MOST_PS) {
        const goal_event e = pop(run);
        at_ps = e.time_ps;
        step(run, &e);
    }
    if (run->out_of_memory)
        return tl_no_memory(err, run->path);
    if (at_ps >= LOGGOPS_MOST_PS)
        return tl_fail(err, TL_ERR_LIMIT,
                       "%s: the simulation passes 53 days; replay a part of the schedule",
                       run->path);
    for (uint32_t i = 0; i < run->n_streams; i++) {
        loggops_rank_result *rank = &run->results[run->streams[i].rank];
        if (rank->end_ps < run->streams[i].free_ps)
            rank->end_ps = run->streams[i].free_ps;
        if (result->makespan_ps < rank->end_ps)
            result->makespan_ps = rank->end_ps;
    }
    return goal_check_end(run, err);
}
