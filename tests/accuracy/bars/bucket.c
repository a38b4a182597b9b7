/* bucket.c - sorts N keys: a histogram, the counts, the keys. Keys are equally distributed, or
 * drawn. Arguments: N, repetitions, drawn (0 or 1). */
#include "bar.h"

static void fill(int *counts, const int *of, int n)
{
    counts[0] = 0;
    for (int i = 1; i < n; i++)
        counts[i] = counts[i - 1] + of[i - 1];
}

int main(int argc, char **argv)
{
    bar_start(&argc, &argv, 200000);
    const int n = bar_argument(argc, argv, 1), n_times = bar_argument(argc, argv, 2);
    const int drawn = bar_argument(argc, argv, 3);
    const int own = bar_local(n, bar_rank, bar_ranks);
    int *part = calloc(4 * (size_t)bar_ranks, sizeof *part);
    int *sent = part, *got = part + bar_ranks, *from = got + bar_ranks, *to = from + bar_ranks;
    unsigned state = (unsigned)bar_rank + 1;
    for (int t = 0; t < n_times; t++) {
        for (int r = 0; r < bar_ranks; r++)
            sent[r] = drawn ? 0 : bar_local(own, r, bar_ranks);
        for (int i = 0; drawn && i < own; i++) {
            state = state * 1664525U + 1013904223U;
            sent[(state >> 16) % (unsigned)bar_ranks]++;
        }
        bar_work(own);
        MPI_Allreduce(MPI_IN_PLACE, bar_data, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
        fill(from, sent, bar_ranks);
        fill(to, got, bar_ranks);
        MPI_Alltoallv(bar_data, sent, from, MPI_INT, bar_data + 100000, got, to, MPI_INT,
                      MPI_COMM_WORLD);
        bar_work(own);
    }
    for (int r = 0; r < bar_ranks; r++)
        got[r] = bar_local(n, r, bar_ranks);
    fill(to, got, bar_ranks);
    MPI_Gatherv(bar_data, own, MPI_INT, bar_data + 100000, got, to, MPI_INT, 0, MPI_COMM_WORLD);
    free(part);
    bar_end();
    return 0;
}
