/* payload.c - the bytes of messages on each link of their routes, without what SMPI's network model
 * adds. A message is counted when it is sent. */
#include "config.h"

#include "hosts.h"

#include "core/room.h"
#include "machine/cluster.h"
#include "state.h"
#include "smpi/shims/shims.h"

#include <stdlib.h>

#include <simgrid/host.h>

/* From one host to another. */
typedef struct flow {
    struct flow *next; /* of all */
    smpi_entry entry;
    sg_host_t from, to;
    double bytes;
} flow;

static smpi_table flows; /* by their hosts */
static flow *first;

static void count_message(const void *actor, long receiver, double bytes)
{
    const smpi_sender *sender = smpi_sender_of(actor), *to = smpi_sender_by_pid(receiver);
    if (!sender || !to)
        return;
    flow *f = smpi_find(&flows, (uintptr_t)sender->host, (uintptr_t)to->host);
    if (!f) {
        f = smpi_alloc(1, sizeof *f);
        *f = (flow){.next = first, .from = sender->host, .to = to->host};
        first = f;
        smpi_add(&flows, &f->entry, (uintptr_t)f->from, (uintptr_t)f->to, f);
    }
    f->bytes += bytes;
}

void smpi_payload_join(void)
{
    const tlr_usage *asked = replay.options->usage;
    if (!asked || !asked->has_links || !smpi_shim_holds(SMPI_SHIM_PAYLOAD))
        return;
    smpi_send_watcher = count_message;
}

/* ---- routes ---- */

/* The index of a link or of a host. */
typedef struct place {
    const void *of;
    size_t index;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return ((uintptr_t)x->of > (uintptr_t)y->of) - ((uintptr_t)x->of < (uintptr_t)y->of);
}

static const place *find_place(const place *places, size_t n, const void *of)
{
    const place key = {.of = of};
    return n ? bsearch(&key, places, n, sizeof *places, compare_places) : NULL;
}

/* The platform as our own reader has it knows which link is which (tlr_link.id). */
typedef struct map {
    tlr_cluster cluster;
    place *hosts, *links; /* ordered by address */
    size_t n_links;
} map;

/* The links of a route that have been visited, in order. */
typedef struct visit {
    uint64_t *ids;
    size_t n, room;
} visit;

static void note_link(void *arg, const tlr_link *link)
{
    visit *v = arg;
    if (!tl_make_room(&v->ids, v->n, &v->room, sizeof *v->ids))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the links of a route");
    v->ids[v->n++] = link->id;
}

static void add_flow(const flow *f, const map *m, tlr_resource *resources)
{
    size_t n_links = 0;
    const_sg_link_t *route = smpi_route_links(f->from, f->to, &n_links);
    const place *from = find_place(m->hosts, m->cluster.n_hosts, f->from);
    const place *to = find_place(m->hosts, m->cluster.n_hosts, f->to);
    visit v = {.ids = NULL};
    tl_error ignored;
    if (from && to)
        tlr_route_visit(&m->cluster, from->index, to->index, note_link, &v, &ignored);
    for (size_t i = 0; i < n_links; i++) {
        const place *at = find_place(m->links, m->n_links, route[i]);
        if (!at)
            continue;
        resources[at->index].sent_bytes += f->bytes;
        if (v.n == n_links)
            resources[at->index].id = v.ids[i];
    }
    free(v.ids);
    free(route);
}

void smpi_payload_take(const sg_link_t *links, size_t n, tlr_resource *resources)
{
    const bool is_known = smpi_shim_holds(SMPI_SHIM_PAYLOAD);
    for (size_t i = 0; i < n; i++)
        resources[i].sent_bytes = is_known ? 0 : -1;
    if (!first)
        return;
    map m = {.n_links = n, .links = smpi_alloc(n, sizeof *m.links)};
    tl_error ignored;
    for (size_t i = 0; i < n; i++)
        m.links[i] = (place){links[i], i};
    if (n)
        qsort(m.links, n, sizeof *m.links, compare_places);
    if (tlr_cluster_read(replay.platform->xml_path, &m.cluster, &ignored) != TL_OK)
        m.cluster = (tlr_cluster){0};
    m.hosts = smpi_alloc(m.cluster.n_hosts, sizeof *m.hosts);
    for (size_t i = 0; i < m.cluster.n_hosts; i++)
        m.hosts[i] = (place){sg_host_by_name(m.cluster.hosts[i].name), i};
    if (m.cluster.n_hosts)
        qsort(m.hosts, m.cluster.n_hosts, sizeof *m.hosts, compare_places);
    for (const flow *f = first; f; f = f->next)
        add_flow(f, &m, resources);
    tlr_cluster_free(&m.cluster);
    free(m.hosts);
    free(m.links);
}
