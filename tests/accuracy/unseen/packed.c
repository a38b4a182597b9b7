/* Symmetric elimination of a matrix in packed storage: a column from its owner, and the sum of what
 * all ranks add to the triangle that remains, for the owner of the next column. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 30;
    double *column = calloc(n, 8), *mine = calloc(n * n, 8), *sum = calloc(n * n, 8);
    for (int k = 0; k < n - 1; k++) {
        int m = n - 1 - k;
        MPI_Bcast(column, m + 1, MPI_DOUBLE, k % size, MPI_COMM_WORLD);
        MPI_Reduce(mine, sum, m * (m + 1) / 2, MPI_DOUBLE, MPI_SUM, (k + 1) % size, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
