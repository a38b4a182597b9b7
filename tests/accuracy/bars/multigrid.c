/* multigrid.c - V-cycles on n x n x n points of each rank, n a power of two: halos that halve from
 * level to level; every fourth rank solves the coarsest level. Arguments: n, cycles. */
#include "bar.h"

static int dims[3], at[3];

static void exchange(int points, int tag)
{
    const int peers[6] = {bar_at(dims, at, -1, 0, 0), bar_at(dims, at, 1, 0, 0),
                          bar_at(dims, at, 0, -1, 0), bar_at(dims, at, 0, 1, 0),
                          bar_at(dims, at, 0, 0, -1), bar_at(dims, at, 0, 0, 1)};
    MPI_Request r[12];
    for (int i = 0; i < 6; i++)
        MPI_Irecv(bar_data, points, MPI_DOUBLE, peers[i], tag, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; i < 6; i++)
        MPI_Isend(bar_data, points, MPI_DOUBLE, peers[i], tag, MPI_COMM_WORLD, &r[6 + i]);
    MPI_Waitall(12, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int n_levels = 0;
    MPI_Comm coarse;
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_cycles = bar_argument(argc, argv, 2);
    bar_grid(3, dims, at);
    while (n >> n_levels > 2)
        n_levels++;
    const int leader = bar_rank - bar_rank % 4;
    MPI_Comm_split(MPI_COMM_WORLD, bar_rank == leader ? 0 : MPI_UNDEFINED, 0, &coarse);
    for (int cycle = 0; cycle < n_cycles; cycle++) {
        for (int level = 0; level < n_levels; level++) {
            const int m = n >> level;
            exchange(m * m, 1);
            bar_work((long)m * m * m);
        }
        if (bar_rank != leader) {
            MPI_Send(bar_data, 8, MPI_DOUBLE, leader, 2, MPI_COMM_WORLD);
            MPI_Recv(bar_data, 8, MPI_DOUBLE, leader, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            for (int r = leader + 1; r < leader + 4 && r < bar_ranks; r++)
                MPI_Recv(bar_data, 8, MPI_DOUBLE, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Allreduce(MPI_IN_PLACE, bar_data, 32, MPI_DOUBLE, MPI_SUM, coarse);
            for (int r = leader + 1; r < leader + 4 && r < bar_ranks; r++)
                MPI_Send(bar_data, 8, MPI_DOUBLE, r, 3, MPI_COMM_WORLD);
        }
        for (int level = n_levels - 1; level >= 0; level--) {
            const int m = n >> level;
            exchange(m * m, 4);
            bar_work((long)m * m * m);
        }
        MPI_Allreduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (coarse != MPI_COMM_NULL)
        MPI_Comm_free(&coarse);
    bar_end();
    return 0;
}
