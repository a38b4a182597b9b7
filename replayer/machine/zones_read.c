/* zones_read.c - reads hosts, links and routes of a platform.xml. */
#include "config.h"

#include "machine/zones_reading.h"

#include "core/room.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

tl_status zones_no_memory(const zones_reading *x, tl_error *err)
{
    return tl_no_memory(err, x->z->path);
}

/* ---- points ---- */

tl_status zones_add_point(zones_reading *x, const tlr_element *e, const char *name, tlr_point point,
                          tl_error *err)
{
    tlr_zones *z = x->z;
    if (tlr_names_find(&z->point_names, z->points, sizeof *z->points, name) != TLR_NO_INDEX)
        return tlr_xml_fail(
            e, TL_ERR_INPUT, err,
            "the name '%s' is taken by another host, router or zone; choose another",
            tl_printable(name));
    if (!tl_make_room(&z->points, z->n_points, &z->points_room, sizeof *z->points) ||
        !(point.name = strdup(name)))
        return zones_no_memory(x, err);
    point.zone = x->zone;
    if (x->zone != TLR_NO_INDEX)
        point.id = z->zones[x->zone].n_points++;
    z->points[z->n_points++] = point;
    return tlr_names_add(&z->point_names, z->points, sizeof *z->points, (uint32_t)z->n_points - 1)
               ? TL_OK
               : zones_no_memory(x, err);
}

tl_status zones_find_point(const zones_reading *x, const tlr_element *e, const char *attribute,
                           uint32_t *out, tl_error *err)
{
    const char *name;
    TL_TRY(tlr_xml_text(e, attribute, &name, err));
    *out = tlr_names_find(&x->z->point_names, x->z->points, sizeof *x->z->points, name);
    return *out != TLR_NO_INDEX
               ? TL_OK
               : tlr_xml_fail(e, TL_ERR_INPUT, err,
                              "%s=\"%s\" is no host, router or zone that precedes it; correct it",
                              attribute, tl_printable(name));
}

/* Three numbers, as "25.5 9.4 1.4". */
static tl_status read_coordinates(const zones_reading *x, const tlr_element *e, tlr_point *point,
                                  tl_error *err)
{
    const char *text = tlr_xml_value(e, "coordinates"), *at = text;
    if (!text || !*text)
        return TL_OK;
    if (!(point->at = calloc(3, sizeof *point->at)))
        return zones_no_memory(x, err);
    for (int i = 0; i < 3; i++) {
        char *end;
        point->at[i] = strtod(at, &end);
        if (end == at || !isfinite(point->at[i]) || *end != (i < 2 ? ' ' : '\0'))
            return tlr_xml_fail(e, TL_ERR_INPUT, err,
                                "coordinates=\"%s\" are not three numbers with a space between "
                                "them; correct them",
                                tl_printable(text));
        at = end + 1;
    }
    return TL_OK;
}

/* ---- hosts ---- */

/* A whole number of an attribute, as SimGrid reads it. */
static tl_status whole(const tlr_element *e, const char *name, long least, long *out, tl_error *err)
{
    const char *text = tlr_xml_value(e, name);
    char *end;
    *out = least;
    if (!text)
        return TL_OK;
    *out = strtol(text, &end, 10);
    if (end != text && !end[strspn(end, ".0")] && *out >= least && *out <= INT_MAX)
        return TL_OK;
    return tlr_xml_fail(e, TL_ERR_INPUT, err,
                        "%s=\"%s\" is not a whole number from %ld on; correct it", name,
                        tl_printable(text), least);
}

static tl_status read_host_kind(const tlr_element *e, host_kind *out, tl_error *err)
{
    long n_cores = 1, state = 0;
    TL_TRY(whole(e, "core", 1, &n_cores, err));
    TL_TRY(whole(e, "pstate", 0, &state, err));
    TL_TRY(tlr_xml_quantity(e, "speed", TL_SPEED, (unsigned)state, -1, &out->speed, err));
    if (!(out->speed > 0))
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "the speed is not positive; write it as in "
                            "speed=\"1Gf\"");
    out->n_cores = (unsigned)n_cores;
    return TL_OK;
}

static tl_status add_host(zones_reading *x, const tlr_element *e, const char *name,
                          const host_kind *kind, tl_error *err)
{
    tlr_cluster *c = x->c;
    const size_t n = c->n_hosts;
    if (n == x->hosts_room) {
        size_t rooms[3] = {x->hosts_room, x->hosts_room, x->hosts_room};
        if (!tl_make_room(&c->hosts, n, &rooms[0], sizeof *c->hosts) ||
            !tl_make_room(&c->speeds, n, &rooms[1], sizeof *c->speeds) ||
            !tl_make_room(&c->watts, n, &rooms[2], sizeof *c->watts))
            return zones_no_memory(x, err);
        x->hosts_room = rooms[0];
    }
    if (!tl_make_room(&x->point_of, n, &x->points_room, sizeof *x->point_of))
        return zones_no_memory(x, err);
    TL_TRY(zones_add_point(x, e, name, (tlr_point){.of = (uint32_t)n}, err));
    x->point_of[n] = (uint32_t)x->z->n_points - 1;
    c->hosts[n] = (tlr_host){x->z->points[x->z->n_points - 1].name, kind->n_cores};
    c->speeds[n] = kind->speed;
    c->watts[n] = (tlr_watts){0};
    c->n_hosts++;
    return TL_OK;
}

tl_status zones_read_host(zones_reading *x, const tlr_element *e, tl_error *err)
{
    host_kind kind;
    const char *name;
    TL_TRY(tlr_xml_text(e, "id", &name, err));
    TL_TRY(read_host_kind(e, &kind, err));
    TL_TRY(add_host(x, e, name, &kind, err));
    return read_coordinates(x, e, &x->z->points[x->z->n_points - 1], err);
}

static tl_status add_range(void *series, long first, long last, tl_error *err)
{
    host_series *s = series;
    tl_status status = TL_OK;
    char name[512];
    for (long i = first; i <= last && s->n < s->most && status == TL_OK; i++, s->n++) {
        if (snprintf(name, sizeof name, "%s%ld%s", s->prefix, i, s->suffix) >= (int)sizeof name)
            return tlr_xml_fail(s->e, TL_ERR_INPUT, err, "the names of its hosts are too long");
        status = add_host(s->x, s->e, name, &s->kind, err);
        if (status == TL_OK && s->more)
            status = s->more(s->x, s->e, name, err);
    }
    return status;
}

tl_status zones_add_series(host_series *s, tl_error *err)
{
    TL_TRY(tlr_xml_text(s->e, "prefix", &s->prefix, err));
    TL_TRY(tlr_xml_text(s->e, "suffix", &s->suffix, err));
    TL_TRY(read_host_kind(s->e, &s->kind, err));
    return tlr_xml_radical(s->e, add_range, s, err);
}

bool tlr_watts_read(const char *text, tlr_watts *out)
{
    const char *at = text;
    double watts[3] = {0};
    int n = 0, is_good = text != NULL;
    while (is_good && n < 3) {
        char *end;
        watts[n] = strtod(at, &end);
        is_good = end != at && watts[n] >= 0 && isfinite(watts[n]);
        n++;
        at = end;
        if (*at != ':')
            break;
        at++;
    }
    if (!is_good || n < 2 || (*at && *at != ',' && *at != ' '))
        return false;
    *out = (tlr_watts){1, watts[0], watts[n == 3], watts[n - 1]};
    return true;
}

double tlr_watts_energy_j(const tlr_watts *watts, double took_s, double busy_s, double cores_s)
{
    return watts->idle * took_s + (watts->least - watts->idle) * busy_s +
           (watts->full - watts->least) * cores_s;
}

tl_status zones_read_watts(zones_reading *x, const tlr_element *e, tl_error *err)
{
    const char *name = tlr_xml_value(e, "id"), *text = tlr_xml_value(e, "value");
    tlr_watts watts;
    if (!name || strcmp(name, "wattage_per_state") != 0)
        return TL_OK;
    if (!tlr_watts_read(text, &watts))
        return tlr_xml_fail(
            e, TL_ERR_INPUT, err,
            "wattage_per_state \"%s\" is not IDLE:FULL or IDLE:LEAST:FULL in watts; "
            "correct it",
            text ? tl_printable(text) : "");
    for (size_t i = x->first_host; i < x->c->n_hosts; i++)
        x->c->watts[i] = watts;
    return TL_OK;
}

/* ---- links ---- */

static tl_status name_link(zones_reading *x, const tlr_element *e, const char *name,
                           const char *suffix, uint32_t link, bool is_split, tl_error *err)
{
    tlr_zones *z = x->z;
    char *whole_name = NULL;
    if (asprintf(&whole_name, "%s%s", name, suffix) < 0)
        return zones_no_memory(x, err);
    if (tlr_names_find(&z->link_names, z->named, sizeof *z->named, whole_name) != TLR_NO_INDEX) {
        const tl_status status = tlr_xml_fail(
            e, TL_ERR_INPUT, err, "there are two links '%s'; choose other names", whole_name);
        free(whole_name);
        return status;
    }
    if (!tl_make_room(&z->named, z->n_named, &z->named_room, sizeof *z->named)) {
        free(whole_name);
        return zones_no_memory(x, err);
    }
    z->named[z->n_named++] = (tlr_named_link){whole_name, link, is_split};
    return tlr_names_add(&z->link_names, z->named, sizeof *z->named, (uint32_t)z->n_named - 1)
               ? TL_OK
               : zones_no_memory(x, err);
}

static tl_status add_link(zones_reading *x, const tlr_link *link, tl_error *err)
{
    tlr_zones *z = x->z;
    if (!tl_make_room(&z->links, z->n_links, &z->links_room, sizeof *z->links))
        return zones_no_memory(x, err);
    z->links[z->n_links] = *link;
    z->links[z->n_links].id = z->n_links;
    z->n_links++;
    return TL_OK;
}

/* A link with both directions in one, or one for each. */
tl_status zones_add_named(zones_reading *x, const tlr_element *e, const char *name,
                          const tlr_link *link, tl_error *err)
{
    const uint32_t number = (uint32_t)x->z->n_links;
    TL_TRY(add_link(x, link, err));
    if (link->sharing == TLR_LINK_ONE_WAY) {
        TL_TRY(add_link(x, link, err));
        TL_TRY(name_link(x, e, name, "_UP", number, 0, err));
        TL_TRY(name_link(x, e, name, "_DOWN", number + 1, 0, err));
    }
    return name_link(x, e, name, "", number, link->sharing == TLR_LINK_ONE_WAY, err);
}

/* sharing_policy, whose default differs between elements. */
tl_status zones_read_sharing(const tlr_element *e, const char *attribute, const char *fallback,
                             tlr_link *out, tl_error *err)
{
    const char *policy = tlr_xml_value(e, attribute);
    policy = policy ? policy : fallback;
    out->sharing = TLR_LINK_SHARED;
    if (!strcmp(policy, "FATPIPE"))
        out->sharing = TLR_LINK_FATPIPE;
    else if (!strcmp(policy, "SPLITDUPLEX") || !strcmp(policy, "FULLDUPLEX"))
        out->sharing = TLR_LINK_ONE_WAY;
    else if (!strcmp(policy, "WIFI"))
        out->kind = TLR_LINK_WIFI;
    else if (strcmp(policy, "SHARED") != 0)
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "%s=\"%s\" is none of SHARED, SPLITDUPLEX and FATPIPE; correct it",
                            attribute, tl_printable(policy));
    return TL_OK;
}

/* <link> and <backbone> */
tl_status zones_read_link(zones_reading *x, const tlr_element *e, tl_error *err)
{
    tlr_link link = {0};
    const char *name;
    TL_TRY(tlr_xml_text(e, "id", &name, err));
    TL_TRY(tlr_xml_quantity(e, "bandwidth", TL_BANDWIDTH, 0, -1, &link.bandwidth_Bps, err));
    TL_TRY(tlr_xml_quantity(e, "latency", TL_DURATION, 0, 0, &link.latency_s, err));
    TL_TRY(zones_read_sharing(e, "sharing_policy", "SHARED", &link, err));
    if (!(link.bandwidth_Bps > 0))
        return tlr_xml_fail(e, TL_ERR_INPUT, err,
                            "the link '%s' has no bandwidth; give it a positive one",
                            tl_printable(name));
    if (x->z->zones[x->zone].routing == TLR_ROUTING_WIFI)
        link.kind = TLR_LINK_WIFI;
    if (e->tag == TLR_TAG_BACKBONE)
        x->z->zones[x->zone].backbone = (uint32_t)x->z->n_links;
    return zones_add_named(x, e, name, &link, err);
}

/* A link by its name; is_split: one of two directions. */
tl_status zones_find_link(const zones_reading *x, const tlr_element *e, const char *name,
                          bool is_split, uint32_t *out, tl_error *err)
{
    const tlr_zones *z = x->z;
    const uint32_t i = tlr_names_find(&z->link_names, z->named, sizeof *z->named, name);
    if (i != TLR_NO_INDEX && z->named[i].is_split == is_split) {
        *out = z->named[i].link;
        return TL_OK;
    }
    return tlr_xml_fail(e, TL_ERR_INPUT, err,
                        "there is no link '%s'%s that precedes it; correct it", tl_printable(name),
                        is_split            ? " with SPLITDUPLEX"
                        : i == TLR_NO_INDEX ? ""
                                            : " without a direction (UP or DOWN)");
}

/* ---- stars ---- */

tl_status zones_find_arm(zones_reading *x, uint32_t id, tlr_arm **out, tl_error *err)
{
    tlr_zone *zone = &x->z->zones[x->zone];
    if (!tl_make_room(&zone->arms, id, &zone->arms_room, sizeof *zone->arms))
        return zones_no_memory(x, err);
    for (; zone->n_arms <= id; zone->n_arms++)
        zone->arms[zone->n_arms] = (tlr_arm){0};
    *out = &zone->arms[id];
    return TL_OK;
}

tl_status zones_add_span(zones_reading *x, uint32_t link, tl_error *err)
{
    tlr_zones *z = x->z;
    if (!tl_make_room(&z->spans, z->n_spans, &z->spans_room, sizeof *z->spans))
        return zones_no_memory(x, err);
    z->spans[z->n_spans++] = link;
    return TL_OK;
}

/* Links a point of the zone with the centre, by one link for each direction. */
static tl_status add_arm(zones_reading *x, uint32_t id, uint32_t up, uint32_t down, tl_error *err)
{
    tlr_arm *arm;
    TL_TRY(zones_find_arm(x, id, &arm, err));
    const uint32_t first = (uint32_t)x->z->n_spans;
    arm->up = (tlr_span){first, 1};
    arm->down = (tlr_span){first + 1, 1};
    arm->is_linked = 1;
    TL_TRY(zones_add_span(x, up, err));
    return zones_add_span(x, down, err);
}

static tl_status check_star(const zones_reading *x, const tlr_element *e, tlr_routing routing,
                            tl_error *err)
{
    return x->zone != TLR_NO_INDEX && x->z->zones[x->zone].routing == routing
               ? TL_OK
               : tlr_xml_fail(e, TL_ERR_INPUT, err,
                              "can only be in a zone with routing=\"%s\"; move it",
                              routing == TLR_ROUTING_STAR ? "Cluster" : "Vivaldi");
}

tl_status zones_read_host_link(zones_reading *x, const tlr_element *e, tl_error *err)
{
    uint32_t point = 0, up = 0, down = 0;
    const char *names[2];
    TL_TRY(check_star(x, e, TLR_ROUTING_STAR, err));
    TL_TRY(zones_find_point(x, e, "id", &point, err));
    if (x->z->points[point].zone != x->zone)
        return tlr_xml_fail(e, TL_ERR_INPUT, err, "its host is in another zone; move it");
    TL_TRY(tlr_xml_text(e, "up", &names[0], err));
    TL_TRY(tlr_xml_text(e, "down", &names[1], err));
    TL_TRY(zones_find_link(x, e, names[0], 0, &up, err));
    TL_TRY(zones_find_link(x, e, names[1], 0, &down, err));
    return add_arm(x, x->z->points[point].id, up, down, err);
}

/* Links a host that was just added by two links of its own, whose bandwidths two attributes have.
 */
static tl_status add_own_links(zones_reading *x, const tlr_element *e, const char *name,
                               const char *up, const char *down, double latency_s, tl_error *err)
{
    const char *const attributes[] = {up, down}, *const suffixes[] = {"_UP", "_DOWN"};
    const uint32_t first = (uint32_t)x->z->n_links;
    char text[600];
    snprintf(text, sizeof text, "link_%s", name);
    for (uint32_t i = 0; i < 2; i++) {
        tlr_link link = {.latency_s = latency_s};
        TL_TRY(tlr_xml_quantity(e, attributes[i], TL_BANDWIDTH, 0, -1, &link.bandwidth_Bps, err));
        TL_TRY(add_link(x, &link, err));
        TL_TRY(name_link(x, e, text, suffixes[i], first + i, 0, err));
    }
    return add_arm(x, x->z->points[x->z->n_points - 1].id, first, first + 1, err);
}

static tl_status add_to_cabinet(zones_reading *x, const tlr_element *e, const char *name,
                                tl_error *err)
{
    double latency_s;
    TL_TRY(tlr_xml_quantity(e, "lat", TL_DURATION, 0, -1, &latency_s, err));
    return add_own_links(x, e, name, "bw", "bw", latency_s, err);
}

tl_status zones_read_cabinet(zones_reading *x, const tlr_element *e, tl_error *err)
{
    host_series series = {.x = x, .e = e, .most = TLR_MOST_HOSTS, .more = add_to_cabinet};
    TL_TRY(check_star(x, e, TLR_ROUTING_STAR, err));
    return zones_add_series(&series, err);
}

tl_status zones_read_peer(zones_reading *x, const tlr_element *e, tl_error *err)
{
    TL_TRY(check_star(x, e, TLR_ROUTING_VIVALDI, err));
    TL_TRY(zones_read_host(x, e, err));
    return add_own_links(x, e, tlr_xml_value(e, "id"), "bw_out", "bw_in", 0, err);
}
