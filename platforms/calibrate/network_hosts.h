/* network_hosts.h - the hosts of the ranks of timeless-network-probe, and their properties. */
#ifndef TLP_NETWORK_HOSTS_H
#define TLP_NETWORK_HOSTS_H

#include <stddef.h>

/* For each rank: the first rank on its host, and the number of cores of this host. Returns the
 * number of hosts. All ranks must call it. */
int tlp_find_hosts(int *host, int *cores);

/* The first n ranks on the host of a rank; -1 for those that it does not have. */
void tlp_ranks_beside(const int *host, int n_ranks, int rank, int n, int *out);

/* NULL if there are several hosts with `per_host` ranks each; else why not, in `text`. */
const char *tlp_check_hosts(const int *host, int n_ranks, int n_hosts, int per_host, char *text,
                            size_t size);

/* Lines "# machine RANK name: value" of each host, where RANK is the first rank on the host. Rank 0
 * gets the text, the other ranks "". All ranks must call it. The caller frees the text. */
char *tlp_describe_hosts(const int *host);

#endif
