/* network_multi.c - several pairs of ranks on two hosts that send at the same time.
 *
 * One pair shows whether it reaches the rate of the adapter, all pairs of a host what the adapter
 * carries, pairs that send in both directions what it carries in both directions together. Whether
 * the first of two messages arrives before the last one shows in which order the adapter sends. */
#include "network_multi.h"

#include <mpi.h>

enum { TAG_READY = 11, TAG_GO, TAG_DATA, TAG_ACK, TAG_TIME };
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

static void gather(const tlp_pairs *p, int k, double took_s, double seconds[2])
{
    if (k) {
        MPI_Send(&took_s, 1, MPI_DOUBLE, p->senders[0], TAG_TIME, MPI_COMM_WORLD);
        return;
    }
    seconds[0] = seconds[1] = took_s;
    for (int i = 1; i < p->n; i++) {
        MPI_Recv(&took_s, 1, MPI_DOUBLE, p->senders[i], TAG_TIME, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        seconds[0] = took_s < seconds[0] ? took_s : seconds[0];
        seconds[1] = took_s > seconds[1] ? took_s : seconds[1];
    }
}

static void send(const tlp_pairs *p, int k, double seconds[2])
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
    const double took_s = MPI_Wtime() - t0;
    if (p->gathers)
        gather(p, k, took_s, seconds);
    else
        seconds[0] = took_s;
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

void tlp_pairs_take_part(const tlp_pairs *p, int rank, double seconds[2])
{
    for (int k = 0; k < p->n; k++) {
        if (p->senders[k] == rank)
            send(p, k, seconds);
        if (p->receivers[k] == rank)
            receive(p, k);
    }
}
