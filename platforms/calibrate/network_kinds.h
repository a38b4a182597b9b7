/* network_kinds.h - one operation of timeless-network-probe, and a rank's part in it; the hosts of
 * the ranks. */
#ifndef TLP_NETWORK_KINDS_H
#define TLP_NETWORK_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    N_BURST = 32, /* messages of a burst */
    /* Shorter exchanges are repeated and measured together. */
    MAX_SHORT_BYTES = 65536,
    MAX_PER_HOST = 64 /* ranks on a host */
};
/* A late receive comes at least so late. */
#define TLP_LATE_S 2e-4

/* One operation: `from` measures it with `to`; of a pair of transfers, `from2` and `to2` make the
 * second. Of multi, multi_both and beside, `count` pairs of ranks on the hosts of `from` and `to`
 * do.
 */
typedef struct order {
    int32_t kind, from, to, from2, to2, count;
    int64_t bytes;
    double delay_s;
} order;

/* Whether several pairs of ranks send at once. */
bool tlp_is_multi(const order *o);
/* The part of `rank` in the operation. `ranks`: of several pairs, those that send, then those that
 * receive. Sets what it measured, or 0. */
void tlp_take_part(const order *o, int rank, const int *ranks, double *seconds);
void tlp_free_buffers(void);

/* ---- network_hosts.c ---- */

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
