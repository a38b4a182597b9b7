/* routes.c - the route between two hosts: in their zone, or over the zones around them, as SimGrid
 * finds it. */
#include "config.h"

#include "machine/zones.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

typedef struct walk {
    const tlr_zones *z;
    tlr_link_visitor *visit;
    void *arg;
    bool passes_wifi;
    unsigned depth;
} walk;

typedef struct gateways {
    uint32_t from, to;
} gateways;

static int walk_route(walk *w, uint32_t from, uint32_t to);

static void pass_links(walk *w, tlr_span span)
{
    for (uint32_t i = 0; i < span.n; i++)
        w->visit(w->arg, &w->z->links[w->z->spans[span.first + i]]);
}

/* ---- stars ---- */

static bool is_in_span(const tlr_zones *z, tlr_span span, uint32_t link)
{
    for (uint32_t i = 0; i < span.n; i++)
        if (z->spans[span.first + i] == link)
            return 1;
    return 0;
}

/* Up to the centre and down. A link that both ways have in common is passed once. */
static void pass_star(walk *w, const tlr_zone *zone, uint32_t from, uint32_t to)
{
    static const tlr_arm none;
    const tlr_zones *z = w->z;
    const tlr_arm *up = from < zone->n_arms ? &zone->arms[from] : &none,
                  *down = to < zone->n_arms ? &zone->arms[to] : &none;
    if (from == to && up->has_loop) {
        pass_links(w, up->loop);
        return;
    }
    pass_links(w, up->up);
    if (zone->backbone != TLR_NO_INDEX && (up->is_linked || down->is_linked))
        w->visit(w->arg, &z->links[zone->backbone]);
    for (uint32_t i = 0; i < down->down.n; i++) {
        const uint32_t link = z->spans[down->down.first + i];
        if (!is_in_span(z, up->up, link) && !(up->is_linked && link == zone->backbone))
            w->visit(w->arg, &z->links[link]);
    }
}

/* A distance of one is a millisecond. */
static int pass_distance(walk *w, const double *a, const double *b)
{
    if (!a || !b)
        return 0;
    const double x = a[0] - b[0], y = a[1] - b[1];
    const tlr_link link = {.id = UINT64_MAX - 1,
                           .latency_s = (sqrt(x * x + y * y) + fabs(a[2]) + fabs(b[2])) / 1000,
                           .bandwidth_Bps = INFINITY,
                           .sharing = TLR_LINK_FATPIPE,
                           .kind = TLR_LINK_DISTANCE};
    w->visit(w->arg, &link);
    return 1;
}

/* ---- graphs ---- */

/* The rows of a way, from its end on; at most `most`. Returns how many, 0 if there is none. */
static size_t find_way(const tlr_zone *zone, uint32_t from, uint32_t to, const tlr_route_row **rows,
                       size_t most)
{
    size_t n = 0;
    for (uint32_t at = to; !n || at != from;) {
        const uint32_t before = zone->before[(size_t)from * zone->n_points + at];
        const tlr_route_row *row =
            before == TLR_NO_INDEX ? NULL : tlr_find_row(&zone->routes, before, at);
        if (!row || n == most)
            return 0;
        rows[n++] = row;
        at = before;
    }
    return n;
}

/* The longest way of a graph that is walked: each of its parts has a link. */
enum { MOST_PARTS = 4096 };

static int pass_graph(walk *w, const tlr_zone *zone, uint32_t from, uint32_t to, gateways *gates,
                      int passes)
{
    const size_t index = (size_t)from * zone->n_points + to;
    if (from == to && !zone->has_zones && zone->before[index] == from &&
        !tlr_find_row(&zone->routes, from, to)) {
        w->visit(w->arg, &w->z->own_loopback);
        return 1;
    }
    const tlr_route_row **rows = malloc(MOST_PARTS * sizeof *rows);
    const size_t n = rows ? find_way(zone, from, to, rows, MOST_PARTS) : 0;
    bool is_found = n > 0;
    if (n)
        *gates = (gateways){rows[n - 1]->gateway_from, rows[0]->gateway_to};
    for (size_t i = n; passes && i-- > 0 && is_found;) {
        if (zone->has_zones && i + 1 < n && rows[i + 1]->gateway_to != rows[i]->gateway_from)
            is_found = walk_route(w, rows[i + 1]->gateway_to, rows[i]->gateway_from);
        if (is_found)
            pass_links(w, rows[i]->links);
    }
    free(rows);
    return is_found;
}

/* ---- zones ---- */

/* The part of a route within a zone, between two of its points. `passes` 0: only its gateways are
 * wanted. Returns 0 if there is none. */
static int pass_zone(walk *w, const tlr_zone *zone, uint32_t from, uint32_t to, gateways *gates,
                     int passes)
{
    const tlr_point *a = &w->z->points[from], *b = &w->z->points[to];
    *gates = (gateways){TLR_NO_INDEX, TLR_NO_INDEX};
    switch (zone->routing) {
    case TLR_ROUTING_FULL: {
        const tlr_route_row *row = tlr_find_row(&zone->routes, a->id, b->id);
        if (row)
            *gates = (gateways){row->gateway_from, row->gateway_to};
        if (row && passes)
            pass_links(w, row->links);
        else if (!row && from == to && !zone->has_zones)
            w->visit(w->arg, &w->z->own_loopback);
        return row || (from == to && !zone->has_zones);
    }
    case TLR_ROUTING_FLOYD:
    case TLR_ROUTING_DIJKSTRA: return pass_graph(w, zone, a->id, b->id, gates, passes);
    case TLR_ROUTING_NONE: return 0;
    case TLR_ROUTING_WIFI: return w->passes_wifi = 1;
    case TLR_ROUTING_STAR:
    case TLR_ROUTING_VIVALDI:
        if (a->is_zone || b->is_zone) /* SimGrid has no gateways for them */
            return 0;
        if (passes)
            pass_star(w, zone, a->id, b->id);
        return !passes || zone->routing == TLR_ROUTING_STAR || pass_distance(w, a->at, b->at);
    case TLR_ROUTING_FLAT:
    case TLR_ROUTING_TORUS:
    case TLR_ROUTING_FAT_TREE:
    case TLR_ROUTING_DRAGONFLY:
        if (passes)
            tlr_shape_visit(w->z, zone, a->id, b->id, w->visit, w->arg);
        return 1;
    }
    return 0;
}

/* The zones around a point, from the inside on. */
static unsigned zones_around(const tlr_zones *z, uint32_t point, uint32_t *out)
{
    unsigned n = 0;
    for (uint32_t zone = z->points[point].zone; zone != TLR_NO_INDEX && n < MOST_DEPTH;
         zone = z->zones[zone].parent)
        out[n++] = zone;
    return n;
}

/* A bypass between zones around the two points that are in different zones below this one: the
 * innermost first. */
static const tlr_route_row *find_bypass(const tlr_zones *z, const tlr_zone *zone,
                                        const uint32_t *around_from, unsigned n_from,
                                        const uint32_t *around_to, unsigned n_to)
{
    const unsigned most = n_from > n_to ? n_from : n_to;
    for (unsigned outer = 0; zone->bypasses.n && outer < most; outer++)
        for (unsigned inner = 0; inner <= outer; inner++) {
            const unsigned pairs[2][2] = {{inner, outer}, {outer, inner}};
            for (unsigned i = 0; i < 2; i++) {
                if (pairs[i][0] >= n_from || pairs[i][1] >= n_to)
                    continue;
                const tlr_route_row *row =
                    tlr_find_row(&zone->bypasses, z->zones[around_from[pairs[i][0]]].point,
                                 z->zones[around_to[pairs[i][1]]].point);
                if (row)
                    return row;
            }
        }
    return NULL;
}

/* A part of the way, if it has two ends. */
static int walk_part(walk *w, uint32_t from, uint32_t to)
{
    return from == to || walk_route(w, from, to);
}

static int walk_between_zones(walk *w, uint32_t from, uint32_t to)
{
    const tlr_zones *z = w->z;
    uint32_t around_from[MOST_DEPTH], around_to[MOST_DEPTH];
    unsigned n_from = zones_around(z, from, around_from), n_to = zones_around(z, to, around_to);
    uint32_t parent = TLR_NO_INDEX;
    while (n_from > 1 && n_to > 1 && around_from[n_from - 1] == around_to[n_to - 1]) {
        parent = around_from[n_from - 1];
        n_from--;
        n_to--;
    }
    if (!n_from || !n_to || parent == TLR_NO_INDEX ||
        around_from[n_from - 1] == around_to[n_to - 1])
        return 0;
    const tlr_zone *zone = &z->zones[parent];
    const tlr_route_row *bypass = find_bypass(z, zone, around_from, n_from, around_to, n_to);
    if (bypass) {
        if (bypass->from != from && !walk_route(w, from, bypass->gateway_from))
            return 0;
        pass_links(w, bypass->links);
        return bypass->to == to || walk_route(w, bypass->gateway_to, to);
    }
    gateways gates;
    const uint32_t a = z->zones[around_from[n_from - 1]].point,
                   b = z->zones[around_to[n_to - 1]].point;
    return pass_zone(w, zone, a, b, &gates, 0) && gates.from != TLR_NO_INDEX &&
           gates.to != TLR_NO_INDEX && walk_part(w, from, gates.from) &&
           pass_zone(w, zone, a, b, &gates, 1) && walk_part(w, gates.to, to);
}

/* Passes the links between two points; returns 0 if there is no route. */
static int walk_route(walk *w, uint32_t from, uint32_t to)
{
    const tlr_point *a = &w->z->points[from], *b = &w->z->points[to];
    bool is_found;
    if (w->depth++ == MOST_DEPTH || a->zone == TLR_NO_INDEX || b->zone == TLR_NO_INDEX)
        return 0;
    if (a->zone != b->zone) {
        is_found = walk_between_zones(w, from, to);
    } else {
        const tlr_zone *zone = &w->z->zones[a->zone];
        const tlr_route_row *bypass = tlr_find_row(&zone->bypasses, from, to);
        gateways gates;
        if (bypass)
            pass_links(w, bypass->links);
        is_found = bypass || pass_zone(w, zone, from, to, &gates, 1);
    }
    w->depth--;
    return is_found;
}

/* ---- what others ask ---- */

typedef struct counter {
    tlr_link_visitor *visit;
    void *arg;
    bool passed_wifi;
    size_t n;
} counter;

static void count_link(void *arg, const tlr_link *link)
{
    counter *c = arg;
    c->n += link->kind != TLR_LINK_DISTANCE;
    c->passed_wifi |= link->kind == TLR_LINK_WIFI;
    c->visit(c->arg, link);
}

tl_status tlr_route_visit(const tlr_cluster *c, size_t from_host, size_t to_host,
                          tlr_link_visitor *visit, void *arg, tl_error *err)
{
    const tlr_zones *z = c->zones;
    counter counted = {visit, arg, 0, 0};
    walk w = {.z = z, .visit = count_link, .arg = &counted};
    const bool is_found = walk_route(&w, z->order[from_host], z->order[to_host]);
    const char *from = c->hosts[from_host].name, *to = c->hosts[to_host].name;
    if (w.passes_wifi || counted.passed_wifi)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: the route from host '%s' to '%s' passes Wi-Fi, whose rate depends on "
                       "its stations; give --engine smpi, or the network by --params",
                       z->path, from, to);
    if (!is_found || !counted.n)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: has no route from host '%s' to '%s'; add one, or give a --hostfile "
                       "with hosts that have routes, or the network by --params",
                       z->path, from, to);
    return TL_OK;
}

static void take_link(void *arg, const tlr_link *link)
{
    tlr_route *r = arg;
    r->latency_s += link->latency_s;
    r->n_links += link->kind != TLR_LINK_DISTANCE;
    if (link->kind == TLR_LINK_LIMITER) {
        r->limiter_Bps = fmin(r->limiter_Bps, link->bandwidth_Bps);
        return;
    }
    r->bandwidth_Bps = fmin(r->bandwidth_Bps, link->bandwidth_Bps);
    if (link->sharing == TLR_LINK_SHARED)
        r->both_Bps = fmin(r->both_Bps, link->bandwidth_Bps);
}

/* Within a host, the way back is the way. */
static void take_inner_link(void *arg, const tlr_link *link)
{
    tlr_link shared = *link;
    if (link->sharing == TLR_LINK_ONE_WAY)
        shared.sharing = TLR_LINK_SHARED;
    take_link(arg, &shared);
}

static const tlr_route no_links = {
    .bandwidth_Bps = INFINITY, .both_Bps = INFINITY, .limiter_Bps = INFINITY};

tl_status tlr_route_find(const tlr_cluster *c, size_t from_host, size_t to_host, tlr_route *out,
                         tl_error *err)
{
    *out = no_links;
    return tlr_route_visit(c, from_host, to_host,
                           from_host == to_host ? take_inner_link : take_link, out, err);
}

/* ---- bounds ---- */

/* Lowers the bound to a route with this latency and bandwidth. */
static void lower(tlr_route *bound, double latency_s, double Bps)
{
    bound->latency_s = fmin(bound->latency_s, latency_s);
    bound->bandwidth_Bps = fmax(bound->bandwidth_Bps, Bps);
}

static tlr_route of_span(const tlr_zones *z, tlr_span span)
{
    tlr_route route = no_links;
    for (uint32_t i = 0; i < span.n; i++)
        take_link(&route, &z->links[z->spans[span.first + i]]);
    return route;
}

/* The way from a gateway to any host but itself, if it is the router of a cluster. */
static void add_gateway(const tlr_zones *z, uint32_t gateway, tlr_route *route)
{
    if (gateway == TLR_NO_INDEX || !z->points[gateway].is_router)
        return;
    const tlr_zone *zone = &z->zones[z->points[gateway].zone];
    if (zone->routing != TLR_ROUTING_FLAT)
        return;
    route->latency_s += zone->shape->latency_s;
    route->bandwidth_Bps = fmin(route->bandwidth_Bps, zone->shape->Bps);
}

static void lower_by_table(const tlr_zones *z, const tlr_route_table *table, tlr_route *bound)
{
    for (size_t i = 0; i < table->n; i++) {
        const tlr_route_row *row = &table->rows[i];
        tlr_route route = of_span(z, row->links);
        add_gateway(z, row->gateway_from, &route);
        add_gateway(z, row->gateway_to, &route);
        if (row->from != row->to)
            lower(bound, route.latency_s, route.bandwidth_Bps);
    }
}

/* Of each of the two ways, the shortest arm. */
static void lower_by_arms(const tlr_zones *z, const tlr_zone *zone, tlr_route *bound)
{
    double latency_s[2] = {INFINITY, INFINITY}, Bps[2] = {0, 0};
    for (size_t i = 0; i < zone->n_arms; i++) {
        if (!zone->arms[i].is_linked && !zone->arms[i].has_loop)
            continue;
        const tlr_route ways[2] = {of_span(z, zone->arms[i].up), of_span(z, zone->arms[i].down)};
        for (int k = 0; k < 2; k++) {
            latency_s[k] = fmin(latency_s[k], ways[k].latency_s);
            Bps[k] = fmax(Bps[k], ways[k].bandwidth_Bps);
        }
    }
    if (zone->n_arms)
        lower(bound, latency_s[0] + latency_s[1], fmin(Bps[0], Bps[1]));
}

static void lower_by_cluster(const tlr_zones *z, const tlr_zone *zone, tlr_route *bound)
{
    const tlr_cluster_shape *s = zone->shape;
    const double n_links = zone->routing == TLR_ROUTING_TORUS ? 1 : 2;
    if (s->n_hosts > 1)
        lower(bound,
              n_links * s->latency_s +
                  (s->backbone == TLR_NO_INDEX ? 0 : z->links[s->backbone].latency_s),
              s->Bps);
}

/* The loopbacks of all hosts; one host of each cluster. */
static tl_status bound_within(const tlr_cluster *c, tlr_route *bound, tl_error *err)
{
    const tlr_zones *z = c->zones;
    uint8_t *is_known = calloc(z->n_zones + 1, 1);
    if (!is_known)
        return tl_no_memory(err, z->path);
    for (size_t i = 0; i < c->n_hosts; i++) {
        const uint32_t zone = z->points[z->order[i]].zone;
        tlr_route route;
        tl_error ignored;
        if (is_known[zone] || tlr_route_find(c, i, i, &route, &ignored) != TL_OK)
            continue;
        lower(bound, route.latency_s, route.bandwidth_Bps);
        is_known[zone] = z->zones[zone].shape != NULL;
    }
    free(is_known);
    return TL_OK;
}

tl_status tlr_route_least(const tlr_cluster *c, tlr_route *between, tlr_route *within,
                          tl_error *err)
{
    const tlr_zones *z = c->zones;
    *between = *within =
        (tlr_route){.latency_s = INFINITY, .both_Bps = INFINITY, .limiter_Bps = INFINITY};
    if (tlr_routes_are_equal(c)) {
        const tl_status status = tlr_route_find(c, 0, 0, within, err);
        return status == TL_OK ? tlr_route_find(c, 0, c->n_hosts > 1, between, err) : status;
    }
    for (size_t i = 0; i < z->n_zones; i++) {
        lower_by_table(z, &z->zones[i].routes, between);
        lower_by_table(z, &z->zones[i].bypasses, between);
        lower_by_arms(z, &z->zones[i], between);
        if (z->zones[i].shape)
            lower_by_cluster(z, &z->zones[i], between);
    }
    const tl_status status = bound_within(c, within, err);
    if (!(between->bandwidth_Bps > 0)) /* the only host */
        *between = *within;
    if (!(within->bandwidth_Bps > 0))
        *within = *between;
    if (status == TL_OK && !(between->bandwidth_Bps > 0))
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: there is no link between its hosts; add one, or give the network by "
                       "--params",
                       z->path);
    return status;
}

double tlr_host_limiter(const tlr_cluster *c, size_t host)
{
    const tlr_zones *z = c->zones;
    const tlr_cluster_shape *s = z->zones[z->points[z->order[host]].zone].shape;
    return s ? s->limiter_Bps / s->Bps : 0;
}

bool tlr_routes_are_equal(const tlr_cluster *c)
{
    const tlr_zones *z = c->zones;
    for (size_t i = 1; i < c->n_hosts; i++)
        if (z->points[z->order[i]].zone != z->points[z->order[0]].zone)
            return 0;
    return z->zones[z->points[z->order[0]].zone].routing == TLR_ROUTING_FLAT;
}

bool tlr_links_are_shared(const tlr_cluster *c)
{
    const tlr_zones *z = c->zones;
    return !tlr_routes_are_equal(c) ||
           z->zones[z->points[z->order[0]].zone].shape->backbone != TLR_NO_INDEX;
}

static const tlr_zone *find_shaped(const tlr_cluster *c)
{
    const tlr_zone *found = NULL;
    for (size_t i = 0; i < c->zones->n_zones; i++) {
        const tlr_zone *zone = &c->zones->zones[i];
        if (!zone->shape)
            continue;
        if (found || zone->routing == TLR_ROUTING_FLAT)
            return NULL;
        found = zone;
    }
    return found;
}

bool tlr_topology_of(const tlr_cluster *c, tlr_topology *out)
{
    static const char *const names[] = {[TLR_ROUTING_TORUS] = "torus",
                                        [TLR_ROUTING_FAT_TREE] = "fat-tree",
                                        [TLR_ROUTING_DRAGONFLY] = "dragonfly"};
    const tlr_zone *zone = find_shaped(c);
    if (zone)
        *out = (tlr_topology){names[zone->routing], zone->shape->n, zone->shape->sizes,
                              zone->shape->parents};
    if (zone && zone->routing != TLR_ROUTING_FAT_TREE)
        out->parents = NULL;
    return zone != NULL;
}

bool tlr_link_ends(const tlr_cluster *c, uint64_t id, uint64_t ends[2])
{
    const tlr_zone *zone = find_shaped(c);
    return zone && tlr_shape_ends(zone, id, ends);
}

bool tlr_hosts_have_adapters(const tlr_cluster *c)
{
    for (size_t i = 0; i < c->zones->n_zones; i++)
        if (c->zones->zones[i].routing == TLR_ROUTING_TORUS)
            return 0;
    return 1;
}

void tlr_cluster_set_loopback(tlr_cluster *c, double latency_s, double bandwidth_Bps)
{
    c->zones->own_loopback.latency_s = latency_s;
    c->zones->own_loopback.bandwidth_Bps = bandwidth_Bps;
}

/* ---- changes ---- */

static void change_value(const tlr_change *change, bool is_loopback, double *bandwidth_Bps,
                         double *latency_s)
{
    if (is_loopback == !strcmp(change->pattern, "*"))
        return;
    double *value = change->quantity == TLR_LINK_BANDWIDTH ? bandwidth_Bps : latency_s;
    *value = tlr_change_apply(change, *value);
}

static void change_links(tlr_zones *z, const tlr_change *change)
{
    double none = 0;
    change_value(change, 1, &z->own_loopback.bandwidth_Bps, &z->own_loopback.latency_s);
    for (size_t i = 0; i < z->n_links; i++)
        change_value(change, z->links[i].kind == TLR_LINK_LOOPBACK, &z->links[i].bandwidth_Bps,
                     &z->links[i].latency_s);
    for (size_t i = 0; i < z->n_zones; i++) {
        tlr_cluster_shape *s = z->zones[i].shape;
        if (!s)
            continue;
        change_value(change, 0, &s->Bps, &s->latency_s);
        change_value(change, 0, &s->limiter_Bps, &none);
        change_value(change, 1, &s->loopback_Bps, &s->loopback_s);
    }
}

void tlr_cluster_change(tlr_cluster *c, const tlr_change *change)
{
    for (size_t i = 0; i < c->n_hosts && change->quantity == TLR_HOST_SPEED; i++)
        if (fnmatch(change->pattern, c->hosts[i].name, 0) == 0)
            c->speeds[i] = tlr_change_apply(change, c->speeds[i]);
    if (change->quantity == TLR_LINK_BANDWIDTH || change->quantity == TLR_LINK_LATENCY)
        change_links(c->zones, change);
}
