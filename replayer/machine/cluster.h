/* cluster.h - hosts of a platform.xml and the routes between them, for an engine that is not
 * SimGrid; its settings. */
#ifndef TLR_CLUSTER_H
#define TLR_CLUSTER_H

#include "machine/mapping.h"

/* The power of a host: wattage_per_state of its first state, as SimGrid reads it. */
typedef struct tlr_watts {
    int is_known;
    double idle, least, full; /* least: the first core at work adds nothing but its share */
} tlr_watts;

typedef struct tlr_zones tlr_zones;

typedef struct tlr_cluster {
    size_t n_hosts;
    tlr_host *hosts; /* ordered by name and number */
    double *speeds;  /* flop/s */
    tlr_watts *watts;
    tlr_zones *zones;
    int has_profiles; /* it names files by which bandwidths, latencies or speeds change with time */
} tlr_cluster;

/* Reads the whole file as SimGrid does. TL_ERR_INPUT where SimGrid would not load it. */
tl_status tlr_cluster_read(const char *xml_path, tlr_cluster *out, tl_error *err);
void tlr_cluster_free(tlr_cluster *c);

/* ---- routes ---- */

typedef enum tlr_sharing {
    TLR_LINK_SHARED = 0, /* flows of both directions share it */
    TLR_LINK_FATPIPE,    /* each flow has it for itself */
    TLR_LINK_ONE_WAY     /* flows of one direction share it; the other one has its own */
} tlr_sharing;

typedef enum tlr_link_kind {
    TLR_LINK_PLAIN = 0,
    TLR_LINK_LIMITER,  /* what a host or a switch does in all directions together */
    TLR_LINK_LOOPBACK, /* within a host */
    TLR_LINK_DISTANCE, /* no link: the latency of a distance (Vivaldi); bandwidth INFINITY */
    TLR_LINK_WIFI      /* its rate depends on its stations: no route that passes it is known */
} tlr_link_kind;

/* A link, or one direction of a link. */
typedef struct tlr_link {
    uint64_t id; /* of no other link of the platform */
    double latency_s, bandwidth_Bps;
    tlr_sharing sharing;
    tlr_link_kind kind;
} tlr_link;

typedef void tlr_link_visitor(void *arg, const tlr_link *link);

/* Calls `visit` for each link of the route between two hosts, in order; without a loopback of its
 * own, a host outside of clusters has that of SimGrid (tlr_cluster_set_loopback). Several threads
 * may ask at a time. TL_ERR_UNSUPPORTED if there is no route, or one whose bandwidth cannot be
 * known. */
tl_status tlr_route_visit(const tlr_cluster *c, size_t from_host, size_t to_host,
                          tlr_link_visitor *visit, void *arg, tl_error *err);
/* network/loopback-lat and network/loopback-bw */
void tlr_cluster_set_loopback(tlr_cluster *c, double latency_s, double bandwidth_Bps);

/* What the links of a route amount to. */
typedef struct tlr_route {
    double latency_s;
    double bandwidth_Bps; /* of the slowest link, limiters aside */
    double both_Bps;      /* of the slowest one that both directions share; INFINITY: none */
    double limiter_Bps;   /* of the slowest limiter; INFINITY: none */
    unsigned n_links;
} tlr_route;
tl_status tlr_route_find(const tlr_cluster *c, size_t from_host, size_t to_host, tlr_route *out,
                         tl_error *err);

/* A latency that no route between two hosts is below, and a bandwidth that none is above; the same
 * within a host. They are exact if all routes are equal. */
tl_status tlr_route_least(const tlr_cluster *c, tlr_route *between, tlr_route *within,
                          tl_error *err);
/* What a host of a cluster does in both directions together, in bandwidths of its link; 0: it has
 * no limiter. */
double tlr_host_limiter(const tlr_cluster *c, size_t host);
/* Whether all pairs of two hosts have equal routes: there is nothing but one flat cluster. */
int tlr_routes_are_equal(const tlr_cluster *c);
/* Whether messages of different hosts may share links, as those between switches. */
int tlr_links_are_shared(const tlr_cluster *c);

/* ---- settings ---- */

/* What a platform needs to know of the text of its platform.xml before an engine reads it. */
typedef struct tlr_xml_contents {
    /* "key:value" for each setting in <config> */
    tl_status (*add_option)(void *arg, const char *option, tl_error *err);
    /* the name of each profile of bandwidths, latencies or speeds */
    tl_status (*add_file)(void *arg, const char *name, tl_error *err);
    void *arg;
    int has_watts; /* result: some element has wattage_per_state */
} tlr_xml_contents;
tl_status tlr_cluster_contents(const char *text, size_t size, const char *path,
                               tlr_xml_contents *contents, tl_error *err);

#endif
