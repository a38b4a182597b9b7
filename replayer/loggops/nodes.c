/* nodes.c - the adapters of nodes, which their ranks share.
 *
 * Messages pass the sender's adapter, then the receiver's, each g + kG after the one before.  The
 * ranks of a window run one after the other, in whatever order, so what they send is put in order
 * after that: it arrives o + L after the window began at the earliest, as without an adapter.  What
 * arrives at an adapter in a window was sent before it; it is put in order before the ranks run. */
#include "simulate.h"

#include <stdlib.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

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

int loggops_nodes_open(simulation *s)
{
    const loggops_nodes *nodes = s->run->nodes;
    s->nodes = calloc(nodes->n_nodes, sizeof *s->nodes);
    if (!s->nodes)
        return 0;
    for (uint32_t i = 0; i < nodes->n_nodes; i++)
        s->nodes[i].leaving = s->nodes[i].fresh = s->nodes[i].arriving = NONE;
    for (uint32_t r = 0; r < s->run->n_ranks; r++) {
        const uint32_t node = nodes->node_of[r];
        block *b = &s->blocks[r >> s->block_bits];
        if (s->nodes[node].n_ranks++)
            continue;
        if (!b->n_nodes++)
            b->first_node = node;
    }
    return 1;
}

/* ---- one message ---- */

/* A rank that is alone on its node has the adapter as its own interface. */
static int has_adapter(const simulation *s, uint32_t rank)
{
    return s->run->nodes->move_bytes || node_of(s, rank)->n_ranks > 1;
}

static int is_between(const simulation *s, uint32_t from, uint32_t to)
{
    return s->run->nodes->node_of[from] != s->run->nodes->node_of[to];
}

int loggops_shares_adapter(const simulation *s, uint32_t from, uint32_t to)
{
    return s->run->nodes && is_between(s, from, to) && has_adapter(s, from);
}

void loggops_adapter_queue(simulation *s, block *b, uint32_t r, const message *m)
{
    const uint32_t i = loggops_pool_take(&s->message_pool, &b->worker->messages);
    if (i == NONE) {
        b->out_of_memory = 1;
        return;
    }
    s->messages[i] = *m;
    s->messages[i].next = node_of(s, r)->leaving;
    node_of(s, r)->leaving = i;
    b->n_leaving++;
}

int loggops_adapter_takes(simulation *s, block *b, uint32_t i)
{
    message *m = &s->messages[i];
    const int is_cleared = (m->context & ~COMBINES) == CLEARED;
    const int needs_bytes = m->request == EAGER || !s->run->nodes->move_bytes;
    const uint32_t to = (uint32_t)m->to;
    if (!is_cleared && (m->context == REPLY || !needs_bytes || !has_adapter(s, to) ||
                        !is_between(s, (uint32_t)m->source, to)))
        return 0;
    uint32_t *list = is_cleared ? &node_of(s, to)->leaving : &node_of(s, to)->fresh;
    m->next = *list;
    *list = i;
    ++*(is_cleared ? &b->n_leaving : &b->n_fresh);
    return 1;
}

/* A message that could pass from some moment on passes; returns when it begins to. */
static uint64_t pass(const simulation *s, adapter *a, const loggops_costs *c, uint64_t bytes,
                     uint64_t from_ps)
{
    const uint64_t busy_ps = c->g_ps + loggops_per_bytes(c->G_ps_byte, bytes);
    const int is_short = s->run->nodes->move_bytes && bytes < s->params.S_bytes;
    const uint64_t begin_ps = later(is_short ? a->short_free_ps : a->free_ps, from_ps);
    if (is_short)
        a->short_free_ps = begin_ps + busy_ps;
    a->free_ps = later(a->free_ps, from_ps) + busy_ps;
    return begin_ps;
}

/* ---- a window ---- */

static void receive_one(simulation *s, block *b, sim_node *node, uint32_t i)
{
    message *m = &s->messages[i];
    const loggops_costs *c = loggops_costs_of(s, (uint32_t)m->source, (uint32_t)m->to, m->bytes);
    m->time_ps = pass(s, &node->receives, c, m->bytes, m->time_ps);
    if (s->run->nodes->move_bytes)
        m->time_ps += loggops_per_bytes(c->B_ps_byte, m->bytes);
    loggops_give(s, b, i);
}

void loggops_adapters_receive(simulation *s, block *b, uint64_t end_ps)
{
    if (!b->n_fresh && b->adapters_at_ps >= end_ps)
        return;
    b->adapters_at_ps = NEVER;
    b->n_fresh = 0;
    for (sim_node *n = &s->nodes[b->first_node], *past = n + b->n_nodes; n < past; n++) {
        if (n->fresh != NONE)
            n->arriving =
                loggops_merge(s->messages, n->arriving, loggops_sort(s->messages, n->fresh));
        n->fresh = NONE;
        while (n->arriving != NONE && s->messages[n->arriving].time_ps < end_ps) {
            const uint32_t i = n->arriving;
            n->arriving = s->messages[i].next;
            receive_one(s, b, n, i);
        }
        if (n->arriving != NONE && s->messages[n->arriving].time_ps < b->adapters_at_ps)
            b->adapters_at_ps = s->messages[n->arriving].time_ps;
    }
}

/* The data of a long message go, and the sender gets to know when they are there. */
static void send_cleared(simulation *s, block *b, sim_node *node, const message *m)
{
    const uint32_t sender = (uint32_t)m->to, receiver = (uint32_t)m->source;
    const loggops_costs *c = loggops_costs_of(s, sender, receiver, m->bytes);
    const uint64_t passed_ps = 2 * s->window_ps, /* by the envelope and by this word */
        L_ps = later(c->L_ps > passed_ps ? c->L_ps - passed_ps : 0, s->window_ps);
    message data = *m;
    data.time_ps = pass(s, &node->sends, c, m->bytes, m->time_ps) + L_ps;
    const message reply = {.time_ps = data.time_ps + loggops_per_bytes(c->B_ps_byte, m->bytes),
                           .source = m->source,
                           .to = m->to,
                           .request = m->request,
                           .context = REPLY};
    data.context = DATA | (m->context & COMBINES);
    data.request = EAGER;
    data.source = m->to;
    data.to = m->source;
    loggops_post(s, b, &data);
    loggops_post(s, b, &reply);
}

static void send_eager(simulation *s, block *b, sim_node *node, const message *m)
{
    const loggops_costs *c = loggops_costs_of(s, (uint32_t)m->source, (uint32_t)m->to, m->bytes);
    message sent = *m;
    if (s->run->nodes->move_bytes) {
        sent.time_ps = pass(s, &node->sends, c, m->bytes, m->time_ps) + c->L_ps;
    } else { /* the moment is that of the arrival, were the adapter free */
        const uint64_t from_ps = m->time_ps - c->o_ps - c->L_ps;
        sent.time_ps += pass(s, &node->sends, c, m->bytes, from_ps) - from_ps;
    }
    loggops_post(s, b, &sent);
}

void loggops_adapters_send(simulation *s, block *b)
{
    if (!b->n_leaving)
        return;
    b->n_leaving = 0;
    for (sim_node *n = &s->nodes[b->first_node], *past = n + b->n_nodes; n < past; n++) {
        if (n->leaving == NONE)
            continue;
        uint32_t i = loggops_sort(s->messages, n->leaving);
        n->leaving = NONE;
        while (i != NONE) {
            const message m = s->messages[i];
            loggops_pool_drop(&s->message_pool, &b->worker->messages, i);
            if ((m.context & ~COMBINES) == CLEARED)
                send_cleared(s, b, n, &m);
            else
                send_eager(s, b, n, &m);
            i = m.next;
        }
    }
}
