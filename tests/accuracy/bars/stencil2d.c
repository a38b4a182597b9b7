/* stencil2d.c - heat in N x N points on a grid of ranks: four neighbours, a norm every ten steps.
 * Arguments: N, steps. */
#include "bar.h"

int main(int argc, char **argv)
{
    int dims[2], at[2];
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_steps = bar_argument(argc, argv, 2);
    bar_grid(2, dims, at);
    const int rows = bar_local(n, at[0], dims[0]), columns = bar_local(n, at[1], dims[1]);
    const int up = at[0] ? bar_rank - dims[1] : MPI_PROC_NULL;
    const int down = at[0] < dims[0] - 1 ? bar_rank + dims[1] : MPI_PROC_NULL;
    const int left = at[1] ? bar_rank - 1 : MPI_PROC_NULL;
    const int right = at[1] < dims[1] - 1 ? bar_rank + 1 : MPI_PROC_NULL;
    for (int step = 0; step < n_steps; step++) {
        MPI_Request r[8];
        MPI_Irecv(bar_data, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(bar_data, columns, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &r[1]);
        MPI_Irecv(bar_data, rows, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &r[2]);
        MPI_Irecv(bar_data, rows, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, &r[3]);
        MPI_Isend(bar_data, columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[4]);
        MPI_Isend(bar_data, columns, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &r[5]);
        MPI_Isend(bar_data, rows, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &r[6]);
        MPI_Isend(bar_data, rows, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, &r[7]);
        MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
        bar_work((long)rows * columns);
        if (step % 10 == 9)
            MPI_Allreduce(MPI_IN_PLACE, bar_data, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    bar_end();
    return 0;
}
