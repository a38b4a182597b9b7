/* wavefront.c - sweeps over a 2-D grid of ranks, as the solver of NPB LU does.
 *
 *     wavefront N PLANES SWEEPS     N x N columns a rank; prints a checksum
 *
 * In the first half of a sweep each plane needs the results of the ranks above and to the left, in
 * the second half of those below and to the right: many short messages, and ranks that wait for the
 * front to reach them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct neighbours {
    int up, down, left, right;
} neighbours;

static int n;
static MPI_Comm grid;

/* One plane, from the corner that the sweep begins in; row and column hold the borders. */
static void relax(double *plane, double *row, double *column)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double north = i ? plane[(i - 1) * n + j] : row[j];
            const double west = j ? plane[i * n + j - 1] : column[i];
            plane[i * n + j] = 0.5 * plane[i * n + j] + 0.25 * (north + west) + 1e-3;
        }
    for (int i = 0; i < n; i++) {
        row[i] = plane[(n - 1) * n + i];
        column[i] = plane[i * n + n - 1];
    }
}

/* All planes: the borders come from two neighbours and go on to the two others. */
static void sweep(double *planes, int n_planes, int row_from, int row_to, int column_from,
                  int column_to)
{
    double *row = calloc(2 * (size_t)n, sizeof *row), *column = row + n;
    if (!row)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int p = 0; p < n_planes; p++) {
        MPI_Recv(row, n, MPI_DOUBLE, row_from, p, grid, MPI_STATUS_IGNORE);
        MPI_Recv(column, n, MPI_DOUBLE, column_from, p, grid, MPI_STATUS_IGNORE);
        relax(planes + (size_t)p * n * n, row, column);
        MPI_Send(row, n, MPI_DOUBLE, row_to, p, grid);
        MPI_Send(column, n, MPI_DOUBLE, column_to, p, grid);
    }
    free(row);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 32;
    const int n_planes = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20,
              n_sweeps = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 5;
    int size, rank, dims[2] = {0}, periods[2] = {0};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    neighbours to;
    MPI_Cart_shift(grid, 0, 1, &to.up, &to.down);
    MPI_Cart_shift(grid, 1, 1, &to.left, &to.right);
    double *planes = calloc((size_t)n_planes * n * n, sizeof *planes);
    if (!planes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int s = 0; s < n_sweeps; s++) {
        sweep(planes, n_planes, to.up, to.down, to.left, to.right);
        sweep(planes, n_planes, to.down, to.up, to.right, to.left);
    }
    double sum = planes[0], total;
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    if (!rank)
        printf("checksum %g\n", total);
    free(planes);
    MPI_Finalize();
    return 0;
}
