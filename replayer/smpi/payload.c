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
    smpi_watch_sends(count_message);
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
    for (const flow *f = first; f; f = f->next)
        add_flow(f, places, n, resources);
    free(places);
}
