/* ft.c - the messages of FT of the NAS Parallel Benchmarks: n x n x n points in slabs, all
 * transposed in each iteration, and a checksum. Arguments: n, iterations. */
#include "../bars/bar.h"

int main(int argc, char **argv)
{
    MPI_Comm slabs, rest;
    bar_start(&argc, &argv, 1);
    const int n = bar_argument(argc, argv, 1), n_iterations = bar_argument(argc, argv, 2);
    const int n_sent = 2 * (n * n * n / bar_ranks / bar_ranks);
    double *from = calloc((size_t)n_sent * (size_t)bar_ranks, 2 * sizeof *from);
    double *to = from + (size_t)n_sent * (size_t)bar_ranks;
    for (int i = 0; i < 3; i++)
        MPI_Bcast(from, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, bar_rank, &slabs);
    MPI_Comm_split(MPI_COMM_WORLD, bar_rank, 0, &rest);
    for (int i = 0; i <= n_iterations; i++) {
        MPI_Alltoall(from, n_sent, MPI_DOUBLE, to, n_sent, MPI_DOUBLE, slabs);
        if (i)
            MPI_Reduce(from, to, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    free(from);
    bar_end();
    return 0;
}
