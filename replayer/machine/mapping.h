/* mapping.h - which host each rank runs on. */
#ifndef TLR_MAPPING_H
#define TLR_MAPPING_H

#include "replayer.h"

/* A host that the platform has. */
typedef struct tlr_host {
    const char *name;
    unsigned n_cores;
} tlr_host;

/* Fills host_of[rank] with an index into hosts.
 *   - With a host file, its lines give the hosts in order. A host gets the number of ranks that its
 *     line states ("name:4", "name slots=4"), otherwise options->ranks_per_host, otherwise one.
 *     Lines "rank 3=name", as in Open MPI's rank files, give the host of each rank.
 *   - Otherwise the hosts are taken in the given order. Each gets options->ranks_per_host ranks,
 *     or one for each core.  If the platform has only one host, it gets all ranks.
 * With options->round_robin, each host gets one rank in turn, as long as it has places.
 * TL_ERR_INPUT: there are too few places, or the platform does not have a host. */
tl_status tlr_map_ranks(const tlr_host *hosts, size_t n_hosts, const char *hostfile,
                        const tlr_options *options, uint32_t n_ranks, uint32_t *host_of,
                        tl_error *err);

/* Ranks on hosts that have fewer cores than ranks, and the cores of these hosts. */
typedef struct tlr_crowd {
    uint32_t n_ranks;
    uint64_t n_cores;
    tlr_fullest_host fullest;
} tlr_crowd;
/* n_on[host] is the number of ranks on a host. */
tlr_crowd tlr_find_crowd(const tlr_host *hosts, size_t n_hosts, const uint32_t *n_on);

#endif
