/* network_multi.c - several pairs of ranks on two hosts that send at the same time.
 *
 * One pair shows whether it reaches the rate of the adapter, all pairs of a host what the adapter
 * carries, pairs that send in both directions what it carries in both directions together. */
#include "network_multi.h"

#include <mpi.h>

enum { TAG_READY = 11, TAG_GO, TAG_DATA, TAG_ACK };
/* An exchange of at most so many bytes precedes the one that is measured: then both sides begin at
 * the same time. */
enum { FIRST_BYTES = 65536 };

static void give(int to, int tag)
{
    char byte = 0;
    MPI_Send(&byte, 1, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void take(int from, int tag)
{
    char byte;
    MPI_Recv(&byte, 1, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(const tlp_pairs *p, int bytes, int other)
{
    MPI_Request requests[2];
    MPI_Irecv(p->in, bytes, MPI_BYTE, other, TAG_DATA, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(p->out, bytes, MPI_BYTE, other, TAG_DATA, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* All senders are on one host: these messages do not use the adapter. */
static void begin_together(const tlp_pairs *p, int k)
{
    if (k) {
        give(p->senders[0], TAG_READY);
        take(p->senders[0], TAG_GO);
        return;
    }
    for (int i = 1; i < p->n; i++)
        take(p->senders[i], TAG_READY);
    for (int i = 1; i < p->n; i++)
        give(p->senders[i], TAG_GO);
}

static double send(const tlp_pairs *p, int k)
{
    const int to = p->receivers[k];
    take(to, TAG_READY);
    begin_together(p, k);
    if (p->both)
        exchange(p, p->bytes < FIRST_BYTES ? p->bytes : FIRST_BYTES, to);
    const double t0 = MPI_Wtime();
    if (p->both) {
        exchange(p, p->bytes, to);
    } else {
        MPI_Send(p->out, p->bytes, MPI_BYTE, to, TAG_DATA, MPI_COMM_WORLD);
        take(to, TAG_ACK);
    }
    return MPI_Wtime() - t0;
}

static void receive(const tlp_pairs *p, int k)
{
    const int from = p->senders[k];
    give(from, TAG_READY);
    if (p->both) {
        exchange(p, p->bytes < FIRST_BYTES ? p->bytes : FIRST_BYTES, from);
        exchange(p, p->bytes, from);
        return;
    }
    MPI_Recv(p->in, p->bytes, MPI_BYTE, from, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    give(from, TAG_ACK);
}

double tlp_pairs_take_part(const tlp_pairs *p, int rank)
{
    for (int k = 0; k < p->n; k++) {
        if (p->senders[k] == rank)
            return send(p, k);
        if (p->receivers[k] == rank)
            receive(p, k);
    }
    return 0;
}
