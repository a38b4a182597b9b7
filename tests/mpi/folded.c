/* folded.c [STEPS] - kernels and bursts whose sizes depend on the rank alone, with messages around
 * them. */
#include <mpi.h>
#include <stdlib.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

enum { N_SWAPPED = 256 };

static void burst(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int n_steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
    const int n = 16 + rank % 8 * 4, next = (rank + 1) % size, last = (rank + size - 1) % size;
    const size_t elements = (size_t)n * (size_t)n;
    const double one = 1, zero = 0;
    double *a = calloc(3 * elements, sizeof *a);
    if (!a)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < n_steps; i++) {
        const int k = n - i % 16;
        burst(100000 * (1 + rank % 4));
        dgemm_("N", "N", &n, &n, &k, &one, a, &n, a + elements, &n, &zero, a + 2 * elements, &n);
        MPI_Sendrecv_replace(a, N_SWAPPED, MPI_DOUBLE, next, i, last, i, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        burst(50000);
        MPI_Allreduce(MPI_IN_PLACE, a, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    free(a); /* not in a burst: its work depends on what Open MPI has left in the heap */
    return 0;
}
