/* Batcher's odd-even merge sort of n keys per process, for any number of processes (Knuth, The Art
 * of Computer Programming 3, 5.2.2, algorithm M). */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int *mine = calloc(n, 4), *other = calloc(n, 4);
    for (int p = 1; p < size; p *= 2)
        for (int k = p; k > 0; k /= 2)
            for (int j = k % p; j + k < size; j += 2 * k)
                for (int i = j; i < j + k && i + k < size; i++) {
                    if (i / (2 * p) != (i + k) / (2 * p) || (rank != i && rank != i + k))
                        continue;
                    int partner = rank == i ? i + k : i;
                    MPI_Sendrecv(mine, n, MPI_INT, partner, 0, other, n, MPI_INT, partner, 0,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                }
    MPI_Finalize();
    return 0;
}
