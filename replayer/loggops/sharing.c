/* sharing.c - long messages that leave a node share its adapter.
 *
 * Each gets as much of it.  The sharing is served in an order in which none is late: of the
 * messages that are there, the one that has the least left ends first.
 *
 * A node may have a limiter: the bandwidth of both directions together (smpi-approach,
 * section 3.2). A node that sends tells the other one when a long message begins to leave and when
 * it has left; the other node knows it a latency later. Of the messages that come, their own node
 * limits the rate: in an exchange, in which both do the same, this is what SimGrid's limiters do.
 */
#include "nodes.h"

#include <math.h>

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static const loggops_costs *costs_of_cleared(const simulation *s, const message *m)
{
    return loggops_costs_of(s, (uint32_t)m->to, (uint32_t)m->source, m->bytes);
}

static double factor_of_cleared(const simulation *s, const message *m)
{
    return loggops_factor(s, (uint32_t)m->to, (uint32_t)m->source, m);
}

/* All messages have the same share of the limiter, unless their link gives them less: then the
 * others have the rest. */
double loggops_slowness(double limiter, uint32_t n_out, uint32_t n_in)
{
    const double n = n_out ? n_out : 1;
    return fmax(n, 1 / fmax(limiter / (n + n_in), (limiter - 1) / n));
}

static void pass_time(const simulation *s, sharing *h, uint64_t to_ps)
{
    if (to_ps <= h->at_ps)
        return;
    const uint64_t passed_ps = to_ps - h->at_ps;
    if (h->n && loggops_is_limited(s, h))
        h->served_ps +=
            (uint64_t)((double)passed_ps / loggops_slowness(s->run->nodes->limiter, h->n, h->n_in));
    else if (h->n)
        h->served_ps += passed_ps / h->n;
    h->at_ps = to_ps;
}

/* ---- the traffic that comes ---- */

/* Tells the node that receives a long message that it has begun or ended to leave. */
static void tell_receiver(simulation *s, block *b, const message *m, int has_left, uint64_t at_ps)
{
    const loggops_nodes *nodes = s->run->nodes;
    if (nodes->limiter <= 0 || m->bytes < nodes->limiter_bytes)
        return;
    const message traffic = {.context = TRAFFIC,
                             .source = m->to,
                             .to = m->source,
                             .request = has_left ? NONE : 0,
                             .time_ps = at_ps + s->window_ps};
    loggops_post(s, b, &traffic);
}

void loggops_traffic_take(simulation *s, sim_node *node, uint32_t i)
{
    s->messages[i].next = NONE;
    node->traffic = loggops_merge(s->messages, node->traffic, i);
}

void loggops_change_traffic(simulation *s, block *b, sim_node *node, uint64_t past_ps)
{
    sharing *h = &node->shared;
    while (node->traffic != NONE && s->messages[node->traffic].time_ps < past_ps) {
        const uint32_t i = node->traffic;
        const message *m = &s->messages[i];
        loggops_end_until(s, b, h, m->time_ps);
        pass_time(s, h, m->time_ps);
        h->n_in += m->request == NONE ? UINT32_MAX : 1;
        node->traffic = m->next;
        loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
    }
}

/* ---- the traffic that leaves ---- */

/* The bytes of a long message beyond those that its sender does not wait for, because they fit into
 * its buffer. The part that goes with the question does not count (smpi/shims/buffer.c). */
static uint64_t awaited_bytes(const simulation *s, const message *m)
{
    const uint64_t buffer = s->run->nodes->send_buffer_bytes;
    return m->request != OF_BUFFERED               ? m->bytes
           : m->bytes > buffer + s->params.S_bytes ? m->bytes - buffer
                                                   : sooner(m->bytes, s->params.S_bytes);
}

/* The last byte that the sender waits for has left: its send ends when this byte has arrived, were
 * the receiving adapter free.  That adapter computes the delay in the window in which the
 * byte arrives, and a reply needs a further window. */
static void tell_sender(simulation *s, block *b, const message *m, uint64_t end_ps)
{
    message reply = *m;
    reply.context = REPLY;
    reply.time_ps = end_ps + loggops_way_beside(s, costs_of_cleared(s, m), awaited_bytes(s, m),
                                                factor_of_cleared(s, m));
    loggops_post(s, b, &reply);
}

/* What comes first has left: the receiver's adapter or the sender gets to know. */
static void end_first(simulation *s, block *b, sharing *h)
{
    const uint64_t end_ps = loggops_shared_end_ps(s, h);
    const uint32_t i = h->first;
    const message m = s->messages[i];
    pass_time(s, h, end_ps);
    h->served_ps = m.time_ps;
    h->first = m.next;
    if (m.context == REPLY) {
        tell_sender(s, b, &m, end_ps);
        loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
        return;
    }
    h->n--;
    tell_receiver(s, b, &m, 1, end_ps);
    message data = m;
    data.context = DATA | (m.context & COMBINES);
    data.request = m.request == UNAWAITED ? UNAWAITED : EAGER;
    data.source = m.to;
    data.to = m.source;
    data.time_ps =
        end_ps + loggops_way_beside(s, costs_of_cleared(s, &m), m.bytes, factor_of_cleared(s, &m));
    s->messages[i] = data;
    loggops_send_to_node(s, b, i);
    if (m.request != EAGER && m.request != UNAWAITED)
        tell_sender(s, b, &m, end_ps);
}

void loggops_end_until(simulation *s, block *b, sharing *h, uint64_t past_ps)
{
    while (loggops_shared_end_ps(s, h) < past_ps)
        end_first(s, b, h);
}

/* The item ends when so many bytes of its message have left. */
static void insert_sharing(simulation *s, sharing *h, uint32_t i, uint64_t bytes)
{
    message *m = &s->messages[i];
    m->time_ps = h->served_ps + loggops_times(loggops_busy_ps(costs_of_cleared(s, m), bytes),
                                              factor_of_cleared(s, m));
    uint32_t *link = &h->first;
    while (*link != NONE && s->messages[*link].time_ps <= m->time_ps)
        link = &s->messages[*link].next;
    m->next = *link;
    *link = i;
}

/* The sender of a long message waits for a part of it: an item of its own. */
static void insert_part(simulation *s, block *b, sharing *h, message *m)
{
    const uint32_t i = loggops_pool_take(&s->message_pool, &b->worker->messages);
    if (i == NONE) {
        b->out_of_memory = 1;
        return;
    }
    s->messages[i] = *m;
    s->messages[i].context = REPLY;
    m->request = EAGER;
    insert_sharing(s, h, i, awaited_bytes(s, &s->messages[i]));
}

void loggops_begin_sharing(simulation *s, block *b, sharing *h, uint32_t i)
{
    message *m = &s->messages[i];
    loggops_end_until(s, b, h, m->time_ps);
    pass_time(s, h, m->time_ps);
    m->left_ps = m->time_ps;
    tell_receiver(s, b, m, 0, m->time_ps);
    if (awaited_bytes(s, m) < m->bytes)
        insert_part(s, b, h, m);
    insert_sharing(s, h, i, m->bytes);
    h->n++;
}
