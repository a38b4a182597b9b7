/* loggops_simulate.c - run the programs of all ranks in the LogGOPS model (loggops.h).
 *
 * A message reaches its receiver o + L after its send started, and so does a rendezvous' reply.  So
 * time goes on in windows of o + L: all that arrives in a window was sent before it, and within the
 * window each rank goes its own way, whatever the order.  There is no queue of events: a block of
 * ranks, small enough for the cache, keeps the messages of the next window in an array and the
 * ranks that have something to do later in a timing wheel.
 */
#include "loggops_simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static int has_room(void **array, uint32_t n, uint32_t *room, size_t size)
{
    if (n < *room)
        return 1;
    const uint32_t more = *room ? *room + *room / 2 : 64;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return 0;
    *array = grown;
    *room = more;
    return 1;
}

/* Index of an unused node; NONE, and the simulation ends, without memory. */
static uint32_t take_node(simulation *s, block *b)
{
    uint32_t i = b->free;
    if (i != NONE) {
        b->free = b->nodes[i].next;
        return i;
    }
    if (!has_room((void **)&b->nodes, b->n_nodes, &b->nodes_room, sizeof *b->nodes)) {
        s->out_of_memory = 1;
        return NONE;
    }
    return b->n_nodes++;
}

static void drop_node(block *b, uint32_t i)
{
    b->nodes[i].next = b->free;
    b->free = i;
}

/* ---- messages ---- */

/* Hands a message to its receiver's block, for the next window. */
static void post_message(simulation *s, uint32_t to, const node *message)
{
    outbox *o = &s->blocks[to / BLOCK_RANKS].outbox;
    if (!has_room((void **)&o->letters, o->n, &o->room, sizeof *o->letters)) {
        s->out_of_memory = 1;
        return;
    }
    o->letters[o->n].to = to;
    o->letters[o->n++].message = *message;
}

/* ---- one rank ---- */

static uint64_t per_bytes(double ps_byte, uint64_t bytes)
{
    return bytes > 1 ? (uint64_t)(ps_byte * (double)(bytes - 1) + 0.5) : 0;
}

static void go_on(sim_rank *rank, uint64_t at_ps)
{
    rank->state = RUNNING;
    if (rank->ready_ps < at_ps)
        rank->ready_ps = at_ps;
}

/* Something that the rank started is done. */
static void complete(simulation *s, uint32_t r, uint32_t request, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    if (request == OF_CALL) {
        go_on(rank, at_ps);
        s->result->ranks[r].p2p_ps += rank->ready_ps - rank->blocked_ps;
        rank->position++;
    } else if (request == OF_COLLECTIVE) {
        if (--rank->n_open == 0 && rank->state == IN_COLLECTIVE) {
            go_on(rank, at_ps);
            rank->step++;
        }
    } else {
        uint8_t *state = &s->requests[rank->requests + request];
        const int awaited = *state == REQUEST_AWAITED;
        *state = awaited ? REQUEST_FREE : REQUEST_DONE;
        if (awaited && --rank->n_open == 0) {
            go_on(rank, at_ps);
            s->result->ranks[r].wait_ps += rank->ready_ps - rank->blocked_ps;
            rank->position++;
        }
    }
}

/* When the CPU has done so much work from a moment on. */
static uint64_t done_at(const simulation *s, uint32_t r, uint64_t from_ps, uint64_t work_ps)
{
    return s->noise ? loggops_noise_end(s->noise, r, from_ps, work_ps) : from_ps + work_ps;
}

/* The CPU is taken for so much work. */
static uint64_t occupy(simulation *s, uint32_t r, uint64_t from_ps, uint64_t work_ps)
{
    const uint64_t end_ps = done_at(s, r, from_ps, work_ps);
    s->result->ranks[r].noise_ps += end_ps - from_ps - work_ps;
    s->ranks[r].cpu_free_ps = end_ps;
    return end_ps;
}

/* The CPU receives a message, for a receive with that request (or UNEXPECTED). */
static uint64_t receive(simulation *s, uint32_t r, const node *message, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const loggops_params *p = &s->params;
    const double slowest = p->G_ps_byte > p->O_ps_byte ? p->G_ps_byte : p->O_ps_byte;
    rank->next_recv_ps = at_ps + p->g_ps + per_bytes(p->G_ps_byte, message->bytes);
    if (message->is_rendezvous) {
        const node reply = {.time_ps = at_ps + s->window_ps,
                            .source = (int32_t)r,
                            .request = message->request,
                            .context = REPLY};
        post_message(s, (uint32_t)message->source, &reply);
    }
    return occupy(s, r, at_ps, p->o_ps + per_bytes(slowest, message->bytes));
}

/* Handles the earliest arrival, at the moment that arrival_ready tells. */
static void take_arrival(simulation *s, block *b, uint32_t r, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const uint32_t i = rank->arrivals;
    const node message = b->nodes[i];
    rank->arrivals = message.next;
    if (message.context == REPLY) {
        drop_node(b, i);
        complete(s, r, message.request, at_ps);
        return;
    }
    const uint32_t posted = loggops_queue_take(b->nodes, &rank->posted, &message, 0);
    if (posted == NONE) {
        if (!message.is_rendezvous)
            receive(s, r, &message, at_ps);
        loggops_queue_append(b->nodes, &rank->unexpected, i);
        return;
    }
    const uint32_t request = b->nodes[posted].request;
    drop_node(b, posted);
    drop_node(b, i);
    complete(s, r, request, receive(s, r, &message, at_ps));
}

/* When the earliest arrival can be handled.  Only what is received needs the CPU. */
static uint64_t arrival_ready(const block *b, const sim_rank *rank, int *needs_cpu)
{
    *needs_cpu = 0;
    if (rank->arrivals == NONE)
        return NEVER;
    const node *message = &b->nodes[rank->arrivals];
    if (message->context == REPLY ||
        (message->is_rendezvous && !loggops_queue_holds_receive(b->nodes, &rank->posted, message)))
        return message->time_ps;
    *needs_cpu = 1;
    return message->time_ps > rank->next_recv_ps ? message->time_ps : rank->next_recv_ps;
}

static void start_send(simulation *s, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const loggops_params *p = &s->params;
    const node message = {.time_ps = done_at(s, r, at_ps, p->o_ps) + p->L_ps,
                          .bytes = step->amount,
                          .context = step->context,
                          .tag = step->tag,
                          .source = (int32_t)r,
                          .request = step->request,
                          .is_rendezvous = (uint32_t)step->is_rendezvous};
    rank->next_send_ps = at_ps + p->g_ps + per_bytes(p->G_ps_byte, step->amount);
    rank->ready_ps = occupy(s, r, at_ps, p->o_ps + per_bytes(p->O_ps_byte, step->amount));
    post_message(s, (uint32_t)step->partner, &message);
    s->result->n_messages++;
}

/* Posts a receive; returns whether it is complete at once. */
static int start_receive(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const node wanted = {.source = step->partner,
                         .tag = step->tag,
                         .context = step->context,
                         .request = step->request,
                         .next = NONE};
    const uint32_t message = loggops_queue_take(b->nodes, &rank->unexpected, &wanted, 1);
    if (message != NONE && !b->nodes[message].is_rendezvous) {
        drop_node(b, message);
        return 1;
    }
    const uint32_t i = take_node(s, b);
    if (i == NONE)
        return 0;
    b->nodes[i] = wanted;
    loggops_queue_append(b->nodes, &rank->posted, i);
    if (message != NONE) { /* it can start now: as if it arrived now */
        b->nodes[message].time_ps = at_ps;
        b->nodes[message].next = NONE;
        rank->arrivals = loggops_merge(b->nodes, message, rank->arrivals);
    }
    return 0;
}

/* Counts what a wait still waits for. */
static void start_wait(simulation *s, sim_rank *rank, const int64_t *list)
{
    rank->n_open = 0;
    for (int64_t i = 1; i <= list[0]; i++) {
        uint8_t *state = &s->requests[rank->requests + list[i]];
        if (*state == REQUEST_PENDING) {
            *state = REQUEST_AWAITED;
            rank->n_open++;
        } else {
            *state = REQUEST_FREE;
        }
    }
}

static void block_until_done(sim_rank *rank, uint64_t from_ps, uint8_t state)
{
    rank->state = state;
    rank->blocked_ps = from_ps;
}

static void do_collective_step(simulation *s, block *b, uint32_t r, const sim_step *step,
                               uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    if (!rank->step)
        rank->entered_ps = at_ps;
    switch (step->kind) {
    case LOGGOPS_SEND:
        if (step->partner != LOGGOPS_NOBODY) {
            start_send(s, r, step, at_ps);
            rank->n_open += (uint32_t)step->is_rendezvous;
        }
        rank->step++;
        break;
    case LOGGOPS_RECV:
        if (step->partner != LOGGOPS_NOBODY)
            rank->n_open += !start_receive(s, b, r, step, at_ps);
        rank->step++;
        break;
    case LOGGOPS_WAIT:
        if (rank->n_open)
            rank->state = IN_COLLECTIVE;
        else
            rank->step++;
        break;
    default:
        s->result->ranks[r].collective_ps += at_ps - rank->entered_ps;
        rank->position++;
        rank->step = 0;
    }
}

static void do_send(simulation *s, sim_rank *rank, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    const int is_pending = step->partner != LOGGOPS_NOBODY && step->is_rendezvous;
    if (step->partner != LOGGOPS_NOBODY)
        start_send(s, r, step, at_ps);
    if (step->request != OF_CALL) {
        s->requests[rank->requests + step->request] = is_pending ? REQUEST_PENDING : REQUEST_DONE;
        rank->position++;
    } else if (is_pending) {
        block_until_done(rank, at_ps, IN_CALL);
    } else {
        s->result->ranks[r].p2p_ps += rank->ready_ps - at_ps;
        rank->position++;
    }
}

static void do_receive(simulation *s, block *b, sim_rank *rank, uint32_t r, const sim_step *step,
                       uint64_t at_ps)
{
    const int is_done = step->partner == LOGGOPS_NOBODY || start_receive(s, b, r, step, at_ps);
    if (step->request != OF_CALL)
        s->requests[rank->requests + step->request] = is_done ? REQUEST_DONE : REQUEST_PENDING;
    if (step->request == OF_CALL && !is_done)
        block_until_done(rank, at_ps, IN_CALL);
    else
        rank->position++;
}

/* Executes the program's next step. */
static void do_step(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    rank->ready_ps = at_ps;
    if (step->op->kind == LOGGOPS_COLLECTIVE) {
        do_collective_step(s, b, r, step, at_ps);
        return;
    }
    switch (step->kind) {
    case LOGGOPS_COMPUTE:
        rank->ready_ps = occupy(s, r, at_ps, step->amount);
        s->result->ranks[r].compute_ps += step->amount;
        rank->position++;
        break;
    case LOGGOPS_SEND: do_send(s, rank, r, step, at_ps); break;
    case LOGGOPS_RECV: do_receive(s, b, rank, r, step, at_ps); break;
    case LOGGOPS_WAIT:
        start_wait(s, rank, s->run->programs[rank->program].lists + step->op->list);
        if (rank->n_open)
            block_until_done(rank, at_ps, IN_WAIT);
        else
            rank->position++;
        break;
    case LOGGOPS_MARK:
        if (s->result->marks_ps)
            s->result->marks_ps[step->amount * s->run->n_ranks + r] = at_ps;
        rank->position++;
        break;
    default:
        rank->state = FINISHED;
        s->result->ranks[r].end_ps = at_ps;
        s->n_finished++;
    }
}

/* The program's next step. */
static sim_step find_step(const simulation *s, uint32_t r)
{
    const sim_rank *rank = &s->ranks[r];
    const loggops_program *program = &s->run->programs[rank->program];
    const loggops_op *op = &program->ops[rank->position];
    sim_step step = {.kind = op->kind, .op = op, .amount = op->amount, .tag = op->tag};
    if (op->kind == LOGGOPS_SEND || op->kind == LOGGOPS_RECV) {
        step.context = 2 * op->comm;
        step.request = op->request ? op->request : OF_CALL;
        step.partner = loggops_partner(&s->run->comms[op->comm], r, op->peer);
    } else if (op->kind == LOGGOPS_COLLECTIVE) {
        const loggops_comm *comm = &s->run->comms[op->comm];
        const loggops_step part = loggops_collective_step(
            op, program->lists + op->list, loggops_rank_in(comm, r), comm->n_members, rank->step);
        step.kind = part.kind;
        step.amount = part.bytes;
        step.context = 2 * op->comm + 1;
        step.tag = 0;
        step.request = OF_COLLECTIVE;
        step.partner = part.peer < 0 || !comm->members ? part.peer : comm->members[part.peer];
    }
    step.is_rendezvous =
        step.kind == LOGGOPS_SEND && (step.amount >= s->params.S_bytes || op->is_synchronous);
    return step;
}

/* Lets a rank do all that it can start before the window ends. */
static void run_rank(simulation *s, block *b, uint32_t r, uint64_t end_ps)
{
    sim_rank *rank = &s->ranks[r];
    sim_step step = {.kind = LOGGOPS_END};
    int knows_step = 0;
    loggops_sort_arrivals(b, rank);
    while (!s->out_of_memory) {
        int needs_cpu;
        const uint64_t arrival_ps = arrival_ready(b, rank, &needs_cpu);
        uint64_t program_ps = NEVER;
        if (rank->state == RUNNING) {
            if (!knows_step)
                step = find_step(s, r);
            knows_step = 1;
            program_ps = rank->ready_ps;
            if (step.kind == LOGGOPS_SEND && step.partner != LOGGOPS_NOBODY &&
                program_ps < rank->next_send_ps)
                program_ps = rank->next_send_ps;
        }
        const int is_arrival = arrival_ps <= program_ps;
        uint64_t at_ps = is_arrival ? arrival_ps : program_ps;
        if (at_ps == NEVER)
            return;
        if (at_ps < rank->cpu_free_ps && (needs_cpu || !is_arrival))
            at_ps = rank->cpu_free_ps;
        if (at_ps >= end_ps) {
            loggops_wheel_insert(s, b, r, at_ps / s->window_ps);
            return;
        }
        if (is_arrival) {
            take_arrival(s, b, r, at_ps);
        } else {
            do_step(s, b, r, &step, at_ps);
            knows_step = 0;
            s->result->n_operations++;
        }
    }
}

/* ---- one window ---- */

/* Gives the block's ranks their letters and lets all that have something to do run. */
static void run_block(simulation *s, block *b, uint64_t window)
{
    const uint64_t end_ps = (window + 1) * s->window_ps;
    const outbox in = b->inbox;
    uint32_t active = loggops_wheel_turn(s, b, window);
    for (uint32_t r = active; r != NONE; r = s->ranks[r].wake_next)
        s->ranks[r].wake_place = 0, s->ranks[r].is_active = 1;
    for (uint32_t i = 0; i < in.n; i++) {
        const letter *l = &in.letters[i];
        sim_rank *rank = &s->ranks[l->to];
        const uint32_t n = take_node(s, b);
        if (n == NONE)
            return;
        b->nodes[n] = l->message;
        b->nodes[n].next = rank->fresh;
        rank->fresh = n;
        if (rank->is_active)
            continue;
        if (rank->wake_place)
            loggops_wheel_remove(s, b, l->to);
        rank->is_active = 1;
        rank->wake_next = active;
        active = l->to;
    }
    b->inbox.n = 0;
    for (uint32_t r = active, next; r != NONE; r = next) {
        next = s->ranks[r].wake_next;
        s->ranks[r].is_active = 0;
        run_rank(s, b, r, end_ps);
    }
}

/* The earliest window in which something can happen. */
static uint64_t next_window(const simulation *s, uint64_t window)
{
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < s->n_blocks; i++) {
        const block *b = &s->blocks[i];
        const uint64_t due = b->inbox.n ? window + 1 : loggops_wheel_next(&b->wheel);
        if (due < next)
            next = due;
    }
    return next;
}

static void run_windows(simulation *s)
{
    for (uint64_t window = 0; window != NEVER && !s->out_of_memory;
         window = next_window(s, window)) {
        for (uint32_t i = 0; i < s->n_blocks; i++)
            run_block(s, &s->blocks[i], window);
        for (uint32_t i = 0; i < s->n_blocks; i++) {
            const outbox empty = s->blocks[i].inbox;
            s->blocks[i].inbox = s->blocks[i].outbox;
            s->blocks[i].outbox = empty;
        }
    }
}

/* ---- start and end ---- */

static int prepare(simulation *s)
{
    const loggops_run *run = s->run;
    s->n_blocks = (run->n_ranks + BLOCK_RANKS - 1) / BLOCK_RANKS;
    s->blocks = calloc(s->n_blocks, sizeof *s->blocks);
    s->ranks = calloc(run->n_ranks, sizeof *s->ranks);
    if (!s->blocks || !s->ranks)
        return 0;
    for (uint32_t i = 0; i < s->n_blocks; i++) {
        memset(s->blocks[i].wheel.heads, 0xff, sizeof s->blocks[i].wheel.heads);
        s->blocks[i].free = NONE;
    }
    uint64_t n_requests = 0;
    for (uint32_t r = run->n_ranks; r-- > 0;) {
        sim_rank *rank = &s->ranks[r];
        rank->program = run->program_of[r];
        rank->requests = n_requests;
        n_requests += run->programs[rank->program].n_requests;
        rank->arrivals = rank->fresh = NONE;
        rank->posted = rank->unexpected = (queue){NONE, NONE};
        loggops_wheel_insert(s, &s->blocks[r / BLOCK_RANKS], r, 0);
    }
    s->requests = calloc(n_requests + 1, 1);
    return s->requests != NULL;
}

static void release(simulation *s)
{
    for (uint32_t i = 0; s->blocks && i < s->n_blocks; i++) {
        free(s->blocks[i].nodes);
        free(s->blocks[i].inbox.letters);
        free(s->blocks[i].outbox.letters);
    }
    free(s->blocks);
    free(s->ranks);
    free(s->requests);
}

static tl_status report_deadlock(const simulation *s, tl_error *err)
{
    char text[400] = "";
    size_t used = 0;
    for (uint32_t r = 0; r < s->run->n_ranks && used < sizeof text - 80; r++) {
        static const char *const states[] = {"runs", "is in a send or receive",
                                             "waits for requests", "is in a collective"};
        if (s->ranks[r].state != FINISHED)
            used += (size_t)snprintf(text + used, sizeof text - used, "%srank %" PRIu32 " %s",
                                     used ? "; " : "", r, states[s->ranks[r].state]);
    }
    return tl_fail(err, TL_ERR_DEADLOCK,
                   "the replay cannot go on, %" PRIu32 " ranks wait forever: %s",
                   s->run->n_ranks - s->n_finished, text);
}

tl_status loggops_simulate(const loggops_run *run, const loggops_params *params,
                           const loggops_noise *noise, loggops_result *result, tl_error *err)
{
    tl_status status = TL_OK;
    simulation s = {.run = run,
                    .params = *params,
                    .noise = noise,
                    .window_ps = params->L_ps + params->o_ps,
                    .result = result};
    result->n_operations = result->n_messages = result->makespan_ps = 0;
    memset(result->ranks, 0, run->n_ranks * sizeof *result->ranks);
    if (!prepare(&s))
        s.out_of_memory = 1;
    else
        run_windows(&s);
    if (s.out_of_memory)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory in the simulation");
    else if (s.n_finished < run->n_ranks)
        status = report_deadlock(&s, err);
    for (uint32_t r = 0; r < run->n_ranks && status == TL_OK; r++)
        if (result->makespan_ps < result->ranks[r].end_ps)
            result->makespan_ps = result->ranks[r].end_ps;
    release(&s);
    return status;
}
