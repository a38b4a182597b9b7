/* hybrid_stencil.c - a Jacobi stencil of MPI and OpenMP; prints the seconds from MPI_Init to
 * MPI_Finalize of rank 0.
 *
 *     OMP_NUM_THREADS=2 hybrid_stencil N STEPS     N x N points a rank
 *
 * The values spread from one point, so that many of them become subnormal numbers, with which
 * arithmetic is slow. With -DSTART=1.0 all points begin with this value and none become subnormal.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n;

static double smooth(double *to, const double *from)
{
    double change = 0;
#pragma omp parallel for reduction(+ : change)
    for (int i = 1; i <= n; i++)
        for (int j = 1; j < n - 1; j++) {
            const double *p = from + (size_t)i * n + j,
                         next = 0.2 * (p[0] + p[-1] + p[1] + p[-n] + p[n]);
            change += (next - p[0]) * (next - p[0]);
            to[(size_t)i * n + j] = next;
        }
    return change;
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    const double begin = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 512;
    const int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 100;
    const int up = rank ? rank - 1 : MPI_PROC_NULL,
              down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    const size_t row = (size_t)n, last = row * (size_t)n;
    double *u = calloc(row * (row + 2), sizeof *u), *next = calloc(row * (row + 2), sizeof *u),
           change, total = 0;
    if (!u || !next)
        exit(1);
#ifdef START
    for (size_t i = 0; i < row * (row + 2); i++)
        u[i] = next[i] = START;
#endif
    u[row + row / 2] = rank + 1;
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(u + row, n, MPI_DOUBLE, up, 0, u + last + row, n, MPI_DOUBLE, down, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(u + last, n, MPI_DOUBLE, down, 1, u, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        change = smooth(next, u);
        MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *swap = u;
        u = next;
        next = swap;
    }
    if (!rank)
        printf("seconds %.6f of %g\n", MPI_Wtime() - begin, total);
    free(u);
    free(next);
    MPI_Finalize();
    return 0;
}
