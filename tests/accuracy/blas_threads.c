/* blas_threads.c - matrix products of a threaded BLAS, one after the other; prints the seconds from
 * MPI_Init to MPI_Finalize.
 *
 *     OPENBLAS_NUM_THREADS=2 blas_threads N ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const double begin = MPI_Wtime(), half = 0.5;
    const int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1000,
              rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10;
    const size_t size = (size_t)n * (size_t)n;
    double *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b),
           *c = malloc(size * sizeof *c);
    if (!a || !b || !c)
        exit(1);
    for (size_t i = 0; i < size; i++)
        a[i] = b[i] = c[i] = 1e-3 * (double)(i % 7);
    for (int i = 0; i < rounds; i++) {
        dgemm_("N", "N", &n, &n, &n, &half, a, &n, b, &n, &half, c, &n);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("seconds %.6f of %g\n", MPI_Wtime() - begin, c[size / 2]);
    free(a);
    free(b);
    free(c);
    MPI_Finalize();
    return 0;
}
