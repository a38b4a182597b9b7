/* The communication of a blocked QR factorisation on a grid of processes: blocks of nb rows and
 * columns are dealt out cyclically in both dimensions; n need not be a multiple of nb. */
#include <mpi.h>
#include <stdlib.h>

/* How many of the first n rows or columns coordinate q of p has. */
static int share(int n, int nb, int q, int p)
{
    int blocks = n / nb, mine = blocks / p * nb;
    if (q < blocks % p)
        return mine + nb;
    return q == blocks % p ? mine + n % nb : mine;
}

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, zero[2] = {0, 0}, me[2], along_row[2] = {0, 1},
                    along_column[2] = {1, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 50, nb = argc > 2 ? atoi(argv[2]) : 6;
    MPI_Comm grid, row, column;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, zero, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, me);
    MPI_Cart_sub(grid, along_row, &row);
    MPI_Cart_sub(grid, along_column, &column);
    double *v = calloc((size_t)n * nb, 8), *w = calloc((size_t)n * nb, 8);
    for (int k = 0; k * nb < n; k++) {
        int width = (k + 1) * nb <= n ? nb : n - k * nb;
        int rows = share(n, nb, me[0], dims[0]) - share(k * nb, nb, me[0], dims[0]);
        int columns = share(n, nb, me[1], dims[1]) - share(k * nb, nb, me[1], dims[1]);
        MPI_Bcast(v, rows * width, MPI_DOUBLE, k % dims[1], row);
        MPI_Allreduce(MPI_IN_PLACE, w, columns * width, MPI_DOUBLE, MPI_SUM, column);
    }
    MPI_Finalize();
    return 0;
}
