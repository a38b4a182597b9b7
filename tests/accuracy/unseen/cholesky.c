/* Cholesky factorisation, blocks of columns dealt out cyclically, right-looking; n need not be a
 * multiple of the block. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 64, nb = argc > 2 ? atoi(argv[2]) : 8;
    double *a = malloc((size_t)n * n * 8),
           *panel = malloc((size_t)n * nb * 8); /* own columns are used */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[(size_t)j * n + i] = i == j ? n : 1.0 / (1 + abs(i - j));
    for (int k = 0; k * nb < n; k++) {
        int first = k * nb, width = first + nb <= n ? nb : n - first, rows = n - first;
        if (k % size == rank) {
            for (int j = 0; j < width; j++) {
                double *c = a + (size_t)(first + j) * n;
                for (int l = first; l < first + j; l++)
                    for (int i = first + j; i < n; i++)
                        c[i] -= a[(size_t)l * n + i] * a[(size_t)l * n + first + j];
                double d = sqrt(c[first + j]);
                for (int i = first + j; i < n; i++)
                    c[i] /= d;
                memcpy(panel + (size_t)j * rows, c + first, rows * 8);
            }
        }
        MPI_Bcast(panel, rows * width, MPI_DOUBLE, k % size, MPI_COMM_WORLD);
        for (int j = first + width; j < n; j++) {
            if (j / nb % size != rank)
                continue;
            for (int l = 0; l < width; l++)
                for (int i = j; i < n; i++)
                    a[(size_t)j * n + i] -=
                        panel[(size_t)l * rows + i - first] * panel[(size_t)l * rows + j - first];
        }
    }
    MPI_Finalize();
    return 0;
}
