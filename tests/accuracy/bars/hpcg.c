/* hpcg.c - conjugate gradients with a multigrid preconditioner on n x n x n points of each rank:
 * halos with all neighbours in a list, three levels, three dot products.
 * Arguments: n (a multiple of 4), iterations. */
#include "bar.h"

static int n_neighbours, neighbour[26], weight[26][3];

static void list_neighbours(void)
{
    int dims[3], at[3];
    bar_grid(3, dims, at);
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                const int peer = bar_at(dims, at, z, y, x);
                if (peer == bar_rank || peer == MPI_PROC_NULL)
                    continue;
                weight[n_neighbours][0] = !z;
                weight[n_neighbours][1] = !y;
                weight[n_neighbours][2] = !x;
                neighbour[n_neighbours++] = peer;
            }
}

static void exchange(int n)
{
    MPI_Request r[26];
    int size[26];
    const int count = n_neighbours;
    for (int i = 0; i < count; i++)
        size[i] = (weight[i][0] ? n : 1) * (weight[i][1] ? n : 1) * (weight[i][2] ? n : 1);
    for (int i = 0; i < count; i++)
        MPI_Irecv(bar_data, size[i], MPI_DOUBLE, neighbour[i], 99, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; i < count; i++)
        MPI_Send(bar_data, size[i], MPI_DOUBLE, neighbour[i], 99, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
}

static void dot(void)
{
    MPI_Allreduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_iterations = bar_argument(argc, argv, 2);
    list_neighbours();
    for (int i = 0; i < n_iterations; i++) {
        for (int level = 0; level < 3; level++) {
            exchange(n >> level);
            bar_work((long)(n >> level) * (n >> level) * (n >> level));
        }
        for (int level = 1; level >= 0; level--) {
            exchange(n >> level);
            bar_work((long)(n >> level) * (n >> level) * (n >> level));
        }
        dot();
        exchange(n);
        bar_work((long)n * n * n);
        dot();
        dot();
    }
    bar_end();
    return 0;
}
