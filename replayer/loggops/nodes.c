/* nodes.c - the adapters of nodes, which their ranks share.
 *
 * Messages pass the sender's adapter, then the receiver's, each g + kG after the one before.  Long
 * messages that the adapters move, and eager ones of many packets, share the first one instead:
 * each gets as much of it.  The ranks of a window run one after the other, in whatever order, so
 * what they send is put in order after that: it arrives o + L after the window began at the
 * earliest, as without an adapter.  What arrives at an adapter in a window was sent before it; it
 * is put in order before the ranks run. */
#include "nodes.h"

#include <stdlib.h>
#include <string.h>

static sim_node *node_of(const simulation *s, uint32_t rank)
{
    return &s->nodes[s->run->nodes->node_of[rank]];
}

/* ---- start ---- */

int loggops_nodes_fit(const loggops_run *run, unsigned bits)
{
    const loggops_nodes *nodes = run->nodes;
    uint32_t *first = nodes ? calloc(nodes->n_nodes, sizeof *first) : NULL;
    int do_fit = 1;
    if (nodes && !first)
        return 0;
    for (uint32_t r = 0; nodes && r < run->n_ranks && do_fit; r++) {
        uint32_t *of_node = &first[nodes->node_of[r]];
        if (!*of_node)
            *of_node = r + 1;
        do_fit = (*of_node - 1) >> bits == r >> bits;
    }
    free(first);
    return do_fit;
}

static uint64_t least_latency_ps(const loggops_path *path, uint64_t L_ps)
{
    for (unsigned i = 0; i < path->n; i++)
        L_ps = sooner(L_ps, path->sizes[i].L_ps);
    return L_ps;
}

/* A short message that leaves so long after a window, or later, arrives after the next one: it has
 * at least the least latency before it, which noise shortens as it does the window. */
static uint64_t ahead_of(const simulation *s)
{
    const loggops_nodes *nodes = s->run->nodes;
    uint64_t L_ps = least_latency_ps(&nodes->between, s->quiet_window_ps);
    if (nodes->memory_Bps > 0 && nodes->n_nodes < s->run->n_ranks)
        L_ps = least_latency_ps(&nodes->within, L_ps);
    const double shortened = (double)s->window_ps / (double)s->quiet_window_ps;
    return s->window_ps - (uint64_t)((double)L_ps * shortened);
}

int loggops_nodes_open(simulation *s)
{
    const loggops_nodes *nodes = s->run->nodes;
    s->nodes = calloc(nodes->n_nodes, sizeof *s->nodes);
    if (s->moves_bytes)
        s->debts = calloc(s->run->n_ranks, sizeof *s->debts);
    s->copied_ps = calloc(s->run->n_ranks, sizeof *s->copied_ps);
    if (!s->nodes || !s->copied_ps || (s->moves_bytes && !s->debts))
        return 0;
    for (uint32_t i = 0; i < nodes->n_nodes; i++) {
        s->nodes[i].shared.first = s->nodes[i].leaving = s->nodes[i].held = s->nodes[i].traffic =
            s->nodes[i].fresh = s->nodes[i].arriving = NONE;
        s->nodes[i].shared.waiting = (queue){NONE, NONE};
        s->nodes[i].shared.limiter = nodes->limiters ? nodes->limiters[i] : nodes->limiter;
    }
    s->ahead_ps = ahead_of(s);
    for (uint32_t r = 0; r < s->run->n_ranks; r++) {
        const uint32_t node = nodes->node_of[r];
        block *b = &s->blocks[r >> s->block_bits];
        if (s->nodes[node].n_ranks++)
            continue;
        if (!b->n_nodes++)
            b->first_node = node;
    }
    for (uint32_t i = 0; i < s->n_blocks; i++) {
        block *b = &s->blocks[i];
        const size_t n_words = b->n_nodes / 64 + 1;
        b->sending = calloc(3 * n_words, sizeof *b->sending);
        if (!b->sending)
            return 0;
        b->receiving = b->sending + n_words;
        b->sharing = b->receiving + n_words;
        b->arrives_ps = malloc((b->n_nodes + 1u) * sizeof *b->arrives_ps);
        if (!b->arrives_ps)
            return 0;
        for (uint32_t k = 0; k < b->n_nodes; k++)
            b->arrives_ps[k] = NEVER;
        b->adapters_at_ps = b->shared_at_ps = NEVER;
        memset(b->ahead, 0xff, sizeof b->ahead); /* NONE */
    }
    return 1;
}

/* ---- which nodes have messages ---- */

static void mark(uint64_t *bits, const simulation *s, const block *b, const sim_node *n)
{
    const uint32_t i = (uint32_t)(n - s->nodes) - b->first_node;
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* ---- one message ---- */

/* A rank that is alone on its node has the adapter as its own interface. */
static bool has_adapter(const simulation *s, uint32_t rank)
{
    return s->moves_bytes || node_of(s, rank)->n_ranks > 1;
}

static bool is_between(const simulation *s, uint32_t from, uint32_t to)
{
    return s->run->nodes->node_of[from] != s->run->nodes->node_of[to];
}

int loggops_shares_memory(const simulation *s, uint32_t from, uint32_t to)
{
    return s->moves_bytes && s->run->nodes->memory_Bps > 0 && !is_between(s, from, to);
}

int loggops_shares_adapter(const simulation *s, uint32_t from, uint32_t to)
{
    return s->run->nodes && is_between(s, from, to) && has_adapter(s, from);
}

/* A message leaves the node in this window. */
static void queue_at(simulation *s, block *b, sim_node *node, uint32_t i)
{
    s->messages[i].next = node->leaving;
    node->leaving = i;
    mark(b->sending, s, b, node);
}

void loggops_adapters_queue_ahead(simulation *s, block *b)
{
    const unsigned slot = s->window % AHEAD_WINDOWS;
    if (!(b->ahead_filled >> slot & 1))
        return;
    for (uint32_t i = b->ahead[slot].first, next; i != NONE; i = next) {
        next = s->messages[i].next;
        queue_at(s, b, node_of(s, (uint32_t)s->messages[i].source), i);
    }
    b->ahead[slot] = (queue){NONE, NONE};
    b->ahead_filled &= ~(UINT64_C(1) << slot);
}

uint64_t loggops_adapters_next_ahead(const simulation *s, const block *b)
{
    if (!b->ahead_filled)
        return NEVER;
    const unsigned first = (s->window + 1) % AHEAD_WINDOWS;
    const uint64_t in_order = first ? b->ahead_filled >> first | b->ahead_filled
                                                                     << (AHEAD_WINDOWS - first)
                                    : b->ahead_filled;
    return s->window + 1 + (uint64_t)__builtin_ctzll(in_order);
}

void loggops_adapter_queue(simulation *s, block *b, const message *m, uint64_t at_ps)
{
    const uint32_t i = loggops_copy_message(s, b, m);
    if (i == NONE)
        return;
    if (at_ps < (s->window + 1) * s->window_ps) {
        queue_at(s, b, node_of(s, (uint32_t)m->source), i);
        return;
    }
    const unsigned slot = at_ps / s->window_ps % AHEAD_WINDOWS;
    loggops_append_message(s->messages, &b->ahead[slot], i);
    b->ahead_filled |= UINT64_C(1) << slot;
}

/* The data of a long message may leave: its sender knows at a moment of this window. */
void loggops_adapter_clear(simulation *s, block *b, const message *answered, uint64_t at_ps)
{
    const uint32_t i = loggops_copy_message(s, b, answered);
    if (i == NONE)
        return;
    s->messages[i].context = CLEARED | (answered->context & COMBINES);
    s->messages[i].time_ps = at_ps;
    queue_at(s, b, node_of(s, (uint32_t)answered->to), i);
}

/* A message is on its way to the adapter that receives. */
static void queue_to_receive(simulation *s, block *b, uint32_t i)
{
    message *m = &s->messages[i];
    sim_node *node = node_of(s, (uint32_t)m->to);
    m->next = node->fresh;
    node->fresh = i;
    mark(b->receiving, s, b, node);
    uint64_t *arrives_ps = &b->arrives_ps[(uint32_t)(node - s->nodes) - b->first_node];
    *arrives_ps = sooner(*arrives_ps, m->time_ps);
    b->adapters_at_ps = sooner(b->adapters_at_ps, m->time_ps);
}

void loggops_send_to_node(simulation *s, block *b, uint32_t i)
{
    if (s->moves_bytes && &s->blocks[(uint32_t)s->messages[i].to >> s->block_bits] == b)
        queue_to_receive(s, b, i);
    else
        loggops_post_item(s, b, i);
}

/* What is known of traffic waits until it changes. */
static void keep_traffic(simulation *s, block *b, uint32_t i)
{
    const message *m = &s->messages[i];
    sim_node *node = node_of(s, (uint32_t)m->to);
    b->shared_at_ps = sooner(b->shared_at_ps, m->time_ps);
    mark(b->sharing, s, b, node);
    loggops_traffic_take(s, node, i);
}

int loggops_adapter_takes(simulation *s, block *b, uint32_t i)
{
    const message *m = &s->messages[i];
    if (m->context == TRAFFIC) {
        keep_traffic(s, b, i);
        return 1;
    }
    const bool is_cleared = (m->context & ~COMBINES) == CLEARED;
    const bool needs_bytes =
        m->request == EAGER || (m->context & ~COMBINES) == DATA || !s->moves_bytes;
    const uint32_t to = (uint32_t)m->to;
    if (!is_cleared && (m->context == REPLY || !needs_bytes || !has_adapter(s, to) ||
                        !is_between(s, (uint32_t)m->source, to)))
        return 0;
    if (is_cleared)
        queue_at(s, b, node_of(s, to), i);
    else
        queue_to_receive(s, b, i);
    return 1;
}

/* The envelope and the word that the data may go have taken a part of L. Noise lengthens what is
 * left; it shortens the window, which the word has taken if the adapters move the data by
 * themselves. */
static uint64_t rest_of_latency(const simulation *s, uint64_t L_ps, double factor)
{
    const uint64_t quiet_ps = s->quiet_window_ps, passed_ps = 2 * quiet_ps,
                   early_ps = s->answers_in_calls ? 0 : quiet_ps - s->window_ps;
    const uint64_t rest_ps = later(L_ps > passed_ps ? L_ps - passed_ps : 0, quiet_ps);
    const uint64_t noisy_ps = loggops_with_noise(rest_ps + early_ps, L_ps, factor);
    return later(noisy_ps, s->window_ps);
}

uint64_t loggops_way_beside(const simulation *s, const loggops_costs *c, uint64_t bytes,
                            double factor)
{
    const uint64_t way_ps = loggops_times(loggops_per_bytes(c->B_ps_byte, bytes), factor),
                   own_ps = loggops_times(loggops_busy_ps(c, bytes), factor);
    return rest_of_latency(s, c->L_ps + c->late_ps, factor) +
           (way_ps > own_ps ? way_ps - own_ps : 0);
}

/* A message that could pass from some moment on passes; returns when it begins to. */
static uint64_t pass(adapter *a, uint64_t own_ps, bool is_short, uint64_t from_ps)
{
    const uint64_t begin_ps = later(is_short ? a->short_free_ps : a->free_ps, from_ps);
    if (is_short)
        a->short_free_ps = begin_ps + own_ps;
    a->free_ps = later(a->free_ps, from_ps) + own_ps;
    return begin_ps;
}

/* ---- the adapter that receives ---- */

/* Long messages are known there when their last byte comes, other ones when their first one does.
 * So what a message has left of the adapter is remembered: a long one that began before it has
 * moved its bytes meanwhile. */

/* Of too many, the earliest two are put together: few messages still begin in them. */
static void remember_idle(idle_time *idle, const idle_time *new)
{
    unsigned n = 0;
    if (!new->idle_ps || new->to_ps <= new->from_ps)
        return;
    while (n < IDLE_TIMES && idle[n].idle_ps)
        n++;
    if (n == IDLE_TIMES) {
        idle[0].to_ps = idle[1].to_ps;
        idle[0].idle_ps += idle[1].idle_ps;
        memmove(&idle[1], &idle[2], (IDLE_TIMES - 2) * sizeof *idle);
        n--;
    }
    for (; n && idle[n - 1].from_ps > new->from_ps; n--)
        idle[n] = idle[n - 1];
    idle[n] = *new;
}

/* Takes a message's work out of the idle times from a moment on. Returns what is left of it;
 * *end_ps is when the last part of it is done. */
static uint64_t fill_idle(idle_time *idle, uint64_t from_ps, uint64_t work_ps, uint64_t *end_ps)
{
    idle_time before[IDLE_TIMES];
    memcpy(before, idle, sizeof before);
    memset(idle, 0, sizeof before);
    for (unsigned i = 0; i < IDLE_TIMES && before[i].idle_ps; i++) {
        const idle_time *t = &before[i];
        if (!work_ps || t->to_ps <= from_ps) {
            remember_idle(idle, t);
            continue;
        }
        const uint64_t begin_ps = later(t->from_ps, from_ps), length_ps = t->to_ps - begin_ps;
        const double share = (double)t->idle_ps / (double)(t->to_ps - t->from_ps);
        const uint64_t usable_ps = t->idle_ps == t->to_ps - t->from_ps
                                       ? length_ps
                                       : sooner(t->idle_ps, (uint64_t)(share * (double)length_ps));
        const uint64_t used_ps = sooner(work_ps, usable_ps);
        const uint64_t took_ps = used_ps < usable_ps
                                     ? sooner(length_ps, (uint64_t)((double)used_ps / share))
                                     : length_ps;
        work_ps -= used_ps;
        *end_ps = begin_ps + took_ps;
        remember_idle(idle, &(idle_time){t->from_ps, begin_ps, t->idle_ps - usable_ps});
        remember_idle(idle, &(idle_time){*end_ps, t->to_ps, usable_ps - used_ps});
    }
    return work_ps;
}

/* A message that could begin to pass the adapter at from_ps passes; returns when it has begun to.
 */
static uint64_t pass_in(const simulation *s, sim_node *node, uint64_t own_ps, bool is_short,
                        uint64_t from_ps)
{
    adapter *a = &node->receives;
    if (s->moves_bytes && from_ps > a->free_ps)
        remember_idle(node->idle, &(idle_time){a->free_ps, from_ps, from_ps - a->free_ps});
    return pass(a, own_ps, is_short, from_ps);
}

/* The same for one that shared the other adapter; returns when it has passed. */
static uint64_t pass_shared_in(const simulation *s, sim_node *node, uint64_t own_ps, bool is_short,
                               uint64_t from_ps)
{
    uint64_t end_ps = from_ps, left_ps = own_ps;
    if (from_ps < node->receives.free_ps &&
        !(left_ps = fill_idle(node->idle, from_ps, own_ps, &end_ps)))
        return end_ps;
    return pass_in(s, node, left_ps, is_short, from_ps) + left_ps;
}

/* ---- a window ---- */

/* The last byte has passed, unless packets were lost. */
static void give_passed(simulation *s, block *b, sim_node *node, uint32_t i, uint64_t from_ps)
{
    message *m = &s->messages[i];
    if (s->run->nodes->retransmission.loss > 0)
        m->time_ps = loggops_retransmit(s, b, node, m, from_ps, m->time_ps);
    loggops_give(s, b, i);
}

/* Messages that shared the other adapter leave room for others here: they are late only if not all
 * fit in between. The moment is that of the last byte. */
static uint64_t receive_data(simulation *s, sim_node *node, message *m)
{
    const loggops_costs *c = loggops_costs_for(s, (uint32_t)m->source, (uint32_t)m->to, m);
    const double factor = loggops_factor(s, (uint32_t)m->source, (uint32_t)m->to, m);
    const uint64_t own_ps = loggops_times(loggops_busy_ps(c, m->bytes), factor);
    const uint64_t from_ps = m->left_ps + loggops_way_beside(s, c, m->bytes, factor);
    const bool is_short = m->bytes < s->params.S_bytes;
    const uint64_t passed_ps = pass_shared_in(s, node, own_ps, is_short, from_ps);
    if (m->flow != HAS_SHARED) /* links.c knows what shares the link to this node */
        m->time_ps = later(m->time_ps, passed_ps);
    return from_ps;
}

/* The same for an eager one. If it is alone, its bytes may take less time than an adapter has for
 * them. */
static uint64_t receive_turn(simulation *s, sim_node *node, message *m)
{
    const loggops_costs *c = loggops_costs_for(s, (uint32_t)m->source, (uint32_t)m->to, m);
    const double factor = loggops_factor(s, (uint32_t)m->source, (uint32_t)m->to, m);
    const uint64_t own_ps = loggops_times(loggops_busy_ps(c, m->bytes), factor),
                   way_ps = loggops_times(loggops_per_bytes(c->B_ps_byte, m->bytes), factor),
                   from_ps = m->left_ps + loggops_times(c->L_ps, factor) +
                             (way_ps > own_ps ? way_ps - own_ps : 0),
                   passed_ps = pass_shared_in(s, node, own_ps, 0, from_ps),
                   less_ps = own_ps > way_ps ? own_ps - way_ps : 0;
    if (m->flow != HAS_SHARED)
        m->time_ps = later(m->time_ps, passed_ps - less_ps);
    m->time_ps += loggops_times(c->late_ps, factor);
    return from_ps;
}

static uint64_t receive_eager(simulation *s, const block *b, sim_node *node, message *m)
{
    const uint32_t from = (uint32_t)m->source, to = (uint32_t)m->to;
    const uint64_t from_ps = m->time_ps;
    if (s->moves_bytes) {
        const message_work *w = loggops_work_for(s, b->worker, from, to, m);
        const bool is_short = m->bytes < s->params.S_bytes;
        m->time_ps = pass_in(s, node, w->busy_ps, is_short, from_ps) +
                     loggops_times(w->late_ps + w->moved_ps, loggops_factor(s, from, to, m));
    } else {
        const loggops_costs *c = loggops_costs_for(s, from, to, m);
        m->time_ps = pass_in(s, node, loggops_busy_ps(c, m->bytes), 0, from_ps);
    }
    return from_ps;
}

static void receive_one(simulation *s, block *b, sim_node *node, uint32_t i)
{
    message *m = &s->messages[i];
    uint64_t from_ps;
    if ((m->context & ~COMBINES) == DATA)
        from_ps = receive_data(s, node, m);
    else if (m->takes_turns)
        from_ps = receive_turn(s, node, m);
    else
        from_ps = receive_eager(s, b, node, m);
    if (!m->flow) /* links.c gives no message more than its links have */
        loggops_count_demand(s, b, (uint32_t)m->source, (uint32_t)m->to, m->bytes, from_ps);
    give_passed(s, b, node, i, from_ps);
}

/* What arrives at one adapter; returns when something is left for later to arrive. */
static uint64_t receive_all(simulation *s, block *b, sim_node *n, uint64_t end_ps)
{
    if (n->fresh != NONE) {
        const uint32_t fresh = loggops_sort(s->messages, n->fresh);
        n->arriving = loggops_merge(s->messages, n->arriving, fresh);
        n->fresh = NONE;
    }
    while (n->arriving != NONE && s->messages[n->arriving].time_ps < end_ps) {
        const uint32_t i = n->arriving;
        n->arriving = s->messages[i].next;
        receive_one(s, b, n, i);
    }
    return n->arriving == NONE ? NEVER : s->messages[n->arriving].time_ps;
}

void loggops_adapters_receive(simulation *s, block *b, uint64_t end_ps)
{
    if (b->adapters_at_ps >= end_ps)
        return;
    uint64_t next_ps = NEVER;
    for (uint32_t first = 0; first < b->n_nodes; first += 64)
        for (uint64_t left = b->receiving[first / 64]; left; left &= left - 1) {
            const uint32_t i = first + (uint32_t)__builtin_ctzll(left);
            uint64_t *arrives_ps = &b->arrives_ps[i];
            if (*arrives_ps < end_ps)
                *arrives_ps = receive_all(s, b, &s->nodes[b->first_node + i], end_ps);
            if (*arrives_ps == NEVER)
                b->receiving[first / 64] &= ~(left & -left);
            next_ps = sooner(next_ps, *arrives_ps);
        }
    b->adapters_at_ps = next_ps;
}

static void send_eager(simulation *s, block *b, sim_node *node, uint32_t i)
{
    message *m = &s->messages[i];
    const uint32_t from = (uint32_t)m->source, to = (uint32_t)m->to;
    if (s->moves_bytes) {
        const message_work *w = loggops_work_for(s, b->worker, from, to, m);
        m->time_ps = pass(&node->sends, w->busy_ps, 1, m->time_ps) +
                     loggops_times(w->L_ps, loggops_factor(s, from, to, m));
        loggops_order_note(m, &s->orders[from].reaches_ps);
    } else { /* the moment is that of the arrival, were the adapter free */
        const loggops_costs *c = loggops_costs_for(s, from, to, m);
        const uint64_t from_ps =
            m->time_ps - c->o_ps - loggops_times(c->L_ps, loggops_factor(s, from, to, m));
        m->time_ps += pass(&node->sends, loggops_busy_ps(c, m->bytes), 0, from_ps) - from_ps;
    }
    loggops_send_to_node(s, b, i);
}

/* A message within the node: the cores copy a short one into shared memory and out of it, and the
 * core of the receiver copies a long one, once. A copy reads and writes each byte. The memory does
 * so for one message after the other, and so does a core with its long ones; left_ps is the time
 * that the message takes alone. */
static void copy_within(simulation *s, block *b, sim_node *node, uint32_t i)
{
    message *m = &s->messages[i];
    const bool is_long = (m->context & ~COMBINES) == DATA;
    const double copies = is_long ? 1 : 2,
                 memory_ps = 1e12 * 2 * copies * (double)m->bytes / s->run->nodes->memory_Bps;
    uint64_t *copied_ps = &s->copied_ps[m->to], from_ps = m->time_ps;
    node->memory_free_ps = later(node->memory_free_ps, from_ps) + loggops_rounded_ps(memory_ps);
    if (is_long)
        from_ps = later(from_ps, *copied_ps);
    m->time_ps = later(from_ps + m->left_ps, node->memory_free_ps);
    if (is_long)
        *copied_ps = m->time_ps;
    if (is_long && m->request != UNAWAITED) {
        const message reply = {.time_ps = m->time_ps,
                               .source = m->to,
                               .to = m->source,
                               .request = m->request,
                               .context = REPLY};
        loggops_post(s, b, &reply);
        m->request = EAGER;
    }
    loggops_post_item(s, b, i);
}

/* A message waits at the adapter while its send holds the CPU: others may leave before it. It
 * leaves in a window after which it cannot arrive too early. */
static int leaves_by(const simulation *s, const message *m, uint64_t end_ps)
{
    return !s->moves_bytes || m->time_ps < end_ps + s->ahead_ps;
}

/* `rest`: the list of what leaves after it. */
static void send_one(simulation *s, block *b, sim_node *n, uint32_t i, uint32_t *rest)
{
    const message *m = &s->messages[i];
    loggops_traffic_until(s, b, n, m->time_ps);
    if (loggops_shares_memory(s, (uint32_t)m->source, (uint32_t)m->to))
        copy_within(s, b, n, i);
    else if ((m->context & ~COMBINES) == CLEARED)
        loggops_begin_sharing(s, b, &n->shared, i);
    else if (s->moves_bytes && s->orders[m->source].n_turns && loggops_take_turn(s, b, n, i, rest))
        return;
    else if (s->moves_bytes && m->request != EAGER)
        loggops_send_question(s, b, i, m->time_ps);
    else
        send_eager(s, b, n, i);
}

/* What leaves one adapter; returns whether something still does. */
static int send_all(simulation *s, block *b, sim_node *n, uint64_t end_ps)
{
    uint32_t i = loggops_merge(s->messages, n->held, loggops_sort(s->messages, n->leaving));
    n->leaving = NONE;
    for (uint32_t next; i != NONE && leaves_by(s, &s->messages[i], end_ps); i = next) {
        next = s->messages[i].next;
        send_one(s, b, n, i, &next);
    }
    n->held = i;
    loggops_traffic_until(s, b, n, end_ps);
    if (n->traffic != NONE)
        b->shared_at_ps = sooner(b->shared_at_ps, s->messages[n->traffic].time_ps);
    if (i != NONE)
        b->shared_at_ps = sooner(b->shared_at_ps, s->messages[i].time_ps - s->ahead_ps);
    if (n->shared.first != NONE) {
        loggops_end_until(s, b, &n->shared, end_ps);
        b->shared_at_ps = sooner(b->shared_at_ps, loggops_announce_turns(s, b, &n->shared, end_ps));
        b->shared_at_ps = sooner(b->shared_at_ps, loggops_shared_end_ps(s, &n->shared));
    }
    return n->held != NONE || n->traffic != NONE || n->shared.first != NONE;
}

/* Nodes from which long messages leave, or that hold messages, are of interest only when one has
 * left or may leave.  Until then, shared_at_ps may be too early, if others have begun to leave
 * since. */
void loggops_adapters_send(simulation *s, block *b, uint64_t end_ps)
{
    const bool has_left = b->shared_at_ps < end_ps;
    if (has_left)
        b->shared_at_ps = NEVER;
    for (uint32_t first = 0; first < b->n_nodes; first += 64) {
        uint64_t *still = &b->sharing[first / 64];
        uint64_t left = b->sending[first / 64] | (has_left ? *still : 0);
        b->sending[first / 64] = 0;
        for (; left; left &= left - 1) {
            const uint32_t i = first + (uint32_t)__builtin_ctzll(left);
            *still &= ~(left & -left);
            if (send_all(s, b, &s->nodes[b->first_node + i], end_ps))
                *still |= left & -left;
        }
    }
}
