/* broadcast.c - rank 0 sends data to all ranks, ten times.
 *
 *     broadcast BYTES */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int bytes = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 8;
    char *data = calloc(1, (size_t)bytes);
    for (int i = 0; i < 10; i++) {
        MPI_Bcast(data, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
