/* demand.c - what messages ask of links that several nodes use, and of the memory of nodes.
 *
 * Time is divided into slots of a few windows. A link is busy from a slot on as long as the bytes
 * that have passed it since then need more time than there was. If they do at the end of a slot,
 * the last of them should have come later, were the link shared. What a message needs for itself,
 * and what messages of one node need, the engine has: they pass its adapter. */
#include "config.h"

#include "demand.h"

#include "core/room.h"

#include <math.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* A message, from node to node. */
typedef struct flow {
    uint32_t from, to;
    uint64_t bytes;
    double factor; /* what it gets of a link's bandwidth */
} flow;

/* What one thread has counted in this slot. */
typedef struct flows {
    flow *all;
    size_t n, room;
    bool is_out_of_memory;
} flows;

/* A link, or the memory of a node. */
typedef struct asked {
    uint64_t id;
    double Bps;           /* 0: the place in the table is free */
    uint64_t first, last; /* slots of this busy time */
    uint64_t bytes;       /* that have passed in it */
    double passed;        /* each of them divided by its message's factor */
    double longest_s;     /* of these, the message that takes longest if it is alone */
    uint32_t ends[2];     /* nodes at which all of these begin or end; NO_NODE */
    uint64_t late_bytes;  /* when they were latest: those that had passed, */
    double has_Bps;       /* what the link has for them, */
    double during_s;      /* in which time they passed, */
    double late_s;        /* and how late they were */
} asked;

#define NO_NODE UINT32_MAX
/* The memory of a node. No cluster has as many links. */
#define MEMORY (UINT64_C(1) << 63)

struct loggops_demand {
    const loggops_places *places;
    const tlr_segments *factors;
    bool has_links; /* that several nodes may use */
    unsigned n_threads;
    flows *counted; /* by thread */
    asked *table;   /* by id */
    size_t n, room;
    bool is_out_of_memory;
    tlr_link *route; /* of the message at hand */
    size_t n_route, route_room;
    double slot_s;
    bool is_assumed; /* the bandwidth of some memory */
};

loggops_demand *loggops_demand_open(const loggops_places *places, const tlr_segments *factors,
                                    unsigned n_threads)
{
    loggops_demand *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    *d = (loggops_demand){.places = places,
                          .factors = factors,
                          .has_links = tlr_links_are_shared(&places->cluster),
                          .n_threads = n_threads > 1 ? n_threads : 1};
    d->counted = calloc(d->n_threads, sizeof *d->counted);
    if (d->counted)
        return d;
    free(d);
    return NULL;
}

void loggops_demand_close(loggops_demand *d)
{
    if (!d)
        return;
    for (unsigned i = 0; i < d->n_threads; i++)
        free(d->counted[i].all);
    free(d->counted);
    free(d->table);
    free(d->route);
    free(d);
}

void loggops_demand_begin(loggops_demand *d, double slot_s)
{
    free(d->table);
    d->table = NULL;
    d->n = d->room = 0;
    d->slot_s = slot_s;
    for (unsigned i = 0; i < d->n_threads; i++)
        d->counted[i].n = 0;
}

/* Of shorter messages, some count as long as this: so many that they have as many bytes as all. */
enum { SAMPLE_BYTES = 4096 };

void loggops_demand_count(loggops_demand *d, unsigned thread, uint32_t from_rank, uint32_t to_rank,
                          uint64_t bytes, uint64_t at_ps)
{
    const uint32_t *node_of = d->places->nodes.node_of;
    flows *f = &d->counted[thread];
    const bool is_between = node_of[from_rank] != node_of[to_rank];
    if (is_between ? !d->has_links : d->places->nodes.memory_Bps > 0)
        return;
    const double on_link = (double)bytes + LOGGOPS_ENVELOPE_BYTES,
                 factor = is_between ? tlr_factor_at(d->factors, on_link) : 1;
    if (bytes < SAMPLE_BYTES) {
        const uint64_t who[] = {(uint64_t)from_rank << 32 | to_rank, at_ps};
        if (XXH64(who, sizeof who, 0) % SAMPLE_BYTES >= bytes)
            return;
        bytes = SAMPLE_BYTES;
    }
    if (tl_make_room(&f->all, f->n, &f->room, sizeof *f->all))
        f->all[f->n++] = (flow){node_of[from_rank], node_of[to_rank], bytes, factor};
    else
        f->is_out_of_memory = 1;
}

/* ---- links ---- */

static asked *place_of(asked *table, size_t room, uint64_t id)
{
    size_t i = id * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (room - 1);
    while (table[i].Bps > 0 && table[i].id != id)
        i = (i + 1) & (room - 1);
    return &table[i];
}

static int make_room(loggops_demand *d)
{
    if (d->n < d->room / 2)
        return 1;
    const size_t room = d->room ? 2 * d->room : 256;
    asked *table = calloc(room, sizeof *table);
    if (!table)
        return 0;
    for (size_t i = 0; i < d->room; i++)
        if (d->table[i].Bps > 0)
            *place_of(table, room, d->table[i].id) = d->table[i];
    free(d->table);
    d->table = table;
    d->room = room;
    return 1;
}

/* All messages of the link's last slot are known. */
static void end_slot(const loggops_demand *d, asked *a)
{
    if (!(a->id & MEMORY) && (a->ends[0] != NO_NODE || a->ends[1] != NO_NODE))
        return;
    const double during_s = fmax((double)(a->last - a->first + 1) * d->slot_s, a->longest_s);
    const double late_s = a->passed / a->Bps - during_s;
    if (late_s <= a->late_s)
        return;
    a->late_s = late_s;
    a->late_bytes = a->bytes;
    a->has_Bps = (double)a->bytes / a->passed * a->Bps;
    a->during_s = during_s;
}

static void ask(loggops_demand *d, uint64_t id, double Bps, const flow *f, double alone_s,
                uint64_t slot)
{
    if (!make_room(d)) {
        d->is_out_of_memory = 1;
        return;
    }
    asked *a = place_of(d->table, d->room, id);
    if (!(a->Bps > 0)) {
        *a = (asked){.id = id, .Bps = Bps, .first = slot, .last = slot, .ends = {f->from, f->to}};
        d->n++;
    } else if (a->last != slot) {
        end_slot(d, a);
        a->last = slot;
        if (a->passed / Bps <= (double)(slot - a->first) * d->slot_s) {
            a->first = slot;
            a->bytes = 0;
            a->passed = 0;
            a->longest_s = 0;
            a->ends[0] = f->from;
            a->ends[1] = f->to;
        }
    }
    a->bytes += f->bytes;
    a->passed += (double)f->bytes / f->factor;
    a->longest_s = fmax(a->longest_s, alone_s);
    for (int i = 0; i < 2; i++)
        if (a->ends[i] != f->from && a->ends[i] != f->to)
            a->ends[i] = NO_NODE;
}

static void keep_link(void *arg, const tlr_link *link)
{
    loggops_demand *d = arg;
    if (tl_make_room(&d->route, d->n_route, &d->route_room, sizeof *d->route))
        d->route[d->n_route++] = *link;
    else
        d->is_out_of_memory = 1;
}

/* Of a platform that describes no memory that messages share: assumed, 0.2 TB/s of a node with two
 * processors, and a copy through shared memory that moves each byte twice. */
static const double assumed_Bps = 0.2e12 / 2;

/* What has no route has failed elsewhere. */
static void pass_flow(loggops_demand *d, const flow *f, uint64_t slot)
{
    const uint32_t *host_of = d->places->host_of_node;
    double slowest_Bps = INFINITY, memory_Bps = assumed_Bps;
    bool is_known = 0;
    tl_error ignored;
    d->n_route = 0;
    if (tlr_route_visit(&d->places->cluster, host_of[f->from], host_of[f->to], keep_link, d,
                        &ignored) != TL_OK)
        return;
    for (size_t i = 0; i < d->n_route; i++)
        slowest_Bps = fmin(slowest_Bps, d->route[i].bandwidth_Bps);
    const double alone_s = (double)f->bytes / (slowest_Bps * f->factor);
    for (size_t i = 0; i < d->n_route; i++) {
        const tlr_link *link = &d->route[i];
        if (link->sharing == TLR_LINK_FATPIPE || !(link->bandwidth_Bps < INFINITY))
            continue;
        if (f->from != f->to)
            ask(d, link->id, link->bandwidth_Bps, f, alone_s, slot);
        memory_Bps = is_known ? fmin(memory_Bps, link->bandwidth_Bps) : link->bandwidth_Bps;
        is_known = 1;
    }
    if (f->from != f->to)
        return;
    d->is_assumed |= !is_known;
    ask(d, MEMORY | f->from, memory_Bps, f, alone_s, slot);
}

void loggops_demand_end_slot(loggops_demand *d, uint64_t slot)
{
    for (unsigned t = 0; t < d->n_threads; t++) {
        for (size_t i = 0; i < d->counted[t].n; i++)
            pass_flow(d, &d->counted[t].all[i], slot);
        d->counted[t].n = 0;
        d->is_out_of_memory |= d->counted[t].is_out_of_memory;
    }
}

/* ---- judgement ---- */

/* By so much of the makespan messages may be late without a warning. */
static const double little = 0.01;

tl_status loggops_demand_judge(loggops_demand *d, tlr_prediction *out)
{
    const asked *worst[2] = {NULL, NULL};
    tlr_overload *const loads[2] = {&out->links, &out->memories};
    for (size_t i = 0; i < d->room; i++) {
        asked *a = &d->table[i];
        const int which = (a->id & MEMORY) != 0;
        if (!(a->Bps > 0))
            continue;
        end_slot(d, a);
        if (a->late_s <= little * out->makespan_s)
            continue;
        loads[which]->n++;
        if (!worst[which] || a->late_s > worst[which]->late_s ||
            (a->late_s == worst[which]->late_s && a->id < worst[which]->id))
            worst[which] = a;
    }
    for (int k = 0; k < 2; k++)
        if (worst[k]) {
            loads[k]->bytes = worst[k]->late_bytes;
            loads[k]->asked_Bps = (double)worst[k]->late_bytes / worst[k]->during_s;
            loads[k]->has_Bps = worst[k]->has_Bps;
            loads[k]->late_s = worst[k]->late_s;
        }
    out->memories_are_assumed = d->is_assumed;
    return d->is_out_of_memory ? TL_ERR_MEMORY : TL_OK;
}
