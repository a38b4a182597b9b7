/* is.c - the messages of IS of the NAS Parallel Benchmarks: random keys are counted in buckets, the
 * buckets are dealt out to the ranks, and each key is sent to the owner of its bucket.
 * Arguments: n (keys), iterations. */
#include "../bars/bar.h"

enum { BUCKETS = 1024, MAX_KEY = 1 << 16 };

/* A random number below 1, and the next state. */
static double draw(unsigned long long *state)
{
    *state = *state * 1220703125ULL & ((1ULL << 46) - 1);
    return (double)*state / (double)(1ULL << 46);
}

/* How many keys go to each rank, and how many come from each. */
static void deal_out(const int *own, const int *all, int total, int *to)
{
    int sum = 0, rank = 0;
    for (int b = 0; b < BUCKETS; b++) {
        to[rank] += own[b];
        sum += all[b];
        if (sum >= (rank + 1) * (total / bar_ranks) && rank < bar_ranks - 1)
            rank++;
    }
}

int main(int argc, char **argv)
{
    bar_start(&argc, &argv, 1);
    const int n = bar_argument(argc, argv, 1), n_iterations = bar_argument(argc, argv, 2);
    const int n_own = n / bar_ranks;
    int own[BUCKETS + 5] = {0}, all[BUCKETS + 5];
    unsigned long long state = 314159265ULL + 2ULL * (unsigned)bar_rank * 7919;
    int *keys = calloc(2 * (size_t)n_own + (size_t)n, sizeof *keys), *others = keys + n_own;
    int *to = calloc(4 * (size_t)bar_ranks, sizeof *to), *from = to + bar_ranks;
    int *to_at = from + bar_ranks, *from_at = to_at + bar_ranks;
    for (int i = 0; i < n_own; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += draw(&state);
        own[(int)(sum * MAX_KEY / 4) / (MAX_KEY / BUCKETS)]++;
    }
    for (int i = 0; i <= n_iterations; i++) {
        MPI_Allreduce(own, all, BUCKETS + 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int r = 0; r < bar_ranks; r++)
            to[r] = 0;
        deal_out(own, all, n, to);
        MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
        for (int r = 1; r < bar_ranks; r++) {
            to_at[r] = to_at[r - 1] + to[r - 1];
            from_at[r] = from_at[r - 1] + from[r - 1];
        }
        MPI_Alltoallv(keys, to, to_at, MPI_INT, others, from, from_at, MPI_INT, MPI_COMM_WORLD);
    }
    MPI_Reduce(own, all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Request request;
    if (bar_rank > 0)
        MPI_Irecv(all, 1, MPI_INT, bar_rank - 1, 1000, MPI_COMM_WORLD, &request);
    if (bar_rank < bar_ranks - 1)
        MPI_Send(own, 1, MPI_INT, bar_rank + 1, 1000, MPI_COMM_WORLD);
    if (bar_rank > 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(to);
    free(keys);
    bar_end();
    return 0;
}
