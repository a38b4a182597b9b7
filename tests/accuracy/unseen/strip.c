/* Cells of a strip that is periodic along its second dimension: eight neighbours, by offset; the
 * cells on rank 0 every few steps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 1}, me[2], at[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int N = argc > 1 ? atoi(argv[1]) : 30, steps = argc > 2 ? atoi(argv[2]) : 7,
        every = argc > 3 ? atoi(argv[3]) : 3, total = 0;
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    int *cells = malloc(size * sizeof(int)), *first = malloc(size * sizeof(int));
    for (int r = 0; r < size; r++) {
        MPI_Cart_coords(grid, r, 2, at);
        cells[r] = (N / dims[0] + (at[0] < N % dims[0])) * (N / dims[1] + (at[1] < N % dims[1]));
        first[r] = total;
        total += cells[r];
    }
    MPI_Cart_coords(grid, rank, 2, me);
    double *mine = calloc(cells[rank], 8), *all = calloc(total, 8), edge[16];
    for (int t = 0; t < steps; t++) {
        MPI_Request q[16];
        int m = 0;
        for (int k = 0; k < 9; k++) {
            int other;
            at[0] = me[0] + k / 3 - 1;
            at[1] = me[1] + k % 3 - 1;
            if (k == 4 || at[0] < 0 || at[0] >= dims[0])
                continue;
            MPI_Cart_rank(grid, at, &other);
            MPI_Irecv(&edge[m], 1, MPI_DOUBLE, other, 8 - k, grid, &q[m]);
            m++;
            MPI_Isend(mine, 1, MPI_DOUBLE, other, k, grid, &q[m]);
            m++;
        }
        MPI_Waitall(m, q, MPI_STATUSES_IGNORE);
        if ((t + 1) % every == 0)
            MPI_Gatherv(mine, cells[rank], MPI_DOUBLE, all, cells, first, MPI_DOUBLE, 0, grid);
    }
    MPI_Finalize();
    return 0;
}
