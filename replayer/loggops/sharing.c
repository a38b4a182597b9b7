/* sharing.c - long messages that leave a node share its adapter.
 *
 * Each gets as much of it.  The sharing is served in an order in which none is late: of the
 * messages that are there, the one that has the least left ends first. */
#include "nodes.h"

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

static void pass_time(sharing *h, uint64_t to_ps)
{
    if (to_ps <= h->at_ps)
        return;
    if (h->n)
        h->served_ps += (to_ps - h->at_ps) / h->n;
    h->at_ps = to_ps;
}

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
    pass_time(h, end_ps);
    h->served_ps = m.time_ps;
    h->first = m.next;
    if (m.context == REPLY) {
        tell_sender(s, b, &m, end_ps);
        loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
        return;
    }
    h->n--;
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
    pass_time(h, m->time_ps);
    m->left_ps = m->time_ps;
    if (awaited_bytes(s, m) < m->bytes)
        insert_part(s, b, h, m);
    insert_sharing(s, h, i, m->bytes);
    h->n++;
}
