/* sweep.c - a collective at sizes from 1 B to 4 MiB.
 *
 *     sweep bcast|allreduce|alltoall [LARGEST [SHARE]]
 *
 * With SHARE, a size has so many times fewer calls, for a network that is as much slower.
 * Prints a line for each size: bytes, calls, and the seconds of all these calls on the rank that
 * took longest, between two MPI_Wtime: a row of `timeless compare`.  Sizes are those of the buffer;
 * alltoall sends as much to every rank.  The root of the broadcasts goes round, as in other
 * benchmarks, so that none runs ahead of the rest. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 22, MOST_CALLS = 500, BYTES_OF_ALL_CALLS = 1 << 21, FEWEST_CALLS = 3 };

static int rank, n_ranks, share = 1;
static char *in, *out;

static void call(const char *operation, int bytes, int i)
{
    if (operation[0] == 'b')
        MPI_Bcast(in, bytes, MPI_BYTE, i % n_ranks, MPI_COMM_WORLD);
    else if (operation[2] == 'l' && operation[3] == 'r')
        MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    else
        MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void measure(const char *operation, int bytes)
{
    int calls = BYTES_OF_ALL_CALLS / bytes;
    calls = (calls > MOST_CALLS ? MOST_CALLS : calls) / share;
    calls = calls < FEWEST_CALLS ? FEWEST_CALLS : calls;
    call(operation, bytes, 0); /* the first one makes connections and touches memory */
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call(operation, bytes, i);
    double mine = MPI_Wtime() - start, longest;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %d %.9f\n", bytes, calls, longest);
}

int main(int argc, char **argv)
{
    static const char *const operations[] = {"bcast", "allreduce", "alltoall"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    int largest = argc > 2 ? (int)strtol(argv[2], NULL, 10) : MAX_BYTES, known = 0;
    share = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
    for (int i = 0; argc > 1 && i < 3; i++)
        known |= !strcmp(argv[1], operations[i]);
    if (known && largest >= 1 && largest <= MAX_BYTES && share >= 1) {
        in = calloc((size_t)n_ranks, (size_t)largest);
        out = calloc((size_t)n_ranks, (size_t)largest);
        for (int bytes = 1; bytes <= largest; bytes *= 4)
            measure(argv[1], bytes);
        free(in);
        free(out);
    } else if (rank == 0) {
        fputs("usage: sweep bcast|allreduce|alltoall [LARGEST [SHARE]]\n", stderr);
    }
    MPI_Finalize();
    return known ? 0 : 2;
}
