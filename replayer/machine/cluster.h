/* cluster.h - the hosts, routes and settings of a platform.xml, read without SimGrid. */
#ifndef TLR_CLUSTER_H
#define TLR_CLUSTER_H

#include "machine/mapping.h"
#include "replayer.h"

#include <stdbool.h>

/* The power of a host: wattage_per_state of its first state, as SimGrid reads it. */
typedef struct tlr_watts {
    bool is_known;
    double idle, least, full; /* least: the first core at work adds nothing but its share */
} tlr_watts;

/* Reads "IDLE:FULL" or "IDLE:LEAST:FULL", of the first state before a comma. Returns whether the
 * text is that. */
bool tlr_watts_read(const char *text, tlr_watts *out);
/* The joules of a host, by SimGrid's formula (plugin host_energy): some core was at work for
 * busy_s of took_s, and each core for cores_s on average. */
double tlr_watts_energy_j(const tlr_watts *watts, double took_s, double busy_s, double cores_s);

typedef struct tlr_zones tlr_zones;

typedef struct tlr_cluster {
    size_t n_hosts;
    tlr_host *hosts; /* ordered by name and number */
    double *speeds;  /* flop/s */
    tlr_watts *watts;
    tlr_zones *zones;
    bool has_profiles; /* it names files that change bandwidths, latencies or speeds with time */
} tlr_cluster;

/* Reads the whole file. TL_ERR_INPUT if SimGrid would refuse it. */
tl_status tlr_cluster_read(const char *xml_path, tlr_cluster *out, tl_error *err);
void tlr_cluster_free(tlr_cluster *c);

/* ---- routes ---- */

typedef enum tlr_sharing {
    TLR_LINK_SHARED = 0, /* flows of both directions share it */
    TLR_LINK_FATPIPE,    /* each flow gets the whole bandwidth */
    TLR_LINK_ONE_WAY     /* flows of one direction share it; the other direction is separate */
} tlr_sharing;

typedef enum tlr_link_kind {
    TLR_LINK_PLAIN = 0,
    TLR_LINK_LIMITER,  /* the limit of a host or switch for all directions together */
    TLR_LINK_LOOPBACK, /* within a host */
    TLR_LINK_DISTANCE, /* not a link: the latency of a distance (Vivaldi); bandwidth INFINITY */
    TLR_LINK_WIFI      /* its rate depends on its stations, so routes through it are unknown */
} tlr_link_kind;

/* A link, or one direction of a link. */
typedef struct tlr_link {
    uint64_t id; /* unique in the platform */
    double latency_s, bandwidth_Bps;
    tlr_sharing sharing;
    tlr_link_kind kind;
} tlr_link;

/* A platform that is a torus, a fat tree or a dragonfly. Its hosts and then its switches have the
 * numbers from 0 on: those of a fat tree level by level, those of a dragonfly group by group. */
typedef struct tlr_topology {
    const char *name; /* "torus", "fat-tree", "dragonfly" */
    unsigned n;
    const uint32_t *sizes;   /* [n] of the dimensions; children of a level; groups, chassis of a
                                group, blades of a chassis and nodes of a blade */
    const uint32_t *parents; /* [n] of a level of a fat tree */
} tlr_topology;
/* Returns whether the platform is one of these. */
bool tlr_topology_of(const tlr_cluster *c, tlr_topology *out);
/* The two hosts or switches that a link joins; 0 if it joins none, as a limiter. */
bool tlr_link_ends(const tlr_cluster *c, uint64_t id, uint64_t ends[2]);

typedef void tlr_link_visitor(void *arg, const tlr_link *link);

/* Calls `visit` for each link of the route between two hosts, in order. A host outside of clusters
 * without a loopback has the loopback of SimGrid (tlr_cluster_set_loopback). Several threads may
 * call this at the same time. TL_ERR_UNSUPPORTED: there is no route, or its bandwidth is unknown.
 */
tl_status tlr_route_visit(const tlr_cluster *c, size_t from_host, size_t to_host,
                          tlr_link_visitor *visit, void *arg, tl_error *err);
/* Sets the options network/loopback-lat and network/loopback-bw. */
void tlr_cluster_set_loopback(tlr_cluster *c, double latency_s, double bandwidth_Bps);

/* Applies a change of the speed of hosts, or a factor of the bandwidth or latency of all links
 * ("*") or of all loopbacks ("*loopback*"); other changes do nothing. */
void tlr_cluster_change(tlr_cluster *c, const tlr_change *change);

/* The sums and minima over the links of a route. */
typedef struct tlr_route {
    double latency_s;
    double bandwidth_Bps; /* of the slowest link that is not a limiter */
    double both_Bps;      /* of the slowest link that both directions share; INFINITY: none */
    double limiter_Bps;   /* of the slowest limiter; INFINITY: none */
    unsigned n_links;
} tlr_route;
tl_status tlr_route_find(const tlr_cluster *c, size_t from_host, size_t to_host, tlr_route *out,
                         tl_error *err);

/* Bounds for all routes between two hosts, and within a host: no latency is smaller, and no
 * bandwidth is larger. They are exact if all routes are equal. */
tl_status tlr_route_least(const tlr_cluster *c, tlr_route *between, tlr_route *within,
                          tl_error *err);
/* The limiter of a host of a cluster, in multiples of the bandwidth of its link; 0: none. */
double tlr_host_limiter(const tlr_cluster *c, size_t host);
/* Whether all pairs of hosts have equal routes: the platform is one flat cluster. */
bool tlr_routes_are_equal(const tlr_cluster *c);
/* Whether messages of different hosts may share links, for example between switches. */
bool tlr_links_are_shared(const tlr_cluster *c);

/* Whether all that leaves or reaches a host passes one link: not in a torus. */
bool tlr_hosts_have_adapters(const tlr_cluster *c);

/* ---- settings ---- */

/* Receives the contents of a platform.xml that are needed before an engine reads the file. */
typedef struct tlr_xml_contents {
    /* "key:value" for each setting in <config> */
    tl_status (*add_option)(void *arg, const char *option, tl_error *err);
    /* the name of each profile of bandwidths, latencies or speeds */
    tl_status (*add_file)(void *arg, const char *name, tl_error *err);
    void *arg;
    bool has_watts;    /* result: some element has wattage_per_state */
    bool has_profiles; /* result: there is a profile, in a file or in the text */
} tlr_xml_contents;
tl_status tlr_cluster_contents(const char *text, size_t size, const char *path,
                               tlr_xml_contents *contents, tl_error *err);

#endif
