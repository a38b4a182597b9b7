/* network_probe.h - what timeless-network-probe measures, for it and for those who read it. */
#ifndef TLP_NETWORK_PROBE_H
#define TLP_NETWORK_PROBE_H

/* KIND(name, how often it is drawn in 100 operations).  Those from iprobe on have no size. */
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
    KIND(wtime, 1)

enum {
#define KIND(name, share) KIND_##name,
    NETWORK_KINDS
#undef KIND
        N_NETWORK_KINDS
};

#endif
