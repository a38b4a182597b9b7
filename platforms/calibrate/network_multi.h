/* network_multi.h - several pairs of ranks on two hosts that send at the same time. */
#ifndef TLP_NETWORK_MULTI_H
#define TLP_NETWORK_MULTI_H

enum { MAX_PER_HOST = 64 };

/* Pair k is senders[k], on the first host, and receivers[k], on the second one. */
typedef struct tlp_pairs {
    int n;
    const int *senders, *receivers;
    char *out, *in; /* room for `bytes` */
    int bytes;
    int both; /* each pair sends in both directions */
} tlp_pairs;

/* The part of a rank that is in one of the pairs: a sender returns the seconds from the common
 * start until its own message has arrived, a receiver 0. */
double tlp_pairs_take_part(const tlp_pairs *pairs, int rank);

#endif
