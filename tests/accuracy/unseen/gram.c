/* Block Gram-Schmidt: block j is made orthogonal to the blocks before it, the products of the
 * blocks i to j are summed at once. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int m = argc > 1 ? atoi(argv[1]) : 5, w = argc > 2 ? atoi(argv[2]) : 4;
    double *h = calloc(m * w * w, 8), *sum = calloc(m * w * w, 8);
    for (int j = 0; j < m; j++)
        for (int i = 0; i <= j; i++)
            MPI_Allreduce(h, sum, (j - i + 1) * w * w, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
