/* order.c - messages of one sender match in the order in which they were sent.
 *
 * MPI lets no message overtake another one from the same rank on the same communicator, if one
 * receive fits both.  In the model a message arrives as its size and the adapters let it: a short
 * one before a long one that was sent earlier, the request of a rendezvous, which takes no latency,
 * before both.  Such a message waits until the earlier one has arrived, and matches after it.
 *
 * What cannot overtake is not looked at.  `may_overtake` marks requests and messages whose sender
 * or receiver has had a message with a later moment before; if the adapters do not move the bytes,
 * it marks all where latencies depend on the size, and otherwise none.  For marked messages the
 * receiver looks for earlier ones when they arrive.  A message arrives a window or more after its
 * send began, so all that were sent before it are known by then: they are among the arrivals of the
 * rank, or on the way to the adapter of its node.
 */
#include "nodes.h"

#include <stdlib.h>

/* The latest of the earlier messages under way, 0 if there is none: of those with the same tag; of
 * all.  For one that has not passed the adapter, the moment at which it reaches that. */
typedef struct earlier {
    uint64_t same_tag_ps, any_ps;
} earlier;

static bool has_other_starts(const loggops_path *path)
{
    for (unsigned i = 1; i < path->n; i++)
        if (path->sizes[i].L_ps != path->sizes[0].L_ps ||
            path->sizes[i].o_ps != path->sizes[0].o_ps)
            return 1;
    return 0;
}

int loggops_order_open(simulation *s)
{
    const loggops_nodes *nodes = s->run->nodes;
    if (!s->moves_bytes && !s->n_sent && !has_other_starts(&nodes->between) &&
        !has_other_starts(&nodes->within))
        return 1;
    s->orders = calloc(s->run->n_ranks, sizeof *s->orders);
    return s->orders != NULL;
}

static void find_among(const simulation *s, uint32_t list, const message *m, earlier *found)
{
    for (uint32_t i = list; i != NONE; i = s->messages[i].next) {
        const message *e = &s->messages[i];
        if (e->source != m->source || e->to != m->to || e->context != m->context ||
            (int32_t)(e->sent - m->sent) >= 0)
            continue;
        found->any_ps = later(found->any_ps, e->time_ps);
        if (e->tag == m->tag)
            found->same_tag_ps = later(found->same_tag_ps, e->time_ps);
    }
}

static earlier find_earlier(const simulation *s, const message *m)
{
    const uint32_t *node_of = s->run->nodes->node_of;
    const sim_node *node = &s->nodes[node_of[m->to]];
    earlier found = {0, 0};
    if (s->orders[m->to].arrives_ps >= m->time_ps)
        find_among(s, s->ranks[m->to].arrivals, m, &found);
    if (node_of[m->source] != node_of[m->to]) {
        find_among(s, node->fresh, m, &found);
        find_among(s, node->arriving, m, &found);
    }
    return found;
}

bool loggops_has_earlier(const simulation *s, const message *m, const receive *wanted)
{
    earlier found = find_earlier(s, m);
    if (wanted->tag != LOGGOPS_ANY)
        return found.same_tag_ps != 0;
    find_among(s, s->ranks[m->to].unexpected.first, m, &found); /* in the order of their arrival */
    return found.any_ps != 0;
}

int loggops_order_first(simulation *s, sim_rank *rank)
{
    const uint32_t i = rank->arrivals;
    message *m = &s->messages[i];
    const earlier found = find_earlier(s, m);
    if (!found.any_ps) {
        m->may_overtake = 0;
        return 0;
    }
    const receive *wanted = loggops_find_receive(s->receives, &rank->posted, m);
    const uint64_t waits_ps =
        wanted && wanted->tag == LOGGOPS_ANY ? found.any_ps : found.same_tag_ps;
    if (!waits_ps)
        return 0;
    rank->arrivals = m->next;
    m->next = NONE;
    m->time_ps = later(m->time_ps, waits_ps);
    rank->arrivals = loggops_merge(s->messages, rank->arrivals, i);
    return 1;
}
