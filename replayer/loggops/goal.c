/* goal.c - simulates a graph of operations in the LogGOPS model (loggops.h), with several CPUs and
 * interfaces in a rank.
 *
 * An operation has a CPU (its stream) and, if it is a message, an interface. It takes them as a
 * rank's program does in loggops.h: what a CPU has to do is done in the order in which it became
 * possible, messages before operations where both became possible at once. A message is taken in by
 * the CPU and interface of the receive that takes it. If all receives from that rank with that tag
 * have the same ones, they take in a short message when it arrives, posted or not; otherwise it
 * lies until its receive is posted. Messages of one rank with one tag match in the order in which
 * they were sent. */
#include "goal.h"

#include <inttypes.h>
#include <stdlib.h>

/* Events of one moment, in order: a CPU chooses when all that is possible is known. */
enum { MESSAGE, OPERATION, CPU };

static inline int is_before(const goal_event *a, const goal_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    return ((uint64_t)a->kind << 32 | a->id) < ((uint64_t)b->kind << 32 | b->id);
}

enum { CHILDREN = 4 };

void goal_push(goal_run *run, uint64_t time_ps, uint32_t kind, uint32_t id)
{
    if (run->n_events == run->room) {
        const size_t room = run->room ? 2 * run->room : 4096;
        goal_event *heap = realloc(run->heap, room * sizeof *heap);
        if (!heap) {
            run->out_of_memory = 1;
            return;
        }
        run->heap = heap;
        run->room = room;
    }
    const goal_event e = {.time_ps = time_ps, .kind = kind, .id = id};
    size_t at = run->n_events++;
    for (; at && is_before(&e, &run->heap[(at - 1) / CHILDREN]); at = (at - 1) / CHILDREN)
        run->heap[at] = run->heap[(at - 1) / CHILDREN];
    run->heap[at] = e;
}

static goal_event pop(goal_run *run)
{
    const goal_event first = run->heap[0], last = run->heap[--run->n_events];
    size_t at = 0;
    for (;;) {
        const size_t begin = CHILDREN * at + 1;
        size_t least = begin;
        if (begin >= run->n_events)
            break;
        for (size_t i = begin + 1; i < begin + CHILDREN && i < run->n_events; i++)
            if (is_before(&run->heap[i], &run->heap[least]))
                least = i;
        if (!is_before(&run->heap[least], &last))
            break;
        run->heap[at] = run->heap[least];
        at = least;
    }
    run->heap[at] = last;
    return first;
}

/* ---- lists: of tasks (2 * operation + is_message), or of operations ---- */

static void append(goal_run *run, goal_list *list, uint32_t item, int shift)
{
    run->ops[item >> shift].next = GOAL_NONE;
    if (list->first == GOAL_NONE)
        list->first = item;
    else
        run->ops[list->last >> shift].next = item;
    list->last = item;
}

static uint32_t take_first(const goal_run *run, goal_list *list)
{
    const uint32_t task = list->first;
    list->first = run->ops[task / 2].next;
    return task;
}

/* ---- messages and receives ---- */

static goal_slot *lists_of(const goal_run *run, uint32_t i)
{
    return &run->slots[run->slots[run->ops[i].slot].lists];
}

static int belong_together(const goal_run *run, uint32_t message, uint32_t receive)
{
    const goal_slot *m = &run->slots[run->ops[message].slot],
                    *r = &run->slots[run->ops[receive].slot];
    return m == r || ((r->from == GOAL_NONE || r->from == m->from) &&
                      (r->tag == UINT64_MAX || r->tag == m->tag));
}

uint32_t goal_take_message(goal_run *run, uint32_t receive)
{
    goal_slot *slot = lists_of(run, receive);
    uint32_t before = GOAL_NONE, m = slot->unexpected.first;
    while (m != GOAL_NONE && !belong_together(run, m, receive)) {
        before = m;
        m = run->ops[m].behind;
    }
    if (m == GOAL_NONE) {
        append(run, &slot->posted, receive, 0);
        return GOAL_NONE;
    }
    *(before == GOAL_NONE ? &slot->unexpected.first : &run->ops[before].behind) =
        run->ops[m].behind;
    if (slot->unexpected.last == m)
        slot->unexpected.last = before;
    return m;
}

uint32_t goal_take_receive(goal_run *run, uint32_t message)
{
    goal_slot *slot = lists_of(run, message);
    uint32_t before = GOAL_NONE, r = slot->posted.first;
    while (r != GOAL_NONE && !belong_together(run, message, r)) {
        before = r;
        r = run->ops[r].next;
    }
    if (r != GOAL_NONE) {
        *(before == GOAL_NONE ? &slot->posted.first : &run->ops[before].next) = run->ops[r].next;
        if (slot->posted.last == r)
            slot->posted.last = before;
        return r;
    }
    run->ops[message].behind = GOAL_NONE;
    if (slot->unexpected.first == GOAL_NONE)
        slot->unexpected.first = message;
    else
        run->ops[slot->unexpected.last].behind = message;
    slot->unexpected.last = message;
    return GOAL_NONE;
}

/* ---- the model ---- */

static uint64_t rounded(double ps)
{
    return ps < (double)LOGGOPS_MOST_PS ? (uint64_t)(ps + 0.5) : LOGGOPS_MOST_PS;
}

uint64_t goal_per_bytes(double ps_byte, uint64_t bytes)
{
    return bytes > 1 ? rounded(ps_byte * (double)(bytes - 1)) : 0;
}

static uint64_t work_until(const goal_run *run, uint32_t rank, tlr_work kind, uint64_t from_ps,
                           uint64_t work_ps)
{
    return run->noise && (run->noise->disturbs & kind)
               ? tlr_noise_end(run->noise, rank, from_ps, work_ps)
               : from_ps + work_ps;
}

uint64_t goal_occupy(goal_run *run, goal_stream *cpu, tlr_work kind, uint64_t from_ps,
                     uint64_t work_ps)
{
    cpu->free_ps = work_until(run, cpu->rank, kind, from_ps, work_ps);
    loggops_rank_result *r = &run->ranks[cpu->rank];
    *(kind == TLR_WORK_APPLICATION ? &r->compute_ps : &r->p2p_ps) += work_ps;
    r->noise_ps += cpu->free_ps - from_ps - work_ps;
    return cpu->free_ps;
}

/* What waits for the beginning, or for the end, of an operation. On the same CPU, what waits for
 * the beginning comes behind it, as the next call of a program. */
static void release(goal_run *run, uint32_t i, uint32_t ends, uint64_t at_ps)
{
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
        if (--to->n_open == 0)
            goal_push(run, to->ready_ps, OPERATION, run->edges[k] / 2);
    }
}

static void finish(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const uint32_t rank = goal_stream_of(run, run->ops[i].group)->rank;
    run->ops[i].state |= GOAL_DONE;
    run->n_done++;
    if (run->ranks[rank].end_ps < at_ps)
        run->ranks[rank].end_ps = at_ps;
    release(run, i, 1, at_ps);
}

static void send(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const loggops_params *p = run->params;
    goal_op *op = &run->ops[i];
    goal_stream *cpu = goal_stream_of(run, op->group);
    const uint64_t left_ps = work_until(run, cpu->rank, TLR_WORK_OVERHEADS, at_ps, p->o_ps);
    run->side_free_ps[run->groups[op->group].side] =
        at_ps + p->g_ps + goal_per_bytes(p->G_ps_byte, op->amount);
    const uint64_t end_ps = goal_occupy(run, cpu, TLR_WORK_OVERHEADS, at_ps,
                                        p->o_ps + goal_per_bytes(p->O_ps_byte, op->amount));
    goal_push(run, left_ps + p->L_ps, MESSAGE, i);
    if (op->amount < p->S_bytes)
        finish(run, i, end_ps);
}

/* Whether a message lies until its receive is posted. */
static int can_lie(const goal_run *run, uint32_t m)
{
    return run->ops[m].amount >= run->params->S_bytes || lists_of(run, m)->group == GOAL_NONE;
}

static void bind(goal_run *run, uint32_t m, uint32_t receive)
{
    run->ops[m].state |= GOAL_IS_BOUND;
    run->ops[m].n_open = receive;
}

static void post(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const uint32_t m = goal_take_message(run, i);
    if (m == GOAL_NONE)
        return;
    if (run->ops[m].state & GOAL_IS_TAKEN) {
        finish(run, i, at_ps);
        return;
    }
    bind(run, m, i);
    if (can_lie(run, m))
        goal_push(run, at_ps, MESSAGE, m);
}

static void receive(goal_run *run, uint32_t i, uint32_t group, uint64_t at_ps)
{
    const loggops_params *p = run->params;
    goal_op *m = &run->ops[i];
    const double slowest = p->G_ps_byte > p->O_ps_byte ? p->G_ps_byte : p->O_ps_byte;
    run->side_free_ps[run->groups[group].side] =
        at_ps + p->g_ps + goal_per_bytes(p->G_ps_byte, m->amount);
    const uint64_t end_ps = goal_occupy(run, goal_stream_of(run, group), TLR_WORK_OVERHEADS, at_ps,
                                        p->o_ps + goal_per_bytes(slowest, m->amount));
    if (m->amount >= p->S_bytes)
        finish(run, i, at_ps + p->o_ps + p->L_ps);
    if (m->state & GOAL_IS_BOUND)
        finish(run, m->n_open, end_ps);
    else
        m->state |= GOAL_IS_TAKEN;
}

/* ---- CPUs and interfaces ---- */

static uint32_t group_of(const goal_run *run, uint32_t task)
{
    const goal_op *op = &run->ops[task / 2];
    if (!(task & 1))
        return op->group;
    return op->state & GOAL_IS_BOUND ? run->ops[op->n_open].message_group
                                     : lists_of(run, task / 2)->group;
}

static void execute(goal_run *run, uint32_t task, uint32_t group, uint64_t at_ps)
{
    const uint32_t i = task / 2;
    const goal_op *op = &run->ops[i];
    if (task & 1) {
        receive(run, i, group, at_ps);
        return;
    }
    if (op->kind == GOAL_SEND)
        send(run, i, at_ps);
    else if (op->kind == GOAL_RECV)
        post(run, i, at_ps);
    else if (op->amount)
        finish(
            run, i,
            goal_occupy(run, goal_stream_of(run, group), TLR_WORK_APPLICATION, at_ps, op->amount));
    else /* it only joins others, and needs no CPU */
        finish(run, i, at_ps);
    release(run, i, 0, at_ps);
}

static uint64_t side_free_ps(const goal_run *run, const goal_group *g)
{
    return g->side == GOAL_NONE ? 0 : run->side_free_ps[g->side];
}

static void wake_at(goal_run *run, uint32_t stream, uint64_t at_ps)
{
    if (run->streams[stream].wake_ps <= at_ps)
        return;
    run->streams[stream].wake_ps = at_ps;
    goal_push(run, at_ps, CPU, stream);
}

/* A task that is possible but for its CPU and interface. */
static void offer(goal_run *run, uint32_t task, uint64_t at_ps)
{
    const uint32_t group = group_of(run, task);
    goal_group *g = &run->groups[group];
    goal_stream *cpu = &run->streams[g->stream];
    const uint64_t side_ps = side_free_ps(run, g);
    if (!cpu->n_waiting && cpu->free_ps <= at_ps && side_ps <= at_ps) {
        execute(run, task, group, at_ps);
        return;
    }
    run->ops[task / 2].ready_ps = at_ps;
    append(run, &g->queue, task, 1);
    cpu->n_waiting++;
    const uint64_t later_ps = side_ps > cpu->free_ps ? side_ps : cpu->free_ps;
    wake_at(run, g->stream, later_ps > at_ps ? later_ps : at_ps);
}

/* The group whose first task became possible first, messages before operations, and when. */
static uint32_t choose(const goal_run *run, const goal_stream *cpu, uint64_t *at_ps)
{
    uint32_t best = GOAL_NONE;
    goal_event first = {0};
    for (uint32_t i = cpu->first_group; i != GOAL_NONE; i = run->groups[i].next) {
        const goal_group *g = &run->groups[i];
        const uint32_t task = g->queue.first;
        if (task == GOAL_NONE)
            continue;
        const uint64_t ready_ps = run->ops[task / 2].ready_ps, side_ps = side_free_ps(run, g);
        const goal_event e = {.time_ps = ready_ps > side_ps ? ready_ps : side_ps,
                              .kind = task & 1 ? MESSAGE : OPERATION,
                              .id = task / 2};
        if (best == GOAL_NONE || is_before(&e, &first)) {
            best = i;
            first = e;
        }
    }
    *at_ps = first.time_ps;
    return best;
}

/* A CPU does what it can do at this moment. */
static void run_stream(goal_run *run, uint32_t stream, uint64_t at_ps)
{
    goal_stream *cpu = &run->streams[stream];
    if (cpu->wake_ps != at_ps) /* an earlier event has come since */
        return;
    cpu->wake_ps = UINT64_MAX;
    while (cpu->n_waiting) {
        uint64_t possible_ps;
        const uint32_t group = choose(run, cpu, &possible_ps);
        if (cpu->free_ps > at_ps || possible_ps > at_ps) {
            wake_at(run, stream, cpu->free_ps > possible_ps ? cpu->free_ps : possible_ps);
            return;
        }
        const uint32_t task = take_first(run, &run->groups[group].queue);
        cpu->n_waiting--;
        execute(run, task, group, at_ps);
    }
}

/* ---- events ---- */

static void begin_operation(goal_run *run, uint32_t i, uint64_t at_ps)
{
    const goal_op *op = &run->ops[i];
    if (op->kind == GOAL_CALC && !op->amount)
        execute(run, 2 * i, op->group, at_ps);
    else
        offer(run, 2 * i, at_ps);
}

static void arrive(goal_run *run, uint32_t i, uint64_t at_ps)
{
    if (!(run->ops[i].state & GOAL_IS_BOUND)) {
        const uint32_t receive = goal_take_receive(run, i);
        if (receive != GOAL_NONE)
            bind(run, i, receive);
        else if (can_lie(run, i))
            return;
    }
    offer(run, 2 * i + 1, at_ps);
}

/* Many operations begin at once: in their order, they need no heap. */
static int next_event(goal_run *run, uint32_t *n_begun, goal_event *e)
{
    if (*n_begun < run->n_ready) {
        *e = (goal_event){.kind = OPERATION, .id = run->ready[*n_begun]};
        if (!run->n_events || is_before(e, &run->heap[0])) {
            ++*n_begun;
            return 1;
        }
    }
    if (!run->n_events)
        return 0;
    *e = pop(run);
    return 1;
}

static void step(goal_run *run, const goal_event *e)
{
    if (run->is_loggopsim) {
        goal_loggopsim_step(run, e);
        return;
    }
    switch (e->kind) {
    case CPU: run_stream(run, e->id, e->time_ps); break;
    case MESSAGE: arrive(run, e->id, e->time_ps); break;
    default: begin_operation(run, e->id, e->time_ps);
    }
}

static tl_status conclude(goal_run *run, tl_error *err)
{
    uint32_t i = 0;
    if (run->out_of_memory) {
        tl_error_set(err, TL_ERR_MEMORY, "%s: out of memory", run->path);
        return TL_ERR_MEMORY;
    }
    for (uint32_t r = 0; r < run->n_ranks; r++)
        if (run->makespan_ps < run->ranks[r].end_ps)
            run->makespan_ps = run->ranks[r].end_ps;
    if (run->n_done == run->n_ops)
        return TL_OK;
    while (run->ops[i].state & GOAL_DONE)
        i++;
    tl_error_set(err, TL_ERR_INPUT,
                 "%s:%" PRIu64 ": rank %" PRIu32 " waits forever at this operation, and %" PRIu64
                 " operations do not end; correct the dependencies",
                 run->path, run->places[i], goal_stream_of(run, run->ops[i].group)->rank,
                 run->n_ops - run->n_done);
    return TL_ERR_INPUT;
}

tl_status goal_simulate(goal_run *run, const loggops_params *params, const tlr_noise *noise,
                        tl_error *err)
{
    run->params = params;
    run->noise = noise;
    uint32_t n_begun = 0;
    goal_event e;
    run->ready = malloc((run->n_ops + (size_t)1) * sizeof *run->ready);
    if (!run->ready) {
        run->out_of_memory = 1;
        return conclude(run, err);
    }
    if (run->is_loggopsim)
        goal_loggopsim_begin(run);
    else
        for (uint32_t i = 0; i < run->n_ops; i++)
            if (!run->ops[i].n_open)
                run->ready[run->n_ready++] = i;
    while (!run->out_of_memory && next_event(run, &n_begun, &e)) {
        if (e.time_ps >= LOGGOPS_MOST_PS) {
            tl_error_set(err, TL_ERR_LIMIT,
                         "%s: the simulation passes 53 days; replay a part of the schedule",
                         run->path);
            return TL_ERR_LIMIT;
        }
        step(run, &e);
    }
    if (run->is_loggopsim)
        goal_loggopsim_end(run);
    return conclude(run, err);
}
