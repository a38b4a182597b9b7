/* LU factorisation without pivots, blocks of columns dealt out cyclically: the triangle of the
 * diagonal block is packed, the panel below it is not. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 60, nb = argc > 2 ? atoi(argv[2]) : 7;
    double *triangle = calloc(nb * nb, 8), *panel = calloc((size_t)n * nb, 8);
    for (int first = 0; first < n; first += nb) {
        int width = first + nb < n ? nb : n - first, below = n - first - width;
        int owner = first / nb % size;
        MPI_Bcast(triangle, width * (width + 1) / 2, MPI_DOUBLE, owner, MPI_COMM_WORLD);
        MPI_Bcast(panel, width * below, MPI_DOUBLE, owner, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
