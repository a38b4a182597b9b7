/* osu_loop.c - allreduce in the manner of the OSU micro-benchmarks: warm-up, then repetitions that
 * a barrier separates, each timed by the rank's own clock. Prints bytes, and of the means over the
 * ranks the mean and the median, in microseconds.
 *
 *     mpirun -n 2 osu_loop REPETITIONS BYTES... */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 200, PAGE = 4096 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(int bytes, int n, int rank, int n_ranks, double *seconds, double *means)
{
    char *sent = aligned_alloc(PAGE, (size_t)(bytes / PAGE + 1) * PAGE);
    char *received = aligned_alloc(PAGE, (size_t)(bytes / PAGE + 1) * PAGE);
    double mean = 0;
    memset(sent, 0, (size_t)bytes);
    memset(received, 0, (size_t)bytes);
    for (int i = -WARM_UP; i < n; i++) {
        const double begin_s = MPI_Wtime();
        MPI_Allreduce(sent, received, bytes / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (i >= 0)
            seconds[i] = MPI_Wtime() - begin_s;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(seconds, means, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    free(sent);
    free(received);
    if (rank)
        return;
    for (int i = 0; i < n; i++)
        mean += means[i] /= n_ranks;
    qsort(means, (size_t)n, sizeof *means, compare);
    printf("%d %.3f %.3f\n", bytes, 1e6 * mean / n, 1e6 * means[n / 2]);
}

int main(int argc, char **argv)
{
    int rank, n_ranks;
    MPI_Init(&argc, &argv);
    const int n = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;
    double *seconds = calloc((size_t)n + 1, sizeof *seconds);
    double *means = calloc((size_t)n + 1, sizeof *means);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 2; i < argc && seconds && means; i++)
        measure((int)strtol(argv[i], NULL, 10), n, rank, n_ranks, seconds, means);
    free(seconds);
    free(means);
    MPI_Finalize();
    return 0;
}
