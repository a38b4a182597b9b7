/* sharing.c - messages of many packets that leave a node share its adapter: long ones, and eager
 * ones that take turns (loggops_nodes.turns_bytes).
 *
 * Each gets as much of it.  The sharing is served in an order in which none is late: of the
 * messages that are there, the one that has the least left ends first.
 *
 * A node may have a limiter: the bandwidth of both directions together (smpi-approach,
 * section 3.2). A node that sends tells the other one when such a message begins to leave and when
 * it has left; the other node knows it a latency later. Of the messages that come, their own node
 * limits the rate: in an exchange, in which both do the same, this is what SimGrid's limiters do.
 *
 * Eager messages from one rank to another go one after the other, on a connection: only the first
 * one shares the adapter, and what follows it, of any size, waits behind it.  So nothing arrives
 * before what was sent earlier.  An eager message has the latency from the end of its time in the
 * adapter on; where that is shorter than a window, it is made known at the other adapter before
 * that end, as if nothing further came to share this adapter.
 */
#include "nodes.h"

#include <math.h>

/* The word that a long message may go has come from its receiver. Other ones are eager, or wait
 * behind one. */
static bool is_cleared(const message *m)
{
    return (m->context & CLEARED) != 0;
}

static uint32_t sender_of(const message *m)
{
    return (uint32_t)(is_cleared(m) ? m->to : m->source);
}

static uint32_t receiver_of(const message *m)
{
    return (uint32_t)(is_cleared(m) ? m->source : m->to);
}

static const loggops_costs *costs_of(const simulation *s, const message *m)
{
    return loggops_costs_for(s, sender_of(m), receiver_of(m), m);
}

static double factor_of(const simulation *s, const message *m)
{
    return loggops_factor(s, sender_of(m), receiver_of(m), m);
}

/* All messages have the same share of the limiter, unless their link gives them less: then the
 * others have the rest. */
double loggops_slowness(double limiter, uint32_t n_out, uint32_t n_in)
{
    const double n = n_out ? n_out : 1;
    return fmax(n, 1 / fmax(limiter / (n + n_in), (limiter - 1) / n));
}

static void pass_time(sharing *h, uint64_t to_ps)
{
    if (to_ps <= h->at_ps)
        return;
    const uint64_t passed_ps = to_ps - h->at_ps;
    if (h->n && loggops_is_limited(h))
        h->served_ps += (uint64_t)((double)passed_ps / loggops_slowness(h->limiter, h->n, h->n_in));
    else if (h->n)
        h->served_ps += passed_ps / h->n;
    h->at_ps = to_ps;
}

/* ---- the traffic that comes ---- */

/* Whether a message passes the limiters of its nodes. */
static int passes_limiter(const simulation *s, const message *m)
{
    const loggops_nodes *nodes = s->run->nodes;
    return nodes->limiter > 0 && m->bytes >= nodes->limiter_bytes;
}

/* Tells the node that receives a message that it has begun or ended to leave. */
static void tell_receiver(simulation *s, block *b, const message *m, bool has_left, uint64_t at_ps)
{
    if (!passes_limiter(s, m))
        return;
    const message traffic = {.context = TRAFFIC,
                             .source = (int32_t)sender_of(m),
                             .to = (int32_t)receiver_of(m),
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
        pass_time(h, m->time_ps);
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
    reply.time_ps =
        end_ps + loggops_way_beside(s, costs_of(s, m), awaited_bytes(s, m), factor_of(s, m));
    if (m->flow)
        loggops_links_hold_reply(s, b, &reply);
    else
        loggops_post(s, b, &reply);
}

/* ---- eager messages that take turns ---- */

static bool has_same_ends(const message *a, const message *b)
{
    return !is_cleared(a) && !is_cleared(b) && a->source == b->source && a->to == b->to;
}

/* Whether a list has an eager message that is sent before this one on the same connection; of all,
 * or of those that leave later than they were sent. */
static bool is_behind(const simulation *s, uint32_t list, int of_late, const message *m)
{
    for (uint32_t i = list; i != NONE; i = s->messages[i].next) {
        const message *e = &s->messages[i];
        if (has_same_ends(e, m) && (int32_t)(e->sent - m->sent) < 0 &&
            (!of_late || (e->takes_turns && e->left_ps)))
            return 1;
    }
    return 0;
}

int loggops_take_turn(simulation *s, block *b, sim_node *node, uint32_t i, uint32_t *rest)
{
    message *m = &s->messages[i];
    sharing *h = &node->shared;
    const bool was_late = m->takes_turns && m->left_ps;
    h->n_late -= was_late != 0;
    loggops_end_until(s, b, h, m->time_ps);
    if (is_behind(s, h->first, 0, m) || is_behind(s, h->waiting.first, 0, m) ||
        (h->n_late && is_behind(s, *rest, 1, m))) {
        s->orders[m->source].n_turns += !m->takes_turns;
        m->takes_turns = TAKES_TURNS;
        loggops_append_message(s->messages, &h->waiting, i);
        return 1;
    }
    if (m->takes_turns && !was_late && m->time_ps < node->sends.short_free_ps) {
        h->n_late++;
        m->left_ps = m->time_ps = node->sends.short_free_ps;
        m->next = NONE;
        *rest = loggops_merge(s->messages, *rest, i);
        return 1;
    }
    if (m->takes_turns)
        loggops_begin_sharing(s, b, h, i);
    return m->takes_turns;
}

/* Takes the first one out that waits behind such a message; NONE if there is none. */
static uint32_t next_behind(const simulation *s, sharing *h, const message *m)
{
    uint32_t *link = &h->waiting.first, before = NONE;
    while (*link != NONE && !has_same_ends(&s->messages[*link], m)) {
        before = *link;
        link = &s->messages[*link].next;
    }
    const uint32_t found = *link;
    if (found == NONE)
        return NONE;
    *link = s->messages[found].next;
    if (h->waiting.last == found)
        h->waiting.last = before;
    return found;
}

void loggops_send_question(simulation *s, block *b, uint32_t i, uint64_t at_ps)
{
    s->messages[i].time_ps = at_ps + s->quiet_window_ps;
    loggops_post_item(s, b, i);
}

/* What waits behind a message that has left may begin to: questions, and the first message. */
static void begin_next(simulation *s, block *b, sharing *h, const message *left, uint64_t at_ps)
{
    uint32_t i;
    while ((i = next_behind(s, h, left)) != NONE) {
        message *m = &s->messages[i];
        m->time_ps = later(at_ps, m->time_ps);
        if (m->request == EAGER) {
            loggops_begin_sharing(s, b, h, i);
            return;
        }
        m->takes_turns = NO_TURN;
        s->orders[m->source].n_turns--;
        loggops_send_question(s, b, i, m->time_ps);
    }
}

/* When an eager message arrives whose last byte leaves at end_ps. If it is alone, its bytes may
 * take less time than the adapter has for them. */
static uint64_t arrival_ps(const simulation *s, const message *m, uint64_t end_ps)
{
    const loggops_costs *c = costs_of(s, m);
    const double factor = factor_of(s, m);
    return end_ps + loggops_times(c->L_ps, factor) +
           loggops_times(loggops_per_bytes(c->B_ps_byte, m->bytes), factor) -
           loggops_times(loggops_busy_ps(c, m->bytes), factor);
}

/* A message goes on to the other node, through the links on its way. */
static void pass_on(simulation *s, block *b, uint32_t i, uint64_t end_ps)
{
    if (s->messages[i].flow)
        loggops_links_hold(s, b, i, end_ps);
    else
        loggops_send_to_node(s, b, i);
}

/* Makes an eager message known at the other adapter. It arrives in the next window at the earliest.
 */
static void announce(simulation *s, block *b, sharing *h, uint32_t i, uint64_t end_ps)
{
    const uint64_t next_window_ps = (s->window + 1) * s->window_ps;
    const uint32_t known = loggops_copy_message(s, b, &s->messages[i]);
    if (known == NONE)
        return;
    message *m = &s->messages[known];
    m->time_ps = later(arrival_ps(s, m, end_ps), next_window_ps);
    loggops_order_note(m, &s->orders[m->source].reaches_ps);
    pass_on(s, b, known, end_ps);
    s->messages[i].takes_turns = IS_KNOWN;
    h->n_unknown--;
}

uint64_t loggops_announce_turns(simulation *s, block *b, sharing *h, uint64_t end_ps)
{
    uint64_t at_ps = h->at_ps, served_ps = h->served_ps, again_ps = NEVER;
    uint32_t n = h->n;
    for (uint32_t i = h->first; i != NONE && h->n_unknown; i = s->messages[i].next) {
        const message *m = &s->messages[i];
        const uint64_t left_ps = m->time_ps - served_ps;
        at_ps +=
            loggops_is_limited(h)
                ? loggops_rounded_ps((double)left_ps * loggops_slowness(h->limiter, n, h->n_in))
                : left_ps * n;
        served_ps = m->time_ps;
        n -= m->context != REPLY;
        if (m->takes_turns != TAKES_TURNS)
            continue;
        const uint64_t known_ps = arrival_ps(s, m, at_ps);
        if (known_ps < end_ps + s->window_ps)
            announce(s, b, h, i, at_ps);
        else
            again_ps = sooner(again_ps, known_ps - s->window_ps);
    }
    return again_ps;
}

/* An eager message has left. */
static void end_turn(simulation *s, block *b, sharing *h, uint32_t i, uint64_t end_ps)
{
    const message *m = &s->messages[i];
    if (m->takes_turns == TAKES_TURNS)
        announce(s, b, h, i, end_ps);
    const message left = *m;
    s->orders[left.source].n_turns--;
    loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
    begin_next(s, b, h, &left, end_ps);
}

/* ---- the end of a message ---- */

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
    h->n_limited -= passes_limiter(s, &m) != 0;
    tell_receiver(s, b, &m, 1, end_ps);
    if (!is_cleared(&m))
        end_turn(s, b, h, i, end_ps);
    else if (m.flow == HAS_PASSED)
        loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
    else
        loggops_pass_data(s, b, i, end_ps);
}

void loggops_pass_data(simulation *s, block *b, uint32_t i, uint64_t end_ps)
{
    const message m = s->messages[i];
    message data = m;
    data.context = DATA | (m.context & COMBINES);
    data.request = m.request == UNAWAITED ? UNAWAITED : EAGER;
    data.source = m.to;
    data.to = m.source;
    data.time_ps = end_ps + loggops_way_beside(s, costs_of(s, &m), m.bytes, factor_of(s, &m));
    s->messages[i] = data;
    pass_on(s, b, i, end_ps);
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
    m->time_ps =
        h->served_ps + loggops_times(loggops_busy_ps(costs_of(s, m), bytes), factor_of(s, m));
    uint32_t *link = &h->first;
    while (*link != NONE && s->messages[*link].time_ps <= m->time_ps)
        link = &s->messages[*link].next;
    m->next = *link;
    *link = i;
}

/* The sender of a long message waits for a part of it: an item of its own. */
static void insert_part(simulation *s, block *b, sharing *h, message *m)
{
    const uint32_t i = loggops_copy_message(s, b, m);
    if (i == NONE)
        return;
    s->messages[i].context = REPLY;
    s->messages[i].flow = 0;
    m->request = EAGER;
    insert_sharing(s, h, i, awaited_bytes(s, &s->messages[i]));
}

static void enter_links(simulation *s, block *b, uint32_t i)
{
    const message *m = &s->messages[i];
    const loggops_costs *c = costs_of(s, m);
    const double factor = factor_of(s, m);
    loggops_links_enter(s, b, i, sender_of(m), receiver_of(m),
                        loggops_times(loggops_busy_ps(c, m->bytes), factor),
                        loggops_times(loggops_per_bytes(c->B_ps_byte, m->bytes), factor));
}

void loggops_begin_sharing(simulation *s, block *b, sharing *h, uint32_t i)
{
    message *m = &s->messages[i];
    loggops_end_until(s, b, h, m->time_ps);
    pass_time(h, m->time_ps);
    m->left_ps = m->time_ps;
    if (s->run->nodes->links)
        enter_links(s, b, i);
    tell_receiver(s, b, m, 0, m->time_ps);
    if (awaited_bytes(s, m) < m->bytes)
        insert_part(s, b, h, m);
    insert_sharing(s, h, i, m->bytes);
    h->n++;
    h->n_limited += passes_limiter(s, m) != 0;
    h->n_unknown += !is_cleared(m);
}
