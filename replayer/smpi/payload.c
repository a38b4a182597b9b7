/* payload.c - the bytes of messages on each link of their routes, without what SMPI's network model
 * adds. A message is counted when it is sent. */
#include "config.h"

#include "payload.h"

#include "state.h"
#include "smpi/shims/shims.h"

#include <stdlib.h>

#include <simgrid/host.h>

/* From one host to another. */
typedef struct flow {
    sg_host_t from, to;
    double bytes;
} flow;

static struct {
    size_t n_flows, flow_places;
    flow *flows; /* by their hosts */
} payload;

static size_t hash(const void *a, const void *b)
{
    uint64_t h = (uintptr_t)a * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ (uintptr_t)b) * UINT64_C(0xbf58476d1ce4e5b9);
    return h >> 16;
}

static flow *find_flow(flow *flows, size_t n_places, const flow *wanted)
{
    size_t i = hash(wanted->from, wanted->to) & (n_places - 1);
    while (flows[i].from && (flows[i].from != wanted->from || flows[i].to != wanted->to))
        i = (i + 1) & (n_places - 1);
    return &flows[i];
}

static void make_room(void)
{
    if (2 * payload.n_flows < payload.flow_places)
        return;
    const size_t n_places = payload.flow_places ? 2 * payload.flow_places : 256;
    flow *flows = smpi_alloc(n_places, sizeof *flows);
    for (size_t i = 0; i < payload.flow_places; i++)
        if (payload.flows[i].from)
            *find_flow(flows, n_places, &payload.flows[i]) = payload.flows[i];
    free(payload.flows);
    payload.flows = flows;
    payload.flow_places = n_places;
}

static void count_message(const void *actor, long receiver, double bytes)
{
    const flow sent = {.from = smpi_where_sender(actor), .to = smpi_where_process(receiver)};
    if (!sent.from || !sent.to)
        return;
    make_room();
    flow *f = find_flow(payload.flows, payload.flow_places, &sent);
    if (!f->from) {
        *f = sent;
        payload.n_flows++;
    }
    f->bytes += bytes;
}

void smpi_payload_join(void)
{
    const tlr_usage *asked = replay.options->usage;
    if (!asked || !asked->has_links || !smpi_shim_holds(SMPI_SHIM_PAYLOAD))
        return;
    smpi_watch_sends(count_message);
    smpi_where_join();
}

/* ---- routes ---- */

typedef struct place {
    const_sg_link_t link;
    size_t index;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return ((uintptr_t)x->link > (uintptr_t)y->link) - ((uintptr_t)x->link < (uintptr_t)y->link);
}

static void add_flow(const flow *f, const place *places, size_t n, tlr_resource *resources)
{
    size_t n_links = 0;
    const_sg_link_t *route = smpi_route_links(f->from, f->to, &n_links);
    for (size_t i = 0; i < n_links; i++) {
        const place key = {.link = route[i]};
        const place *at = bsearch(&key, places, n, sizeof *places, compare_places);
        if (at)
            resources[at->index].sent_bytes += f->bytes;
    }
    free(route);
}

void smpi_payload_take(const sg_link_t *links, size_t n, tlr_resource *resources)
{
    const bool is_known = smpi_shim_holds(SMPI_SHIM_PAYLOAD);
    place *places = smpi_alloc(n, sizeof *places);
    for (size_t i = 0; i < n; i++) {
        places[i] = (place){links[i], i};
        resources[i].sent_bytes = is_known ? 0 : -1;
    }
    if (n)
        qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 0; i < payload.flow_places; i++)
        if (payload.flows[i].from)
            add_flow(&payload.flows[i], places, n, resources);
    free(places);
}
