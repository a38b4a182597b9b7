/* Advection in a ring: radius and angle as a grid of processes, periodic in the angle alone; a
 * checkpoint on rank 0 every few steps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 1}, me[2], in, out, left, right;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 6,
        every = argc > 3 ? atoi(argv[3]) : 2;
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, me);
    MPI_Cart_shift(grid, 0, 1, &in, &out);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    int height = n / dims[0] + (me[0] < n % dims[0]), width = n / dims[1] + (me[1] < n % dims[1]);
    double *a = calloc(n, 8), *b = calloc(n, 8), *all = calloc(size, 8);
    for (int t = 1; t <= steps; t++) {
        MPI_Sendrecv(a, width, MPI_DOUBLE, out, 1, b, width, MPI_DOUBLE, in, 1, grid,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, width, MPI_DOUBLE, in, 2, b, width, MPI_DOUBLE, out, 2, grid,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, height, MPI_DOUBLE, right, 3, b, height, MPI_DOUBLE, left, 3, grid,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, height, MPI_DOUBLE, left, 4, b, height, MPI_DOUBLE, right, 4, grid,
                     MPI_STATUS_IGNORE);
        if (t % every == 0)
            MPI_Gather(a, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, grid);
    }
    MPI_Finalize();
    return 0;
}
