/* sp.c - the messages of SP of the NAS Parallel Benchmarks: faces of cells, and sweeps along
 * each dimension there and back, with the inner points of each cell. Arguments: n, steps. */
#include "cells.h"

static int inner(int d, int c)
{
    return size[d][c] - (coordinate[d][c] == 0) - (coordinate[d][c] == n_cells - 1);
}

static int inner_face(int d, int c)
{
    return inner((d + 1) % 3, c) * inner((d + 2) % 3, c);
}

static void solve(int d)
{
    MPI_Request pair[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int stage = 0; stage < n_cells; stage++) {
        const int n = 22 * inner_face(d, cell_in(d, stage));
        if (stage > 0) {
            MPI_Irecv(bar_data, n, MPI_DOUBLE, before[d], 20 + d, MPI_COMM_WORLD, &pair[0]);
            MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        }
        if (stage < n_cells - 1)
            MPI_Isend(bar_data, n, MPI_DOUBLE, behind[d], 20 + d, MPI_COMM_WORLD, &pair[1]);
    }
    for (int stage = n_cells - 1; stage >= 0; stage--) {
        const int n = 10 * inner_face(d, cell_in(d, stage));
        if (stage < n_cells - 1) {
            MPI_Irecv(bar_data, n, MPI_DOUBLE, behind[d], 30 + d, MPI_COMM_WORLD, &pair[0]);
            MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        }
        if (stage > 0)
            MPI_Isend(bar_data, n, MPI_DOUBLE, before[d], 30 + d, MPI_COMM_WORLD, &pair[1]);
    }
}

int main(int argc, char **argv)
{
    bar_start(&argc, &argv, 1000000);
    const int n = bar_argument(argc, argv, 1), n_steps = bar_argument(argc, argv, 2);
    make_cells(n);
    MPI_Bcast(bar_data, 3, MPI_INT, 0, MPI_COMM_WORLD);
    for (int step = 0; step <= n_steps; step++) {
        copy_faces();
        solve(0);
        solve(1);
        solve(2);
        if (!step)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(bar_data, bar_data + 5, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    bar_end();
    return 0;
}
