/* nodes.h - the adapters of nodes.
 *
 * For nodes.c, sharing.c, order.c, retransmit.c and simulate.c alone. */
#ifndef TLR_LOGGOPS_NODES_H
#define TLR_LOGGOPS_NODES_H

#include "simulate.h"

/* One direction of a node's adapter: when it is free for messages below S, and for the others. */
typedef struct adapter {
    uint64_t short_free_ps, free_ps;
} adapter;

/* A time in which the adapter that receives had nothing to do for idle_ps: for all of it, or, where
 * several were put together, for parts. */
typedef struct idle_time {
    uint64_t from_ps, to_ps, idle_ps;
} idle_time;
enum { IDLE_TIMES = 4 };

/* The messages of many packets that leave a node and share its adapter: each gets as much.
 * `served_ps` is how long a message that was there from the beginning would have had it for itself.
 */
typedef struct sharing {
    uint64_t at_ps, served_ps;
    uint32_t n;
    uint32_t n_unknown; /* of those, eager ones that are not known at the other adapter */
    double limiter;     /* loggops_nodes.limiter, of this node */
    uint32_t n_limited; /* of all, those that the limiter of the node holds for, if it has one */
    uint32_t n_in;      /* the same of messages that come to the node */
    uint32_t n_late;    /* eager ones that leave later, behind shorter ones */
    uint32_t first;     /* by the moment of their end: `time_ps` in terms of served_ps */
    queue waiting;      /* messages behind an eager one from the same rank to the same rank */
} sharing;

/* The messages from one rank to another that pass an adapter: retransmit.c. */
typedef struct sim_flow {
    int32_t source, to;
    uint64_t passes_ps; /* when the last byte of what has come so far has passed */
    uint64_t stalls_ps; /* when what waits for a timeout arrives; 0: nothing has */
} sim_flow;

typedef struct sim_node {
    adapter sends, receives;
    idle_time idle[IDLE_TIMES]; /* of `receives`, ascending; idle_ps is 0 where there is none */
    sharing shared;
    uint32_t n_ranks;
    uint32_t leaving, held;   /* messages that were sent: in this window, as they came; before it,
                                 by sends that hold the CPU, in order */
    uint32_t traffic;         /* what is known of long messages that come to it; in order */
    uint32_t fresh, arriving; /* on the way to the adapter that receives: as they came; in order */
    uint32_t n_flows, flows_room;
    sim_flow *flows;          /* that end here, if packets can be lost */
    uint64_t n_drawn, n_lost; /* messages that could lose packets; that did */
} sim_node;

/* ---- nodes.c ---- */

/* The time that a message has an adapter for itself. */
static inline uint64_t loggops_busy_ps(const loggops_costs *c, uint64_t bytes)
{
    return c->g_ps + loggops_per_bytes(c->G_ps_byte, bytes);
}
/* What a byte takes beside its time in the adapter that it leaves. */
uint64_t loggops_way_beside(const simulation *s, const loggops_costs *c, uint64_t bytes,
                            double factor);
/* Hands a message with bytes to the other node: of ranks of this block it is known at once. */
void loggops_send_to_node(simulation *s, block *b, uint32_t i);

/* ---- sharing.c ---- */

/* How many times as long as alone the messages take: those that leave share the adapter, and with
 * those that come the limiter. */
double loggops_slowness(double limiter, uint32_t n_out, uint32_t n_in);
static inline int loggops_is_limited(const sharing *h)
{
    return h->n_limited && (h->n_in || h->limiter < 1);
}
/* When the next message has left, if no other begins; NEVER if there is none. */
static inline uint64_t loggops_shared_end_ps(const simulation *s, const sharing *h)
{
    if (h->first == NONE)
        return NEVER;
    const uint64_t left_ps = s->messages[h->first].time_ps - h->served_ps;
    if (!loggops_is_limited(h))
        return h->at_ps + left_ps * h->n;
    const double slowness = loggops_slowness(h->limiter, h->n, h->n_in);
    return h->at_ps + loggops_rounded_ps((double)left_ps * slowness);
}
/* Ends all that have left before that moment. */
void loggops_end_until(simulation *s, block *b, sharing *h, uint64_t past_ps);
/* The data of a long message, or an eager one that takes turns, begin to leave. */
void loggops_begin_sharing(simulation *s, block *b, sharing *h, uint32_t i);
/* A message is about to leave whose rank has eager ones that take turns: it may be one, or behind
 * one on the way to the same rank.  Behind shorter ones, it leaves later: it goes back into `rest`,
 * the list of what leaves after it.  Returns 0 if it is neither, and has nothing to wait for. */
int loggops_take_turn(simulation *s, block *b, sim_node *node, uint32_t i, uint32_t *rest);
/* Lets the other adapters know eager messages that arrive in the window after this one, which ends
 * then.  Returns when the node has to do so again; NEVER if no message is left. */
uint64_t loggops_announce_turns(simulation *s, block *b, sharing *h, uint64_t end_ps);
/* The request of a rendezvous leaves, for the next window. */
void loggops_send_question(simulation *s, block *b, uint32_t i, uint64_t at_ps);
/* Something of the traffic that comes to a node is known; it changes before that moment. */
void loggops_traffic_take(simulation *s, sim_node *node, uint32_t i);
void loggops_change_traffic(simulation *s, block *b, sim_node *node, uint64_t past_ps);
static inline void loggops_traffic_until(simulation *s, block *b, sim_node *node, uint64_t past_ps)
{
    if (node->traffic != NONE)
        loggops_change_traffic(s, b, node, past_ps);
}

/* ---- retransmit.c ---- */

/* The moment at which a message arrives whose first byte reaches the adapter at from_ps and whose
 * last byte has passed it at last_ps: this moment, or later by a timeout. */
uint64_t loggops_retransmit(const simulation *s, block *b, sim_node *node, const message *m,
                            uint64_t from_ps, uint64_t last_ps);
/* How many messages waited for a timeout; frees the flows of all nodes. */
uint64_t loggops_retransmissions_end(simulation *s);

#endif
