/* threaded_blas.c - calls routines of OpenBLAS by two of its threads; before each time and after
 * the last one the same by one thread.  A barrier of MPI ends each; rank 0 prints a line for each
 * time.
 *
 *     threaded_blas ROUNDS N    of matrices of N x N
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void openblas_set_num_threads(int n);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, double *, const int *);

static double *a, *b, *c;
static int n;
static const double some = 0.5;

static void compute(int n_threads)
{
    openblas_set_num_threads(n_threads);
    dgemm_("N", "N", &n, &n, &n, &some, a, &n, b, &n, &some, c, &n);
    dsyrk_("U", "N", &n, &n, &some, a, &n, &some, c, &n);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const long rounds = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 256;
    a = calloc((size_t)n * (size_t)n, sizeof *a);
    b = calloc((size_t)n * (size_t)n, sizeof *b);
    c = calloc((size_t)n * (size_t)n, sizeof *c);
    if (!a || !b || !c)
        return 1;
    compute(2);
    for (long round = 0; round < rounds; round++) {
        compute(1);
        compute(2);
        if (rank == 0)
            puts("blas");
    }
    compute(1);
    MPI_Finalize();
    free(a);
    free(b);
    free(c);
    return 0;
}
