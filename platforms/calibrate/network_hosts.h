/* network_hosts.h - which hosts the ranks of timeless-network-probe stand on, and what these are.
 */
#ifndef TLP_NETWORK_HOSTS_H
#define TLP_NETWORK_HOSTS_H

/* For each rank the first rank that stands on its host, and the cores of that; returns the number
 * of hosts.  All ranks call it. */
int tlp_find_hosts(int *host, int *cores);

/* Lines "# machine RANK name: value" of each host, where RANK is the first rank of the host.  Rank
 * 0 gets the text, the others "".  All ranks call it; the caller frees the text. */
char *tlp_describe_hosts(const int *host);

#endif
