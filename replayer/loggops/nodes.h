/* nodes.h - the network adapters of nodes, which their ranks share.
 *
 * Only nodes.c, sharing.c, links.c, order.c, retransmit.c and simulate.c include this header. */
#ifndef TLR_LOGGOPS_NODES_H
#define TLR_LOGGOPS_NODES_H

#include "simulate.h"

#include <stdbool.h>

/* One direction of an adapter: when it is free for messages below S, and for longer ones. */
typedef struct adapter {
    uint64_t short_free_ps, free_ps;
} adapter;

/* An interval in which the receiving adapter was idle for idle_ps. If several intervals were
 * merged, this is less than its length. */
typedef struct idle_time {
    uint64_t from_ps, to_ps, idle_ps;
} idle_time;
enum { IDLE_TIMES = 4 };

/* The messages of many packets that leave a node and share its adapter equally. At the time at_ps,
 * each of them has been served for served_ps, counted as time of the whole adapter. */
typedef struct sharing {
    uint64_t at_ps, served_ps;
    uint32_t n;         /* number of messages */
    uint32_t n_unknown; /* eager ones of them that the receiving adapter does not know yet */
    double limiter;     /* loggops_nodes.limiter of this node */
    uint32_t n_limited; /* those of the n for which the limiter of the node holds */
    uint32_t n_in;      /* the same for messages that come to the node */
    uint32_t n_late;    /* eager messages that leave later, after shorter ones */
    uint32_t first;     /* list, ordered by the served_ps at which each ends (message.time_ps) */
    queue waiting;      /* messages after an eager one from the same rank to the same rank */
} sharing;

/* The messages from one rank to another that pass an adapter: retransmit.c. */
typedef struct sim_flow {
    int32_t source, to;
    uint64_t passes_ps; /* when the last byte so far has passed */
    uint64_t stalls_ps; /* when the message that waits for a timeout arrives; 0: none waits */
} sim_flow;

typedef struct sim_node {
    adapter sends, receives;
    idle_time idle[IDLE_TIMES]; /* of `receives`, in order; idle_ps 0: unused */
    sharing shared;
    uint32_t n_ranks;
    uint64_t memory_free_ps; /* when the memory has copied all messages so far */
    /* Lists of messages: sent in this window, not sorted; sent earlier by sends that occupy the
     * CPU, in order; TRAFFIC about long messages that come to the node, in order; on the way to the
     * receiving adapter, not sorted and in order. */
    uint32_t leaving, held;
    uint32_t traffic;
    uint32_t fresh, arriving;
    uint32_t n_flows;
    size_t flows_room;
    sim_flow *flows;          /* flows that end here, if packets can be lost */
    uint64_t n_drawn, n_lost; /* messages that could lose packets; messages that lost some */
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

/* The factor by which messages take longer than alone: n_out messages share the adapter, and n_out
 * and n_in messages share the limiter. */
double loggops_slowness(double limiter, uint32_t n_out, uint32_t n_in);
static inline bool loggops_is_limited(const sharing *h)
{
    return h->n_limited && (h->n_in || h->limiter < 1);
}
/* When the next message has left if no other message begins to leave; NEVER if there is none. */
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
/* Ends all messages that have left before past_ps. */
void loggops_end_until(simulation *s, block *b, sharing *h, uint64_t past_ps);
/* The last byte of long message i has left: its data go on, and its sender gets to know. */
void loggops_pass_data(simulation *s, block *b, uint32_t i, uint64_t end_ps);
/* Begins to send the data of a long message, or an eager message that takes turns. */
void loggops_begin_sharing(simulation *s, block *b, sharing *h, uint32_t i);
/* Call it for a message that is about to leave, if its rank has eager messages that take turns.
 * Such a message, and a message behind it to the same rank, must wait for its turn.  If shorter
 * messages are first, it goes back into `rest`, the list of messages that leave later.  Returns 0
 * if the message need not wait. */
int loggops_take_turn(simulation *s, block *b, sim_node *node, uint32_t i, uint32_t *rest);
/* Announces eager messages that arrive in the next window to their receiving adapters; this window
 * ends at end_ps.  Returns when the node has to announce again; NEVER if no message is left. */
uint64_t loggops_announce_turns(simulation *s, block *b, sharing *h, uint64_t end_ps);
/* Posts the request of a rendezvous for the next window. */
void loggops_send_question(simulation *s, block *b, uint32_t i, uint64_t at_ps);
/* Add a TRAFFIC message to those of the node; apply those before past_ps. */
void loggops_traffic_take(simulation *s, sim_node *node, uint32_t i);
void loggops_change_traffic(simulation *s, block *b, sim_node *node, uint64_t past_ps);
static inline void loggops_traffic_until(simulation *s, block *b, sim_node *node, uint64_t past_ps)
{
    if (node->traffic != NONE)
        loggops_change_traffic(s, b, node, past_ps);
}

/* ---- links.c: only with loggops_nodes.links ---- */

/* Prepare and end a simulation. Begin returns 0 without memory. */
int loggops_links_begin(loggops_links *links, uint32_t n_ranks, unsigned n_threads);
void loggops_links_end(loggops_links *links);
/* Message i begins to leave its adapter at message.time_ps: its flow begins. It takes own_ps of the
 * adapter, and alone at least way_ps. */
void loggops_links_enter(simulation *s, block *b, uint32_t i, uint32_t from, uint32_t to,
                         uint64_t own_ps, uint64_t way_ps);
/* Message i has left its adapter at leaves_ps. It arrives at message.time_ps, or later if links
 * limit its flow. */
void loggops_links_hold(simulation *s, block *b, uint32_t i, uint64_t leaves_ps);
/* The same for the reply to its sender. */
void loggops_links_hold_reply(simulation *s, block *b, const message *reply);
/* Between two windows: moves the flows, and posts what has passed the links. 0 without memory. */
int loggops_links_pass(simulation *s);

/* ---- retransmit.c ---- */

/* When a message arrives whose first byte reaches the adapter at from_ps and whose last byte has
 * passed it at last_ps: at last_ps, or later by a timeout. */
uint64_t loggops_retransmit(const simulation *s, block *b, sim_node *node, const message *m,
                            uint64_t from_ps, uint64_t last_ps);
/* Returns the number of messages that waited for a timeout, and frees the flows of all nodes. */
uint64_t loggops_retransmissions_end(simulation *s);

#endif
