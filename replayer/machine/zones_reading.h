/* zones_reading.h - what reads the elements of a platform.xml into zones.
 *
 * For zones_read.c and zones_load.c alone. */
#ifndef TLR_ZONES_READING_H
#define TLR_ZONES_READING_H

#include "machine/platform_xml.h"
#include "machine/zones.h"

#include <stdbool.h>

typedef struct zones_reading {
    tlr_cluster *c;
    tlr_zones *z;
    size_t hosts_room;
    uint32_t *point_of; /* by host, in the order of the file */
    size_t points_room;
    uint32_t zone;       /* that is open; TLR_NO_INDEX: none */
    int in_hosts;        /* <host> or <cluster> is open */
    size_t first_host;   /* of this element */
    tlr_route_row route; /* that is open; its points */
    int leads_back;
    uint32_t *steps; /* of the route: links, and the direction of each: 1 up, -1 down, 0 none */
    int8_t *directions;
    size_t n_steps, steps_room, directions_room;
} zones_reading;

typedef struct host_kind {
    unsigned n_cores;
    double speed;
} host_kind;

/* The hosts of a radical, with their prefix, number and suffix. */
typedef struct host_series {
    zones_reading *x;
    const tlr_element *e;
    const char *prefix, *suffix;
    host_kind kind;
    uint64_t n, most; /* further ones are left out, as in SimGrid */
    /* does more with a host; NULL: nothing */
    tl_status (*more)(zones_reading *x, const tlr_element *e, const char *name, tl_error *err);
} host_series;

tl_status zones_no_memory(const zones_reading *x, tl_error *err);
/* Adds a point to the zone that is open. */
tl_status zones_add_point(zones_reading *x, const tlr_element *e, const char *name, tlr_point point,
                          tl_error *err);
/* The point that an attribute names. */
tl_status zones_find_point(const zones_reading *x, const tlr_element *e, const char *attribute,
                           uint32_t *out, tl_error *err);
tl_status zones_add_series(host_series *s, tl_error *err);
/* Adds a link with a name: both directions in one, or one link for each. */
tl_status zones_add_named(zones_reading *x, const tlr_element *e, const char *name,
                          const tlr_link *link, tl_error *err);
tl_status zones_read_sharing(const tlr_element *e, const char *attribute, const char *fallback,
                             tlr_link *out, tl_error *err);
/* A link by its name; is_split: one of two directions. */
tl_status zones_find_link(const zones_reading *x, const tlr_element *e, const char *name,
                          bool is_split, uint32_t *out, tl_error *err);
/* The arm of a point of the zone that is open, which is a star. */
tl_status zones_find_arm(zones_reading *x, uint32_t id, tlr_arm **out, tl_error *err);
tl_status zones_add_span(zones_reading *x, uint32_t link, tl_error *err);

/* ---- elements ---- */

tl_status zones_read_host(zones_reading *x, const tlr_element *e, tl_error *err);
tl_status zones_read_watts(zones_reading *x, const tlr_element *e, tl_error *err);
tl_status zones_read_link(zones_reading *x, const tlr_element *e, tl_error *err);
tl_status zones_read_host_link(zones_reading *x, const tlr_element *e, tl_error *err);
tl_status zones_read_cabinet(zones_reading *x, const tlr_element *e, tl_error *err);
tl_status zones_read_peer(zones_reading *x, const tlr_element *e, tl_error *err);

#endif
