/* folder.h - network and hosts of the LogGOPS engine, from a platform folder. */
#ifndef TLR_LOGGOPS_FOLDER_H
#define TLR_LOGGOPS_FOLDER_H

#include "ways.h"

#include <stdbool.h>

/* What the ranks of each host compute, if the model has interference. */
typedef struct loggops_load {
    uint32_t n_ranks;
    struct loggops_end *ends;   /* of the ranks of one host, for a while */
    uint32_t *ranks, *first_on; /* the ranks in the order of their hosts; by host, and the end */
    double (*hogs)[TLR_N_HOGS]; /* by rank: those that the others of its host act as, in the mean */
    double (*acting_s)[TLR_N_HOGS]; /* by rank: the seconds of its bursts, times what they act as */
} loggops_load;

/* The places of the ranks. */
typedef struct loggops_places {
    loggops_load *load; /* NULL: none */
    tlr_cluster cluster;
    uint32_t *host_of; /* by rank: index into its hosts */
    tlr_crowd crowd;
    uint32_t *core_of;      /* how many ranks of the host come before, modulo its cores */
    uint32_t *n_on;         /* by host: its ranks */
    uint32_t *host_of_node; /* by node: index into the hosts */
    double *limiters;       /* by node: loggops_nodes.limiters */
    loggops_nodes nodes;
} loggops_places;

/* The network of a platform, derived from the links, overheads, thresholds and factors of its
 * SimGrid description. */
tl_status loggops_read_network(const tlr_platform *platform, tlr_cluster *cluster,
                               const tlr_options *options, loggops_network *out, tl_error *err);

/* Puts the ranks on the hosts of `cluster`. The places take over the cluster, even if this fails.
 */
tl_status loggops_place_ranks(const tlr_cluster *cluster, const loggops_network *network,
                              const tlr_options *options, uint32_t n_ranks, loggops_places *out,
                              tl_error *err);
void loggops_places_free(loggops_places *places);

#endif
