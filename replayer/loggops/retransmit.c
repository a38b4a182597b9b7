/* retransmit.c - messages that wait for TCP's retransmission timeout (loggops_retransmission).
 *
 * A node keeps the flows that end at it: one for each pair of ranks, while bytes pass its adapter
 * or the pair waits for a timeout.  What follows on a flow that waits arrives after the timeout, in
 * order, since TCP delivers in order.  A draw depends on the seed, the receiving node and the
 * number of the message there: on nothing that depends on threads.
 *
 * Messages come in the order of their last bytes.  For a long one, from_ps is earlier than for some
 * that came before, so it may miss a flow that has been dropped since. */
#include "nodes.h"

#include "core/room.h"
#include "machine/rank_model.h"

#include <math.h>
#include <stdlib.h>

/* Ethernet's 1,500 bytes without the headers of IP and TCP, with a time stamp. */
enum { PACKET_BYTES = 1448 };

/* Drops the flows that have ended, and counts those of other pairs whose bytes pass. */
static uint32_t count_others(sim_node *node, const message *m, uint64_t from_ps, sim_flow **own)
{
    uint32_t n_others = 0, n = 0;
    *own = NULL;
    for (uint32_t i = 0; i < node->n_flows; i++) {
        const sim_flow *f = &node->flows[i];
        if (f->passes_ps <= from_ps && f->stalls_ps <= from_ps)
            continue;
        node->flows[n] = *f;
        if (f->source == m->source && f->to == m->to)
            *own = &node->flows[n];
        else
            n_others += f->passes_ps > from_ps;
        n++;
    }
    node->n_flows = n;
    return n_others;
}

/* NULL without memory. */
static sim_flow *add_flow(sim_node *node, const message *m)
{
    if (!tl_make_room(&node->flows, node->n_flows, &node->flows_room, sizeof *node->flows))
        return NULL;
    sim_flow *f = &node->flows[node->n_flows++];
    *f = (sim_flow){.source = m->source, .to = m->to};
    return f;
}

/* Whether at least one packet of the message is lost beside so many other flows. */
static bool is_lost(const simulation *s, const sim_node *node, uint64_t bytes, uint32_t n_others)
{
    const loggops_retransmission *r = &s->run->nodes->retransmission;
    if (n_others + 1 < r->first_flows)
        return 0;
    const double n_packets = bytes ? ceil((double)bytes / PACKET_BYTES) : 1,
                 n_chances = n_packets * (double)(n_others + 2 - r->first_flows);
    const tlr_draw_key key = {.seed = r->seed,
                              .purpose = TLR_DRAW_PACKET,
                              .rank = (uint32_t)(node - s->nodes),
                              .index = node->n_drawn};
    return tlr_draw_uniform(&key) < -expm1(n_chances * log1p(-r->loss));
}

uint64_t loggops_retransmit(const simulation *s, block *b, sim_node *node, const message *m,
                            uint64_t from_ps, uint64_t last_ps)
{
    sim_flow *own;
    const uint32_t n_others = count_others(node, m, from_ps, &own);
    uint64_t arrives_ps = last_ps;
    if (!own && !(own = add_flow(node, m))) {
        b->failures |= NO_MEMORY;
        return last_ps;
    }
    node->n_drawn++;
    if (own->stalls_ps > from_ps) {
        arrives_ps = own->stalls_ps = later(own->stalls_ps + 1, last_ps);
    } else if (is_lost(s, node, m->bytes, n_others)) {
        node->n_lost++;
        arrives_ps = own->stalls_ps = last_ps + s->run->nodes->retransmission.timeout_ps;
    }
    own->passes_ps = later(own->passes_ps, last_ps);
    return arrives_ps;
}

uint64_t loggops_retransmissions_end(simulation *s)
{
    uint64_t n_lost = 0;
    for (uint32_t i = 0; s->nodes && i < s->run->nodes->n_nodes; i++) {
        n_lost += s->nodes[i].n_lost;
        free(s->nodes[i].flows);
        s->nodes[i].flows = NULL;
    }
    return n_lost;
}
