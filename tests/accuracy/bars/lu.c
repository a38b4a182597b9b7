/* lu.c - wavefronts: each plane of N x N x planes points waits for those in the north and west;
 * then back from the south and east. Arguments: N, planes, steps. */
#include "bar.h"

static int north, south, west, east, rows, columns;

static void sweep_down(void)
{
    MPI_Recv(bar_data, 5 * columns, MPI_DOUBLE, north, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(bar_data, 5 * rows, MPI_DOUBLE, west, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    bar_work((long)rows * columns);
    MPI_Send(bar_data, 5 * columns, MPI_DOUBLE, south, 1, MPI_COMM_WORLD);
    MPI_Send(bar_data, 5 * rows, MPI_DOUBLE, east, 1, MPI_COMM_WORLD);
}

static void sweep_up(void)
{
    if (south != MPI_PROC_NULL)
        MPI_Recv(bar_data, 5 * columns, MPI_DOUBLE, south, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (east != MPI_PROC_NULL)
        MPI_Recv(bar_data, 5 * rows, MPI_DOUBLE, east, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    bar_work((long)rows * columns);
    if (north != MPI_PROC_NULL)
        MPI_Send(bar_data, 5 * columns, MPI_DOUBLE, north, 2, MPI_COMM_WORLD);
    if (west != MPI_PROC_NULL)
        MPI_Send(bar_data, 5 * rows, MPI_DOUBLE, west, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int dims[2], at[2];
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_planes = bar_argument(argc, argv, 2);
    const int n_steps = bar_argument(argc, argv, 3);
    bar_grid(2, dims, at);
    rows = bar_local(n, at[0], dims[0]);
    columns = bar_local(n, at[1], dims[1]);
    north = at[0] ? bar_rank - dims[1] : MPI_PROC_NULL;
    south = at[0] < dims[0] - 1 ? bar_rank + dims[1] : MPI_PROC_NULL;
    west = at[1] ? bar_rank - 1 : MPI_PROC_NULL;
    east = at[1] < dims[1] - 1 ? bar_rank + 1 : MPI_PROC_NULL;
    for (int step = 0; step < n_steps; step++) {
        for (int plane = 0; plane < n_planes; plane++)
            sweep_down();
        for (int plane = 0; plane < n_planes; plane++)
            sweep_up();
        MPI_Allreduce(bar_data, bar_data + 5, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    bar_end();
    return 0;
}
