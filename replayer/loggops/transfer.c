/* transfer.c - sends and receives: the LogGOPS model itself (loggops.h). */
#include "simulate.h"

void loggops_post_item(simulation *s, block *b, uint32_t i)
{
    const uint32_t to = (uint32_t)s->messages[i].to >> s->block_bits;
    loggops_append_message(s->messages, &b->worker->boxes[0][to], i);
    b->n_letters++;
}

void loggops_post(simulation *s, block *b, const message *m)
{
    const uint32_t i = loggops_copy_message(s, b, m);
    if (i != NONE)
        loggops_post_item(s, b, i);
}

void loggops_drop_message(simulation *s, const block *b, uint32_t i)
{
    loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
}

/* ---- sends and receives ---- */

void loggops_work_out(message_work *w, const loggops_path *path, uint64_t bytes)
{
    const loggops_costs *c = loggops_costs_on(path, bytes);
    *w = (message_work){.bytes = bytes,
                        .path = path,
                        .send_ps = c->o_ps + loggops_per_bytes(c->O_ps_byte, bytes),
                        .busy_ps = c->g_ps + loggops_per_bytes(c->G_ps_byte, bytes),
                        .L_ps = c->L_ps,
                        .late_ps = c->late_ps,
                        .moved_ps = loggops_per_bytes(c->B_ps_byte, bytes),
                        .receive_ps =
                            c->o_receive_ps + loggops_per_bytes(c->O_receive_ps_byte, bytes)};
}

double loggops_draw_factor(const simulation *s, uint32_t from, uint32_t to, const message *m)
{
    const loggops_nodes *nodes = s->run->nodes;
    const int path =
        nodes->node_of[from] == nodes->node_of[to] ? TLR_WITHIN_HOST : TLR_BETWEEN_HOSTS;
    return tlr_message_factor(&nodes->messages, 0, from, m->sent, path, (double)m->bytes);
}

/* When the CPU has done so much work of a kind from a moment on. */
static uint64_t done_at(const simulation *s, uint32_t r, tlr_work work, uint64_t from_ps,
                        uint64_t work_ps)
{
    return s->noise && (s->noise->disturbs & work) ? tlr_noise_end(s->noise, r, from_ps, work_ps)
                                                   : from_ps + work_ps;
}

uint64_t loggops_occupy_with_noise(simulation *s, uint32_t r, tlr_work work, uint64_t from_ps,
                                   uint64_t work_ps)
{
    const uint64_t end_ps = done_at(s, r, work, from_ps, work_ps);
    s->result->ranks[r].noise_ps += end_ps - from_ps - work_ps;
    s->ranks[r].cpu_free_ps = end_ps;
    return end_ps;
}

static void resume_program(sim_rank *rank, uint64_t at_ps)
{
    rank->state = RUNNING;
    if (rank->ready_ps < at_ps)
        rank->ready_ps = at_ps;
}

/* The program waits for a receive that is complete. */
void loggops_owe(const simulation *s, sim_rank *rank, uint32_t request)
{
    if (!s->owed_ps)
        return;
    uint64_t *owed_ps = &s->owed_ps[rank->requests + request];
    rank->owed_ps += *owed_ps;
    *owed_ps = 0;
}

/* The CPU does what receives have left to do until the program waits for them.  A collective beside
 * the program may still hold the CPU. */
uint64_t loggops_pay(simulation *s, uint32_t r, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const uint64_t owed_ps = rank->owed_ps;
    rank->owed_ps = 0;
    if (at_ps < rank->cpu_free_ps)
        at_ps = rank->cpu_free_ps;
    return loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps, owed_ps);
}

/* Something that the rank started is done. */
void loggops_complete(simulation *s, block *b, uint32_t r, uint32_t request, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    if (request == UNAWAITED) {
        return;
    } else if (request == OF_CALL || request == OF_BUFFERED) {
        resume_program(rank, at_ps);
        rank->p2p_ps += rank->ready_ps;
        if (rank->step) /* the send of an exchange */
            rank->step++;
        else
            rank->position++;
    } else if (request == OF_COLLECTIVE) {
        if (--rank->n_open == 0 && rank->state == IN_COLLECTIVE) {
            resume_program(rank, at_ps);
            rank->step++;
        }
    } else if (request >= OF_FIBER) {
        fiber *f = &b->fibers[request - OF_FIBER];
        if (--f->n_open == 0 && f->is_waiting) {
            f->is_waiting = 0;
            f->ready_ps = at_ps;
            f->step++;
        }
    } else if (s->run->graph) {
        loggops_graph_complete(s, b, r, request, at_ps);
    } else {
        uint8_t *state = &s->requests[rank->requests + request];
        const int awaited = *state == REQUEST_AWAITED;
        *state = awaited ? REQUEST_FREE : REQUEST_DONE;
        if (!awaited)
            return;
        /* The wait may not have begun, or the CPU may be at an earlier receive. */
        if (at_ps < rank->ready_ps)
            at_ps = rank->ready_ps;
        if (s->moves_bytes && rank->owed_ps)
            rank->ready_ps = at_ps = loggops_pay(s, r, at_ps);
        if (--rank->n_open == 0) {
            resume_program(rank, at_ps);
            rank->wait_ps += rank->ready_ps;
            rank->position++;
        }
    }
}

/* What the CPU does to combine what a receive brought. */
static uint64_t combining_ps(const simulation *s, uint64_t bytes)
{
    return loggops_rounded_ps(s->params.R_ps_byte * (double)bytes);
}

/* The CPU combines what a receive brought, which it has in memory at that moment. */
static uint64_t combine(simulation *s, uint32_t r, uint64_t bytes, uint64_t at_ps)
{
    return loggops_occupy(s, r, TLR_WORK_REDUCTIONS, at_ps, combining_ps(s, bytes));
}

uint64_t loggops_pay_debt(simulation *s, uint32_t r, uint64_t at_ps)
{
    sim_debt *debt = &s->debts[r];
    at_ps = loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps, debt->overheads_ps);
    at_ps = loggops_occupy(s, r, TLR_WORK_REDUCTIONS, at_ps, debt->reductions_ps);
    *debt = (sim_debt){0};
    s->ranks[r].owes = 0;
    return at_ps;
}

/* What the CPU does to receive a message that the adapters have moved. */
static uint64_t receiving_ps(const simulation *s, const block *b, uint32_t r, const message *m)
{
    const uint32_t from = (uint32_t)m->source;
    const bool is_awaited = m->context & CLEARED && m->request != UNAWAITED;
    const loggops_path *path = loggops_path_for(s, from, r, m);
    return is_awaited && path->charges_as_smpi && !path->charges_long
               ? 0
               : loggops_work_on(b->worker, path, m->bytes)->receive_ps;
}

/* The CPU receives a message that the adapters have moved, and may combine it: in the call that
 * waits for it, or in the wait for the request. A collective waits for it when it has sent what it
 * sends before. */
static uint64_t take_moved(simulation *s, const block *b, uint32_t r, const message *m,
                           uint32_t request, int combines, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const uint64_t work_ps = receiving_ps(s, b, r, m);
    if (request < OF_FIBER) {
        s->owed_ps[rank->requests + request] = work_ps;
        if (s->requests[rank->requests + request] == REQUEST_AWAITED)
            loggops_owe(s, rank, request);
        return at_ps;
    }
    if (request == OF_COLLECTIVE && rank->state == RUNNING) {
        s->debts[r].overheads_ps += work_ps;
        s->debts[r].reductions_ps += combines ? combining_ps(s, m->bytes) : 0;
        rank->owes = 1;
        return at_ps;
    }
    if (at_ps < rank->cpu_free_ps)
        at_ps = rank->cpu_free_ps;
    if (request == OF_CALL && at_ps < rank->ready_ps) /* the call begins later */
        at_ps = rank->ready_ps;
    at_ps = loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps, work_ps);
    return combines ? combine(s, r, m->bytes, at_ps) : at_ps;
}

uint64_t loggops_take_in(simulation *s, block *b, uint32_t r, const message *m, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const loggops_costs *c = loggops_costs_for(s, (uint32_t)m->source, r, m);
    const double G_ps_byte = c->G_ps_byte * loggops_factor(s, (uint32_t)m->source, r, m);
    const double slowest = G_ps_byte > c->O_ps_byte ? G_ps_byte : c->O_ps_byte;
    rank->next_recv_ps = at_ps + c->g_ps + loggops_per_bytes(G_ps_byte, m->bytes);
    if (m->request != EAGER && m->request != UNAWAITED) {
        const message reply = {.time_ps = at_ps + c->o_ps + c->L_ps,
                               .source = (int32_t)r,
                               .to = m->source,
                               .request = m->request,
                               .context = REPLY};
        loggops_post(s, b, &reply);
    }
    return loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps,
                          c->o_ps + loggops_per_bytes(slowest, m->bytes));
}

/* Whether the question has room within a node, in all that a message takes there, and between nodes
 * also the answer, in the latency. */
static bool has_room(const simulation *s, uint64_t L_ps, uint64_t bytes_ps, bool is_within)
{
    return is_within ? L_ps + bytes_ps >= 2 * s->quiet_window_ps : L_ps >= 3 * s->quiet_window_ps;
}

/* A long message that the adapters move begins to: sender and receiver are ready.  Between nodes
 * the sender's adapter has to know (loggops_adapters_send). */
static void begin_transfer(simulation *s, block *b, uint32_t r, const message *m, uint32_t request,
                           int combines, uint64_t at_ps)
{
    const loggops_nodes *nodes = s->run->nodes;
    const bool is_within = nodes->node_of[r] == nodes->node_of[m->source];
    const loggops_costs *c = loggops_costs_for(s, (uint32_t)m->source, r, m);
    const uint32_t begins = s->answers_in_calls ? ANSWERED : CLEARED;
    const uint64_t quiet_ps = s->quiet_window_ps,
                   full_ps = c->L_ps + c->late_ps + loggops_per_bytes(c->B_ps_byte, m->bytes),
                   way_ps = full_ps > 2 * quiet_ps ? full_ps - quiet_ps : quiet_ps,
                   moved_ps = loggops_with_noise(way_ps, full_ps,
                                                 loggops_factor(s, (uint32_t)m->source, r, m));
    message part = {.time_ps =
                        at_ps + (is_within || !s->answers_in_calls ? s->window_ps : quiet_ps),
                    .bytes = m->bytes,
                    .context = is_within ? REPLY : begins,
                    .tag = (int32_t)request,
                    .source = (int32_t)r,
                    .to = m->source,
                    .request = m->request,
                    .sent = s->n_sent ? m->sent : 0,
                    .way = m->way};
    if (combines)
        part.context |= COMBINES;
    if (is_within && part.time_ps < at_ps + moved_ps)
        part.time_ps = at_ps + moved_ps;
    const int shares = loggops_shares_memory(s, (uint32_t)m->source, r);
    if (!is_within || (m->request != UNAWAITED && !shares))
        loggops_post(s, b, &part);
    if (!is_within)
        return;
    part.context = DATA | (combines ? COMBINES : 0);
    part.source = m->source;
    part.to = (int32_t)r;
    part.next = NONE;
    if (shares) {
        part.left_ps = part.time_ps - at_ps;
        part.time_ps = at_ps;
        loggops_adapter_queue(s, b, &part, at_ps);
        return;
    }
    part.request = m->request == UNAWAITED ? UNAWAITED : EAGER;
    const uint32_t i = loggops_copy_message(s, b, &part);
    if (i == NONE)
        return;
    s->ranks[r].arrivals = loggops_merge(s->messages, i, s->ranks[r].arrivals);
}

/* A receive that is posted at a moment takes a message by rendezvous, which is there. */
static void match_at(simulation *s, uint32_t r, uint32_t i, uint32_t request, int combines,
                     uint64_t at_ps)
{
    message *m = &s->messages[i];
    m->context = MATCHED | (combines ? COMBINES : 0);
    m->tag = (int32_t)request;
    m->time_ps = at_ps;
    m->next = NONE;
    m->may_overtake = 0;
    s->ranks[r].arrivals = loggops_merge(s->messages, i, s->ranks[r].arrivals);
}

/* When the transfer of a message by rendezvous begins, whose question is known at at_ps and whose
 * receive is posted at posted_ps. SMPI has no question: the latency begins when sender and receiver
 * are ready. The question has taken a window of it, which a later receive has still to come. */
static uint64_t both_ready_ps(const simulation *s, uint32_t r, const message *m, uint64_t posted_ps,
                              uint64_t at_ps)
{
    const loggops_path *path = loggops_path_for(s, (uint32_t)m->source, r, m);
    if (!path->charges_as_smpi || s->answers_in_calls)
        return at_ps > posted_ps ? at_ps : posted_ps;
    const uint32_t *node_of = s->run->nodes->node_of;
    const bool is_within = node_of[m->source] == node_of[r];
    const loggops_costs *c = loggops_costs_on(path, m->bytes);
    const uint64_t bytes_ps = loggops_per_bytes(c->B_ps_byte, m->bytes),
                   asked_ps = has_room(s, c->L_ps + c->late_ps, bytes_ps, is_within)
                                  ? s->quiet_window_ps
                                  : 0;
    return at_ps > posted_ps + asked_ps ? at_ps : posted_ps + asked_ps;
}

/* When the rank is in a call next: now, if it is in one. */
static uint64_t next_call_ps(const simulation *s, const sim_rank *rank, uint64_t at_ps)
{
    uint64_t call_ps = at_ps < rank->ready_ps ? rank->ready_ps : at_ps;
    if (rank->state != RUNNING) /* since ready_ps */
        return call_ps;
    const loggops_op *op = &s->run->programs[rank->program].ops[rank->position];
    for (; op->kind == LOGGOPS_COMPUTE || op->kind == LOGGOPS_MARK; op++)
        call_ps += op->kind == LOGGOPS_COMPUTE ? op->amount : 0;
    return call_ps;
}

/* Whether a request or its answer, arrival i, is not handled now because the rank is not in a call:
 * it comes again at the next one, or later if noise holds up the rank. */
static int waits_for_call(simulation *s, sim_rank *rank, uint32_t i, uint64_t at_ps)
{
    message *m = &s->messages[i];
    const uint64_t call_ps = next_call_ps(s, rank, at_ps);
    if (call_ps <= at_ps)
        return 0;
    m->time_ps = call_ps;
    m->next = NONE;
    rank->arrivals = loggops_merge(s->messages, i, rank->arrivals);
    return 1;
}

/* The CPU takes what a receive was posted for. */
static inline void finish_receive(simulation *s, block *b, uint32_t r, const message *m,
                                  uint32_t request, int combines, uint64_t at_ps)
{
    if (s->moves_bytes) {
        at_ps = take_moved(s, b, r, m, request, combines, at_ps);
    } else {
        at_ps = loggops_take_in(s, b, r, m, at_ps);
        if (combines)
            at_ps = combine(s, r, m->bytes, at_ps);
    }
    loggops_complete(s, b, r, request, at_ps);
}

/* Handles what the engine sends itself: the reply to a rendezvous, its data, a message that a
 * receive has taken before. */
static void take_letter(simulation *s, block *b, uint32_t r, const message *m, uint64_t at_ps)
{
    const int combines = (m->context & COMBINES) != 0;
    sim_rank *rank = &s->ranks[r];
    if (m->context == REPLY) {
        if (m->request < OF_FIBER && s->requests[rank->requests + m->request] == REQUEST_AWAITED)
            loggops_owe(s, rank, m->request);
        loggops_complete(s, b, r, m->request, at_ps);
    } else if ((m->context & ~COMBINES) == DATA && (uint32_t)m->tag == UNAWAITED) {
        return; /* into the memory of a rank that takes no part */
    } else if ((m->context & ~COMBINES) == DATA || !s->moves_bytes) {
        finish_receive(s, b, r, m, (uint32_t)m->tag, combines, at_ps);
    } else if ((m->context & ~COMBINES) == ANSWERED) {
        loggops_adapter_clear(s, b, m, at_ps);
    } else {
        begin_transfer(s, b, r, m, (uint32_t)m->tag, combines, at_ps);
    }
}

/* Handles the earliest arrival, at the moment that arrival_ready tells. */
void loggops_take_arrival(simulation *s, block *b, uint32_t r, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const uint32_t i = rank->arrivals;
    const message m = s->messages[i];
    if (m.may_overtake && loggops_order_first(s, rank))
        return;
    rank->arrivals = m.next;
    if (m.context & CLEARED) {
        if (m.context != REPLY && (m.context & (HELD | ANSWERED) & ACTS) &&
            waits_for_call(s, rank, i, at_ps))
            return;
        loggops_drop_message(s, b, i);
        take_letter(s, b, r, &m, at_ps);
        return;
    }
    const uint32_t posted = loggops_match_receive(s->receives, &rank->posted, &m);
    if (posted == NONE) {
        if (m.request == EAGER && !s->moves_bytes)
            loggops_take_in(s, b, r, &m, at_ps);
        loggops_append_message(s->messages, &rank->unexpected, i);
        return;
    }
    const receive taken = s->receives[posted];
    const uint64_t ready_ps = m.request != EAGER && s->moves_bytes
                                  ? both_ready_ps(s, r, &m, s->posted_ps[posted], at_ps)
                                  : at_ps;
    loggops_pool_drop(&s->receive_pool, &b->worker->receives, posted);
    if (at_ps < ready_ps) {
        match_at(s, r, i, taken.request, taken.combines, ready_ps);
        return;
    }
    if (m.request != EAGER && s->answers_in_calls) {
        match_at(s, r, i, taken.request, taken.combines, at_ps);
        s->messages[i].context = HELD | (taken.combines ? COMBINES : 0);
        return;
    }
    loggops_drop_message(s, b, i);
    if (m.request != EAGER && s->moves_bytes)
        begin_transfer(s, b, r, &m, taken.request, taken.combines, at_ps);
    else
        finish_receive(s, b, r, &m, taken.request, taken.combines, at_ps);
}

/* When the receiver gets to know of a long message, one window after the send began at the
 * earliest. The rest of the way is what remains (begin_transfer, rest_of_latency): if the way has
 * room for the question, and between nodes for the answer, both begin when the CPU has done its
 * part. */
static uint64_t question_ps(const simulation *s, uint64_t at_ps, uint64_t end_ps,
                            const message_work *w, bool is_within)
{
    const uint64_t quiet_ps = s->quiet_window_ps, first_ps = at_ps + quiet_ps;
    if (has_room(s, w->L_ps + w->late_ps, w->moved_ps, is_within))
        return end_ps + quiet_ps;
    return end_ps > first_ps ? end_ps : first_ps;
}

/* What the CPU does to send a message that the adapters move. */
static uint64_t sending_ps(const sim_step *step, const loggops_path *path, const message_work *w)
{
    const loggops_op *op = step->op;
    const int as_smpi = path->charges_as_smpi;
    if (step->starts && !(as_smpi && op->is_persistent)) {
        const loggops_costs *c = loggops_costs_on(path, step->amount);
        return c->o_start_ps + loggops_per_bytes(c->O_start_ps_byte, step->amount);
    }
    const bool is_free = as_smpi && !path->charges_long && step->is_rendezvous &&
                         !op->is_synchronous && !op->is_buffered;
    return is_free ? 0 : w->send_ps;
}

/* A send whose bytes the adapters move: they begin when the CPU has done its part, those of long
 * messages when the receiver is ready as well. */
static void send_by_adapters(simulation *s, block *b, uint32_t r, const sim_step *step,
                             uint64_t at_ps, message *m)
{
    const loggops_nodes *nodes = s->run->nodes;
    const bool is_within = nodes->node_of[r] == nodes->node_of[m->to];
    const uint32_t to = (uint32_t)m->to;
    m->way =
        nodes->ways ? loggops_way_between(nodes->ways, nodes->node_of[r], nodes->node_of[to]) : 0;
    const loggops_path *path = loggops_path_for(s, r, to, m);
    const message_work *w = loggops_work_on(b->worker, path, step->amount);
    const uint64_t end_ps =
        loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps, sending_ps(step, path, w));
    s->ranks[r].ready_ps = end_ps;
    m->time_ps = end_ps;
    if (is_within)
        loggops_count_demand(s, b, r, to, m->bytes, at_ps);
    if (step->is_rendezvous) {
        if (nodes->send_buffer_bytes && m->request == OF_CALL && !step->op->is_synchronous &&
            !is_within)
            m->request = OF_BUFFERED;
        m->may_overtake = 1;
        m->time_ps = question_ps(s, at_ps, end_ps, w, is_within);
        if (!is_within && s->orders[r].n_turns) { /* it may be behind an eager message */
            m->time_ps -= s->quiet_window_ps;
            loggops_adapter_queue(s, b, m, at_ps);
            return;
        }
    } else if (is_within) {
        m->left_ps = loggops_times(w->L_ps + w->late_ps + w->moved_ps, loggops_factor(s, r, to, m));
        if (loggops_shares_memory(s, r, to)) {
            loggops_adapter_queue(s, b, m, at_ps);
            return;
        }
        m->time_ps += m->left_ps;
    } else {
        m->takes_turns =
            nodes->turns_bytes && m->bytes >= nodes->turns_bytes ? TAKES_TURNS : NO_TURN;
        s->orders[r].n_turns += m->takes_turns;
        loggops_adapter_queue(s, b, m, at_ps);
        return;
    }
    loggops_post(s, b, m);
}

void loggops_start_send(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    message m = {.bytes = step->amount,
                 .context = step->context,
                 .tag = step->tag,
                 .source = (int32_t)r,
                 .to = step->partner,
                 .request = !step->is_rendezvous    ? EAGER
                            : step->op->is_buffered ? UNAWAITED
                                                    : step->request,
                 .sent = (uint32_t)b->n_messages++,
                 .operation = s->run->graph ? step->request : 0};
    if (s->n_sent)
        m.sent = s->n_sent[r]++;
    if (s->moves_bytes) {
        send_by_adapters(s, b, r, step, at_ps, &m);
        return;
    }
    const loggops_costs *c = loggops_costs_of(s, r, (uint32_t)step->partner, step->amount);
    m.time_ps = done_at(s, r, TLR_WORK_OVERHEADS, at_ps, c->o_ps) +
                loggops_times(c->L_ps, loggops_factor(s, r, (uint32_t)step->partner, &m));
    rank->next_send_ps = at_ps + c->g_ps + loggops_per_bytes(c->G_ps_byte, step->amount);
    rank->ready_ps = loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps,
                                    c->o_ps + loggops_per_bytes(c->O_ps_byte, step->amount));
    if (loggops_shares_adapter(s, r, (uint32_t)step->partner))
        loggops_adapter_queue(s, b, &m, at_ps);
    else
        loggops_post(s, b, &m);
}

void loggops_post_receive(simulation *s, block *b, queue *posted, const sim_step *step,
                          uint64_t at_ps)
{
    const uint32_t i = loggops_pool_take(&s->receive_pool, &b->worker->receives);
    if (i == NONE || (s->moves_bytes && i >= s->posted_pool.n_items)) {
        b->failures |= NO_MEMORY;
        return;
    }
    if (s->moves_bytes)
        s->posted_ps[i] = at_ps;
    s->receives[i] = (receive){.context = step->context,
                               .tag = step->tag,
                               .source = step->partner,
                               .request = step->request,
                               .combines = step->combines != 0};
    loggops_append_receive(s->receives, posted, i);
}

/* Posts a receive; returns whether it is complete at once. */
int loggops_start_receive(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const receive wanted = {.source = step->partner, .tag = step->tag, .context = step->context};
    const uint32_t m = loggops_match_message(s, &rank->unexpected, &wanted);
    if (m != NONE && s->messages[m].request == EAGER) {
        if (s->moves_bytes)
            rank->ready_ps =
                take_moved(s, b, r, &s->messages[m], step->request, step->combines, at_ps);
        else if (step->combines)
            rank->ready_ps = combine(s, r, s->messages[m].bytes, at_ps);
        loggops_drop_message(s, b, m);
        return 1;
    }
    if (m != NONE)
        match_at(s, r, m, step->request, step->combines,
                 s->moves_bytes ? both_ready_ps(s, r, &s->messages[m], at_ps, at_ps) : at_ps);
    else
        loggops_post_receive(s, b, &rank->posted, step, at_ps);
    return 0;
}
