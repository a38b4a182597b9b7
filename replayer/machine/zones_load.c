/* zones_load.c - reads routes, clusters and zones of a platform.xml, and its settings. */
#include "config.h"

#include "machine/zones_reading.h"

#include "core/room.h"

#include "text_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- routes ---- */

static tl_status read_link_ctn(zones_reading *x, const tlr_element *e, tl_error *err)
{
    const char *name, *direction = tlr_xml_value(e, "direction");
    const bool is_up = direction && !strcmp(direction, "UP"),
               is_down = direction && !strcmp(direction, "DOWN");
    uint32_t link = 0;
    TL_TRY(tlr_xml_text(e, "id", &name, err));
    if (direction && !is_up && !is_down && strcmp(direction, "NONE") != 0)
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "direction=\"%s\" is none of UP, DOWN and NONE; correct it",
                            tl_printable(direction));
    TL_TRY(zones_find_link(x, e, name, is_up || is_down, &link, err));
    if (!tl_make_room(&x->steps, x->n_steps, &x->steps_room, sizeof *x->steps) ||
        !tl_make_room(&x->directions, x->n_steps, &x->directions_room, sizeof *x->directions))
        return zones_no_memory(x, err);
    x->steps[x->n_steps] = link;
    x->directions[x->n_steps++] = (int8_t)(is_up - is_down);
    return TL_OK;
}

static bool is_bypass(const tlr_element *e)
{
    return e->tag == TLR_TAG_BYPASS_ROUTE || e->tag == TLR_TAG_BYPASS_ZONE_ROUTE;
}

static bool is_of_zones(const tlr_element *e)
{
    return e->tag == TLR_TAG_ZONE_ROUTE || e->tag == TLR_TAG_BYPASS_ZONE_ROUTE;
}

/* The points of a route lie in the zone that is open, unless it is a bypass. */
static tl_status check_ends(const zones_reading *x, const tlr_element *e, tl_error *err)
{
    const tlr_point *from = &x->z->points[x->route.from], *to = &x->z->points[x->route.to];
    if (!is_bypass(e) && (from->zone != x->zone || to->zone != x->zone))
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "'%s' or '%s' is in another zone than the route; move the route",
                            from->name, to->name);
    if (from->is_zone != is_of_zones(e) || to->is_zone != is_of_zones(e))
        return tlr_xml_fail(e, TL_ERR_INPUT, err, "'%s' or '%s' is %s; write <%s>", from->name,
                            to->name, is_of_zones(e) ? "no zone" : "a zone",
                            is_of_zones(e) ? "route" : "zoneRoute");
    return TL_OK;
}

/* A gateway is a host or a router of this zone, or of one in it. */
static tl_status find_gateway(const zones_reading *x, const tlr_element *e, const char *attribute,
                              uint32_t of, uint32_t *out, tl_error *err)
{
    const tl_status status = zones_find_point(x, e, attribute, out, err);
    if (status != TL_OK || is_bypass(e))
        return status;
    const tlr_point *gate = &x->z->points[*out], *zone = &x->z->points[of];
    uint32_t at = gate->is_zone ? TLR_NO_INDEX : gate->zone;
    while (at != TLR_NO_INDEX && at != zone->of)
        at = x->z->zones[at].parent;
    return at != TLR_NO_INDEX ? TL_OK
                              : tlr_xml_fail(e, TL_ERR_INPUT, err,
                                             "%s=\"%s\" is no host or router of '%s'; correct it",
                                             attribute, gate->name, zone->name);
}

static tl_status begin_route(zones_reading *x, const tlr_element *e, tl_error *err)
{
    const char *back = tlr_xml_value(e, "symmetrical");
    x->n_steps = 0;
    x->leads_back = !is_bypass(e) && (!back || !strcasecmp(back, "yes"));
    x->route = (tlr_route_row){.gateway_from = TLR_NO_INDEX, .gateway_to = TLR_NO_INDEX};
    TL_TRY(zones_find_point(x, e, "src", &x->route.from, err));
    TL_TRY(zones_find_point(x, e, "dst", &x->route.to, err));
    TL_TRY(check_ends(x, e, err));
    if (!is_of_zones(e))
        return TL_OK;
    TL_TRY(find_gateway(x, e, "gw_src", x->route.from, &x->route.gateway_from, err));
    return find_gateway(x, e, "gw_dst", x->route.to, &x->route.gateway_to, err);
}

/* Adds the steps of the route that is open to the lists of links. */
static tl_status keep_steps(zones_reading *x, int backwards, tlr_span *out, tl_error *err)
{
    tl_status status = TL_OK;
    *out = (tlr_span){(uint32_t)x->z->n_spans, (uint32_t)x->n_steps};
    for (size_t i = 0; i < x->n_steps && status == TL_OK; i++) {
        const size_t at = backwards ? x->n_steps - 1 - i : i;
        const int direction = backwards ? -x->directions[at] : x->directions[at];
        status = zones_add_span(x, x->steps[at] + (direction < 0), err);
    }
    return status;
}

static tl_status add_row(zones_reading *x, tlr_route_table *table, const tlr_route_row *row,
                         tl_error *err)
{
    if (!tl_make_room(&table->rows, table->n, &table->room, sizeof *table->rows))
        return zones_no_memory(x, err);
    table->rows[table->n++] = *row;
    return TL_OK;
}

/* In a star, a route leads from a point to itself. */
static tl_status end_loop(zones_reading *x, const tlr_element *e, tl_error *err)
{
    tlr_arm *arm;
    if (x->route.from != x->route.to)
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "in a zone with routing=\"Cluster\" a route leads from a host to "
                            "itself only; write <host_link>");
    TL_TRY(zones_find_arm(x, x->z->points[x->route.from].id, &arm, err));
    arm->has_loop = 1;
    return keep_steps(x, 0, &arm->loop, err);
}

static tl_status end_route(zones_reading *x, const tlr_element *e, tl_error *err)
{
    tlr_zone *zone = &x->z->zones[x->zone];
    tlr_route_row row = x->route;
    if (!x->n_steps)
        return tlr_xml_fail(e, TL_ERR_INPUT, err, "the route has no links; add <link_ctn>");
    if (is_bypass(e)) {
        TL_TRY(keep_steps(x, 0, &row.links, err));
        return add_row(x, &zone->bypasses, &row, err);
    }
    if (zone->routing == TLR_ROUTING_STAR || zone->routing == TLR_ROUTING_VIVALDI)
        return end_loop(x, e, err);
    if (zone->routing > TLR_ROUTING_DIJKSTRA)
        return tlr_xml_fail(e, TL_ERR_INPUT, err, "its zone cannot have routes; remove it");
    row.from = x->z->points[row.from].id;
    row.to = x->z->points[row.to].id;
    TL_TRY(keep_steps(x, 0, &row.links, err));
    TL_TRY(add_row(x, &zone->routes, &row, err));
    if (!x->leads_back || row.from == row.to)
        return TL_OK;
    row = (tlr_route_row){.from = row.to,
                          .to = row.from,
                          .gateway_from = row.gateway_to,
                          .gateway_to = row.gateway_from};
    TL_TRY(keep_steps(x, 1, &row.links, err));
    return add_row(x, &zone->routes, &row, err);
}

/* ---- zones ---- */

static tl_status open_zone(zones_reading *x, const tlr_element *e, const char *name,
                           tlr_routing routing, tl_error *err)
{
    tlr_zones *z = x->z;
    const uint32_t parent = x->zone, number = (uint32_t)z->n_zones;
    if (parent == TLR_NO_INDEX && number)
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "is the second element around which there is no zone; put all into one "
                            "<zone>");
    if (parent != TLR_NO_INDEX)
        z->zones[parent].has_zones = 1;
    if (!tl_make_room(&z->zones, z->n_zones, &z->zones_room, sizeof *z->zones))
        return zones_no_memory(x, err);
    const tl_status status =
        zones_add_point(x, e, name, (tlr_point){.of = number, .is_zone = 1}, err);
    if (status != TL_OK)
        return status;
    z->zones[z->n_zones++] = (tlr_zone){.name = z->points[z->n_points - 1].name,
                                        .parent = parent,
                                        .point = (uint32_t)z->n_points - 1,
                                        .routing = routing,
                                        .backbone = TLR_NO_INDEX};
    x->zone = number;
    return TL_OK;
}

static tl_status begin_zone(zones_reading *x, const tlr_element *e, tl_error *err)
{
    static const char *const names[] = {"Full",    "Floyd",   "Dijkstra", "None",
                                        "Cluster", "Vivaldi", "Wifi",     "DijkstraCache"};
    enum { N_NAMES = sizeof names / sizeof *names };
    const char *name, *routing;
    TL_TRY(tlr_xml_text(e, "id", &name, err));
    TL_TRY(tlr_xml_text(e, "routing", &routing, err));
    for (int i = 0; i < N_NAMES; i++)
        if (!strcasecmp(routing, names[i]))
            return open_zone(x, e, name, i == N_NAMES - 1 ? TLR_ROUTING_DIJKSTRA : (tlr_routing)i,
                             err);
    return tlr_xml_fail(e, TL_ERR_INPUT, err,
                        "routing=\"%s\" is none of SimGrid's; write Full, Floyd, "
                        "Dijkstra, None, Cluster, Vivaldi or Wifi",
                        tl_printable(routing));
}

/* ---- clusters ---- */

static tl_status read_shape(zones_reading *x, const tlr_element *e, tlr_routing routing,
                            tlr_cluster_shape *s, tl_error *err)
{
    char why[400];
    tlr_link link = {0};
    TL_TRY(tlr_xml_quantity(e, "bw", TL_BANDWIDTH, 0, -1, &s->Bps, err));
    TL_TRY(tlr_xml_quantity(e, "lat", TL_DURATION, 0, -1, &s->latency_s, err));
    TL_TRY(tlr_xml_quantity(e, "limiter_link", TL_BANDWIDTH, 0, 0, &s->limiter_Bps, err));
    TL_TRY(tlr_xml_quantity(e, "loopback_bw", TL_BANDWIDTH, 0, 0, &s->loopback_Bps, err));
    TL_TRY(tlr_xml_quantity(e, "loopback_lat", TL_DURATION, 0, 0, &s->loopback_s, err));
    TL_TRY(zones_read_sharing(e, "sharing_policy", "SPLITDUPLEX", &link, err));
    s->is_split = link.sharing == TLR_LINK_ONE_WAY;
    s->has_loopback = s->loopback_Bps > 0 || s->loopback_s > 0;
    if (!(s->Bps > 0) || (s->has_loopback && !(s->loopback_Bps > 0)))
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "the bandwidth of its %s is 0; give a positive one",
                            s->Bps > 0 ? "loopback" : "links");
    s->first_host = x->z->n_fat_tree_hosts;
    const char *sizes = tlr_xml_value(e, "topo_parameters");
    if (routing != TLR_ROUTING_FLAT &&
        tlr_shape_parse(s, routing, sizes ? sizes : "", why, sizeof why) != TL_OK)
        return tlr_xml_fail(e, TL_ERR_INPUT, err, "%s", why);
    return TL_OK;
}

static tl_status add_backbone(zones_reading *x, const tlr_element *e, const char *name,
                              tlr_cluster_shape *s, tl_error *err)
{
    tlr_link link = {0};
    char text[300];
    TL_TRY(tlr_xml_quantity(e, "bb_bw", TL_BANDWIDTH, 0, 0, &link.bandwidth_Bps, err));
    TL_TRY(tlr_xml_quantity(e, "bb_lat", TL_DURATION, 0, 0, &link.latency_s, err));
    TL_TRY(zones_read_sharing(e, "bb_sharing_policy", "SHARED", &link, err));
    s->backbone = TLR_NO_INDEX;
    if (!(link.bandwidth_Bps > 0 || link.latency_s > 0))
        return TL_OK;
    if (!(link.bandwidth_Bps > 0))
        return tlr_xml_fail(e, TL_ERR_INPUT, err, "has bb_lat, but no bb_bw; give it");
    snprintf(text, sizeof text, "%.250s_backbone", name);
    s->backbone = (uint32_t)x->z->n_links;
    return zones_add_named(x, e, text, &link, err);
}

/* Its router, by which other zones reach a flat cluster. */
static tl_status add_router(zones_reading *x, const tlr_element *e, const char *name, tl_error *err)
{
    const char *given = tlr_xml_value(e, "router_id");
    char *made = NULL;
    if (!(given && *given) && asprintf(&made, "%s%s_router%s", tlr_xml_value(e, "prefix"), name,
                                       tlr_xml_value(e, "suffix")) < 0)
        return zones_no_memory(x, err);
    const tl_status status = zones_add_point(x, e, made ? made : given,
                                             (tlr_point){.of = TLR_NO_INDEX, .is_router = 1}, err);
    free(made);
    return status;
}

static tl_status find_topology(const tlr_element *e, tlr_routing *out, tl_error *err)
{
    static const char *const names[] = {"FLAT", "TORUS", "FAT_TREE", "DRAGONFLY"};
    const char *topology = tlr_xml_value(e, "topology");
    for (int i = 0; i < 4; i++)
        if (!strcmp(topology ? topology : names[0], names[i])) {
            *out = (tlr_routing)(TLR_ROUTING_FLAT + i);
            return TL_OK;
        }
    return tlr_xml_fail(
        e, TL_ERR_INPUT, err,
        "topology=\"%s\" is none of FLAT, TORUS, FAT_TREE and DRAGONFLY; correct it",
        tl_printable(topology));
}

static tl_status begin_cluster(zones_reading *x, const tlr_element *e, tl_error *err)
{
    tlr_zones *z = x->z;
    tlr_routing routing = TLR_ROUTING_FLAT;
    host_series series = {.x = x, .e = e, .most = TLR_MOST_HOSTS};
    const char *name;
    TL_TRY(tlr_xml_text(e, "id", &name, err));
    TL_TRY(find_topology(e, &routing, err));
    TL_TRY(open_zone(x, e, name, routing, err));
    tlr_cluster_shape *s = z->zones[x->zone].shape = calloc(1, sizeof *s);
    if (!s)
        return zones_no_memory(x, err);
    TL_TRY(read_shape(x, e, routing, s, err));
    s->backbone = TLR_NO_INDEX;
    if (routing == TLR_ROUTING_FLAT)
        TL_TRY(add_backbone(x, e, name, s, err));
    else
        series.most = s->n_hosts;
    TL_TRY(zones_add_series(&series, err));
    if (routing == TLR_ROUTING_FLAT)
        TL_TRY(add_router(x, e, name, err));
    else if (series.n < s->n_hosts)
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "its radical has %llu hosts, and its topo_parameters %u; correct one",
                            (unsigned long long)series.n, s->n_hosts);
    s->n_hosts = (uint32_t)series.n;
    if (routing == TLR_ROUTING_FAT_TREE)
        z->n_fat_tree_hosts += s->n_hosts;
    s->first_link = (UINT64_C(1) << 32) + z->n_cluster_links;
    z->n_cluster_links += tlr_shape_number(s, routing);
    return TL_OK;
}

/* ---- elements ---- */

static tl_status begin_element(void *reading, const tlr_element *e, tl_error *err)
{
    zones_reading *x = reading;
    const char *name;
    switch (e->tag) {
    case TLR_TAG_HOST:
    case TLR_TAG_CLUSTER:
        x->in_hosts = 1;
        x->first_host = x->c->n_hosts;
        return e->tag == TLR_TAG_HOST ? zones_read_host(x, e, err) : begin_cluster(x, e, err);
    case TLR_TAG_PROP:
        return x->in_hosts && (e->parent == TLR_TAG_HOST || e->parent == TLR_TAG_CLUSTER)
                   ? zones_read_watts(x, e, err)
                   : TL_OK;
    case TLR_TAG_ZONE: return begin_zone(x, e, err);
    case TLR_TAG_CABINET: return zones_read_cabinet(x, e, err);
    case TLR_TAG_PEER: return zones_read_peer(x, e, err);
    case TLR_TAG_HOST_LINK: return zones_read_host_link(x, e, err);
    case TLR_TAG_ROUTER: {
        TL_TRY(tlr_xml_text(e, "id", &name, err));
        return zones_add_point(x, e, name, (tlr_point){.of = TLR_NO_INDEX, .is_router = 1}, err);
    }
    case TLR_TAG_LINK:
    case TLR_TAG_BACKBONE: return zones_read_link(x, e, err);
    case TLR_TAG_ROUTE:
    case TLR_TAG_ZONE_ROUTE:
    case TLR_TAG_BYPASS_ROUTE:
    case TLR_TAG_BYPASS_ZONE_ROUTE: return begin_route(x, e, err);
    case TLR_TAG_LINK_CTN: return read_link_ctn(x, e, err);
    case TLR_TAG_TRACE_CONNECT: x->c->has_profiles = 1; return TL_OK;
    default: return TL_OK;
    }
}

static tl_status end_element(void *reading, const tlr_element *e, tl_error *err)
{
    zones_reading *x = reading;
    switch (e->tag) {
    case TLR_TAG_CLUSTER:
    case TLR_TAG_HOST: x->in_hosts = 0; break;
    case TLR_TAG_ROUTE:
    case TLR_TAG_ZONE_ROUTE:
    case TLR_TAG_BYPASS_ROUTE:
    case TLR_TAG_BYPASS_ZONE_ROUTE: return end_route(x, e, err);
    default: break;
    }
    if (e->tag == TLR_TAG_CLUSTER || e->tag == TLR_TAG_ZONE)
        x->zone = x->z->zones[x->zone].parent;
    return TL_OK;
}

/* ---- the file ---- */

typedef struct named_host {
    tlr_host host;
    double speed;
    tlr_watts watts;
    uint32_t point;
} named_host;

static int compare_hosts(const void *a, const void *b)
{
    const named_host *x = a, *y = b;
    return strverscmp(x->host.name, y->host.name);
}

static tl_status sort_hosts(const zones_reading *x, tl_error *err)
{
    tlr_cluster *c = x->c;
    named_host *all = calloc(c->n_hosts + 1, sizeof *all);
    x->z->order = calloc(c->n_hosts + 1, sizeof *x->z->order);
    if (!all || !x->z->order) {
        free(all);
        return zones_no_memory(x, err);
    }
    for (size_t i = 0; i < c->n_hosts; i++)
        all[i] = (named_host){c->hosts[i], c->speeds[i], c->watts[i], x->point_of[i]};
    qsort(all, c->n_hosts, sizeof *all, compare_hosts);
    for (size_t i = 0; i < c->n_hosts; i++) {
        c->hosts[i] = all[i].host;
        c->speeds[i] = all[i].speed;
        c->watts[i] = all[i].watts;
        x->z->order[i] = all[i].point;
    }
    free(all);
    return TL_OK;
}

static tl_status note_file(void *cluster, const char *name, tl_error *err)
{
    (void)name;
    (void)err;
    ((tlr_cluster *)cluster)->has_profiles = 1;
    return TL_OK;
}

static tl_status read_all(zones_reading *x, const char *xml_path, const char *text, size_t size,
                          tl_error *err)
{
    const tlr_xml_reader reader = {begin_element, end_element, x};
    tlr_xml_contents contents = {.add_file = note_file, .arg = x->c};
    TL_TRY(tlr_cluster_contents(text, size, xml_path, &contents, err));
    TL_TRY(tlr_xml_read(text, size, xml_path, &reader, err));
    TL_TRY(tlr_zones_finish(x->z, err));
    if (!x->c->n_hosts)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: there is no <cluster> and no <host> in it; add hosts", xml_path);
    return sort_hosts(x, err);
}

tl_status tlr_cluster_read(const char *xml_path, tlr_cluster *out, tl_error *err)
{
    zones_reading x = {.c = out, .z = tlr_zones_create(xml_path), .zone = TLR_NO_INDEX};
    char *text = NULL;
    size_t size;
    *out = (tlr_cluster){.zones = x.z};
    tl_status status =
        x.z ? tlr_read_text(xml_path, &text, &size, err) : tl_no_memory(err, xml_path);
    if (status == TL_OK)
        status = read_all(&x, xml_path, text, size, err);
    free(x.steps);
    free(x.directions);
    free(x.point_of);
    free(text);
    if (status != TL_OK)
        tlr_cluster_free(out);
    return status;
}

void tlr_cluster_free(tlr_cluster *c)
{
    free(c->hosts);
    free(c->speeds);
    free(c->watts);
    tlr_zones_free(c->zones);
    *c = (tlr_cluster){0};
}

/* ---- what a platform needs before an engine reads it ---- */

typedef struct contents_reading {
    tlr_xml_contents *out;
    const tlr_element *e;
    uint64_t n_hosts;
} contents_reading;

static tl_status count_range(void *reading, long first, long last, tl_error *err)
{
    contents_reading *r = reading;
    r->n_hosts += last < first ? 0 : (uint64_t)(last - first) + 1;
    return r->n_hosts <= TLR_MOST_HOSTS
               ? TL_OK
               : tlr_xml_fail(
                     r->e, TL_ERR_INPUT, err,
                     "with its radical the platform has more than %d hosts; describe fewer",
                     TLR_MOST_HOSTS);
}

/* What SimGrid makes of the shape of a cluster must fit; the rest of it SimGrid judges. */
static tl_status check_size(const tlr_element *e, tl_error *err)
{
    char why[400];
    tlr_cluster_shape shape = {0};
    tlr_routing routing;
    const char *sizes = tlr_xml_value(e, "topo_parameters");
    const tl_status status = find_topology(e, &routing, err);
    return status != TL_OK || routing == TLR_ROUTING_FLAT ||
                   tlr_shape_parse(&shape, routing, sizes ? sizes : "", why, sizeof why) !=
                       TL_ERR_MEMORY
               ? status
               : tlr_xml_fail(e, TL_ERR_INPUT, err, "%s; describe fewer", why);
}

static tl_status take_setting(const contents_reading *r, const tlr_element *e, tl_error *err)
{
    const char *id, *value;
    char *option = NULL;
    TL_TRY(tlr_xml_text(e, "id", &id, err));
    TL_TRY(tlr_xml_text(e, "value", &value, err));
    if (asprintf(&option, "%s:%s", id, value) < 0)
        return tl_no_memory(err, e->path);
    const tl_status status = r->out->add_option(r->out->arg, option, err);
    free(option);
    return status;
}

static tl_status note_element(void *reading, const tlr_element *e, tl_error *err)
{
    static const char *const files[] = {"speed_file",   "availability_file", "state_file",
                                        "latency_file", "bandwidth_file",    "file"};
    contents_reading *r = reading;
    r->e = e;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *file = tlr_xml_value(e, files[i]);
        if (!file || !*file)
            continue;
        r->out->has_profiles = 1;
        TL_TRY(r->out->add_file(r->out->arg, file, err));
    }
    r->out->has_profiles |= e->tag == TLR_TAG_TRACE;
    if (e->tag == TLR_TAG_CLUSTER)
        TL_TRY(check_size(e, err));
    if (e->tag == TLR_TAG_CLUSTER || e->tag == TLR_TAG_CABINET)
        return tlr_xml_radical(e, count_range, r, err);
    if (e->tag == TLR_TAG_HOST)
        return count_range(r, 0, 0, err);
    if (e->tag != TLR_TAG_PROP)
        return TL_OK;
    const char *id = tlr_xml_value(e, "id");
    r->out->has_watts |= id && !strcmp(id, "wattage_per_state");
    return e->parent == TLR_TAG_CONFIG && r->out->add_option ? take_setting(r, e, err) : TL_OK;
}

tl_status tlr_cluster_contents(const char *text, size_t size, const char *path,
                               tlr_xml_contents *contents, tl_error *err)
{
    contents_reading r = {.out = contents};
    const tlr_xml_reader reader = {note_element, NULL, &r};
    return tlr_xml_read(text, size, path, &reader, err);
}
