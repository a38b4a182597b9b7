/* stretch.c - stretches of computation and short exchanges, done without the general case's
 * detours.
 *
 * Seven of ten events of HPL are exchanges in its panel factorisation.  If the adapters move the
 * bytes, no message takes a rank's CPU before its program waits for it: a rank that waits in an
 * exchange goes on with the message, computes, and begins the next exchange, whatever else comes.
 * What is done here, and when, is what loggops_run_rank would do; it does all that is not. */
#include "simulate.h"

/* Whether a message is what a rank waits for in an exchange, and nothing else is open. */
static bool is_awaited(const simulation *s, const sim_rank *rank, const message *m)
{
    if (rank->posted.first == NONE || rank->posted.first != rank->posted.last ||
        rank->n_open != 1 || m->request != EAGER || m->context & CLEARED || m->may_overtake)
        return 0;
    const receive *wanted = &s->receives[rank->posted.first];
    return wanted->request < OF_FIBER && !wanted->combines && loggops_fits(wanted, m) &&
           s->requests[rank->requests + wanted->request] == REQUEST_AWAITED;
}

/* The message has come for which the rank waits: it takes it in, and goes on. */
static int end_wait(simulation *s, block *b, sim_rank *rank, uint32_t r, uint64_t end_ps)
{
    const uint32_t i = rank->arrivals, posted = rank->posted.first;
    const message *m = &s->messages[i];
    if (m->time_ps >= end_ps || m->time_ps >= LOGGOPS_MOST_PS || !is_awaited(s, rank, m))
        return 0;
    const uint64_t owed_ps = loggops_work_for(s, b->worker, (uint32_t)m->source, r, m)->receive_ps;
    rank->ready_ps = later(m->time_ps, rank->ready_ps) + owed_ps;
    if (owed_ps)
        rank->cpu_free_ps = rank->ready_ps;
    rank->wait_ps += rank->ready_ps;
    rank->arrivals = m->next;
    rank->posted = (queue){NONE, NONE};
    rank->n_open = 0;
    rank->state = RUNNING;
    rank->position++;
    s->requests[rank->requests + s->receives[posted].request] = REQUEST_FREE;
    loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
    loggops_pool_drop(&s->receive_pool, &b->worker->receives, posted);
    return 1;
}

/* Short messages that came before the rank goes on, and that no receive waits for, are unexpected.
 * Returns 0 if another one has come. */
static int take_unexpected(simulation *s, sim_rank *rank, uint64_t end_ps)
{
    while (rank->arrivals != NONE) {
        const uint32_t i = rank->arrivals;
        const message *m = &s->messages[i];
        if (m->time_ps > rank->ready_ps || m->time_ps >= end_ps)
            return 1;
        if (rank->posted.first != NONE || m->request != EAGER || m->context & CLEARED ||
            m->may_overtake)
            return 0;
        rank->arrivals = m->next;
        loggops_append_message(s->messages, &rank->unexpected, i);
    }
    return 1;
}

/* Whether a short exchange may begin at that moment: loggops_run_rank tells why. */
static bool can_exchange(const simulation *s, const sim_rank *rank, const loggops_op *op,
                         uint64_t at_ps, uint64_t end_ps)
{
    if (op->kind != LOGGOPS_EXCHANGE || rank->step || op->peer < 0 || op->is_synchronous ||
        op->amount >= s->params.S_bytes)
        return 0;
    return at_ps < end_ps ||
           (rank->posted.first == NONE && at_ps < (s->window + AHEAD_WINDOWS) * s->window_ps);
}

/* Posts the receive of an exchange; returns whether its message is there. */
static int receive_first(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    if (rank->unexpected.first != NONE)
        return loggops_start_receive(s, b, r, step, at_ps);
    loggops_post_receive(s, b, &rank->posted, step, at_ps);
    return 0;
}

/* All three steps of an exchange, up to its wait. */
static void do_exchange(simulation *s, block *b, uint32_t r, const loggops_op *op, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    uint8_t *state = &s->requests[rank->requests + op->request];
    sim_step step = {.op = op,
                     .kind = LOGGOPS_EXCHANGE,
                     .context = 2 * op->comm,
                     .tag = op->tag,
                     .partner = loggops_partner_of(&s->run->comms[op->comm], r, op->peer),
                     .request = op->request,
                     .amount = op->amount};
    rank->p2p_ps += at_ps - rank->ready_ps;
    rank->ready_ps = at_ps;
    const bool is_there = receive_first(s, b, r, &step, at_ps);
    step.request = OF_CALL;
    loggops_start_send(s, b, r, &step, at_ps);
    rank->p2p_ps += rank->ready_ps - at_ps;
    b->n_operations += 3;
    if (!is_there) {
        *state = REQUEST_AWAITED;
        rank->n_open = 1;
        rank->state = IN_WAIT;
        rank->wait_ps -= rank->ready_ps;
        return;
    }
    *state = REQUEST_FREE;
    loggops_owe(s, rank, op->request);
    at_ps = rank->ready_ps;
    rank->ready_ps = loggops_pay(s, r, at_ps);
    rank->wait_ps += rank->ready_ps - at_ps;
    rank->position++;
}

int loggops_run_stretch(simulation *s, block *b, uint32_t r, uint64_t end_ps)
{
    sim_rank *rank = &s->ranks[r];
    while (rank->fibers == NONE && !(b->failures & NO_MEMORY)) {
        if (rank->state != RUNNING && rank->arrivals == NONE)
            return 1;
        if (rank->state == IN_WAIT && !end_wait(s, b, rank, r, end_ps))
            return 0;
        if (rank->state != RUNNING || !take_unexpected(s, rank, end_ps))
            return 0;
        const loggops_op *op = &s->run->programs[rank->program].ops[rank->position];
        if (op->kind == LOGGOPS_MORE)
            op = loggops_get_more(s, b, r);
        if (b->failures & NO_FEED)
            return 1;
        const uint64_t at_ps = later(rank->ready_ps, rank->cpu_free_ps);
        if (at_ps >= LOGGOPS_MOST_PS)
            return 0;
        if (op->kind == LOGGOPS_COMPUTE) {
            rank->ready_ps = rank->cpu_free_ps = at_ps + op->amount;
            rank->position++;
            b->n_operations++;
        } else if (can_exchange(s, rank, op, at_ps, end_ps)) {
            do_exchange(s, b, r, op, at_ps);
        } else {
            return 0;
        }
    }
    return 0;
}
