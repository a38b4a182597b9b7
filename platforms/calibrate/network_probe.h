/* network_probe.h - the kinds of measurements of timeless-network-probe, for it and for the code
 * that reads them. */
#ifndef TLP_NETWORK_PROBE_H
#define TLP_NETWORK_PROBE_H

/* KIND(name, how often it is drawn in 100 operations). iprobe and the following kinds up to wtime
 * have no size. multi and the following kinds are drawn with --per-host only: several pairs of
 * ranks on two hosts at once, in one direction and in both; one or two pairs, until the first
 * message has arrived, and until the last one has. */
#define NETWORK_KINDS                                                                              \
    KIND(pingpong, 25)                                                                             \
    KIND(send, 15)                                                                                 \
    KIND(isend, 14)                                                                                \
    KIND(wait, 0) /* of the isend */                                                               \
    KIND(recv, 15)                                                                                 \
    KIND(late, 9)                                                                                  \
    KIND(both, 7)                                                                                  \
    KIND(pairs, 4)                                                                                 \
    KIND(burst, 4)                                                                                 \
    KIND(order, 3)                                                                                 \
    KIND(iprobe, 1)                                                                                \
    KIND(test, 2)                                                                                  \
    KIND(wtime, 1)                                                                                 \
    KIND(multi, 0)                                                                                 \
    KIND(multi_both, 0)                                                                            \
    KIND(beside, 0)                                                                                \
    KIND(beside_last, 0) /* of the beside */

enum {
#define KIND(name, share) KIND_##name,
    NETWORK_KINDS
#undef KIND
        N_NETWORK_KINDS
};

#endif
