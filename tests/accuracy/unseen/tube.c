/* A tube, periodic in the first of two dimensions: rows and columns of the neighbours in a loop by
 * dimension, a checkpoint every few steps and after the last one. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {1, 0}, me[2], n[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int N = argc > 1 ? atoi(argv[1]) : 30, steps = argc > 2 ? atoi(argv[2]) : 7,
        every = argc > 3 ? atoi(argv[3]) : 3;
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, me);
    for (int d = 0; d < 2; d++)
        n[d] = N / dims[d] + (me[d] < N % dims[d]);
    double *edge[8], *all = calloc(size, 8);
    for (int i = 0; i < 8; i++)
        edge[i] = calloc(N, 8);
    for (int t = 0; t < steps; t++) {
        MPI_Request q[8];
        int m = 0;
        for (int d = 0; d < 2; d++) {
            int low, high;
            MPI_Cart_shift(grid, d, 1, &low, &high);
            MPI_Irecv(edge[2 * d], n[1 - d], MPI_DOUBLE, low, 1, grid, &q[m++]);
            MPI_Irecv(edge[2 * d + 1], n[1 - d], MPI_DOUBLE, high, 2, grid, &q[m++]);
            MPI_Isend(edge[4 + 2 * d], n[1 - d], MPI_DOUBLE, high, 1, grid, &q[m++]);
            MPI_Isend(edge[5 + 2 * d], n[1 - d], MPI_DOUBLE, low, 2, grid, &q[m++]);
        }
        MPI_Waitall(m, q, MPI_STATUSES_IGNORE);
        if ((t + 1) % every == 0 || t == steps - 1)
            MPI_Gather(edge[0], 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, grid);
    }
    MPI_Finalize();
    return 0;
}
