/* lu.c - the messages of LU of the NAS Parallel Benchmarks: wavefronts through the planes of n x n
 * x n points on a grid of ranks (as many in y as in x, or twice as many), without the points of the
 * boundary; then two layers of the solution to all neighbours. Arguments: n, steps. */
#include "../bars/bar.h"

enum { FROM_SOUTH = 1, FROM_NORTH, FROM_EAST, FROM_WEST };
static int north = -1, south = -1, east = -1, west = -1, nx, ny, inner_x, inner_y;

static void down(int n_x, int n_y)
{
    if (north >= 0)
        MPI_Recv(bar_data, n_y, MPI_DOUBLE, north, FROM_NORTH, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (west >= 0)
        MPI_Recv(bar_data, n_x, MPI_DOUBLE, west, FROM_WEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (south >= 0)
        MPI_Send(bar_data, n_y, MPI_DOUBLE, south, FROM_NORTH, MPI_COMM_WORLD);
    if (east >= 0)
        MPI_Send(bar_data, n_x, MPI_DOUBLE, east, FROM_WEST, MPI_COMM_WORLD);
}

static void up(int n_x, int n_y)
{
    if (south >= 0)
        MPI_Recv(bar_data, n_y, MPI_DOUBLE, south, FROM_SOUTH, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (east >= 0)
        MPI_Recv(bar_data, n_x, MPI_DOUBLE, east, FROM_EAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (north >= 0)
        MPI_Send(bar_data, n_y, MPI_DOUBLE, north, FROM_SOUTH, MPI_COMM_WORLD);
    if (west >= 0)
        MPI_Send(bar_data, n_x, MPI_DOUBLE, west, FROM_EAST, MPI_COMM_WORLD);
}

/* To one side, from the other. */
static inline __attribute__((always_inline)) void shift(int to, int from, int n, int tag)
{
    MPI_Request request;
    if (from >= 0)
        MPI_Irecv(bar_data, n, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
    if (to >= 0)
        MPI_Send(bar_data, n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
    if (from >= 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exchange_layers(int nz)
{
    shift(south, north, 10 * ny * nz, FROM_NORTH);
    shift(north, south, 10 * ny * nz, FROM_SOUTH);
    shift(east, west, 10 * nx * nz, FROM_WEST);
    shift(west, east, 10 * nx * nz, FROM_EAST);
}

static void find_norms(void)
{
    MPI_Allreduce(bar_data, bar_data + 5, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int n_x;
    bar_start(&argc, &argv, 1000000);
    const int n = bar_argument(argc, argv, 1), n_steps = bar_argument(argc, argv, 2);
    for (n_x = 1; n_x * n_x * 4 <= bar_ranks; n_x *= 2)
        ;
    const int n_y = bar_ranks / n_x, x = bar_rank % n_x, y = bar_rank / n_x;
    north = x ? bar_rank - 1 : -1;
    south = x < n_x - 1 ? bar_rank + 1 : -1;
    west = y ? bar_rank - n_x : -1;
    east = y < n_y - 1 ? bar_rank + n_x : -1;
    nx = bar_local(n, x, n_x);
    ny = bar_local(n, y, n_y);
    inner_x = nx - (north < 0) - (south < 0);
    inner_y = ny - (west < 0) - (east < 0);
    MPI_Bcast(bar_data, 3, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(bar_data, 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    exchange_layers(n);
    find_norms();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < n_steps; step++) {
        for (int k = 1; k < n - 1; k++)
            down(5 * inner_x, 5 * inner_y);
        for (int k = 1; k < n - 1; k++)
            up(5 * inner_x, 5 * inner_y);
        exchange_layers(n);
        if (step == n_steps - 1)
            find_norms();
    }
    MPI_Allreduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    bar_end();
    return 0;
}
