/* cluster.h - hosts and links of a platform.xml, for an engine that has no routes; its settings. */
#ifndef TLR_CLUSTER_H
#define TLR_CLUSTER_H

#include "machine/mapping.h"

/* The power of a host: wattage_per_state of its first state, as SimGrid reads it. */
typedef struct tlr_watts {
    int is_known;
    double idle, least, full; /* least: the first core at work adds nothing but its share */
} tlr_watts;

typedef struct tlr_cluster {
    size_t n_hosts;
    tlr_host *hosts; /* ordered by name and number */
    double *speeds;  /* flop/s */
    tlr_watts *watts;
    double latency_s;      /* between two hosts that are far apart: of all links on the way */
    double bandwidth_Bps;  /* of a host's link */
    double both_Bps;       /* of the slowest link on the way that both directions share; 0: none */
    double home_latency_s; /* within a host without a loopback: of its links */
    int is_routed;         /* a host is no part of a cluster: SimGrid has a loopback for it */
    double limiter_Bps;    /* of both directions of it together; 0: none */
    double loopback_latency_s, loopback_Bps; /* within a host; bandwidth 0: the file has none */
    int has_profiles; /* it names files by which bandwidths, latencies or speeds change with time */
} tlr_cluster;

/* Reads the elements cluster, host, link, route and zoneRoute. If there are several clusters, the
 * result has the links of the first one, and those of the first route between two zones.
 * TL_ERR_UNSUPPORTED if there are several hosts and no link between them. */
tl_status tlr_cluster_read(const char *xml_path, tlr_cluster *out, tl_error *err);
void tlr_cluster_free(tlr_cluster *c);

/* Calls `add` with "key:value" for each setting in <config> of the XML text; `path` is for errors.
 */
tl_status tlr_cluster_settings(const char *text, const char *path,
                               tl_status (*add)(void *arg, const char *option, tl_error *err),
                               void *arg, tl_error *err);

/* Calls `add` with the name of each file that the XML text names, in their order: the profiles of
 * bandwidths, latencies and speeds. */
tl_status tlr_cluster_files(const char *text, tl_status (*add)(void *arg, const char *name),
                            void *arg);

#endif
