/* links.c - links that several nodes use, which long messages share.
 *
 * The messages that share the adapter of their node (sharing.c) are flows here. A flow takes the
 * links of its route. All flows share each link as in SimGrid: max-min fairness with the weights
 * that SimGrid gives to routes. If a link that several nodes use limits a flow, the message arrives
 * when its flow has ended, and otherwise when its adapter says so: where no link is contended, the
 * links change nothing.
 *
 * Between two windows, one thread adds the flows that began, works out their rates and hands over
 * the messages whose flows have ended. These arrive a latency later, which is not shorter than a
 * window. The order of the flows does not depend on the threads.
 *
 * The rates are worked out again when a part of the flows has changed, or after a part of the time
 * that the flows still take. So a flow costs as much in a large machine as in a small one. The new
 * rates hold from the mean moment of the changes.
 */
#include "config.h"

#include "links.h"
#include "nodes.h"

#include "core/room.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define NO_NODE UINT32_MAX

/* Rates are worked out again when this part of the flows has changed, or has passed of the time
 * that they still take in the mean. */
static const double part = 1.0 / 16;
/* SimGrid's network/weight-S under SMPI: what the bandwidth of a link adds to the latency. */
static const double weight_bytes = 8775;
/* What a rate may miss by rounding; the least that is given away of a link. */
static const double rounding = 1e-6, least_Bps = 1e-3;

/* A flow on a link: its index, and which of its links this is. */
typedef struct flow_on {
    uint32_t flow, which;
} flow_on;

typedef struct shared_link {
    double Bps;
    double asked_Bps, weight; /* of all flows on it; asked_Bps: were each alone */
    double least_Bps; /* no flow on it had less alone, for a weight of 1, since it was idle */
    flow_on *flows;
    size_t n_flows, room, n_limited; /* n_limited: flows on it with flow.is_limited */
    uint32_t ends[2];                /* nodes at which all flows so far begin or end; NO_NODE */
    uint64_t id;
    bool is_known;
    uint32_t from, to, number; /* it is this link of the route between these nodes, from 1 on */
    double bytes, sent_bytes;  /* as in tlr_resource */
    uint64_t saturated_ps;
} shared_link;

/* A link whose flows ask for more than it has, were each alone. */
typedef struct tight_link {
    double Bps;
    uint32_t link;
} tight_link;

/* While rates are worked out: what a link has left for the flows without a rate, their weight and
 * number. Links that are not tight have these, too, but they mean nothing: to look which links of a
 * flow are tight takes longer. Their n never reaches 0, so
 * fix_rate does not count them as filled. */
typedef struct rest_of_link {
    double Bps, weight;
    uint64_t n;
} rest_of_link;

/* A link of a flow, and the place of the flow in shared_link.flows. */
typedef struct link_of {
    uint32_t link, place;
} link_of;

enum { OWN_LINKS = 14 };

/* A message on its way. */
typedef struct flow {
    double at_ps, left_ps; /* the time that it still takes from at_ps on, were it alone */
    double share;          /* of the rate that it has alone, 0 to 1 */
    double alone_Bps, weight;
    link_of *links; /* own_links, unless they are more */
    uint32_t n_links;
    uint32_t rated;     /* the last time that rates were worked out and it was on a tight link */
    uint32_t place;     /* in links.active; NONE: not there */
    uint8_t is_limited; /* at any time, by a link that several nodes use, or beside such a flow in
                           its adapter: its end counts, and not that of its adapter */
    uint8_t is_gone;    /* its message has been handed over */
    uint8_t is_eager;
    link_of own_links[OWN_LINKS];
    uint64_t begin_ps, end_ps;             /* end_ps: at this share */
    uint64_t bytes, adapter_ps, beside_ps; /* its time alone: in its adapter, and beside that */
    uint64_t leaves_ps;                    /* its end, were there only its adapter */
    uint32_t from, to;                     /* nodes */
    uint32_t source, sent;
    uint32_t item;        /* its message in the adapter */
    uint32_t held, reply; /* messages for which its end counts; NONE */
} flow;

/* A flow that has not ended: what most comparisons and sums need. */
typedef struct ending {
    uint64_t end_ps;       /* flow.end_ps */
    uint32_t source, sent; /* as in the flow */
    uint32_t flow, rated;  /* rated: as in the flow; 0: its share is 1 */
} ending;

/* Flows or messages that a thread notes in a window. */
typedef struct noted {
    uint32_t *all;
    size_t n, room;
} noted;

typedef struct noting {
    stock flows;
    noted begun, held;
    bool is_out_of_memory;
} noting;

/* A tight link with flows without a rate, and their share for a weight of 1 when it was worked out.
 */
typedef struct candidate {
    double Bps;
    uint32_t link;
} candidate;

struct loggops_links {
    const loggops_places *places;
    shared_link *all;
    size_t n, room;
    tight_link *tight;
    size_t n_tight, tight_room;
    uint32_t *place_of;  /* by link: in `tight`; NONE: not there */
    rest_of_link *rests; /* by link */
    size_t places_room, rests_room;
    uint32_t *slots; /* by id: number + 1 */
    size_t n_slots;
    pool flow_pool;
    unsigned n_threads;
    noting *threads;
    ending *active; /* first a heap of those that end before soon_ps, then the others */
    size_t n_active, active_room, n_soon;
    uint64_t soon_ps;
    size_t n_important; /* active flows that are limited or gone */
    uint32_t n_hot;     /* links of several nodes from which more is asked than they have */
    double changes_ps;  /* the sum of the moments of the changes since the last rates */
    size_t n_changes;
    uint64_t again_ps; /* when rates are worked out if there are changes */
    /* While rates are worked out: */
    uint32_t n_rated;      /* how often so far, from 1 on */
    double from_ps;        /* from when on the rates hold */
    candidate *candidates; /* a heap */
    size_t n_candidates, candidates_room;
    size_t n_filled; /* candidates whose flows all have a rate */

    uint32_t *full; /* links that are saturated since full_from_ps */
    size_t n_full, full_room;
    uint64_t full_from_ps;
    struct ordered *sorted; /* what the threads have noted */
    size_t sorted_room;
    uint32_t *route; /* of the flow at hand */
    size_t n_route, route_room;
    double latency_s, slow_s, slowest_Bps; /* of it; slow_s: the sum of 1 / bandwidth */
    double flow_least_Bps; /* of the flow at hand alone, for a weight of 1, but for rounding */
    uint64_t limiter_bytes;
    uint64_t flow_bytes;
    uint64_t limited_ps, limited_from_ps; /* the time in which links limited flows */
    size_t n_limited;                     /* flows that links limit now */
    bool ends_count;                      /* else no end of a flow counts */
    bool has_adapters; /* of the nodes: all that leaves or reaches a node passes one link */
    bool is_out_of_memory;
};

/* The memory of a pool is char, but begins at a page: the cast by way of void * says so. */
_Static_assert(_Alignof(flow) <= 4096, "a page is aligned for a flow");
static flow *flow_at(const loggops_links *l, uint32_t i)
{
    return (flow *)(void *)l->flow_pool.memory + i;
}

/* ---- start and end ---- */

loggops_links *loggops_links_open(const loggops_places *places)
{
    loggops_links *l = calloc(1, sizeof *l);
    if (l)
        l->places = places;
    return l;
}

/* The links remain. */
void loggops_links_end(loggops_links *l)
{
    for (size_t i = 0; i < l->n_active; i++)
        if (flow_at(l, l->active[i].flow)->n_links > OWN_LINKS)
            free(flow_at(l, l->active[i].flow)->links);
    for (size_t i = 0; i < l->n; i++)
        free(l->all[i].flows);
    loggops_pool_close(&l->flow_pool);
    for (unsigned i = 0; l->threads && i < l->n_threads; i++) {
        free(l->threads[i].begun.all);
        free(l->threads[i].held.all);
    }
    free(l->threads);
    free(l->place_of);
    free(l->rests);
    free(l->tight);
    free(l->slots);
    free(l->active);
    free(l->candidates);
    free(l->route);
    free(l->sorted);
    free(l->full);
    *l =
        (loggops_links){.places = l->places, .limited_ps = l->limited_ps, .all = l->all, .n = l->n};
}

void loggops_links_close(loggops_links *l)
{
    if (l)
        free(l->all);
    free(l);
}

int loggops_links_begin(loggops_links *l, uint32_t n_ranks, unsigned n_threads)
{
    free(l->all);
    *l = (loggops_links){.places = l->places,
                         .n_threads = n_threads,
                         .n_rated = 1,
                         .limiter_bytes = l->places->nodes.limiter_bytes,
                         .has_adapters = tlr_hosts_have_adapters(&l->places->cluster),
                         .threads = calloc(n_threads, sizeof *l->threads)};
    for (unsigned i = 0; l->threads && i < n_threads; i++)
        l->threads[i].flows = (stock){.unused = NONE, .batch = NONE};
    return l->threads && loggops_pool_open(&l->flow_pool, sizeof(flow), n_ranks);
}

void loggops_links_judge(const loggops_links *l, tlr_prediction *out)
{
    if (out->makespan_s > 0)
        out->links_limit = fmin(1, (double)l->limited_ps * 1e-12 / out->makespan_s);
}

size_t loggops_links_count(const loggops_links *l)
{
    return l->n;
}

/* A link of a cluster has no name in the platform: the route says which one it is. */
void loggops_links_take(const loggops_links *l, tlr_resource *out)
{
    const loggops_places *places = l->places;
    for (size_t i = 0; i < l->n; i++) {
        const shared_link *k = &l->all[i];
        out[i] = (tlr_resource){.is_link = 1,
                                .id = k->id,
                                .bandwidth = k->Bps,
                                .bytes = k->bytes,
                                .sent_bytes = k->sent_bytes,
                                .saturated_s = (double)k->saturated_ps * 1e-12};
        snprintf(out[i].name, sizeof out[i].name, "%.100s to %.100s, link %u",
                 places->cluster.hosts[places->host_of_node[k->from]].name,
                 places->cluster.hosts[places->host_of_node[k->to]].name, k->number);
    }
}

/* ---- what the threads note in a window ---- */

static void note(noting *t, noted *list, uint32_t i)
{
    if (tl_make_room(&list->all, list->n, &list->room, sizeof *list->all))
        list->all[list->n++] = i;
    else
        t->is_out_of_memory = 1;
}

static noting *thread_of(const simulation *s, const block *b)
{
    return &s->run->nodes->links->threads[b->worker - s->workers];
}

void loggops_links_enter(simulation *s, block *b, uint32_t item, uint32_t from, uint32_t to,
                         uint64_t own_ps, uint64_t way_ps)
{
    message *m = &s->messages[item];
    const loggops_nodes *nodes = s->run->nodes;
    noting *t = thread_of(s, b);
    const uint32_t i = loggops_pool_take(&nodes->links->flow_pool, &t->flows);
    const uint64_t alone_ps = own_ps > way_ps ? own_ps : way_ps;
    if (i == NONE) {
        b->failures |= NO_MEMORY;
        return;
    }
    *flow_at(nodes->links, i) = (flow){.begin_ps = m->time_ps,
                                       .at_ps = (double)m->time_ps,
                                       .left_ps = (double)alone_ps,
                                       .share = 1,
                                       .end_ps = m->time_ps + alone_ps,
                                       .bytes = m->bytes,
                                       .adapter_ps = own_ps,
                                       .beside_ps = alone_ps - own_ps,
                                       .from = nodes->node_of[from],
                                       .to = nodes->node_of[to],
                                       .source = from,
                                       .sent = m->sent,
                                       .place = NONE,
                                       .item = item,
                                       .held = NONE,
                                       .reply = NONE,
                                       .is_eager = !(m->context & CLEARED)};
    m->flow = i + 1;
    note(t, &t->begun, i);
}

void loggops_links_hold(simulation *s, block *b, uint32_t i, uint64_t leaves_ps)
{
    const loggops_links *l = s->run->nodes->links;
    noting *t = thread_of(s, b);
    flow *f = flow_at(l, s->messages[i].flow - 1);
    f->held = i;
    f->leaves_ps = leaves_ps + f->beside_ps;
    note(t, &t->held, i);
    b->n_letters++;
}

void loggops_links_hold_reply(simulation *s, block *b, const message *reply)
{
    flow_at(s->run->nodes->links, reply->flow - 1)->reply = loggops_copy_message(s, b, reply);
}

/* ---- links ---- */

static size_t slot_of(const loggops_links *l, uint64_t id)
{
    size_t i = id * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (l->n_slots - 1);
    while (l->slots[i] && l->all[l->slots[i] - 1].id != id)
        i = (i + 1) & (l->n_slots - 1);
    return i;
}

static int grow_slots(loggops_links *l)
{
    if (2 * l->n < l->n_slots)
        return 1;
    free(l->slots);
    l->n_slots = l->n_slots ? 2 * l->n_slots : 1024;
    l->slots = calloc(l->n_slots, sizeof *l->slots);
    for (size_t i = 0; l->slots && i < l->n; i++)
        l->slots[slot_of(l, l->all[i].id)] = (uint32_t)i + 1;
    return l->slots != NULL;
}

/* Adds a link to the route of the flow at hand. */
static void add_to_route(void *arg, const tlr_link *link)
{
    loggops_links *l = arg;
    l->latency_s += link->latency_s;
    l->slow_s += 1 / link->bandwidth_Bps;
    if (link->kind != TLR_LINK_LIMITER)
        l->slowest_Bps = fmin(l->slowest_Bps, link->bandwidth_Bps);
    if (link->sharing == TLR_LINK_FATPIPE || !(link->bandwidth_Bps < INFINITY) ||
        (link->kind == TLR_LINK_LIMITER && l->flow_bytes < l->limiter_bytes))
        return;
    if (!grow_slots(l) || !tl_make_room(&l->all, l->n, &l->room, sizeof *l->all) ||
        !tl_make_room(&l->place_of, l->n, &l->places_room, sizeof *l->place_of) ||
        !tl_make_room(&l->rests, l->n, &l->rests_room, sizeof *l->rests) ||
        !tl_make_room(&l->route, l->n_route, &l->route_room, sizeof *l->route)) {
        l->is_out_of_memory = 1;
        return;
    }
    const size_t slot = slot_of(l, link->id);
    if (!l->slots[slot]) {
        l->all[l->n++] = (shared_link){
            .id = link->id, .Bps = link->bandwidth_Bps, .number = (uint32_t)l->n_route + 1};
        l->place_of[l->n - 1] = NONE;
        l->rests[l->n - 1] = (rest_of_link){0};
        l->slots[slot] = (uint32_t)l->n;
    }
    l->route[l->n_route++] = l->slots[slot] - 1;
}

/* A link to a node with one link only is as its adapter, which knows by itself what passes it. */
static bool is_of_several(const loggops_links *l, const shared_link *k)
{
    return !l->has_adapters || (k->ends[0] == NO_NODE && k->ends[1] == NO_NODE);
}

static bool is_hot(const loggops_links *l, const shared_link *k)
{
    return l->place_of[k - l->all] != NONE && is_of_several(l, k);
}

static void set_tight(loggops_links *l, shared_link *k, bool is_tight)
{
    const uint32_t link = (uint32_t)(k - l->all);
    uint32_t *place = &l->place_of[link];
    if ((*place != NONE) == is_tight)
        return;
    if (!is_tight) {
        l->tight[*place] = l->tight[--l->n_tight];
        l->place_of[l->tight[*place].link] = *place;
        *place = NONE;
    } else if (tl_make_room(&l->tight, l->n_tight, &l->tight_room, sizeof *l->tight)) {
        *place = (uint32_t)l->n_tight;
        l->tight[l->n_tight++] = (tight_link){k->Bps, link};
    } else {
        l->is_out_of_memory = 1;
    }
}

static void ask(loggops_links *l, shared_link *k, double Bps, double weight)
{
    k->asked_Bps = k->n_flows ? k->asked_Bps + Bps : 0;
    k->weight = k->n_flows ? k->weight + weight : 0;
    set_tight(l, k, k->n_flows > 1 && k->asked_Bps > k->Bps * (1 + rounding));
}

/* Enters link number `which` of flow i. */
static void enter_link(loggops_links *l, uint32_t i, uint32_t which)
{
    flow *f = flow_at(l, i);
    shared_link *k = &l->all[f->links[which].link];
    const bool was_hot = is_hot(l, k);
    if (!k->is_known) {
        k->ends[0] = k->from = f->from;
        k->ends[1] = k->to = f->to;
        k->is_known = 1;
    }
    for (int e = 0; e < 2; e++)
        if (k->ends[e] != f->from && k->ends[e] != f->to)
            k->ends[e] = NO_NODE;
    if (!k->n_flows || l->flow_least_Bps < k->least_Bps)
        k->least_Bps = l->flow_least_Bps;
    f->links[which].place = (uint32_t)k->n_flows;
    k->flows[k->n_flows++] = (flow_on){i, which};
    ask(l, k, f->alone_Bps, f->weight);
    l->n_hot += (uint32_t)(is_hot(l, k) - was_hot);
}

static void leave_link(loggops_links *l, const flow *f, uint32_t which)
{
    const uint32_t place = f->links[which].place;
    shared_link *k = &l->all[f->links[which].link];
    const bool was_hot = is_hot(l, k);
    const flow_on last = k->flows[--k->n_flows];
    k->flows[place] = last;
    flow_at(l, last.flow)->links[last.which].place = place;
    k->n_limited -= f->is_limited;
    ask(l, k, -f->alone_Bps, -f->weight);
    l->n_hot += (uint32_t)(is_hot(l, k) - was_hot);
}

/* The end of the flow counts from now on. */
static void limit(loggops_links *l, flow *f)
{
    if (f->is_limited)
        return;
    f->is_limited = 1;
    l->n_important += !f->is_gone;
    for (uint32_t i = 0; i < f->n_links; i++)
        l->all[f->links[i].link].n_limited++;
}

/* ---- the heap of flows that end soon ---- */

static int ends_before(const loggops_links *l, const ending *x, const ending *y)
{
    if (x->end_ps != y->end_ps)
        return x->end_ps < y->end_ps;
    if (x->source != y->source)
        return x->source < y->source;
    if (x->sent != y->sent)
        return (int32_t)(x->sent - y->sent) < 0;
    return flow_at(l, x->flow)->to < flow_at(l, y->flow)->to;
}

static void put(loggops_links *l, size_t place, const ending *e)
{
    l->active[place] = *e;
    flow_at(l, e->flow)->place = (uint32_t)place;
}

static void move_up(loggops_links *l, size_t place, ending e)
{
    for (size_t above; place; place = above) {
        above = (place - 1) / 2;
        if (!ends_before(l, &e, &l->active[above]))
            break;
        put(l, place, &l->active[above]);
    }
    put(l, place, &e);
}

static void move_down(loggops_links *l, size_t place, ending e)
{
    const size_t from = place;
    for (size_t below; (below = 2 * place + 1) < l->n_soon; place = below) {
        if (below + 1 < l->n_soon && ends_before(l, &l->active[below + 1], &l->active[below]))
            below++;
        if (!ends_before(l, &l->active[below], &e))
            break;
        put(l, place, &l->active[below]);
    }
    if (place != from)
        put(l, place, &e);
}

static void take_out(loggops_links *l, uint32_t i)
{
    size_t place = flow_at(l, i)->place;
    flow_at(l, i)->place = NONE;
    l->n_important -= flow_at(l, i)->is_limited | flow_at(l, i)->is_gone;
    if (place < l->n_soon) {
        const ending last = l->active[--l->n_soon];
        if (place < l->n_soon) {
            put(l, place, &last);
            move_down(l, place, last);
            move_up(l, place, l->active[place]);
        }
        place = l->n_soon;
    }
    if (place < --l->n_active)
        put(l, place, &l->active[l->n_active]);
}

static void put_in(loggops_links *l, const ending *e)
{
    if (e->end_ps >= l->soon_ps) {
        put(l, l->n_active++, e);
        return;
    }
    if (l->n_soon < l->n_active)
        put(l, l->n_active, &l->active[l->n_soon]);
    l->n_active++;
    move_up(l, l->n_soon++, *e);
}

/* Makes the heap of the flows that end before soon_ps, after ends have changed. */
static void find_soon(loggops_links *l, uint64_t soon_ps)
{
    l->soon_ps = soon_ps;
    l->n_soon = 0;
    for (size_t i = 0; i < l->n_active; i++) {
        const ending e = l->active[i];
        if (e.end_ps >= soon_ps)
            continue;
        if (i > l->n_soon)
            put(l, i, &l->active[l->n_soon]);
        put(l, l->n_soon++, &e);
    }
    for (size_t i = l->n_soon / 2; i-- > 0;)
        move_down(l, i, l->active[i]);
}

/* When the first flow ends; NEVER if no end counts. The caller asks for ends before past_ps. */
static uint64_t first_end_ps(loggops_links *l, uint64_t past_ps)
{
    uint64_t first_ps = NEVER;
    if (!l->ends_count || !l->n_active)
        return NEVER;
    for (size_t i = 0; !l->n_soon && i < l->n_active; i++)
        if (l->active[i].end_ps < first_ps)
            first_ps = l->active[i].end_ps;
    if (!l->n_soon)
        find_soon(l, first_ps < past_ps ? past_ps : first_ps + 1);
    return l->active[0].end_ps;
}

/* ---- rates ---- */

/* The least share that a link has for a flow among all flows on it. The end of an eager flow, which
 * is only estimated, counts if this link is one of several nodes. */
static double fair_share(loggops_links *l, flow *f)
{
    double share = 1;
    bool is_limited = 0;
    for (uint32_t i = 0; i < f->n_links; i++) {
        const shared_link *k = &l->all[f->links[i].link];
        const double of_link = k->Bps / ((double)k->n_flows * f->alone_Bps);
        if (of_link >= share * (1 - rounding))
            continue;
        share = of_link;
        is_limited = is_hot(l, k) || (is_limited && !f->is_eager);
    }
    if (is_limited)
        limit(l, f);
    return share;
}

static double share_of(const rest_of_link *r)
{
    return (r->Bps > least_Bps ? r->Bps : least_Bps) / r->weight;
}

/* Moves a link down the heap of links. */
static void sink(loggops_links *l, size_t place)
{
    candidate *all = l->candidates;
    const candidate c = all[place];
    for (size_t below; (below = 2 * place + 1) < l->n_candidates; place = below) {
        below += below + 1 < l->n_candidates && all[below + 1].Bps < all[below].Bps;
        if (all[below].Bps >= c.Bps)
            break;
        all[place] = all[below];
    }
    all[place] = c;
}

/* The flow moves with another share from links.from_ps on. */
static void set_share(loggops_links *l, flow *f, double share, uint32_t rated)
{
    ending *e = &l->active[f->place];
    f->rated = e->rated = rated;
    if (f->share == share)
        return;
    if (f->at_ps < l->from_ps) {
        f->left_ps -= (l->from_ps - f->at_ps) * f->share;
        f->left_ps = f->left_ps > 0 ? f->left_ps : 0;
        f->at_ps = l->from_ps;
    }
    f->share = share;
    f->end_ps = e->end_ps = loggops_rounded_ps(f->at_ps + f->left_ps / share);
}

/* By so many a loop loads into the cache what it needs later. */
enum { AHEAD = 8 };

static void fix_rate(loggops_links *l, flow *f, double Bps)
{
    const double weight = f->weight;
    size_t n_filled = 0;
    set_share(l, f, Bps < f->alone_Bps ? Bps / f->alone_Bps : 1, l->n_rated);
    for (uint32_t i = 0; i < f->n_links; i++) {
        rest_of_link *r = &l->rests[f->links[i].link];
        r->Bps -= Bps;
        r->weight -= weight;
        n_filled += --r->n == 0;
    }
    l->n_filled += n_filled;
}

/* Gives rates to the flows of the link that has least for each: to those that need less, if there
 * are any, and otherwise to all. */
static void fill_link(loggops_links *l, const shared_link *k, double share_Bps)
{
    const int limits = is_of_several(l, k);
    bool has_little = 0;
    for (int all = k->least_Bps > share_Bps * (1 + 2 * rounding); all < 2 && !has_little; all++)
        for (size_t i = 0; i < k->n_flows; i++) {
            flow *f = flow_at(l, k->flows[i].flow);
            if (i + AHEAD < k->n_flows) {
                const flow *next = flow_at(l, k->flows[i + AHEAD].flow);
                __builtin_prefetch(next);
                __builtin_prefetch(next->own_links);
            }
            if (f->rated == l->n_rated)
                continue;
            if (f->alone_Bps <= share_Bps * f->weight * (1 + rounding)) {
                fix_rate(l, f, f->alone_Bps);
                has_little = 1;
            } else if (all) {
                fix_rate(l, f, share_Bps * f->weight);
                l->n_limited += (size_t)limits;
                if (limits)
                    limit(l, f);
            }
        }
}

static void make_heap(loggops_links *l)
{
    for (size_t i = l->n_candidates / 2; i-- > 0;)
        sink(l, i);
}

/* A heap of the links that may limit flows. Returns 0 without memory. */
static int list_links(loggops_links *l)
{
    const size_t n = l->n_tight;
    if (n && !tl_make_room(&l->candidates, n - 1, &l->candidates_room, sizeof *l->candidates))
        return 0;
    l->n_filled = 0;
    l->n_candidates = n;
    for (size_t i = 0; i < n; i++) {
        const uint32_t link = l->tight[i].link;
        const shared_link *k = &l->all[link];
        if (i + AHEAD < n)
            __builtin_prefetch(&l->all[l->tight[i + AHEAD].link]);
        l->rests[link] = (rest_of_link){k->Bps, k->weight, k->n_flows};
        l->candidates[i] = (candidate){share_of(&l->rests[link]), link};
    }
    make_heap(l);
    return 1;
}

/* Takes the links out whose flows all have a rate. */
static void drop_filled(loggops_links *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n_candidates; i++) { /* without a branch, which would be random */
        const candidate c = l->candidates[i];
        if (i + AHEAD < l->n_candidates)
            __builtin_prefetch(&l->rests[l->candidates[i + AHEAD].link]);
        l->candidates[n] = c;
        n += l->rests[c.link].n > 0;
    }
    l->n_candidates = n;
    l->n_filled = 0;
    make_heap(l);
}

static void count_limited(loggops_links *l, bool is_now, uint64_t at_ps)
{
    if (is_now && !l->limited_from_ps)
        l->limited_from_ps = at_ps;
    if (is_now || !l->limited_from_ps)
        return;
    l->limited_ps += at_ps > l->limited_from_ps ? at_ps - l->limited_from_ps : 0;
    l->limited_from_ps = 0;
}

/* What a link takes from flows, others get that pass the same adapter, and so do those beside them.
 */
static void limit_adapters(loggops_links *l)
{
    size_t n_new;
    do {
        n_new = 0;
        for (size_t i = 0; i < l->n_tight; i++) {
            const shared_link *k = &l->all[l->tight[i].link];
            if (!k->n_limited || k->n_limited == k->n_flows || is_of_several(l, k))
                continue;
            n_new += k->n_flows - k->n_limited;
            for (size_t j = 0; j < k->n_flows; j++)
                limit(l, flow_at(l, k->flows[j].flow));
        }
    } while (n_new);
}

/* Links that were saturated have been so until now. */
static void count_full(loggops_links *l, uint64_t now_ps)
{
    for (size_t i = 0; i < l->n_full; i++)
        l->all[l->full[i]].saturated_ps += now_ps - l->full_from_ps;
    l->n_full = 0;
    l->full_from_ps = now_ps;
}

static void note_full(loggops_links *l, uint32_t link)
{
    if (tl_make_room(&l->full, l->n_full, &l->full_room, sizeof *l->full))
        l->full[l->n_full++] = link;
    else
        l->is_out_of_memory = 1;
}

/* Gives a rate to each flow that passes a tight link. */
static void fill_links(loggops_links *l)
{
    while (l->n_candidates > l->n_filled) {
        candidate *c = &l->candidates[0];
        const rest_of_link *r = &l->rests[c->link];
        const double share_Bps = share_of(r);
        if (r->n && share_Bps <= c->Bps * (1 + rounding))
            fill_link(l, &l->all[c->link], share_Bps);
        if (r->n)
            c->Bps = share_of(r);
        if (2 * l->n_filled > l->n_candidates) {
            drop_filled(l);
            continue;
        }
        if (!r->n) {
            *c = l->candidates[--l->n_candidates];
            l->n_filled--;
        }
        sink(l, 0);
    }
    limit_adapters(l);
    for (size_t i = 0; i < l->n_tight; i++) {
        const tight_link *t = &l->tight[i];
        if (t->Bps - l->rests[t->link].Bps >= TLR_SATURATED * t->Bps)
            note_full(l, t->link);
    }
}

/* Works out the rates of all flows. They hold from the mean moment of the changes. */
static void find_rates(loggops_links *l, uint64_t now_ps)
{
    double sum_ps = 0;
    l->from_ps = fmin((double)now_ps, l->changes_ps / (double)l->n_changes);
    l->n_rated++;
    l->n_limited = 0;
    count_full(l, now_ps);
    if (!list_links(l)) {
        l->is_out_of_memory = 1;
        return;
    }
    fill_links(l);
    for (size_t i = 0; i < l->n_active; i++) {
        const ending *e = &l->active[i];
        if (e->rated && e->rated != l->n_rated)
            set_share(l, flow_at(l, e->flow), 1, 0);
        sum_ps += (double)e->end_ps - (double)now_ps;
    }
    l->ends_count = l->n_hot || l->n_important;
    l->changes_ps = 0;
    l->n_changes = 0;
    l->again_ps = now_ps;
    if (l->n_active && sum_ps > 0)
        l->again_ps += (uint64_t)(part * sum_ps / (double)l->n_active);
    find_soon(l, l->ends_count ? l->again_ps : 0);
    count_limited(l, l->n_limited > 0, now_ps);
}

/* ---- between windows ---- */

static void note_change(loggops_links *l, uint64_t at_ps)
{
    l->changes_ps += (double)at_ps;
    l->n_changes++;
}

static void drop_flow(loggops_links *l, uint32_t i)
{
    flow *f = flow_at(l, i);
    if (f->n_links > OWN_LINKS)
        free(f->links);
    loggops_pool_drop(&l->flow_pool, &l->threads[0].flows, i);
}

/* Lists the links of a flow's route in links.route. What has no route has failed elsewhere. */
static void find_route(loggops_links *l, const flow *f)
{
    const uint32_t *host_of = l->places->host_of_node;
    tl_error ignored;
    l->n_route = 0;
    l->latency_s = l->slow_s = 0;
    l->slowest_Bps = INFINITY;
    l->flow_bytes = f->bytes;
    if (tlr_route_visit(&l->places->cluster, host_of[f->from], host_of[f->to], add_to_route, l,
                        &ignored) != TL_OK)
        l->n_route = 0;
}

/* Enters the links of links.route. Returns 0 without memory. */
static int enter_links(loggops_links *l, uint32_t i)
{
    flow *f = flow_at(l, i);
    f->links = l->n_route > OWN_LINKS ? malloc(l->n_route * sizeof *f->links) : f->own_links;
    if (!f->links)
        return 0;
    for (size_t k = 0; k < l->n_route; k++) {
        shared_link *link = &l->all[l->route[k]];
        if (!tl_make_room(&link->flows, link->n_flows, &link->room, sizeof *link->flows))
            return 0;
        f->links[k].link = l->route[k];
        f->n_links++;
        enter_link(l, i, (uint32_t)k);
        link->sent_bytes += (double)f->bytes;
        link->bytes += (double)f->adapter_ps * 1e-12 * l->slowest_Bps;
    }
    return tl_make_room(&l->active, l->n_active, &l->active_room, sizeof *l->active);
}

static void begin_flow(loggops_links *l, uint32_t i)
{
    flow *f = flow_at(l, i);
    find_route(l, f);
    f->weight = 1 / (l->latency_s + weight_bytes * l->slow_s);
    f->alone_Bps = l->slowest_Bps * (f->left_ps > 0 ? (double)f->adapter_ps / f->left_ps : 1);
    l->flow_least_Bps = f->alone_Bps / f->weight * (1 - rounding);
    if (!enter_links(l, i)) {
        l->is_out_of_memory = 1;
        return;
    }
    if (l->n_hot) {
        f->share = fair_share(l, f);
        f->end_ps = loggops_rounded_ps(f->at_ps + f->left_ps / f->share);
    }
    if (!l->has_adapters)
        limit(l, f);
    const ending e = {f->end_ps, f->source, f->sent, i, f->share < 1};
    put_in(l, &e);
    note_change(l, f->begin_ps);
}

static void end_flow(loggops_links *l, uint32_t i, uint64_t at_ps)
{
    flow *f = flow_at(l, i);
    for (uint32_t k = 0; k < f->n_links; k++)
        leave_link(l, f, k);
    take_out(l, i);
    note_change(l, at_ps);
}

static void post(simulation *s, uint32_t i, uint64_t delay_ps)
{
    const uint64_t next_ps = (s->window + 1) * s->window_ps;
    message *m = &s->messages[i];
    m->time_ps += delay_ps;
    if (m->time_ps < next_ps)
        m->time_ps = next_ps;
    loggops_append_message(s->messages, &s->workers[0].boxes[0][(uint32_t)m->to >> s->block_bits],
                           i);
    s->workers[0].n_letters++;
}

/* The flow of a long message has ended before its adapter would have let it. */
static void end_early(simulation *s, loggops_links *l, const flow *f)
{
    const uint32_t i = loggops_pool_take(&s->message_pool, &s->workers[0].messages);
    if (i == NONE) {
        l->is_out_of_memory = 1;
        return;
    }
    s->messages[i] = s->messages[f->item];
    s->messages[f->item].flow = HAS_PASSED;
    loggops_pass_data(s, &s->blocks[f->source >> s->block_bits], i, f->end_ps - f->beside_ps);
}

/* By this part of its time alone, a message may be late without being later. */
static const double little = 1.0 / 256;

/* The message of a flow goes on to the other node, and its sender gets to know. */
static void hand_over(simulation *s, loggops_links *l, flow *f)
{
    message *m = &s->messages[f->held];
    const uint64_t late_ps =
        f->is_limited && f->end_ps > f->leaves_ps ? f->end_ps - f->leaves_ps : 0;
    const uint64_t delay_ps = (double)late_ps > little * (double)f->adapter_ps ? late_ps : 0;
    post(s, f->held, delay_ps);
    if (f->is_eager && delay_ps)
        loggops_order_note(m, &s->orders[f->source].reaches_ps);
    if (f->reply != NONE)
        post(s, f->reply, delay_ps);
    m->flow = f->is_limited ? HAS_SHARED : HAS_PASSED;
    l->n_important += f->place != NONE && !f->is_limited && !f->is_gone;
    f->is_gone = 1;
}

static void end_flows(simulation *s, loggops_links *l, uint64_t past_ps)
{
    while (first_end_ps(l, past_ps) < past_ps) {
        const uint32_t i = l->active[0].flow;
        flow *f = flow_at(l, i);
        end_flow(l, i, f->end_ps);
        if (f->held == NONE && f->is_limited && !f->is_eager)
            end_early(s, l, f);
        if (f->held != NONE && !f->is_gone)
            hand_over(s, l, f);
        if (f->is_gone)
            drop_flow(l, i);
    }
}

/* The adapter has done with a message. An eager one arrives as it would by the rates of now: its
 * receiver has to know of it. */
static void take_held(simulation *s, loggops_links *l, uint32_t held)
{
    const uint32_t i = s->messages[held].flow - 1;
    flow *f = flow_at(l, i);
    if (f->is_limited && f->place != NONE && !f->is_eager)
        return;
    hand_over(s, l, f);
    if (f->place != NONE && !f->is_limited && (!f->is_eager || !l->ends_count))
        end_flow(l, i, f->leaves_ps);
    if (f->place == NONE)
        drop_flow(l, i);
}

/* What a thread has noted, in an order that does not depend on the threads. */
typedef struct ordered {
    uint64_t at_ps;
    uint32_t source, sent, to, item;
} ordered;

static int compare_noted(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->sent != y->sent)
        return (int32_t)(x->sent - y->sent);
    return (x->to > y->to) - (x->to < y->to);
}

/* What one thread notes is in order for each node, and often for all. */
static void sort_noted(ordered *all, size_t n)
{
    size_t i = 1;
    while (i < n && compare_noted(&all[i - 1], &all[i]) <= 0)
        i++;
    if (i < n)
        qsort(all, n, sizeof *all, compare_noted);
}

/* Takes what all threads have noted: flows that began, or messages whose adapter has done with
 * them. Returns how many there are in links.sorted. */
static size_t take_noted(const simulation *s, loggops_links *l, bool is_begun)
{
    size_t n = 0;
    for (unsigned t = 0; t < l->n_threads; t++) {
        noted *list = is_begun ? &l->threads[t].begun : &l->threads[t].held;
        for (size_t k = 0; k < list->n; k++) {
            const uint32_t item = list->all[k];
            const flow *f = flow_at(l, is_begun ? item : s->messages[item].flow - 1);
            if (!is_begun && s->messages[item].flow >= HAS_SHARED)
                continue;
            if (!tl_make_room(&l->sorted, n, &l->sorted_room, sizeof *l->sorted)) {
                l->is_out_of_memory = 1;
                break;
            }
            l->sorted[n++] =
                (ordered){is_begun ? f->begin_ps : f->leaves_ps, f->source, f->sent, f->to, item};
        }
        list->n = 0;
        l->is_out_of_memory |= l->threads[t].is_out_of_memory;
    }
    sort_noted(l->sorted, n);
    return n;
}

/* Whether the rates are to be worked out: a link may limit flows, and enough has changed. */
static bool are_due(loggops_links *l, uint64_t now_ps)
{
    if (!l->n_hot && !l->ends_count && l->has_adapters) {
        l->changes_ps = 0;
        l->n_changes = 0;
        l->again_ps = 0;
    }
    return l->n_changes &&
           ((double)l->n_changes >= part * (double)l->n_active || now_ps >= l->again_ps);
}

int loggops_links_pass(simulation *s)
{
    loggops_links *l = s->run->nodes->links;
    const uint64_t end_ps = (s->window + 1) * s->window_ps;
    end_flows(s, l, end_ps);
    const size_t n_begun = take_noted(s, l, 1);
    for (size_t k = 0; k < n_begun; k++)
        begin_flow(l, l->sorted[k].item);
    if (are_due(l, end_ps)) {
        find_rates(l, end_ps);
        end_flows(s, l, end_ps);
    }
    const size_t n_held = take_noted(s, l, 0);
    for (size_t k = 0; k < n_held; k++)
        take_held(s, l, l->sorted[k].item);
    uint64_t next_ps = first_end_ps(l, 0);
    if (l->n_changes && l->again_ps < next_ps)
        next_ps = l->again_ps;
    if (next_ps != NEVER && next_ps / s->window_ps < s->workers[0].wakes_at)
        s->workers[0].wakes_at =
            next_ps / s->window_ps > s->window ? next_ps / s->window_ps : s->window + 1;
    return !l->is_out_of_memory;
}
