/* 3-D wave equation, MPI_Cart_create, faces with nonblocking messages, a snapshot to rank 0 every
 * few steps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size, rank, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 0}, me[3], n[3], peer[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int N = argc > 1 ? atoi(argv[1]) : 24, steps = argc > 2 ? atoi(argv[2]) : 10,
        every = argc > 3 ? atoi(argv[3]) : 4;
    MPI_Dims_create(size, 3, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 3, me);
    for (int d = 0; d < 3; d++) {
        n[d] = N / dims[d] + (me[d] < N % dims[d]);
        MPI_Cart_shift(grid, d, 1, &peer[2 * d], &peer[2 * d + 1]);
    }
    double *face[12];
    for (int f = 0; f < 12; f++)
        face[f] = calloc(N * N, 8);
    int points = n[0] * n[1] * n[2], *counts = malloc(size * sizeof(int)),
        *displs = malloc(size * sizeof(int)), total = 0;
    double *u = calloc(points, 8), *all = NULL;
    MPI_Gather(&points, 1, MPI_INT, counts, 1, MPI_INT, 0, grid);
    for (int r = 0; rank == 0 && r < size; r++)
        displs[r] = total, total += counts[r];
    if (rank == 0)
        all = malloc(total * 8);
    for (int t = 1; t <= steps; t++) {
        MPI_Request q[12];
        for (int d = 0, m = 0; d < 3; d++)
            for (int s = 0; s < 2; s++) {
                int area = n[(d + 1) % 3] * n[(d + 2) % 3];
                MPI_Irecv(face[2 * d + s], area, MPI_DOUBLE, peer[2 * d + s], 2 * d + s, grid,
                          &q[m++]);
                MPI_Isend(face[6 + 2 * d + s], area, MPI_DOUBLE, peer[2 * d + s], 2 * d + 1 - s,
                          grid, &q[m++]);
            }
        MPI_Waitall(12, q, MPI_STATUSES_IGNORE);
        for (int i = 1; i < points - 1; i++)
            u[i] += 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]);
        if (t % every == 0)
            MPI_Gatherv(u, points, MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, 0, grid);
    }
    MPI_Finalize();
    return 0;
}
