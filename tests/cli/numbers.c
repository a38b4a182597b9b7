/* numbers.c - sends messages by all calls of point-to-point communication, and counts them itself:
 * "FROM TO BYTES" in the file counts.FROM, a line for each message, ranks of MPI_COMM_WORLD. It
 * also writes "NAME CALLS" for the calls that send. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *counts;
static int rank, n_ranks, is_mirrored;

/* The rank in MPI_COMM_WORLD of a rank in the communicator of mirrored ranks. */
static int world_rank(int peer)
{
    return is_mirrored ? n_ranks - 1 - peer : peer;
}

static void sent(const char *call, int peer, long bytes)
{
    if (call)
        fprintf(counts, "call %s\n", call);
    if (peer != MPI_PROC_NULL)
        fprintf(counts, "message %d %d %ld\n", rank, world_rank(peer), bytes);
}

enum { MOST = 4096 };
static char out[MOST], in[MOST];

/* Messages to the next rank, from the one before; both may be MPI_PROC_NULL. */
static void exchange(MPI_Comm comm, int to, int from)
{
    MPI_Request requests[4];
    MPI_Datatype spread; /* 30 ints of 60 */
    MPI_Type_vector(10, 3, 6, MPI_INT, &spread);
    MPI_Type_commit(&spread);

    MPI_Irecv(in, MOST, MPI_CHAR, from, 1, comm, &requests[0]);
    MPI_Send(out, 1000, MPI_CHAR, to, 1, comm);
    sent("MPI_Send", to, 1000);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Irecv(in, 1, spread, from, 2, comm, &requests[0]);
    MPI_Isend(out, 1, spread, to, 2, comm, &requests[1]);
    sent("MPI_Isend", to, 120);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Irecv(in, MOST, MPI_CHAR, from, 3, comm, &requests[0]);
    MPI_Ssend(out, 0, MPI_CHAR, to, 3, comm);
    sent("MPI_Ssend", to, 0);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Irecv(in, MOST, MPI_CHAR, from, 4, comm, &requests[0]);
    MPI_Bsend(out, 10, MPI_DOUBLE, to, 4, comm);
    sent("MPI_Bsend", to, 80);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Sendrecv(out, 500, MPI_CHAR, to, 5, in, 500, MPI_CHAR, from, 5, comm, MPI_STATUS_IGNORE);
    sent("MPI_Sendrecv", to, 500);
    MPI_Sendrecv_replace(out, 250, MPI_SHORT, to, 6, from, 6, comm, MPI_STATUS_IGNORE);
    sent("MPI_Sendrecv_replace", to, 500);

    MPI_Send_init(out, 7, MPI_CHAR, to, 7, comm, &requests[0]);
    MPI_Ssend_init(out, 8, MPI_CHAR, to, 8, comm, &requests[1]);
    MPI_Recv_init(in, 7, MPI_CHAR, from, 7, comm, &requests[2]);
    MPI_Recv_init(in, 8, MPI_CHAR, from, 8, comm, &requests[3]);
    for (int i = 0; i < 3; i++) {
        if (i) {
            MPI_Startall(4, requests);
        } else {
            for (int k = 0; k < 4; k++)
                MPI_Start(&requests[k]);
        }
        sent(NULL, to, 7);
        sent(NULL, to, 8);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < 4; k++)
        MPI_Request_free(&requests[k]);
    MPI_Type_free(&spread);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 20];
    char name[64];
    MPI_Comm mirrored;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    snprintf(name, sizeof name, "counts.%d", rank);
    counts = fopen(name, "w");
    if (!counts)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &mirrored);

    const int next = (rank + 1) % n_ranks, before = (rank + n_ranks - 1) % n_ranks;
    exchange(MPI_COMM_WORLD, next, before);
    /* A line of ranks: its ends send to and receive from nobody. */
    exchange(MPI_COMM_WORLD, rank + 1 < n_ranks ? rank + 1 : MPI_PROC_NULL,
             rank ? rank - 1 : MPI_PROC_NULL);
    exchange(MPI_COMM_WORLD, MPI_PROC_NULL, MPI_PROC_NULL);
    is_mirrored = 1;
    exchange(mirrored, world_rank(before), world_rank(next)); /* the other way round */
    MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, mirrored);
    MPI_Finalize();
    return fclose(counts) ? 1 : 0;
}
