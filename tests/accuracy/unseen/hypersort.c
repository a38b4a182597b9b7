/* Sort on a hypercube of 2^d processes with nonblocking exchanges, and the samples on rank 0. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100, times = argc > 2 ? atoi(argv[2]) : 2;
    double *mine = calloc(n, 8), *other = calloc(n, 8), *all = calloc(size, 8);
    for (int t = 0; t < times; t++) {
        for (int stage = 2; stage <= size; stage *= 2)
            for (int distance = stage / 2; distance > 0; distance /= 2) {
                MPI_Request q[2];
                MPI_Irecv(other, n, MPI_DOUBLE, rank ^ distance, stage, MPI_COMM_WORLD, &q[0]);
                MPI_Isend(mine, n, MPI_DOUBLE, rank ^ distance, stage, MPI_COMM_WORLD, &q[1]);
                MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
            }
        MPI_Gather(mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
