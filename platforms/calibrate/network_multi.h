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
    int both;    /* each pair sends in both directions */
    int gathers; /* the first sender gets the times of all */
} tlp_pairs;

/* The part of a rank that is in one of the pairs. A sender sets seconds[0] from the common start
 * until its own message has arrived. If the pairs gather, the first one sets both, until the first
 * and until the last message has arrived, and no other one does. */
void tlp_pairs_take_part(const tlp_pairs *pairs, int rank, double seconds[2]);

#endif
