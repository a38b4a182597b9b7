/* Gaussian elimination without pivoting, rows dealt out cyclically, and back substitution. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 50;
    int rows = n / size + (rank < n % size);
    double *a = malloc((rows + 1) * (n + 1) * 8), *pivot = malloc((n + 1) * 8), *x = calloc(n, 8);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= n; j++)
            a[i * (n + 1) + j] = i * size + rank == j ? n + 1 : 1.0 / (1 + i + j);
    for (int k = 0; k < n - 1; k++) {
        if (k % size == rank)
            memcpy(pivot + k, a + (k / size) * (n + 1) + k, (n + 1 - k) * 8);
        MPI_Bcast(pivot + k, n + 1 - k, MPI_DOUBLE, k % size, MPI_COMM_WORLD);
        for (int i = 0; i < rows; i++) {
            if (i * size + rank <= k)
                continue;
            double f = a[i * (n + 1) + k] / pivot[k];
            for (int j = k; j <= n; j++)
                a[i * (n + 1) + j] -= f * pivot[j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        if (k % size == rank) {
            double *row = a + (k / size) * (n + 1);
            x[k] = row[n] / row[k];
        }
        MPI_Bcast(&x[k], 1, MPI_DOUBLE, k % size, MPI_COMM_WORLD);
        for (int i = 0; i < rows; i++)
            if (i * size + rank < k)
                a[i * (n + 1) + n] -= a[i * (n + 1) + k] * x[k];
    }
    MPI_Finalize();
    return 0;
}
