/* zones.h - zones, points, links and routes of a platform.xml, as SimGrid has them.
 *
 * A route is computed when it is asked for: in clusters from the numbers of the hosts, elsewhere
 * from the routes of each zone. There is no table of pairs of hosts.
 *
 * For zones.c, zones_read.c, routes.c and topologies.c; others use cluster.h. */
#ifndef TLR_ZONES_H
#define TLR_ZONES_H

#include "machine/cluster.h"

#include <stdbool.h>
#include <stdint.h>

#define TLR_NO_INDEX UINT32_MAX
enum { TLR_MOST_HOSTS = 1 << 22, TLR_MOST_LINKS = 1 << 26, TLR_MOST_DIMENSIONS = 16 };

typedef enum tlr_routing {
    TLR_ROUTING_FULL,
    TLR_ROUTING_FLOYD,
    TLR_ROUTING_DIJKSTRA,
    TLR_ROUTING_NONE,
    TLR_ROUTING_STAR, /* <zone routing="Cluster"> */
    TLR_ROUTING_VIVALDI,
    TLR_ROUTING_WIFI,
    TLR_ROUTING_FLAT, /* from here on: <cluster> */
    TLR_ROUTING_TORUS,
    TLR_ROUTING_FAT_TREE,
    TLR_ROUTING_DRAGONFLY
} tlr_routing;

/* A host, a router, or a zone among the others of its parent. */
typedef struct tlr_point {
    const char *name;
    uint32_t zone; /* in which it is; TLR_NO_INDEX: in none */
    uint32_t id;   /* there */
    uint32_t of;   /* index of a zone, of a place; TLR_NO_INDEX: none */
    double *at;    /* its three coordinates; NULL: none */
    uint8_t is_zone, is_router;
} tlr_point;

/* Links of a list of the zones. */
typedef struct tlr_span {
    uint32_t first, n;
} tlr_span;

/* A route of a zone between two of its points; with gateways if these are zones. */
typedef struct tlr_route_row {
    uint32_t from, to;
    uint32_t gateway_from, gateway_to;
    tlr_span links;
} tlr_route_row;

typedef struct tlr_route_table {
    tlr_route_row *rows; /* ordered by from and to, once the file has been read */
    size_t n, room;
} tlr_route_table;

/* How a point of a star is linked with its centre. */
typedef struct tlr_arm {
    tlr_span up, down, loop;
    bool is_linked, has_loop; /* else it has no way up and down; no loop */
} tlr_arm;

/* A <cluster>. */
typedef struct tlr_cluster_shape {
    uint32_t n_hosts;
    double Bps, latency_s, limiter_Bps, loopback_Bps, loopback_s;
    bool is_split; /* each direction has a link */
    bool has_loopback;
    uint32_t backbone; /* a link, or TLR_NO_INDEX */
    uint64_t first_link;
    uint32_t first_host; /* of a fat tree: the hosts of those before, as in SimGrid */
    unsigned n; /* dimensions or levels; 4 of a dragonfly: groups, chassis, blades, nodes */
    uint32_t sizes[TLR_MOST_DIMENSIONS];    /* children, of a fat tree */
    uint32_t parents[TLR_MOST_DIMENSIONS];  /* of a fat tree */
    uint32_t parallel[TLR_MOST_DIMENSIONS]; /* links beside each other; of a dragonfly: blue, black,
                                               green */
    /* Of tlr_shape_number: hosts and switches; their links; those of the levels below, of a fat
     * tree; of a dragonfly, where each kind of links begins. */
    uint64_t n_boxes, n_links;
    uint64_t boxes_from[TLR_MOST_DIMENSIONS + 1], links_from[TLR_MOST_DIMENSIONS];
} tlr_cluster_shape;

typedef struct tlr_zone {
    const char *name;
    uint32_t parent; /* TLR_NO_INDEX: none */
    uint32_t point;  /* its own */
    uint32_t n_points;
    bool has_zones;
    tlr_routing routing;
    tlr_route_table routes, bypasses; /* of bypasses: points instead of ids */
    uint32_t *before; /* [from][to]: the point before on the way; Floyd and Dijkstra */
    uint32_t *order;  /* Dijkstra: by id, the place among those with routes; TLR_NO_INDEX: none */
    tlr_arm *arms;    /* by id; points from n_arms on have none */
    size_t n_arms, arms_room;
    uint32_t backbone;        /* of a star: a link, or TLR_NO_INDEX */
    tlr_cluster_shape *shape; /* of a <cluster> */
} tlr_zone;

/* Names with numbers: the numbers are those of an array whose elements begin with the name. */
typedef struct tlr_names {
    uint32_t *slots; /* number + 1 */
    size_t n, room;
} tlr_names;

typedef struct tlr_named_link {
    const char *name;
    uint32_t link;
    bool is_split; /* `link` leads up, the next one down */
} tlr_named_link;

struct tlr_zones {
    char *path;
    tlr_zone *zones;
    size_t n_zones, zones_room;
    tlr_point *points;
    size_t n_points, points_room;
    tlr_link *links;
    size_t n_links, links_room;
    tlr_named_link *named;
    size_t n_named, named_room;
    uint32_t *spans; /* the links of all routes */
    size_t n_spans, spans_room;
    tlr_names point_names, link_names;
    uint32_t *order; /* of the zones' points by the hosts of the cluster */
    uint64_t n_cluster_links;
    uint32_t n_fat_tree_hosts;
    tlr_link own_loopback; /* of SimGrid, for hosts outside of clusters */
};

/* ---- zones.c ---- */

tlr_zones *tlr_zones_create(const char *path);
void tlr_zones_free(tlr_zones *z);
/* The number of a name; TLR_NO_INDEX: it has none. `array` has elements of so many bytes. */
uint32_t tlr_names_find(const tlr_names *names, const void *array, size_t size, const char *name);
/* Adds the name of an element; 0 without memory. */
int tlr_names_add(tlr_names *names, const void *array, size_t size, uint32_t number);
/* Orders the tables and works out the ways of graphs. */
tl_status tlr_zones_finish(tlr_zones *z, tl_error *err);
/* The row of a table; NULL: there is none. */
const tlr_route_row *tlr_find_row(const tlr_route_table *table, uint32_t from, uint32_t to);

/* ---- topologies.c ---- */

/* Reads topo_parameters; `n_hosts` gets the number of hosts. TL_ERR_MEMORY: more hosts or links
 * than fit. */
tl_status tlr_shape_parse(tlr_cluster_shape *shape, tlr_routing routing, const char *text,
                          char *why, size_t size);
/* Numbers the links of a shape. Returns how many it may have. */
uint64_t tlr_shape_number(tlr_cluster_shape *shape, tlr_routing routing);
/* Calls `visit` for the links between two points of a cluster. */
void tlr_shape_visit(const tlr_zones *z, const tlr_zone *zone, uint32_t from, uint32_t to,
                     tlr_link_visitor *visit, void *arg);
/* The boxes that a link of a torus, fat tree or dragonfly joins; 0: it joins none. */
bool tlr_shape_ends(const tlr_zone *zone, uint64_t id, uint64_t ends[2]);

#endif
