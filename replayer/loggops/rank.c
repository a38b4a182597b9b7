/* rank.c - what one rank does in a window. */
#include "simulate.h"

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
            loggops_owe(s, rank, (uint32_t)list[i]);
        }
    }
}

static void block_until_done(sim_rank *rank, uint64_t from_ps, uint8_t state)
{
    rank->state = state;
    *(state == IN_CALL ? &rank->p2p_ps : &rank->wait_ps) -= from_ps;
}

/* Does one step of a collective; returns 1 when it is at its end, and -1 when it has to wait. */
static int do_collective_step(simulation *s, block *b, uint32_t r, const sim_step *step,
                              uint64_t at_ps, uint32_t *n_open)
{
    switch (step->kind) {
    case LOGGOPS_SEND:
        loggops_start_send(s, b, r, step, at_ps);
        *n_open += (uint32_t)step->is_rendezvous;
        return 0;
    case LOGGOPS_RECV: *n_open += !loggops_start_receive(s, b, r, step, at_ps); return 0;
    case LOGGOPS_WAIT: return *n_open ? -1 : 0;
    default: return 1;
    }
}

/* The two steps that follow a receive, when nothing else could come between. */
static void send_and_wait(simulation *s, block *b, uint32_t r, const sim_step *received,
                          uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    sim_step step = *received;
    step.partner = received->then_to;
    step.is_rendezvous = step.amount >= s->params.S_bytes;
    loggops_start_send(s, b, r, &step, at_ps);
    rank->n_open += (uint32_t)step.is_rendezvous;
    rank->step += 2;
    if (rank->owes)
        rank->ready_ps = loggops_pay_debt(s, r, rank->ready_ps);
    if (rank->n_open)
        rank->state = IN_COLLECTIVE;
    else
        rank->step++;
}

/* Whether no message is to be handled before a send at this moment. */
static bool can_send_now(const simulation *s, const sim_rank *rank, uint64_t at_ps)
{
    bool needs_cpu;
    return (s->moves_bytes || at_ps >= rank->next_send_ps) &&
           at_ps < loggops_arrival_ready(s, rank, &needs_cpu);
}

/* A step of the collective that the program is in. */
static void do_blocking_step(simulation *s, block *b, uint32_t r, const sim_step *step,
                             uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    if (!rank->step)
        rank->collective_ps -= at_ps;
    if (step->kind == LOGGOPS_WAIT && rank->owes)
        rank->ready_ps = at_ps = loggops_pay_debt(s, r, at_ps);
    int outcome = do_collective_step(s, b, r, step, at_ps, &rank->n_open);
    if (step->then_to >= 0 && rank->ready_ps == at_ps && can_send_now(s, rank, at_ps)) {
        send_and_wait(s, b, r, step, at_ps);
    } else if (outcome < 0) {
        rank->state = IN_COLLECTIVE;
    } else if (outcome > 0) {
        rank->collective_ps += at_ps;
        rank->position++;
        rank->step = 0;
    } else {
        rank->step++;
    }
}

/* ---- collectives beside the program ---- */

static void do_fiber_step(simulation *s, block *b, uint32_t r, uint32_t i, const sim_step *step,
                          uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const uint64_t program_ps = rank->ready_ps;
    fiber *f = &b->fibers[i];
    f->ready_ps = at_ps;
    const int outcome = do_collective_step(s, b, r, step, at_ps, &f->n_open);
    if (outcome < 0) {
        f->is_waiting = 1;
    } else if (outcome > 0) {
        const uint32_t request = f->op.request;
        loggops_end_fiber(b, rank, i);
        loggops_complete(s, b, r, request, at_ps);
        return;
    } else {
        f->step++;
    }
    if (step->kind == LOGGOPS_SEND) /* which is not the program's */
        f->ready_ps = rank->ready_ps;
    else if ((step->combines || s->moves_bytes) && rank->cpu_free_ps > at_ps)
        f->ready_ps = rank->cpu_free_ps;
    rank->ready_ps = program_ps;
}

/* Nothing is open any more: the rank pays the overheads that it owes, and goes on. */
static void leave_wait(simulation *s, sim_rank *rank, uint32_t r, uint64_t at_ps)
{
    if (s->moves_bytes && rank->owed_ps) {
        rank->ready_ps = loggops_pay(s, r, at_ps);
        rank->wait_ps += rank->ready_ps - at_ps;
    }
    rank->position++;
}

static void do_wait(simulation *s, sim_rank *rank, uint32_t r, const int64_t *list, uint64_t at_ps)
{
    start_wait(s, rank, list);
    if (!rank->n_open) {
        leave_wait(s, rank, r, at_ps);
        return;
    }
    block_until_done(rank, at_ps, IN_WAIT);
    if (s->moves_bytes && rank->owed_ps)
        rank->ready_ps = loggops_pay(s, r, at_ps);
}

static void do_send(simulation *s, block *b, sim_rank *rank, uint32_t r, const sim_step *step,
                    uint64_t at_ps)
{
    const bool is_pending =
        step->partner != LOGGOPS_NOBODY && step->is_rendezvous && !step->op->is_buffered;
    if (step->partner != LOGGOPS_NOBODY)
        loggops_start_send(s, b, r, step, at_ps);
    if (step->request != OF_CALL) {
        s->requests[rank->requests + step->request] = is_pending ? REQUEST_PENDING : REQUEST_DONE;
        rank->p2p_ps += rank->ready_ps - at_ps;
        rank->position++;
    } else if (is_pending) {
        block_until_done(rank, at_ps, IN_CALL);
    } else {
        rank->p2p_ps += rank->ready_ps - at_ps;
        rank->position++;
    }
}

static void do_receive(simulation *s, block *b, sim_rank *rank, uint32_t r, const sim_step *step,
                       uint64_t at_ps)
{
    const bool is_done =
        step->partner == LOGGOPS_NOBODY || loggops_start_receive(s, b, r, step, at_ps);
    if (step->request != OF_CALL)
        s->requests[rank->requests + step->request] = is_done ? REQUEST_DONE : REQUEST_PENDING;
    if (step->request == OF_CALL && !is_done) {
        block_until_done(rank, at_ps, IN_CALL);
        return;
    }
    if (step->request == OF_CALL)
        rank->p2p_ps += rank->ready_ps - at_ps;
    rank->position++;
}

/* ---- exchanges ---- */

/* If the adapters move the bytes, no message takes the CPU before the program waits for it.  So
 * what neither sends, receives nor asks can be done before messages of an earlier moment are known.
 */
static int runs_ahead(const simulation *s, const sim_rank *rank)
{
    return s->moves_bytes && rank->fibers == NONE;
}

enum { TO_RECEIVE = 0, TO_SEND, TO_WAIT };

static void wait_for_exchange(simulation *s, sim_rank *rank, uint32_t r, uint32_t request,
                              uint64_t at_ps)
{
    uint8_t *state = &s->requests[rank->requests + request];
    rank->step = TO_RECEIVE;
    if (*state == REQUEST_PENDING) {
        *state = REQUEST_AWAITED;
        rank->n_open = 1;
        block_until_done(rank, at_ps, IN_WAIT);
        return;
    }
    *state = REQUEST_FREE;
    loggops_owe(s, rank, request);
    leave_wait(s, rank, r, at_ps);
}

/* The three steps of an exchange, as many at once as nothing comes between. */
static void do_exchange(simulation *s, block *b, sim_rank *rank, uint32_t r, sim_step *step,
                        uint64_t at_ps)
{
    const uint32_t request = step->op->request;
    switch (rank->step) {
    case TO_RECEIVE:
        step->request = request;
        s->requests[rank->requests + request] =
            loggops_start_receive(s, b, r, step, at_ps) ? REQUEST_DONE : REQUEST_PENDING;
        rank->step = TO_SEND;
        if (!runs_ahead(s, rank))
            return;
        b->n_operations++;
        step->request = OF_CALL;
        /* fall through */
    case TO_SEND:
        loggops_start_send(s, b, r, step, at_ps);
        if (step->is_rendezvous) {
            block_until_done(rank, at_ps, IN_CALL);
            return;
        }
        rank->p2p_ps += rank->ready_ps - at_ps;
        rank->step = TO_WAIT;
        if (!runs_ahead(s, rank))
            return;
        b->n_operations++;
        at_ps = rank->ready_ps;
        /* fall through */
    default: wait_for_exchange(s, rank, r, request, at_ps);
    }
}

/* ---- the program ---- */

static bool has_arrived(const simulation *s, const sim_rank *rank, const sim_step *step,
                        uint64_t at_ps)
{
    const receive wanted = {.source = step->partner, .tag = step->tag, .context = step->context};
    return loggops_has_arrived(s, rank, &wanted, at_ps);
}

/* All messages that arrive in this window are known, and what the CPU has not handled by then can
 * be seen as well.  The operations that follow a poll are those for the answer no. */
static void do_poll(const simulation *s, sim_rank *rank, uint32_t r, const sim_step *step,
                    uint64_t at_ps)
{
    const loggops_feed *feed = s->run->feed;
    const loggops_op *op = step->op;
    rank->position++;
    if (!feed)
        return;
    const bool is_there = has_arrived(s, rank, step, at_ps);
    feed->answer(feed->context, r, is_there);
    while (is_there && (++op)->kind != LOGGOPS_MORE && op->kind != LOGGOPS_END)
        rank->position++;
}

/* Until the CPU and the adapter are free, the rank is in its call. */
static void count_delay(sim_rank *rank, const loggops_op *op, uint64_t at_ps)
{
    const uint64_t delay_ps = at_ps - rank->ready_ps;
    if (op->kind == LOGGOPS_WAIT || (op->kind == LOGGOPS_EXCHANGE && rank->step == TO_WAIT))
        rank->wait_ps += delay_ps;
    else if (op->kind == LOGGOPS_SEND || op->kind == LOGGOPS_RECV || op->kind == LOGGOPS_EXCHANGE)
        rank->p2p_ps += delay_ps;
}

/* Executes the program's next step. */
static void do_step(simulation *s, block *b, uint32_t r, sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    count_delay(rank, step->op, at_ps);
    rank->ready_ps = at_ps;
    if (step->op->kind == LOGGOPS_COLLECTIVE) {
        if (step->op->request) {
            loggops_start_fiber(s, b, rank, step->op, at_ps);
            rank->position++;
        } else {
            do_blocking_step(s, b, r, step, at_ps);
        }
        return;
    }
    switch (step->op->kind) {
    case LOGGOPS_EXCHANGE: do_exchange(s, b, rank, r, step, at_ps); break;
    case LOGGOPS_COMPUTE:
        rank->ready_ps = loggops_occupy(s, r, TLR_WORK_APPLICATION, at_ps, step->amount);
        rank->position++;
        break;
    case LOGGOPS_SEND: do_send(s, b, rank, r, step, at_ps); break;
    case LOGGOPS_RECV: do_receive(s, b, rank, r, step, at_ps); break;
    case LOGGOPS_WAIT:
        do_wait(s, rank, r, s->run->programs[rank->program].lists + step->op->list, at_ps);
        break;
    case LOGGOPS_PUT:
    case LOGGOPS_GET:
    case LOGGOPS_TIMER:
        loggops_start_access(s, b, r, step, at_ps);
        rank->p2p_ps += rank->ready_ps - at_ps;
        rank->position++;
        break;
    case LOGGOPS_POLL: do_poll(s, rank, r, step, at_ps); break;
    case LOGGOPS_MARK:
        if (s->result->marks_ps)
            s->result->marks_ps[step->amount * s->run->n_ranks + r] = at_ps;
        rank->position++;
        break;
    default: rank->state = FINISHED; b->n_finished++;
    }
}

static int charges_as_smpi(const simulation *s)
{
    return s->moves_bytes && s->run->nodes->between.charges_as_smpi;
}

/* One step of a collective, with all that depends on the rank worked out. */
static void find_collective_step(const simulation *s, uint32_t r, const loggops_op *op,
                                 const int64_t *list, uint32_t number, uint32_t request,
                                 sim_step *step)
{
    const loggops_comm *comm = &s->run->comms[op->comm];
    const uint32_t me = loggops_rank_in(comm, r), size = comm->n_members;
    const int as_smpi = charges_as_smpi(s), is_beside = request != OF_COLLECTIVE;
    const tlr_collective call = {op->algorithm, op->is_blocking, op->peer, op->amount};
    tlr_message part = tlr_collective_step(&call, list, me, size, number);
    if (as_smpi && !is_beside && part.call == TLR_SENDRECV) { /* it sends before it receives */
        const int sends = part.kind == LOGGOPS_RECV;
        part.peer = sends ? part.then_to : part.from;
        part.kind = sends ? LOGGOPS_SEND : LOGGOPS_RECV;
        part.then_to = LOGGOPS_NOBODY;
        number -= !sends;
    }
    step->op = op;
    step->kind = part.kind;
    step->amount = part.bytes;
    step->context = 2 * op->comm + 1;
    step->tag = op->tag;
    step->request = request;
    step->partner = part.peer < 0 || !comm->members ? part.peer : comm->members[part.peer];
    step->starts = as_smpi && (is_beside || part.call != TLR_BLOCKING);
    step->is_rendezvous = part.kind == LOGGOPS_SEND && part.bytes >= s->params.S_bytes;
    step->combines = s->params.R_ps_byte > 0 && part.kind == LOGGOPS_RECV &&
                     tlr_collective_combines(&call, list, me, size, number);
    step->then_to = part.then_to < 0 || !comm->members ? part.then_to : comm->members[part.then_to];
}

const loggops_op *loggops_get_more(simulation *s, block *b, uint32_t r)
{
    static const loggops_op end = {.kind = LOGGOPS_END};
    sim_rank *rank = &s->ranks[r];
    loggops_program *program = &s->run->programs[rank->program];
    rank->position = 0;
    if (s->recorder)
        loggops_record_more(s, r);
    if (s->run->feed->more(s->run->feed->context, r, program))
        return program->ops;
    b->failures |= NO_FEED;
    return &end;
}

/* The program's next step. */
static void find_step(simulation *s, block *b, uint32_t r, sim_step *step)
{
    const sim_rank *rank = &s->ranks[r];
    const loggops_op *op = &s->run->programs[rank->program].ops[rank->position];
    if (op->kind == LOGGOPS_MORE)
        op = loggops_get_more(s, b, r);
    if (op->kind == LOGGOPS_COLLECTIVE && !op->request) {
        const int64_t *lists = s->run->programs[rank->program].lists;
        find_collective_step(s, r, op, op->list ? lists + op->list : NULL, rank->step,
                             OF_COLLECTIVE, step);
        return;
    }
    step->op = op;
    step->kind = op->kind;
    step->amount = op->amount;
    if (op->kind == LOGGOPS_COMPUTE || op->kind == LOGGOPS_WAIT || op->kind == LOGGOPS_MARK ||
        op->kind == LOGGOPS_END)
        return;
    step->tag = op->tag;
    step->context = 2 * op->comm;
    step->request = op->request ? op->request : OF_CALL;
    step->combines = 0;
    step->partner = loggops_partner_of(&s->run->comms[op->comm], r, op->peer);
    step->starts = op->request != 0;
    step->is_rendezvous = (op->kind == LOGGOPS_SEND || op->kind == LOGGOPS_EXCHANGE) &&
                          (op->amount >= s->params.S_bytes || op->is_synchronous);
    if (op->kind == LOGGOPS_EXCHANGE) {
        step->kind = rank->step == TO_SEND ? LOGGOPS_SEND : LOGGOPS_EXCHANGE;
        step->request = OF_CALL;
        step->starts = 0;
    }
}

/* When a step could start, were the CPU free: a send needs the interface as well. */
static uint64_t step_ready(const simulation *s, const sim_rank *rank, const sim_step *step,
                           uint64_t ready_ps)
{
    const int sends =
        !s->moves_bytes && step->kind == LOGGOPS_SEND && step->partner != LOGGOPS_NOBODY;
    return sends && ready_ps < rank->next_send_ps ? rank->next_send_ps : ready_ps;
}

/* The collective beside the program that could go on first. */
static uint32_t find_fiber(const simulation *s, const block *b, uint32_t r, sim_step *step,
                           uint64_t *ready_ps)
{
    const sim_rank *rank = &s->ranks[r];
    uint32_t first = NONE;
    *ready_ps = NEVER;
    for (uint32_t i = rank->fibers; i != NONE; i = b->fibers[i].next) {
        const fiber *f = &b->fibers[i];
        if (f->is_waiting)
            continue;
        sim_step next;
        find_collective_step(s, r, &f->op, f->list, f->step, OF_FIBER + i, &next);
        const uint64_t next_ps = step_ready(s, rank, &next, f->ready_ps);
        if (first != NONE && next_ps > *ready_ps) /* the list begins with the last one */
            continue;
        first = i;
        *step = next;
        *ready_ps = next_ps;
    }
    return first;
}

/* Operations that are the rank's own affair. */
static bool is_own(uint8_t kind)
{
    return kind == LOGGOPS_COMPUTE || kind == LOGGOPS_WAIT || kind == LOGGOPS_MARK ||
           kind == LOGGOPS_END;
}

/* Whether an operation that begins after this window can be done now.  Messages that are sent ahead
 * leave their node in the window to which they belong.  A receive may be posted ahead if no other
 * is open: what it takes and when follows from times alone. */
static bool can_go_ahead(const simulation *s, const sim_rank *rank, const loggops_op *op,
                         uint64_t at_ps)
{
    if (!runs_ahead(s, rank))
        return 0;
    if (s->answers_in_calls) /* a request may come before the call */
        return is_own(op->kind) && op->kind != LOGGOPS_WAIT;
    if (is_own(op->kind))
        return 1;
    const bool is_message = op->kind == LOGGOPS_EXCHANGE || op->kind == LOGGOPS_SEND ||
                            (op->kind == LOGGOPS_RECV && !op->request);
    return is_message && s->run->feed && rank->posted.first == NONE &&
           at_ps < (s->window + AHEAD_WINDOWS) * s->window_ps;
}

/* When a rank goes on that has nothing more to do in this window: messages that can lie do not wake
 * up a program that computes. */
static uint64_t wakes_at_ps(const simulation *s, const sim_rank *rank, uint64_t at_ps,
                            uint64_t program_ps)
{
    if (!s->moves_bytes || rank->state != RUNNING || rank->fibers != NONE || at_ps >= program_ps)
        return at_ps;
    for (uint32_t i = rank->arrivals; i != NONE && s->messages[i].time_ps < program_ps;
         i = s->messages[i].next)
        if (!loggops_can_lie(s, &s->messages[i]))
            return s->messages[i].time_ps;
    return program_ps < rank->cpu_free_ps ? rank->cpu_free_ps : program_ps;
}

void loggops_sleep_until(simulation *s, block *b, uint32_t r, uint64_t at_ps)
{
    loggops_wheel_insert(
        s, b, r, at_ps < (s->window + 2) * s->window_ps ? s->window + 1 : at_ps / s->window_ps);
}

/* When the last of the polls at hand takes place if all are answered by no, which they are as long
 * as nothing comes: the rank can answer them in one go. */
static uint64_t last_poll_ps(const simulation *s, const sim_rank *rank, const sim_step *step,
                             uint64_t at_ps)
{
    if (step->kind != LOGGOPS_POLL || !s->run->feed || s->noise || !runs_ahead(s, rank) ||
        has_arrived(s, rank, step, NEVER))
        return at_ps;
    uint64_t last_ps = at_ps;
    for (const loggops_op *op = step->op + 1;
         at_ps < LOGGOPS_MOST_PS && (op->kind == LOGGOPS_COMPUTE || op->kind == LOGGOPS_POLL);
         op++) {
        at_ps += op->kind == LOGGOPS_COMPUTE ? op->amount : 0;
        last_ps = op->kind == LOGGOPS_POLL ? at_ps : last_ps;
    }
    return last_ps;
}

/* The rank has nothing to do before at_ps, which is after this window; `step`, or NULL, is to begin
 * at program_ps. */
static void rest(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps,
                 uint64_t program_ps)
{
    sim_rank *rank = &s->ranks[r];
    const uint64_t last_ps = step ? last_poll_ps(s, rank, step, program_ps) : program_ps;
    const uint64_t wakes_ps = wakes_at_ps(s, rank, at_ps, last_ps);
    rank->passes_polls = last_ps > program_ps;
    loggops_sleep_until(s, b, r, wakes_ps);
}

/* Lets a rank do all that it can start before the window ends. */
void loggops_run_rank(simulation *s, block *b, uint32_t r, uint64_t end_ps)
{
    sim_rank *rank = &s->ranks[r];
    sim_step step = {.op = NULL}, fiber_step;
    int knows_step = 0;
    loggops_sort_arrivals(s->messages, rank);
    if (s->has_stretches && loggops_run_stretch(s, b, r, end_ps))
        return;
    while (!(b->failures & NO_MEMORY)) {
        bool needs_cpu;
        const uint64_t arrival_ps = loggops_arrival_ready(s, rank, &needs_cpu);
        uint64_t program_ps = NEVER, fiber_ps = NEVER;
        uint32_t fiber_at = NONE;
        if (rank->state == RUNNING) {
            if (!knows_step)
                find_step(s, b, r, &step);
            knows_step = 1;
            program_ps = step_ready(s, rank, &step, rank->ready_ps);
        }
        if (rank->fibers != NONE)
            fiber_at = find_fiber(s, b, r, &fiber_step, &fiber_ps);
        const uint64_t own_ps = program_ps <= fiber_ps ? program_ps : fiber_ps;
        bool is_arrival = arrival_ps <= own_ps;
        uint64_t at_ps = is_arrival ? arrival_ps : own_ps;
        if (at_ps == NEVER)
            return;
        if (at_ps < rank->cpu_free_ps && (needs_cpu || !is_arrival))
            at_ps = rank->cpu_free_ps;
        if (at_ps >= LOGGOPS_MOST_PS) {
            b->failures |= TOO_LATE;
            return;
        }
        if (at_ps >= end_ps) {
            if (knows_step && program_ps < rank->cpu_free_ps)
                program_ps = rank->cpu_free_ps;
            if (!knows_step || !can_go_ahead(s, rank, step.op, program_ps)) {
                rest(s, b, r, knows_step ? &step : NULL, at_ps, program_ps);
                return;
            }
            at_ps = program_ps;
            is_arrival = 0;
        }
        if (is_arrival) {
            loggops_take_arrival(s, b, r, at_ps);
        } else if (program_ps < fiber_ps) {
            if (s->recorder)
                loggops_record_begin(s, r, &step);
            do_step(s, b, r, &step, at_ps);
            knows_step = 0;
            b->n_operations++;
        } else {
            do_fiber_step(s, b, r, fiber_at, &fiber_step, at_ps);
        }
        if (s->recorder)
            loggops_record_end(s, r);
    }
}
