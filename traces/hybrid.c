/* hybrid.c - MPI between ranks, OpenMP inside: each rank smooths its rows with all of its threads.
 *
 *     OMP_NUM_THREADS=2 hybrid N STEPS     N x N points a rank; prints a checksum */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n;

static void smooth(double *to, const double *from)
{
#pragma omp parallel for
    for (int i = 1; i <= n; i++)
        for (int j = 1; j < n - 1; j++) {
            const double *p = from + (size_t)i * n + j;
            to[(size_t)i * n + j] = 0.2 * (p[0] + p[-1] + p[1] + p[-n] + p[n]);
        }
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 256;
    const int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20;
    const int up = rank ? rank - 1 : MPI_PROC_NULL;
    const int down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    const size_t row = (size_t)n, last = row * n;
    double *u = calloc(row * (n + 2), sizeof *u), *next = calloc(row * (n + 2), sizeof *u);
    if (!u || !next)
        MPI_Abort(MPI_COMM_WORLD, 1);
    u[row + n / 2] = rank + 1;
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(u + row, n, MPI_DOUBLE, up, 0, u + last + row, n, MPI_DOUBLE, down, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(u + last, n, MPI_DOUBLE, down, 1, u, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        smooth(next, u);
        double *swap = u;
        u = next;
        next = swap;
    }
    double sum = 0, total;
    for (size_t i = row; i <= last; i++)
        sum += u[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("checksum %g\n", total);
    free(u);
    free(next);
    MPI_Finalize();
    return 0;
}
