/* y = A x on a grid of processes with MPI_Cart_sub: x comes down the columns, y is summed along the
 * rows. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, me[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100, times = argc > 2 ? atoi(argv[2]) : 3;
    MPI_Dims_create(size, 2, dims);
    MPI_Comm grid, row, col;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, me);
    MPI_Cart_sub(grid, (int[]){0, 1}, &row);
    MPI_Cart_sub(grid, (int[]){1, 0}, &col);
    int m = (me[0] + 1) * n / dims[0] - me[0] * n / dims[0],
        k = (me[1] + 1) * n / dims[1] - me[1] * n / dims[1];
    double *A = calloc((m + 1) * (k + 1), 8), *x = calloc(k + 1, 8), *part = calloc(m + 1, 8),
           *y = calloc(m + 1, 8);
    for (int t = 0; t < times; t++) {
        MPI_Bcast(x, k, MPI_DOUBLE, 0, col);
        for (int i = 0; i < m; i++) {
            part[i] = 0;
            for (int j = 0; j < k; j++)
                part[i] += A[i * k + j] * x[j];
        }
        MPI_Reduce(part, y, m, MPI_DOUBLE, MPI_SUM, 0, row);
        double norm = 0, all;
        for (int i = 0; i < m && me[1] == 0; i++)
            norm += y[i] * y[i];
        MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    MPI_Finalize();
    return 0;
}
