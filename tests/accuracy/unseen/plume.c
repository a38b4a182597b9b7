/* A plume above the ground: periodic in the first two of three dimensions; every few steps rank 0
 * receives the block of each rank in turn. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 0}, at[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int N = argc > 1 ? atoi(argv[1]) : 20, steps = argc > 2 ? atoi(argv[2]) : 6,
        every = argc > 3 ? atoi(argv[3]) : 3;
    MPI_Comm grid;
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    int *points = malloc(size * sizeof(int)), n[3];
    for (int r = size - 1; r >= 0; r--) {
        MPI_Cart_coords(grid, r == 0 ? rank : r == rank ? 0 : r, 3, at);
        points[r == 0 ? rank : r == rank ? 0 : r] = 1;
        for (int d = 0; d < 3; d++) {
            n[d] = N / dims[d] + (at[d] < N % dims[d]);
            points[r == 0 ? rank : r == rank ? 0 : r] *= n[d];
        }
    } /* ends with the rank's own block in n */
    double *a = calloc(N * N * N, 8), *b = calloc(N * N * N, 8);
    for (int t = 1; t <= steps; t++) {
        for (int d = 0; d < 3; d++) {
            int low, high, area = n[(d + 1) % 3] * n[(d + 2) % 3];
            MPI_Cart_shift(grid, d, 1, &low, &high);
            MPI_Sendrecv(a, area, MPI_DOUBLE, high, d, b, area, MPI_DOUBLE, low, d, grid,
                         MPI_STATUS_IGNORE);
            MPI_Sendrecv(a, area, MPI_DOUBLE, low, d, b, area, MPI_DOUBLE, high, d, grid,
                         MPI_STATUS_IGNORE);
        }
        if (t % every == 0 && rank > 0)
            MPI_Send(a, points[rank], MPI_DOUBLE, 0, 9, grid);
        for (int r = 1; t % every == 0 && rank == 0 && r < size; r++)
            MPI_Recv(b, points[r], MPI_DOUBLE, r, 9, grid, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
