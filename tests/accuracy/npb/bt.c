/* bt.c - the messages of BT of the NAS Parallel Benchmarks: faces of cells, and sweeps along
 * each dimension there and back, in buffers of one size. Arguments: n, steps. */
#include "cells.h"

static void solve(int d, int n_lines)
{
    MPI_Request in, out = MPI_REQUEST_NULL;
    for (int stage = 0; stage < n_cells; stage++) {
        if (stage > 0) {
            MPI_Irecv(bar_data, 30 * n_lines, MPI_DOUBLE, before[d], 20 + d, MPI_COMM_WORLD, &in);
            MPI_Wait(&out, MPI_STATUS_IGNORE);
            MPI_Wait(&in, MPI_STATUS_IGNORE);
        }
        if (stage < n_cells - 1)
            MPI_Isend(bar_data, 30 * n_lines, MPI_DOUBLE, behind[d], 20 + d, MPI_COMM_WORLD, &out);
    }
    for (int stage = n_cells - 1; stage >= 0; stage--) {
        if (stage < n_cells - 1) {
            MPI_Irecv(bar_data, 5 * n_lines, MPI_DOUBLE, behind[d], 30 + d, MPI_COMM_WORLD, &in);
            MPI_Wait(&out, MPI_STATUS_IGNORE);
            MPI_Wait(&in, MPI_STATUS_IGNORE);
        }
        if (stage > 0)
            MPI_Isend(bar_data, 5 * n_lines, MPI_DOUBLE, before[d], 30 + d, MPI_COMM_WORLD, &out);
    }
}

int main(int argc, char **argv)
{
    bar_start(&argc, &argv, 1000000);
    const int n = bar_argument(argc, argv, 1), n_steps = bar_argument(argc, argv, 2);
    make_cells(n);
    MPI_Bcast(bar_data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(bar_data, 3, MPI_INT, 0, MPI_COMM_WORLD);
    const int cell = n / n_cells + 1;
    for (int step = 0; step <= n_steps; step++) {
        copy_faces();
        solve(0, cell * cell);
        solve(1, cell * cell);
        solve(2, cell * cell);
        if (!step)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(bar_data, bar_data + 5, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    bar_end();
    return 0;
}
