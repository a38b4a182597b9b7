/* Flow in a channel: walls in the second of three dimensions, periodic in the others; a sum over
 * all ranks every few steps, the first one included, and the field's sizes on rank 0 at the end. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, me[3], n[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int N = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 6,
        every = argc > 3 ? atoi(argv[3]) : 3;
    MPI_Comm grid;
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 3, me);
    for (int d = 0; d < 3; d++)
        n[d] = N / dims[d] + (me[d] < N % dims[d]);
    double *a = calloc(N * N, 8), *b = calloc(N * N, 8), sum = 0, all;
    int points = n[0] * n[1] * n[2], *points_of = calloc(size, sizeof(int));
    for (int t = 0; t < steps; t++) {
        for (int d = 0; d < 3; d++) {
            int low, high, area = n[(d + 1) % 3] * n[(d + 2) % 3];
            MPI_Cart_shift(grid, d, 1, &low, &high);
            MPI_Sendrecv(a, area, MPI_DOUBLE, high, d, b, area, MPI_DOUBLE, low, d, grid,
                         MPI_STATUS_IGNORE);
            MPI_Sendrecv(a, area, MPI_DOUBLE, low, d + 3, b, area, MPI_DOUBLE, high, d + 3, grid,
                         MPI_STATUS_IGNORE);
        }
        if (t % every == 0)
            MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    MPI_Gather(&points, 1, MPI_INT, points_of, 1, MPI_INT, 0, grid);
    MPI_Finalize();
    return 0;
}
