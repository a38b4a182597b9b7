/* irregular.c - ranks that exchange updates with partners drawn at random, as codes on graphs and
 * particles do.
 *
 *     irregular ROUNDS SEED     prints how many bytes all ranks received
 *
 * In each round a rank draws up to six partners and a length for each.  Nobody knows who will send:
 * a reduction tells each rank how many messages to expect, and it takes them from any source.  The
 * tag is the round, so that no message of the next round is taken in this one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PARTNERS = 6, LONGEST = 1 << 16 };

/* The next number of a small linear generator: the same partners at each run. */
static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Sends this round's messages; counts[r] is how many rank r gets. */
static int send_all(int round, unsigned *state, char *buffer, int *counts, MPI_Request *requests)
{
    int size, n = (int)(draw(state) % (MOST_PARTNERS + 1));
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; i++) {
        const int partner = (int)(draw(state) % (unsigned)size);
        const int bytes = 8 << draw(state) % 14;
        MPI_Isend(buffer, bytes, MPI_BYTE, partner, round, MPI_COMM_WORLD, &requests[i]);
        counts[partner]++;
    }
    return n;
}

/* Takes a message from whoever comes first, and works on it. */
static int receive_one(int round, double *buffer)
{
    MPI_Status status;
    int bytes;
    MPI_Recv(buffer, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    for (int pass = 0; pass < 4; pass++)
        for (int i = 1; i < bytes / 8; i++)
            buffer[i] = 0.5 * (buffer[i] + buffer[i - 1]);
    return bytes;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsigned state = (argc > 2 ? (unsigned)strtol(argv[2], NULL, 10) : 1u) + 7919u * (unsigned)rank;
    char *out = calloc(LONGEST, 1);
    double *in = calloc(LONGEST, 1);
    int *counts = malloc((size_t)size * sizeof *counts);
    long received = 0, total = 0;
    if (!out || !in || !counts)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int round = 0; round < rounds; round++) {
        MPI_Request requests[MOST_PARTNERS];
        int mine;
        for (int r = 0; r < size; r++)
            counts[r] = 0;
        const int n = send_all(round, &state, out, counts, requests);
        MPI_Reduce_scatter_block(counts, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        while (mine-- > 0)
            received += receive_one(round, in);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Reduce(&received, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("received %ld bytes\n", total);
    free(out);
    free(in);
    free(counts);
    MPI_Finalize();
    return 0;
}
