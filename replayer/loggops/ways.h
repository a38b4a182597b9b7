/* ways.h - what messages cost between two hosts, from the links of their route. */
#ifndef TLR_LOGGOPS_WAYS_H
#define TLR_LOGGOPS_WAYS_H

#include "loggops.h"
#include "machine/cluster.h"
#include "machine/segments.h"

#include <stdbool.h>
#include <stdio.h>

/* How links and options of a platform become costs, for messages between hosts or within one. */
typedef struct loggops_law {
    tlr_segments bandwidth, latency, sends, starts, receives; /* factors; overheads */
    bool is_bound;                                            /* timeless/bw-factor-bound */
    double crosstraffic; /* what a message takes of its links, as both directions are busy */
    double gamma;        /* network/TCP-gamma: the largest window */
    double S_bytes;      /* from here on, sends wait */
    int charges_long;    /* from here on, messages have the overheads of a nonblocking send and of
                            a receive */
} loggops_law;

/* The costs on a route. TL_ERR_UNSUPPORTED if the options distinguish too many sizes. */
tl_status loggops_derive_path(const loggops_law *law, const tlr_route *route, loggops_path *out,
                              tl_error *err);

/* The ways between the nodes of a run whose routes differ: each has the costs of its own route,
 * worked out when a message first takes it. Equal routes have one path. */
tl_status loggops_ways_open(const loggops_law laws[2], loggops_ways **out, tl_error *err);
void loggops_ways_close(loggops_ways *ways);
/* The nodes are these hosts, host_of[node]; both are the caller's. */
tl_status loggops_ways_place(loggops_ways *ways, const tlr_cluster *cluster,
                             const uint32_t *host_of, uint32_t n_nodes, tl_error *err);
/* TL_OK unless a message would have taken a way that does not exist. */
tl_status loggops_ways_status(const loggops_ways *ways, tl_error *err);
/* "; 3 kinds of routes between hosts: latency 1us to 100ms, 1.25e+06 to 1.25e+08 B/s" */
void loggops_ways_describe(const loggops_ways *ways, FILE *out);

#endif
