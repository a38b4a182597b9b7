/* access.c - accesses to the memory of other ranks, and what ends after a time of its own. */
#include "simulate.h"

/* The request of the rank is done at that moment. */
static void end_at(simulation *s, block *b, uint32_t r, uint32_t request, uint64_t at_ps)
{
    const message reply = {.time_ps = at_ps,
                           .context = REPLY,
                           .source = (int32_t)r,
                           .to = (int32_t)r,
                           .request = request,
                           .next = NONE};
    const uint32_t i = loggops_copy_message(s, b, &reply);
    if (i != NONE)
        s->ranks[r].arrivals = loggops_merge(s->messages, s->ranks[r].arrivals, i);
}

/* Between nodes an access is what is left of a long message when its sender's adapter gets to know
 * that its receiver is ready.  By then such a message has spent two windows of its latency. */
static uint64_t begins_ps(const simulation *s, const loggops_costs *c, uint64_t at_ps)
{
    const uint64_t quiet_ps = s->quiet_window_ps, L_ps = c->L_ps + c->late_ps,
                   word_ps = s->answers_in_calls ? quiet_ps : s->window_ps;
    return at_ps + sooner(quiet_ps + word_ps, L_ps > quiet_ps ? L_ps - quiet_ps : 0);
}

static void pass_adapters(simulation *s, block *b, uint32_t r, const sim_step *step, message *m,
                          uint64_t at_ps)
{
    const loggops_costs *c = loggops_costs_of(s, r, (uint32_t)step->partner, step->amount);
    const uint64_t begins_at_ps = begins_ps(s, c, at_ps);
    m->context = CLEARED;
    if (step->kind == LOGGOPS_PUT) {
        m->source = step->partner;
        m->to = (int32_t)r;
        m->request = step->request;
        m->tag = (int32_t)UNAWAITED;
        loggops_adapter_clear(s, b, m, begins_at_ps);
        return;
    }
    const uint64_t known_ps = at_ps + s->window_ps; /* by the other rank's adapter */
    m->source = (int32_t)r;
    m->to = step->partner;
    m->request = UNAWAITED;
    m->tag = (int32_t)step->request;
    m->time_ps = later(begins_at_ps, known_ps);
    loggops_post(s, b, m);
}

void loggops_start_access(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps)
{
    sim_rank *rank = &s->ranks[r];
    const uint64_t bytes = step->amount;
    s->requests[rank->requests + step->request] = REQUEST_PENDING;
    if (step->kind == LOGGOPS_TIMER) {
        end_at(s, b, r, step->request, at_ps + step->amount);
        return;
    }
    const uint32_t other = (uint32_t)step->partner;
    const loggops_costs *c = loggops_costs_of(s, r, other, bytes);
    message m = {.bytes = bytes, .sent = (uint32_t)b->n_messages++};
    if (s->n_sent)
        m.sent = s->n_sent[r]++;
    if (!s->moves_bytes) { /* the CPUs move the bytes of messages, but not these */
        const uint64_t own_ps = c->o_ps + loggops_per_bytes(c->O_ps_byte, bytes),
                       moved_ps = c->L_ps + loggops_per_bytes(c->G_ps_byte, bytes),
                       factor_ps = loggops_times(moved_ps, loggops_factor(s, r, other, &m));
        rank->ready_ps = loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps, own_ps);
        end_at(s, b, r, step->request, rank->ready_ps + factor_ps + own_ps);
        return;
    }
    rank->ready_ps = loggops_occupy(s, r, TLR_WORK_OVERHEADS, at_ps,
                                    c->o_start_ps + loggops_per_bytes(c->O_start_ps_byte, bytes));
    const message_work *w = loggops_work_on(b->worker, loggops_path_of(s, r, other), bytes);
    s->owed_ps[rank->requests + step->request] = w->receive_ps;
    if (s->run->nodes->node_of[r] != s->run->nodes->node_of[other]) {
        pass_adapters(s, b, r, step, &m, rank->ready_ps);
    } else {
        loggops_count_demand(s, b, r, other, bytes, at_ps);
        const uint64_t own_ps =
            loggops_times(w->L_ps + w->late_ps + w->moved_ps, loggops_factor(s, r, other, &m));
        if (!loggops_shares_memory(s, r, other)) {
            end_at(s, b, r, step->request, rank->ready_ps + own_ps);
            return;
        }
        m.context = DATA;
        m.source = (int32_t)r;
        m.to = step->partner;
        m.request = step->request;
        m.tag = (int32_t)UNAWAITED;
        m.time_ps = rank->ready_ps;
        m.left_ps = later(own_ps, s->window_ps);
        loggops_adapter_queue(s, b, &m, at_ps);
    }
}
