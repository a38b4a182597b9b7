/* ring.c - a message travels ten times around a ring of ranks.
 *
 *     ring BYTES */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, n_ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    int bytes = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 8;
    int before = (rank + n_ranks - 1) % n_ranks, after = (rank + 1) % n_ranks;
    char *message = calloc(1, (size_t)bytes);
    for (int round = 0; round < 10; round++) {
        if (rank == 0)
            MPI_Send(message, bytes, MPI_CHAR, after, 0, MPI_COMM_WORLD);
        MPI_Recv(message, bytes, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(message, bytes, MPI_CHAR, after, 0, MPI_COMM_WORLD);
    }
    free(message);
    MPI_Finalize();
    return 0;
}
