/* drawn.c - a program that depends on data: the peers of a shuffle are drawn, so fit must refuse
 * it. Arguments: N, steps. */
#include "bar.h"

int main(int argc, char **argv)
{
    unsigned state;
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_steps = bar_argument(argc, argv, 2);
    state = (unsigned)n;
    for (int step = 0; step < n_steps; step++) {
        state = state * 1664525U + 1013904223U;
        const int shift = (int)((state >> 16) % (unsigned)bar_ranks);
        bar_work(n);
        MPI_Sendrecv(bar_data, n, MPI_DOUBLE, (bar_rank + shift) % bar_ranks, 1, bar_data + n, n,
                     MPI_DOUBLE, (bar_rank + bar_ranks - shift) % bar_ranks, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    bar_end();
    return 0;
}
