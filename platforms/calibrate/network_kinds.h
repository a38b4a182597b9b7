/* network_kinds.h - one operation of timeless-network-probe, and a rank's part in it. */
#ifndef TLP_NETWORK_KINDS_H
#define TLP_NETWORK_KINDS_H

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
int tlp_is_multi(const order *o);
/* The part of `rank` in the operation. `ranks`: of several pairs, those that send, then those that
 * receive. Sets what it measured, or 0. */
void tlp_take_part(const order *o, int rank, const int *ranks, double *seconds);
void tlp_free_buffers(void);

#endif
